//! A buffer of which both ends are in this program: OpenGL's and CUDA's, in one allocation.

use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaStream};
use smallvec::SmallVec;

use super::memory::{GlMemory, GlMemoryBuffer};
use crate::device::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::external::{Allocation, ExportableMemory, ExternalBuffer};
use crate::gl::GlContext;
use crate::memory::DeviceViewMut;

/// `len` elements of `T` that OpenGL and CUDA share: CUDA's own memory, imported into OpenGL with no other API between.
///
/// On NVIDIA's driver 580 OpenGL sees only the first memory that it imports from CUDA, and zeros in every other one, unless a
/// Vulkan device with exported semaphores lives in the process and comes from the same driver library as the OpenGL context:
/// `libEGL_nvidia` for EGL, `libGLX_nvidia` for GLX (the environment variable `VK_DRIVER_FILES` chooses). So read the first
/// values back through OpenGL ([`SharedBuffer::read_through_gl`]) before relying on it.
///
/// It is OpenGL's while nothing borrows it, and CUDA's while a [`MappedShared`](super::MappedShared) does, as with a
/// [`GlBuffer`](crate::gl::GlBuffer).
pub struct SharedBuffer<T> {
    // OpenGL's end goes first: its memory is CUDA's.
    gl: GlMemoryBuffer<T>,
    cuda: ExternalBuffer<T>,
}

impl<T: Pod> SharedBuffer<T> {
    /// Allocates in CUDA and imports into OpenGL. The values are unspecified.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OtherDevice`] if OpenGL runs on another device than CUDA;
    /// [`ErrorKind::MissingGlExtension`]; [`ErrorKind::Unsupported`] if the device exports no memory;
    /// [`ErrorKind::InvalidArgument`] for a size of 0 or beyond the address space; else what CUDA or OpenGL answers.
    pub fn new(gl: &GlContext, cuda: &Arc<CudaContext>, len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "sizing a shared buffer")
                .detail(format!("{len} elements of {} bytes", size_of::<T>()))
        })?;
        let memory = ExportableMemory::new(cuda, bytes)?;
        let allocation = Allocation {
            size_bytes: memory.size_bytes(),
            dedicated: false,
            device: Some(Device::of(cuda).uuid()?),
        };
        // SAFETY: the descriptor is of an allocation of that size, on that device.
        let imported = unsafe { GlMemory::import_fd(gl, memory.export()?, allocation) }?;
        // SAFETY: this value lets only one of the two sides at the memory at a time, and `Handover` orders them.
        let (gl, cuda) = unsafe { (imported.buffer(0, len)?, memory.buffer(0, len)?) };
        Ok(Self { gl, cuda })
    }

    /// Reads the whole buffer back through OpenGL: what a draw call would see.
    ///
    /// # Errors
    ///
    /// The context's errors, or [`ErrorKind::Gl`].
    pub fn read_through_gl(&self) -> Result<Vec<T>> {
        self.gl.read_through_gl()
    }

    /// Writes the whole buffer through OpenGL.
    ///
    /// # Errors
    ///
    /// The context's errors; [`ErrorKind::InvalidArgument`] if the lengths differ; [`ErrorKind::Gl`].
    pub fn write_through_gl(&mut self, data: &[T]) -> Result<()> {
        self.gl.write_through_gl(data)
    }
}

impl<T> SharedBuffer<T> {
    /// The buffer's name, for binding and drawing. Borrowing `self` keeps it from being asked while mapped.
    #[must_use]
    pub fn gl_name(&self) -> glow::Buffer {
        self.gl.gl_name()
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gl.len()
    }

    /// Never: a buffer has at least one element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gl.is_empty()
    }
}

impl<T> fmt::Debug for SharedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedBuffer").field("gl", &self.gl).field("cuda", &self.cuda).finish()
    }
}

/// The names of what is handed over.
pub type BufferNames = SmallVec<[glow::Buffer; 2]>;

/// What can be handed over: shared buffers, one or two by reference.
pub trait Shared {
    /// One view for each buffer.
    type Views<'v>
    where
        Self: 'v;

    /// The buffers' names.
    fn gl_names(&self) -> BufferNames;

    /// The device memory, for work on `stream`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongCudaContext`] if the stream is of another context.
    fn views<'v>(&'v mut self, stream: &'v Arc<CudaStream>) -> Result<Self::Views<'v>>;
}

impl<T> Shared for &mut SharedBuffer<T> {
    type Views<'v>
        = DeviceViewMut<'v, T>
    where
        Self: 'v;

    fn gl_names(&self) -> BufferNames {
        BufferNames::from_slice(&[self.gl_name()])
    }

    fn views<'v>(&'v mut self, stream: &'v Arc<CudaStream>) -> Result<Self::Views<'v>> {
        self.cuda.on(stream)
    }
}

impl<T, U> Shared for (&mut SharedBuffer<T>, &mut SharedBuffer<U>) {
    type Views<'v>
        = (DeviceViewMut<'v, T>, DeviceViewMut<'v, U>)
    where
        Self: 'v;

    fn gl_names(&self) -> BufferNames {
        BufferNames::from_slice(&[self.0.gl_name(), self.1.gl_name()])
    }

    fn views<'v>(&'v mut self, stream: &'v Arc<CudaStream>) -> Result<Self::Views<'v>> {
        Ok((self.0.cuda.on(stream)?, self.1.cuda.on(stream)?))
    }
}
