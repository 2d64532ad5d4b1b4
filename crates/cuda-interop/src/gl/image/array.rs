//! One level of one layer of a mapped image: a CUDA array.

use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::CudaStream;
use cudarc::driver::sys::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, CUarray, CUresourcetype,
};

use super::mapped::ImageView;
use super::objects::Object;
use super::{ArrayDescriptor, ImageUsage, Sampling, Surface, Texture};
use crate::context::with_current;
use crate::copy::{Copy3d, Place};
use crate::device::synchronize;
use crate::driver::{out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::gl::format::{ChannelKind, Format};
use crate::memory::{PitchedBuffer, check_len};

/// One level of one layer of a mapped image. An array has no address: texels are reached by copies, surfaces and
/// textures.
pub struct ImageArray<'m> {
    raw: CUarray,
    descriptor: ArrayDescriptor,
    view: ImageView<'m>,
    size: (u32, u32, u32),
}

const ASKING: &str = "asking for a level";
const MAKING_SURFACE: &str = "making a surface";

impl<'m> ImageArray<'m> {
    /// Asks for the array, and checks that it is what OpenGL's image should be.
    pub(super) fn of(view: ImageView<'m>, layer: u32, level: u32) -> Result<Self> {
        Self::ask(view, layer, level).map_err(|error| {
            let of = view.registration.label();
            error.spell_out(ASKING, || format!("asking for layer {layer}, level {level} of {of}"))
        })
    }

    fn ask(view: ImageView<'m>, layer: u32, level: u32) -> Result<Self> {
        view.desc.check_level(layer, level, ASKING)?;
        let (resource, cuda) = view.registration.handle(ASKING)?;
        let call = table::GRAPHICS_GET_ARRAY.get(ASKING)?;
        let describe = table::ARRAY3D_GET_DESCRIPTOR.get(ASKING)?;
        let (raw, descriptor): (CUarray, ArrayDescriptor) = with_current(&cuda, ASKING, || {
            // SAFETY: a null handle is a valid value; the resource is mapped, and one handle is written.
            let raw: CUarray = unsafe { out(ASKING, |p| call(p, resource, layer, level)) }?;
            if raw.is_null() {
                let error = Error::new(ErrorKind::Inconsistent, ASKING);
                return Err(error.detail("the array is null"));
            }
            // SAFETY: the descriptor is integers; the driver writes one.
            Ok((raw, unsafe { out(ASKING, |p| describe(p, raw)) }?))
        })
        .map_err(|error| view.registration.shared().explain(error))?;
        let size = view.desc.level_size(level);
        check_descriptor(descriptor, view.format, size, ASKING)?;
        Ok(Self { raw, descriptor, view, size })
    }

    /// Width, height and depth in texels.
    #[must_use]
    pub fn size(&self) -> (u32, u32, u32) {
        self.size
    }

    /// How many texels there are.
    #[must_use]
    pub fn texels(&self) -> usize {
        let (width, height, depth) = self.size;
        width as usize * height as usize * depth as usize
    }

    /// The format of the texels.
    #[must_use]
    pub fn format(&self) -> &'static Format {
        self.view.format
    }

    /// What the driver says of the array.
    #[must_use]
    pub fn descriptor(&self) -> ArrayDescriptor {
        self.descriptor
    }

    /// The driver's handle, valid until the mapping ends.
    #[must_use]
    pub fn cu_array(&self) -> CUarray {
        self.raw
    }

    fn stream(&self) -> &'m Arc<CudaStream> {
        self.view.stream
    }

    /// Copies `data`, row after row without padding, over the whole level. Returns when it has been read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ReadOnly`]; [`ErrorKind::SizeMismatch`] if `T` is not one texel;
    /// [`ErrorKind::InvalidArgument`] if the lengths differ; else the driver's answer.
    pub fn copy_from_host<T: Pod>(&self, data: &[T]) -> Result<()> {
        let operation = "copying from the host to a mapped image";
        self.check_writable(operation)?;
        self.check_texel::<T>(operation)?;
        check_len(operation, self.texels(), data.len())?;
        let from =
            Place::Host { pointer: data.as_ptr().cast_mut().cast(), pitch: self.row_bytes() };
        // SAFETY: both sides hold the whole level; waiting below keeps `data` alive long enough.
        unsafe { self.copy(from, Place::Array(self.raw), operation) }?;
        synchronize(self.stream())
    }

    /// All texels, row after row without padding, after the work submitted to the stream before.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SizeMismatch`] if `T` is not one texel; else the driver's answer, which may be that of earlier
    /// work on the stream.
    pub fn to_vec<T: Pod>(&self) -> Result<Vec<T>> {
        let operation = "copying a mapped image to the host";
        self.check_texel::<T>(operation)?;
        let mut data = vec![T::zeroed(); self.texels()];
        let to = Place::Host { pointer: data.as_mut_ptr().cast(), pitch: self.row_bytes() };
        // SAFETY: both sides hold the whole level; waiting below ends the write before `data` is used.
        unsafe { self.copy(Place::Array(self.raw), to, operation) }?;
        synchronize(self.stream())?;
        Ok(data)
    }

    /// Copies a pitched buffer of the same size over the whole level, in stream order; the host does not wait. For a
    /// 3D level the buffer holds the slices one below the other.
    ///
    /// # Errors
    ///
    /// As [`copy_from_host`](Self::copy_from_host); [`ErrorKind::WrongStream`] if the buffer is ordered on another
    /// stream than the mapping.
    pub fn copy_from_pitched<T: Pod>(&self, from: &PitchedBuffer<T>) -> Result<()> {
        let operation = "copying pitched memory to a mapped image";
        self.check_writable(operation)?;
        self.check_pitched(from, operation)?;
        // SAFETY: both sides hold the whole level, and are ordered on this stream.
        unsafe { self.copy(from.place(), Place::Array(self.raw), operation) }
    }

    /// Copies the whole level into a pitched buffer of the same size, in stream order; the host does not wait.
    ///
    /// # Errors
    ///
    /// As [`copy_from_pitched`](Self::copy_from_pitched), writing aside.
    pub fn copy_to_pitched<T: Pod>(&self, to: &mut PitchedBuffer<T>) -> Result<()> {
        let operation = "copying a mapped image to pitched memory";
        self.check_pitched(to, operation)?;
        // SAFETY: both sides hold the whole level, and are ordered on this stream.
        unsafe { self.copy(Place::Array(self.raw), to.place(), operation) }
    }

    unsafe fn copy(&self, from: Place, to: Place, operation: &str) -> Result<()> {
        let (_, height, depth) = self.size;
        let (height, depth) = (height as usize, depth as usize);
        let copy = Copy3d { from, to, row_bytes: self.row_bytes(), height, depth };
        // SAFETY: the caller's promise.
        unsafe { copy.run(self.stream(), operation) }
    }

    fn row_bytes(&self) -> usize {
        self.size.0 as usize * self.view.format.texel_bytes()
    }

    fn check_writable(&self, operation: &str) -> Result<()> {
        if self.view.writable {
            return Ok(());
        }
        Err(Error::new(ErrorKind::ReadOnly, operation)
            .hint("set the access to `ReadWrite` or `WriteDiscard` before mapping"))
    }

    fn check_texel<T>(&self, operation: &str) -> Result<()> {
        let texel = self.view.format.texel_bytes();
        if size_of::<T>() == texel {
            return Ok(());
        }
        let kind = ErrorKind::SizeMismatch { bytes: texel, element_bytes: size_of::<T>() };
        Err(Error::new(kind, operation)
            .detail(format!("a texel of {} has {texel} bytes", self.view.format.name)))
    }

    fn check_pitched<T>(&self, buffer: &PitchedBuffer<T>, operation: &str) -> Result<()> {
        self.check_texel::<T>(operation)?;
        if buffer.stream().cu_stream() != self.stream().cu_stream() {
            return Err(Error::new(ErrorKind::WrongStream, operation)
                .hint("allocate the pitched buffer on the stream that the image is mapped on"));
        }
        let (width, height, depth) = self.size;
        let needed = (width as usize, height as usize * depth as usize);
        if (buffer.width(), buffer.height()) == needed {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidArgument, operation).detail(format!(
            "the pitched buffer has {} x {} elements, the level {} x {}",
            buffer.width(),
            buffer.height(),
            needed.0,
            needed.1
        )))
    }

    fn resource_desc(&self) -> CUDA_RESOURCE_DESC {
        CUDA_RESOURCE_DESC {
            resType: CUresourcetype::CU_RESOURCE_TYPE_ARRAY,
            res: CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
                array: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: self.raw },
            },
            flags: 0,
        }
    }

    /// A surface over the level, for kernels to load and store texels.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingUsage`] if the image was registered without [`ImageUsage::SURFACE_LOAD_STORE`]; else the
    /// driver's answer.
    pub fn surface(&self) -> Result<Surface<'m>> {
        self.make_surface().map_err(|error| {
            let of = self.view.registration.label();
            error.spell_out(MAKING_SURFACE, || format!("{MAKING_SURFACE} of {of}"))
        })
    }

    fn make_surface(&self) -> Result<Surface<'m>> {
        if !self.view.usage.contains(ImageUsage::SURFACE_LOAD_STORE) {
            let kind = ErrorKind::MissingUsage("ImageUsage::SURFACE_LOAD_STORE");
            return Err(Error::new(kind, MAKING_SURFACE));
        }
        let call = table::SURF_OBJECT_CREATE.get(MAKING_SURFACE)?;
        let desc = self.resource_desc();
        let object = self.view.create_object(MAKING_SURFACE, Object::Surface, |p| {
            // SAFETY: the array is mapped; the driver reads the description and writes one object.
            unsafe { call(p, &raw const desc) }
        })?;
        Ok(Surface::new(object, self.stream(), self.view.writable))
    }

    /// A texture over the level, for kernels to read with filtering and addressing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the format cannot be sampled so; else the driver's answer.
    pub fn texture(&self, sampling: &Sampling) -> Result<Texture<'m>> {
        let operation = format!("making a texture of {}", self.view.registration.label());
        let call = table::TEX_OBJECT_CREATE.get(&operation)?;
        let texture = sampling_desc(sampling, self.view.format, 1, &operation)?;
        let desc = self.resource_desc();
        let object = self.view.create_object(&operation, Object::Texture, |p| {
            // SAFETY: the array is mapped; the driver reads the descriptions and writes one object.
            unsafe { call(p, &raw const desc, &raw const texture, std::ptr::null()) }
        })?;
        Ok(Texture::new(object, self.stream()))
    }
}

/// The driver's form of `sampling` for an image of `format`, if there is one.
pub(super) fn sampling_desc(
    sampling: &Sampling,
    format: &Format,
    levels: u32,
    operation: &str,
) -> Result<cudarc::driver::sys::CUDA_TEXTURE_DESC> {
    let is_float = format.kind == ChannelKind::Float;
    match sampling.fault(is_float, format.bits) {
        Some(fault) => Err(Error::new(ErrorKind::InvalidArgument, operation)
            .detail(format!("{fault}; the image is {}", format.name))),
        None => Ok(sampling.to_cuda(is_float, levels)),
    }
}

/// Compares what the driver says of an array with what OpenGL's image should be.
fn check_descriptor(
    descriptor: ArrayDescriptor,
    format: &Format,
    (width, height, depth): (u32, u32, u32),
    operation: &str,
) -> Result<()> {
    let size = (descriptor.width, descriptor.height.max(1));
    let deep = depth == 1 || descriptor.depth == depth as usize;
    let fits = size == (width as usize, height as usize)
        && deep
        && format.matches_array(descriptor.format, descriptor.channels);
    if fits {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Inconsistent, operation).detail(format!(
        "expected {width} x {height} x {depth} texels of {}, got {descriptor:?}",
        format.name
    )))
}

impl fmt::Debug for ImageArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImageArray")
            .field("size", &self.size)
            .field("format", &self.view.format.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_that_is_not_the_image_is_refused() {
        let rgba8 = Format::of(glow::RGBA8).unwrap();
        let good =
            ArrayDescriptor { width: 7, height: 5, depth: 0, format: 1, channels: 4, flags: 0 };
        assert!(check_descriptor(good, rgba8, (7, 5, 1), "asking").is_ok());
        for bad in [
            ArrayDescriptor { width: 6, ..good },
            ArrayDescriptor { height: 0, ..good },
            ArrayDescriptor { format: 0x20, ..good },
            ArrayDescriptor { channels: 2, ..good },
        ] {
            assert!(check_descriptor(bad, rgba8, (7, 5, 1), "asking").is_err(), "{bad:?}");
        }
        assert!(check_descriptor(good, rgba8, (7, 5, 3), "asking").is_err());
    }
}
