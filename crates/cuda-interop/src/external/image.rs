//! An image in imported memory: a mipmapped array of CUDA's.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytemuck::Pod;
use cudarc::driver::CudaStream;
use cudarc::driver::sys::{CUarray, CUmipmappedArray};

use super::extent::{ArrayFlags, ImageDesc, ImageShape};
use super::memory::Imported;
use super::sys::MipmappedArrayDesc;
use super::wait::wait_within;
use crate::context::{check_same, with_current};
use crate::driver::{check, end, out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::gl::{ArrayDescriptor, Surface};
use crate::level::Level;

/// How long dropping an image waits for work that may use it. After that the image leaks: freeing it would hang.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// An image that CUDA shares with another API. What orders the two sides is not in this type: semaphores, or waiting
/// on the host.
pub struct ExternalImage {
    raw: CUmipmappedArray,
    desc: ImageDesc,
    levels: Vec<Slot>,
    last_stream: Option<Arc<CudaStream>>,
    memory: Arc<Imported>,
}

/// A level's array, and the surface over it once one was asked for.
struct Slot {
    array: CUarray,
    surface: Option<u64>,
}

// SAFETY: handles that the driver lets any thread use once their context is current there.
unsafe impl Send for ExternalImage {}

impl ExternalImage {
    /// # Safety
    ///
    /// As [`ExternalMemory::image`](super::ExternalMemory::image).
    pub(super) unsafe fn map(
        memory: &Arc<Imported>,
        offset_bytes: u64,
        desc: ImageDesc,
    ) -> Result<Self> {
        let operation = format!("mapping an image at byte {offset_bytes} of external memory");
        let array = desc.array_descriptor()?;
        if offset_bytes >= memory.size_bytes {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail(format!("the allocation has {} bytes", memory.size_bytes)));
        }
        let call = table::EXTERNAL_MEMORY_GET_MIPMAPPED_ARRAY.get(&operation)?;
        let mapping = MipmappedArrayDesc {
            offset: offset_bytes,
            array,
            levels: desc.levels,
            reserved: [0; 16],
        };
        with_current(&memory.context, &operation, || {
            // SAFETY: a null handle is a valid value; the memory is alive; the driver writes one handle.
            let raw: CUmipmappedArray =
                unsafe { out(&operation, |p| call(p, memory.raw, &raw const mapping)) }
                    .map_err(|error| error.detail(format!("{desc:?}")))?;
            if raw.is_null() {
                let error = Error::new(ErrorKind::Inconsistent, &operation);
                return Err(error.detail("the mipmapped array is null"));
            }
            let memory = memory.clone();
            let mut image = Self { raw, desc, levels: Vec::new(), last_stream: None, memory };
            image.find_levels(&operation)?;
            Ok(image)
        })
    }

    fn find_levels(&mut self, operation: &str) -> Result<()> {
        let get = table::MIPMAPPED_ARRAY_GET_LEVEL.get(operation)?;
        let describe = table::ARRAY3D_GET_DESCRIPTOR.get(operation)?;
        for level in 0..self.desc.levels {
            let operation = format!("{operation} (level {level})");
            // SAFETY: a null handle is a valid value; the array is alive and has this level.
            let array: CUarray = unsafe { out(&operation, |p| get(p, self.raw, level)) }?;
            // SAFETY: the descriptor is integers; the driver writes one.
            let found: ArrayDescriptor = unsafe { out(&operation, |p| describe(p, array)) }?;
            let element = self.desc.format.element;
            let [width, height, _] = self.desc.level_size(level).map(|side| side as usize);
            let expected = (width, height, element.channel.cu_array_format(), element.channels);
            if array.is_null()
                || expected != (found.width, found.height.max(1), found.format, found.channels)
            {
                return Err(Error::new(ErrorKind::Inconsistent, operation)
                    .detail(format!("array {array:p} is {found:?}, wanted is {expected:?}")));
            }
            self.levels.push(Slot { array, surface: None });
        }
        Ok(())
    }

    /// What the image is.
    #[must_use]
    pub fn desc(&self) -> ImageDesc {
        self.desc
    }

    /// One level, for work on `stream`: all layers of it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if there is no such level; [`ErrorKind::WrongCudaContext`] if the stream is of
    /// another context.
    pub fn level<'a>(
        &'a mut self,
        level: u32,
        stream: &'a Arc<CudaStream>,
    ) -> Result<ExternalLevel<'a>> {
        let operation = format!("using level {level} of an external image");
        check_same(&self.memory.context, stream, &operation)?;
        if level >= self.desc.levels {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail(format!("the image has {} levels", self.desc.levels)));
        }
        self.last_stream = Some(stream.clone());
        Ok(ExternalLevel { image: self, level, stream })
    }

    fn release(&mut self) -> Result<()> {
        let operation = "freeing an external image";
        while let Some(level) = self.levels.last_mut() {
            if let Some(surface) = level.surface {
                let call = table::SURF_OBJECT_DESTROY.get(operation)?;
                // SAFETY: this value owns the surface, and the work that used it is done.
                check(operation, unsafe { call(surface) })?;
            }
            self.levels.pop();
        }
        let call = table::MIPMAPPED_ARRAY_DESTROY.get(operation)?;
        // SAFETY: this value owns the array, and the work that used it is done.
        check(operation, unsafe { call(self.raw) })
    }
}

impl fmt::Debug for ExternalImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalImage").field("desc", &self.desc).finish_non_exhaustive()
    }
}

impl Drop for ExternalImage {
    fn drop(&mut self) {
        let waited = self.last_stream.take().map_or(Ok(()), |s| wait_within(&s, LAST_WAIT));
        if let Err(error) = waited
            && matches!(error.kind(), ErrorKind::Timeout { .. })
        {
            tracing::warn!("{error}; the external image leaks");
            std::mem::forget(self.memory.clone());
            return;
        }
        let context = self.memory.context.clone();
        let operation = "freeing an external image";
        if let Err(error) = end(|| with_current(&context, operation, || self.release())) {
            tracing::warn!("{error}");
        }
    }
}

/// One level of an external image, for work on one stream.
pub struct ExternalLevel<'a> {
    image: &'a mut ExternalImage,
    level: u32,
    stream: &'a Arc<CudaStream>,
}

impl ExternalLevel<'_> {
    /// Width, height and depth in texels; layers are not counted.
    #[must_use]
    pub fn size(&self) -> [u32; 3] {
        self.image.desc.level_size(self.level)
    }

    /// How many texels there are in all layers.
    #[must_use]
    pub fn texels(&self) -> usize {
        self.cuda_level().texels()
    }

    /// The stream that work on it must be ordered on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.stream
    }

    /// The level as CUDA has it: layers take the place of depth.
    fn cuda_level(&self) -> Level<'_> {
        let [width, height, depth] = self.size().map(|side| side as usize);
        let depth = match self.image.desc.shape {
            ImageShape::D3 => depth,
            _ => self.image.desc.layers as usize,
        };
        Level {
            array: self.image.levels[self.level as usize].array,
            size: [width, height, depth],
            texel_bytes: self.image.desc.format.element.bytes(),
            stream: self.stream,
        }
    }

    /// A surface over the level, for kernels to load and store texels. It is made once and kept with the image.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingUsage`] if the image was described without surfaces; else the driver's answer.
    pub fn surface(&mut self) -> Result<Surface<'_>> {
        let operation = "making a surface of an external image";
        let slot = self.level as usize;
        if let Some(surface) = self.image.levels[slot].surface {
            return Ok(Surface::new(surface, self.stream, true));
        }
        if !self.image.desc.flags.contains(ArrayFlags::SURFACE_LOAD_STORE) {
            let kind = ErrorKind::MissingUsage("ArrayFlags::SURFACE_LOAD_STORE");
            return Err(Error::new(kind, operation));
        }
        let surface = self.cuda_level().create_surface(operation)?;
        self.image.levels[slot].surface = Some(surface);
        Ok(Surface::new(surface, self.stream, true))
    }

    /// Copies `data` over all layers of the level: layer after layer, slice after slice, row after row without
    /// padding. Returns when it has been read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SizeMismatch`] if `T` is not one texel; [`ErrorKind::InvalidArgument`] if the lengths differ; else
    /// the driver's answer.
    pub fn copy_from_host<T: Pod>(&mut self, data: &[T]) -> Result<()> {
        self.cuda_level().copy_from_host(data, "copying from the host to an external image")
    }

    /// All texels of all layers, in the order of [`copy_from_host`](Self::copy_from_host), after the work submitted to
    /// the stream before.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SizeMismatch`] if `T` is not one texel; else the driver's answer, which may be that of earlier
    /// work on the stream.
    pub fn to_vec<T: Pod>(&self) -> Result<Vec<T>> {
        self.cuda_level().to_vec("copying an external image to the host")
    }
}

impl fmt::Debug for ExternalLevel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalLevel").field("level", &self.level).finish_non_exhaustive()
    }
}
