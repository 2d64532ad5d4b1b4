//! Borrowed device memory: what a mapping gives out, whole or in part.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaStream, sys::CUdeviceptr};

use super::{DeviceBuffer, check_len, copy_from_host, copy_to_host};
use crate::context::with_current;
use crate::driver::{check, table};
use crate::error::{Error, ErrorKind, Result};

/// A shared view of `len` elements of device memory, like `&[T]`. It cannot outlive what it looks at.
pub struct DeviceView<'a, T> {
    pointer: CUdeviceptr,
    len: usize,
    stream: &'a Arc<CudaStream>,
    borrow: PhantomData<&'a T>,
}

/// An exclusive view of `len` elements of device memory, like `&mut [T]`. It cannot outlive what it looks at.
pub struct DeviceViewMut<'a, T> {
    pointer: CUdeviceptr,
    len: usize,
    stream: &'a Arc<CudaStream>,
    writable: bool,
    borrow: PhantomData<&'a mut T>,
}

impl<T> Clone for DeviceView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceView<'_, T> {}

impl<'a, T> DeviceView<'a, T> {
    /// # Safety
    ///
    /// `len` elements at `pointer` must be readable by work on `stream` for `'a`.
    pub(crate) unsafe fn new(
        pointer: CUdeviceptr,
        len: usize,
        stream: &'a Arc<CudaStream>,
    ) -> Self {
        Self { pointer, len, stream, borrow: PhantomData }
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device address. For kernel arguments, pass the view itself.
    #[must_use]
    pub fn device_pointer(&self) -> CUdeviceptr {
        self.pointer
    }

    /// The stream that work on this memory must be ordered on.
    #[must_use]
    pub fn stream(&self) -> &'a Arc<CudaStream> {
        self.stream
    }

    pub(crate) fn pointer_cell(&self) -> &CUdeviceptr {
        &self.pointer
    }

    /// The elements in `range`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the range is not inside the view.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceView<'a, T>> {
        let (start, end) = resolve(&range, self.len)?;
        let pointer = self.pointer + (start * size_of::<T>()) as CUdeviceptr;
        Ok(DeviceView { pointer, len: end - start, ..*self })
    }
}

impl<T: Pod> DeviceView<'_, T> {
    /// Copies all elements into `data`, waiting for the work submitted to the stream before.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the lengths differ; else the driver's answer, which may be that of
    /// earlier work on the stream.
    pub fn copy_to_host(&self, data: &mut [T]) -> Result<()> {
        let operation = "copying mapped memory to the host";
        check_len(operation, self.len, data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        copy_to_host(self.stream, self.pointer, bytemuck::cast_slice_mut(data), operation)
    }

    /// All elements as a vector: [`copy_to_host`](Self::copy_to_host) into a new one.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut data = vec![T::zeroed(); self.len];
        self.copy_to_host(&mut data)?;
        Ok(data)
    }
}

impl<'a, T> DeviceViewMut<'a, T> {
    /// # Safety
    ///
    /// `len` elements at `pointer` must be accessible to work on `stream` for `'a`, and to nothing else; writable
    /// if `writable`.
    pub(crate) unsafe fn new(
        pointer: CUdeviceptr,
        len: usize,
        stream: &'a Arc<CudaStream>,
        writable: bool,
    ) -> Self {
        Self { pointer, len, stream, writable, borrow: PhantomData }
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device address. For kernel arguments, pass the view itself.
    #[must_use]
    pub fn device_pointer(&self) -> CUdeviceptr {
        self.pointer
    }

    /// The stream that work on this memory must be ordered on.
    #[must_use]
    pub fn stream(&self) -> &'a Arc<CudaStream> {
        self.stream
    }

    /// Whether CUDA may write: not if the resource is mapped for reading only.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    pub(crate) fn pointer_cell(&self) -> &CUdeviceptr {
        &self.pointer
    }

    /// The same elements, shared.
    #[must_use]
    pub fn as_view(&self) -> DeviceView<'_, T> {
        DeviceView {
            pointer: self.pointer,
            len: self.len,
            stream: self.stream,
            borrow: PhantomData,
        }
    }

    /// The elements in `range`, exclusively.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the range is not inside the view.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceViewMut<'_, T>> {
        self.reborrow().into_slice(range)
    }

    /// The elements in `range`, giving up the rest.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the range is not inside the view.
    pub fn into_slice(self, range: impl RangeBounds<usize>) -> Result<DeviceViewMut<'a, T>> {
        let (start, end) = resolve(&range, self.len)?;
        let pointer = self.pointer + (start * size_of::<T>()) as CUdeviceptr;
        Ok(DeviceViewMut { pointer, len: end - start, ..self })
    }

    /// The same elements for a shorter time.
    fn reborrow(&mut self) -> DeviceViewMut<'_, T> {
        DeviceViewMut { borrow: PhantomData, ..*self }
    }

    /// Two views, of the elements before `middle` and of those from it on.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if `middle` is beyond the end.
    pub fn split_at_mut(
        &mut self,
        middle: usize,
    ) -> Result<(DeviceViewMut<'_, T>, DeviceViewMut<'_, T>)> {
        resolve(&(..middle), self.len)?;
        let part = |start: usize, end: usize| DeviceViewMut {
            pointer: self.pointer + (start * size_of::<T>()) as CUdeviceptr,
            len: end - start,
            stream: self.stream,
            writable: self.writable,
            borrow: PhantomData,
        };
        Ok((part(0, middle), part(middle, self.len)))
    }

    fn check_writable(&self, operation: &str) -> Result<()> {
        if self.writable {
            return Ok(());
        }
        Err(Error::new(ErrorKind::ReadOnly, operation)
            .hint("set the access to `ReadWrite` or `WriteDiscard` before mapping"))
    }
}

impl<T: Pod> DeviceViewMut<'_, T> {
    /// As [`DeviceView::copy_to_host`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn copy_to_host(&self, data: &mut [T]) -> Result<()> {
        self.as_view().copy_to_host(data)
    }

    /// As [`DeviceView::to_vec`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.as_view().to_vec()
    }

    /// Copies `data` over all elements. Returns when the host data has been read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ReadOnly`]; [`ErrorKind::InvalidArgument`] if the lengths differ; else the driver's answer.
    pub fn copy_from_host(&mut self, data: &[T]) -> Result<()> {
        let operation = "copying from the host to mapped memory";
        self.check_writable(operation)?;
        check_len(operation, self.len, data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        copy_from_host(self.stream, self.pointer, bytemuck::cast_slice(data), operation)
    }

    /// Copies `from` over all elements, in stream order; the host does not wait. `from` must be ordered on the
    /// same stream.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ReadOnly`]; [`ErrorKind::WrongStream`]; [`ErrorKind::InvalidArgument`] if the lengths differ;
    /// else the driver's answer.
    pub fn copy_from_device(&mut self, from: &DeviceBuffer<T>) -> Result<()> {
        let operation = "copying device memory to mapped memory";
        self.check_writable(operation)?;
        check_len(operation, self.len, from.len())?;
        if from.stream().cu_stream() != self.stream.cu_stream() {
            return Err(Error::new(ErrorKind::WrongStream, operation));
        }
        let call = table::MEMCPY_DTOD_ASYNC.get(operation)?;
        with_current(self.stream.context(), operation, || {
            let (from, bytes) = (from.device_pointer(), self.size_bytes());
            // SAFETY: both ranges are that long, live, and ordered on this stream.
            check(operation, unsafe { call(self.pointer, from, bytes, self.stream.cu_stream()) })
        })
    }

    /// Sets every byte to `value`, in stream order; the host does not wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ReadOnly`], or the driver's answer.
    pub fn fill_bytes(&mut self, value: u8) -> Result<()> {
        let operation = "filling mapped memory";
        self.check_writable(operation)?;
        let call = table::MEMSET_D8_ASYNC.get(operation)?;
        with_current(self.stream.context(), operation, || {
            let (bytes, stream) = (self.size_bytes(), self.stream.cu_stream());
            // SAFETY: the range is this view's own for its lifetime, and ordered on this stream.
            check(operation, unsafe { call(self.pointer, value, bytes, stream) })
        })
    }
}

/// The start and end of `range` in `len` elements.
fn resolve(range: &impl RangeBounds<usize>, len: usize) -> Result<(usize, usize)> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&start) => start.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok((start, end)),
        _ => Err(Error::new(ErrorKind::InvalidArgument, "taking a part of device memory").detail(
            format!(
                "the range {:?} to {:?} is not inside 0..{len}",
                range.start_bound(),
                range.end_bound()
            ),
        )),
    }
}

impl<T> fmt::Debug for DeviceView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceView")
            .field("pointer", &format_args!("{:#x}", self.pointer))
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for DeviceViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceViewMut")
            .field("pointer", &format_args!("{:#x}", self.pointer))
            .field("len", &self.len)
            .field("writable", &self.writable)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn ranges_resolve_like_those_of_a_slice() {
        assert_eq!(resolve(&(..), 5).unwrap(), (0, 5));
        assert_eq!(resolve(&(1..=4), 5).unwrap(), (1, 5));
        assert_eq!(resolve(&(5..), 5).unwrap(), (5, 5));
        assert_eq!(resolve(&(..0), 5).unwrap(), (0, 0));
    }

    #[test]
    fn a_range_outside_is_an_error() {
        assert!(resolve(&(0..6), 5).is_err());
        assert!(resolve(&(6..), 5).is_err());
        assert!(resolve(&(0..=usize::MAX), 5).is_err());
        #[expect(clippy::reversed_empty_ranges)]
        let reversed = 3..2;
        assert!(resolve(&reversed, 5).is_err());
    }
}
