//! A Direct3D 11 buffer, and its mapping.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaStream, sys::CUdeviceptr};

use super::resource::{Mapping, Resource};
use crate::context::with_current;
use crate::driver::{out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::gl::Access;
use crate::memory::{DeviceView, DeviceViewMut};

/// An `ID3D11Buffer` of `len` elements of `T`, registered with CUDA. Dropping it unregisters; the buffer stays the program's.
pub struct D3d11Buffer<T> {
    resource: Resource,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Pod> D3d11Buffer<T> {
    /// Registers a buffer. Register once: it is expensive.
    ///
    /// # Safety
    ///
    /// `buffer` must be a live `ID3D11Buffer*` of the device that `cuda` runs on; this value is used and dropped on the
    /// thread of its immediate context; and Direct3D does not use the buffer while it is mapped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a null pointer or no elements; [`ErrorKind::MissingSymbol`] but on Windows;
    /// else the driver's answer.
    pub unsafe fn register(
        cuda: &Arc<CudaContext>,
        buffer: *mut c_void,
        len: usize,
        access: Access,
    ) -> Result<Self> {
        if len.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes == 0) {
            return Err(Error::new(ErrorKind::InvalidArgument, "registering a Direct3D 11 buffer")
                .detail(format!("{len} elements of {} bytes", size_of::<T>())));
        }
        // SAFETY: the caller's promise.
        let resource =
            unsafe { Resource::register(cuda, buffer, 0, access, "a Direct3D 11 buffer") }?;
        Ok(Self { resource, len, element: PhantomData })
    }

    /// Maps the buffer for work on `stream`: from here to the unmap it is CUDA's.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongCudaContext`] if the stream is of another context; [`ErrorKind::Inconsistent`] if the buffer is
    /// smaller than its elements; else the driver's answer.
    pub fn map<'a>(&'a mut self, stream: &'a Arc<CudaStream>) -> Result<MappedD3d11Buffer<'a, T>> {
        let operation = "asking for the address of a Direct3D 11 buffer";
        let call = table::GRAPHICS_GET_POINTER.get(operation)?;
        let mapping = self.resource.map(stream)?;
        let mut size = 0;
        let pointer: CUdeviceptr = with_current(stream.context(), operation, || {
            // SAFETY: an address is valid with all bits zero; the driver writes an address and a size.
            unsafe { out(operation, |p| call(p, &raw mut size, mapping.registered.raw)) }
        })?;
        let needed = self.len * size_of::<T>();
        if pointer == 0 || size < needed {
            return Err(Error::new(ErrorKind::Inconsistent, operation)
                .detail(format!("address {pointer:#x}, {size} bytes where {needed} are needed")));
        }
        Ok(MappedD3d11Buffer { mapping, pointer, len: self.len, element: PhantomData })
    }

    /// Maps the buffer for `body` alone, which cannot leak the mapping.
    ///
    /// # Errors
    ///
    /// As [`map`](Self::map) and [`MappedD3d11Buffer::unmap`], and those of `body`.
    pub fn with_mapped<R>(
        &mut self,
        stream: &Arc<CudaStream>,
        body: impl FnOnce(DeviceViewMut<'_, T>) -> Result<R>,
    ) -> Result<R> {
        let mut mapped = self.map(stream)?;
        let result = body(mapped.as_view_mut())?;
        mapped.unmap()?;
        Ok(result)
    }
}

impl<T> fmt::Debug for D3d11Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("D3d11Buffer").field("len", &self.len).finish_non_exhaustive()
    }
}

/// A buffer while it is CUDA's. Dropping it unmaps, also on error and panic.
pub struct MappedD3d11Buffer<'a, T> {
    mapping: Mapping<'a>,
    pointer: CUdeviceptr,
    len: usize,
    element: PhantomData<&'a mut T>,
}

impl<T> MappedD3d11Buffer<'_, T> {
    /// All elements, shared.
    #[must_use]
    pub fn as_view(&self) -> DeviceView<'_, T> {
        // SAFETY: the memory is mapped while the mapping is borrowed.
        unsafe { DeviceView::new(self.pointer, self.len, self.mapping.stream()) }
    }

    /// All elements, exclusively: what kernels and copies take, as of an OpenGL buffer.
    #[must_use]
    pub fn as_view_mut(&mut self) -> DeviceViewMut<'_, T> {
        let writable = self.mapping.is_writable();
        // SAFETY: the memory is mapped while the mapping is borrowed.
        unsafe { DeviceViewMut::new(self.pointer, self.len, self.mapping.stream(), writable) }
    }

    /// Unmaps. From here on the buffer is Direct3D's.
    ///
    /// # Errors
    ///
    /// The driver's answer, which may be that of earlier work on the stream. The buffer then unmaps again at its next use.
    pub fn unmap(self) -> Result<()> {
        self.mapping.unmap()
    }
}

impl<T> fmt::Debug for MappedD3d11Buffer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedD3d11Buffer").field("len", &self.len).finish_non_exhaustive()
    }
}
