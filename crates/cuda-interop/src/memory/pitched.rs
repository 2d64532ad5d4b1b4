//! Two-dimensional device memory with padded rows, as kernels and image copies like it.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaStream, sys::CUdeviceptr};

use super::{check_len, free};
use crate::context::with_current;
use crate::copy::{Copy3d, Place};
use crate::device::synchronize;
use crate::driver::{check, end, out, table};
use crate::error::{Error, ErrorKind, Result};

/// `width` x `height` elements of `T` in device memory, each row starting `pitch_bytes` after the last.
pub struct PitchedBuffer<T> {
    pointer: CUdeviceptr,
    pitch_bytes: usize,
    width: usize,
    height: usize,
    stream: Arc<CudaStream>,
    element: PhantomData<T>,
}

impl<T: Pod> PitchedBuffer<T> {
    /// Allocates with the driver's choice of pitch (`cuMemAllocPitch`). The values are unspecified. Copies and frees
    /// are ordered on `stream`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a size of 0 or beyond the address space; else the driver's answer.
    pub fn new(stream: &Arc<CudaStream>, width: usize, height: usize) -> Result<Self> {
        let operation =
            format!("allocating {width} x {height} elements of {} bytes", size_of::<T>());
        let row_bytes = width.checked_mul(size_of::<T>());
        let total = row_bytes.and_then(|row| row.checked_mul(height));
        let (Some(row_bytes), Some(1..)) = (row_bytes, total) else {
            return Err(Error::new(ErrorKind::InvalidArgument, operation)
                .detail("every side must be at least 1, and the size must fit the address space"));
        };
        // The largest access that kernels make to it: 4, 8 or 16 bytes.
        let access = size_of::<T>().next_power_of_two().clamp(4, 16) as u32;
        let call = table::MEM_ALLOC_PITCH.get(&operation)?;
        with_current(stream.context(), &operation, || {
            let mut pitch_bytes = 0;
            // SAFETY: an address is valid with all bits zero; the driver writes an address and a size.
            let pointer = unsafe {
                out(&operation, |p| call(p, &raw mut pitch_bytes, row_bytes, height, access))
            }?;
            let stream = stream.clone();
            let buffer = Self { pointer, pitch_bytes, width, height, stream, element: PhantomData };
            if pointer == 0 || pitch_bytes < row_bytes {
                let detail = format!(
                    "address {pointer:#x}, pitch {pitch_bytes} for rows of {row_bytes} bytes"
                );
                return Err(Error::new(ErrorKind::Inconsistent, &operation).detail(detail));
            }
            Ok(buffer)
        })
    }

    /// Copies `data`, row after row without padding, over the whole buffer. Returns when it has been read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the lengths differ; else the driver's answer.
    pub fn copy_from_host(&mut self, data: &[T]) -> Result<()> {
        let operation = "copying from the host to pitched memory";
        check_len(operation, self.len(), data.len())?;
        let from =
            Place::Host { pointer: data.as_ptr().cast_mut().cast(), pitch: self.row_bytes() };
        // SAFETY: both sides hold the whole extent; waiting below keeps `data` alive long enough.
        unsafe { self.copy(from, self.place(), operation) }?;
        synchronize(&self.stream)
    }

    /// All elements, row after row without padding, after the work submitted to the stream before.
    ///
    /// # Errors
    ///
    /// The driver's answer, which may be that of earlier work on the stream.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let operation = "copying pitched memory to the host";
        let mut data = vec![T::zeroed(); self.len()];
        let to = Place::Host { pointer: data.as_mut_ptr().cast(), pitch: self.row_bytes() };
        // SAFETY: both sides hold the whole extent; waiting below ends the write before `data` is used.
        unsafe { self.copy(self.place(), to, operation) }?;
        synchronize(&self.stream)?;
        Ok(data)
    }

    unsafe fn copy(&self, from: Place, to: Place, operation: &str) -> Result<()> {
        let copy = Copy3d { from, to, row_bytes: self.row_bytes(), height: self.height, depth: 1 };
        // SAFETY: the caller's promise.
        unsafe { copy.run(&self.stream, operation) }
    }

    /// Sets every byte, padding included, to `value`, in stream order; the host does not wait.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn fill_bytes(&mut self, value: u8) -> Result<()> {
        let operation = "filling pitched memory";
        let call = table::MEMSET_D8_ASYNC.get(operation)?;
        with_current(self.stream.context(), operation, || {
            let bytes = self.pitch_bytes * self.height;
            // SAFETY: the range is this buffer's own.
            check(operation, unsafe { call(self.pointer, value, bytes, self.stream.cu_stream()) })
        })
    }
}

impl<T> PitchedBuffer<T> {
    /// Width in elements.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many elements there are, padding not counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.width * self.height
    }

    /// Never: every side is at least 1.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From the start of one row to that of the next, in bytes.
    #[must_use]
    pub fn pitch_bytes(&self) -> usize {
        self.pitch_bytes
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

    pub(crate) fn pointer_cell(&self) -> &CUdeviceptr {
        &self.pointer
    }

    pub(crate) fn place(&self) -> Place {
        Place::Device { pointer: self.pointer, pitch: self.pitch_bytes }
    }

    fn row_bytes(&self) -> usize {
        self.width * size_of::<T>()
    }
}

impl<T> fmt::Debug for PitchedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PitchedBuffer")
            .field("pointer", &format_args!("{:#x}", self.pointer))
            .field("width", &self.width)
            .field("height", &self.height)
            .field("pitch_bytes", &self.pitch_bytes)
            .finish_non_exhaustive()
    }
}

impl<T> Drop for PitchedBuffer<T> {
    fn drop(&mut self) {
        if self.pointer == 0 {
            return;
        }
        if let Err(error) = end(|| free(self.stream.context(), self.pointer)) {
            tracing::warn!("{error}");
        }
    }
}
