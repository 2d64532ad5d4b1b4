//! Page-locked host memory: what the GPU copies to and from without a detour.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::CudaContext;

use crate::context::with_current;
use crate::driver::{check, end, out, table};
use crate::error::{Error, ErrorKind, Result};

/// `len` elements of `T` in page-locked host memory: a slice like any other, but copies between it and device memory run at
/// the full speed of the bus. Freed when dropped.
pub struct PinnedBuffer<T> {
    pointer: NonNull<T>,
    len: usize,
    context: Arc<CudaContext>,
}

// SAFETY: it owns its memory like a boxed slice; the driver lets any thread free it once the context is current there.
unsafe impl<T: Send> Send for PinnedBuffer<T> {}
// SAFETY: as for a boxed slice.
unsafe impl<T: Sync> Sync for PinnedBuffer<T> {}

impl<T: Pod> PinnedBuffer<T> {
    /// Allocates `len` elements, all bytes zero.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for no elements, elements without size, or more bytes than an address can count; else
    /// the driver's answer: page-locked memory is scarcer than other memory.
    pub fn zeroed(context: &Arc<CudaContext>, len: usize) -> Result<Self> {
        let operation =
            format!("allocating {len} page-locked elements of {} bytes", size_of::<T>());
        let bytes = len.checked_mul(size_of::<T>()).filter(|n| isize::try_from(*n).is_ok());
        let Some(bytes @ 1..) = bytes else {
            let detail =
                "host memory must have at least one byte, and a size that fits the address space";
            return Err(Error::new(ErrorKind::InvalidArgument, operation).detail(detail));
        };
        let call = table::MEM_HOST_ALLOC.get(&operation)?;
        with_current(context, &operation, || {
            // SAFETY: a pointer is valid with all bits zero; the driver writes one.
            let pointer = unsafe { out(operation.clone(), |p| call(p, bytes, 0)) }?;
            let Some(pointer) = NonNull::new(pointer.cast::<T>()).filter(|p| p.is_aligned()) else {
                let error = Error::new(ErrorKind::Inconsistent, operation.clone());
                return Err(error.detail("the pointer is null or not aligned"));
            };
            let buffer = Self { pointer, len, context: context.clone() };
            // SAFETY: the allocation has this many bytes and is ours.
            unsafe { buffer.pointer.cast::<u8>().write_bytes(0, bytes) };
            Ok(buffer)
        })
    }
}

impl<T> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `len` elements that were initialised to zeros, which is a `T` (it was `Pod` then).
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len) }
    }
}

impl<T> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedBuffer")
            .field("pointer", &self.pointer)
            .field("len", &self.len)
            .field("element", &std::any::type_name::<T>())
            .finish_non_exhaustive()
    }
}

impl<T> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        let operation = "freeing page-locked memory";
        let freed = end(|| {
            let call = table::MEM_FREE_HOST.get(operation)?;
            with_current(&self.context, operation, || {
                // SAFETY: our own allocation, given up here; copies to it were waited for.
                check(operation, unsafe { call(self.pointer.as_ptr().cast()) })
            })
        });
        if let Err(error) = freed {
            tracing::warn!("{error}");
        }
    }
}
