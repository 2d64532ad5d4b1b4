//! Device memory: CUDA's own, and views of memory that a graphics API shares.

mod pinned;
mod pitched;
mod view;

pub use pinned::PinnedBuffer;
pub use pitched::PitchedBuffer;
pub use view::{DeviceView, DeviceViewMut};

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaStream, sys::CUdeviceptr};

use crate::context::with_current;
use crate::device::synchronize;
use crate::driver::{check, end, out, table};
use crate::error::{Error, ErrorKind, Result};

/// `len` elements of `T` in device memory, freed when dropped. No host pointer leads to it.
pub struct DeviceBuffer<T> {
    pointer: CUdeviceptr,
    len: usize,
    stream: Arc<CudaStream>,
    element: PhantomData<T>,
}

impl<T: Pod> DeviceBuffer<T> {
    /// Allocates `len` elements, all bytes zero, on `stream`'s device. Copies and frees are ordered on `stream`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for no elements, elements without size, or more bytes than an address
    /// can count; else the driver's answer.
    pub fn zeroed(stream: &Arc<CudaStream>, len: usize) -> Result<Self> {
        let buffer = Self::uninitialised(stream, len)?;
        let operation = "clearing device memory";
        let call = table::MEMSET_D8_ASYNC.get(operation)?;
        with_current(stream.context(), operation, || {
            // SAFETY: the range is this buffer's own.
            let code = unsafe { call(buffer.pointer, 0, buffer.size_bytes(), stream.cu_stream()) };
            check(operation, code)
        })?;
        Ok(buffer)
    }

    /// Allocates room for `data` and copies it there. Returns when the host data has been read.
    ///
    /// # Errors
    ///
    /// As [`zeroed`](Self::zeroed).
    pub fn from_slice(stream: &Arc<CudaStream>, data: &[T]) -> Result<Self> {
        let mut buffer = Self::uninitialised(stream, data.len())?;
        buffer.copy_from_host(data)?;
        Ok(buffer)
    }

    fn uninitialised(stream: &Arc<CudaStream>, len: usize) -> Result<Self> {
        let operation = format!("allocating {len} elements of {} bytes", size_of::<T>());
        let bytes = len.checked_mul(size_of::<T>()).filter(|n| isize::try_from(*n).is_ok());
        let Some(bytes @ 1..) = bytes else {
            let detail =
                "device memory must have at least one byte, and a size that fits the address space";
            return Err(Error::new(ErrorKind::InvalidArgument, operation).detail(detail));
        };
        let call = table::MEM_ALLOC.get(&operation)?;
        with_current(stream.context(), &operation, || {
            // SAFETY: an address is valid with all bits zero; the driver writes one address.
            let pointer = unsafe { out(operation.clone(), |p| call(p, bytes)) }?;
            if pointer == 0 {
                let error = Error::new(ErrorKind::Inconsistent, operation.clone());
                return Err(error.detail("the pointer is null"));
            }
            Ok(Self { pointer, len, stream: stream.clone(), element: PhantomData })
        })
    }

    /// Copies `data` over the whole buffer. Returns when the host data has been read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the lengths differ; else the driver's answer.
    pub fn copy_from_host(&mut self, data: &[T]) -> Result<()> {
        let operation = "copying from the host to device memory";
        self.check_len(operation, data.len())?;
        copy_from_host(&self.stream, self.pointer, bytemuck::cast_slice(data), operation)
    }

    /// Copies the whole buffer into `data`, waiting for the work submitted to its stream before.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the lengths differ; else the driver's answer, which may be that of
    /// earlier work on the stream.
    pub fn copy_to_host(&self, data: &mut [T]) -> Result<()> {
        let operation = "copying device memory to the host";
        self.check_len(operation, data.len())?;
        copy_to_host(&self.stream, self.pointer, bytemuck::cast_slice_mut(data), operation)
    }

    /// The whole buffer as a vector: [`copy_to_host`](Self::copy_to_host) into a new one.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut data = vec![T::zeroed(); self.len];
        self.copy_to_host(&mut data)?;
        Ok(data)
    }

    /// Sets every byte to `value`, in stream order; the host does not wait.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn fill_bytes(&mut self, value: u8) -> Result<()> {
        let operation = "filling device memory";
        let call = table::MEMSET_D8_ASYNC.get(operation)?;
        with_current(self.stream.context(), operation, || {
            // SAFETY: the range is this buffer's own.
            let code =
                unsafe { call(self.pointer, value, self.size_bytes(), self.stream.cu_stream()) };
            check(operation, code)
        })
    }

    fn check_len(&self, operation: &str, len: usize) -> Result<()> {
        check_len(operation, self.len, len)
    }
}

impl<T> DeviceBuffer<T> {
    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a buffer has at least one element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The stream that orders copies and the free.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The device address, valid while this buffer lives. For kernel arguments, pass the buffer itself.
    #[must_use]
    pub fn device_pointer(&self) -> CUdeviceptr {
        self.pointer
    }

    /// Where the address is stored, for a kernel's argument list.
    pub(crate) fn pointer_cell(&self) -> &CUdeviceptr {
        &self.pointer
    }
}

impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("pointer", &format_args!("{:#x}", self.pointer))
            .field("len", &self.len)
            .field("element", &std::any::type_name::<T>())
            .finish_non_exhaustive()
    }
}

impl<T> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if let Err(error) = end(|| free(self.stream.context(), self.pointer)) {
            tracing::warn!("{error}");
        }
    }
}

/// Frees device memory. The driver waits for work that uses it.
pub(crate) fn free(context: &CudaContext, pointer: CUdeviceptr) -> Result<()> {
    let operation = "freeing device memory";
    let call = table::MEM_FREE.get(operation)?;
    with_current(context, operation, || {
        // SAFETY: the caller owns the allocation and gives it up.
        check(operation, unsafe { call(pointer) })
    })
}

pub(crate) fn check_len(operation: &str, own: usize, given: usize) -> Result<()> {
    if own == given {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidArgument, operation)
        .detail(format!("the device side has {own} elements, the host side {given}")))
}

/// Copies host bytes to device memory that holds at least as many; returns when the host data has been read.
pub(crate) fn copy_from_host(
    stream: &CudaStream,
    to: CUdeviceptr,
    from: &[u8],
    operation: &str,
) -> Result<()> {
    let call = table::MEMCPY_HTOD_ASYNC.get(operation)?;
    with_current(stream.context(), operation, || {
        // SAFETY: the caller guarantees room for `from` at `to`; waiting below keeps `from` alive long enough.
        let code = unsafe { call(to, from.as_ptr().cast(), from.len(), stream.cu_stream()) };
        check(operation, code)
    })?;
    synchronize(stream)
}

/// Copies device memory that holds at least `to.len()` bytes to the host, waiting for it.
pub(crate) fn copy_to_host(
    stream: &CudaStream,
    from: CUdeviceptr,
    to: &mut [u8],
    operation: &str,
) -> Result<()> {
    let call = table::MEMCPY_DTOH_ASYNC.get(operation)?;
    with_current(stream.context(), operation, || {
        // SAFETY: the caller guarantees `to.len()` bytes at `from`; waiting below ends the write before `to` is used.
        let code = unsafe { call(to.as_mut_ptr().cast(), from, to.len(), stream.cu_stream()) };
        check(operation, code)
    })?;
    synchronize(stream)
}
