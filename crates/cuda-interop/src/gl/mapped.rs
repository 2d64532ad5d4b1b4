//! A mapped buffer: device memory on loan.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaStream, sys::CUdeviceptr};

use super::Access;
use super::mapping::Mapping;
use super::registration::Registration;
use crate::context::with_current;
use crate::driver::{out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::memory::{DeviceView, DeviceViewMut};

/// Where a mapped buffer is. Holds no borrow: only what owns the mapping may have one.
#[derive(Debug)]
pub struct RawSlice<T> {
    pointer: CUdeviceptr,
    len: usize,
    writable: bool,
    element: PhantomData<T>,
}

const ASKING: &str = "asking for the address";

impl<T> RawSlice<T> {
    /// Asks where a mapped resource is, and checks that it is as large as it must be.
    pub(super) fn of(registration: &Registration, len: usize, access: Access) -> Result<Self> {
        Self::ask(registration, len, access).map_err(|error| {
            error.spell_out(ASKING, || format!("{ASKING} of {}", registration.label()))
        })
    }

    fn ask(registration: &Registration, len: usize, access: Access) -> Result<Self> {
        let (raw, cuda) = registration.handle(ASKING)?;
        let call = table::GRAPHICS_GET_POINTER.get(ASKING)?;
        let mut size = 0;
        let pointer = with_current(&cuda, ASKING, || {
            // SAFETY: an address is valid with all bits zero; the driver writes an address and a size.
            unsafe { out(ASKING, |pointer| call(pointer, &raw mut size, raw)) }
        })
        .map_err(|error| registration.shared().explain(error))?;
        let needed = len * size_of::<T>();
        if pointer == 0 || size < needed {
            return Err(Error::new(ErrorKind::Inconsistent, ASKING)
                .detail(format!("address {pointer:#x}, {size} bytes where {needed} are needed")));
        }
        Ok(Self { pointer, len, writable: access.is_writable(), element: PhantomData })
    }

    pub(super) fn view_mut<'m>(&'m mut self, stream: &'m Arc<CudaStream>) -> DeviceViewMut<'m, T> {
        // SAFETY: the memory is mapped while the mapping is borrowed, which `'m` is bound to by the callers.
        unsafe { DeviceViewMut::new(self.pointer, self.len, stream, self.writable) }
    }
}

/// A buffer while it is CUDA's: `len` elements of device memory, valid on the stream that it was mapped on.
///
/// Dropping it unmaps on that stream, also on error and panic; [`unmap`](Self::unmap) does the same and reports it.
pub struct Mapped<'a, T> {
    raw: RawSlice<T>,
    mapping: Mapping<'a>,
    borrow: PhantomData<&'a mut T>,
}

impl<'a, T> Mapped<'a, T> {
    pub(super) fn new(raw: RawSlice<T>, mapping: Mapping<'a>) -> Self {
        Self { raw, mapping, borrow: PhantomData }
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.raw.len
    }

    /// Never: a buffer has at least one element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.raw.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.raw.len * size_of::<T>()
    }

    /// The stream that the buffer is mapped on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.mapping.stream()
    }

    /// The device address, valid until the mapping ends. For kernel arguments, pass the mapping itself.
    #[must_use]
    pub fn device_pointer(&self) -> CUdeviceptr {
        self.raw.pointer
    }

    pub(crate) fn pointer_cell(&self) -> &CUdeviceptr {
        &self.raw.pointer
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.raw.writable
    }

    /// All elements, shared.
    #[must_use]
    pub fn as_view(&self) -> DeviceView<'_, T> {
        // SAFETY: the memory is mapped while the mapping is borrowed.
        unsafe { DeviceView::new(self.raw.pointer, self.raw.len, self.mapping.stream()) }
    }

    /// All elements, exclusively.
    #[must_use]
    pub fn as_view_mut(&mut self) -> DeviceViewMut<'_, T> {
        self.raw.view_mut(self.mapping.stream())
    }

    /// The elements in `range`, shared.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the range is not inside the buffer.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceView<'_, T>> {
        self.as_view().slice(range)
    }

    /// The elements in `range`, exclusively.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the range is not inside the buffer.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceViewMut<'_, T>> {
        self.as_view_mut().into_slice(range)
    }

    /// Unmaps. From here on the buffer is OpenGL's.
    ///
    /// # Errors
    ///
    /// The driver's answer, which may be that of earlier work on the stream. The buffer then unmaps again at its
    /// next use.
    pub fn unmap(self) -> Result<()> {
        self.mapping.unmap()
    }
}

impl<T: Pod> Mapped<'_, T> {
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

    /// As [`DeviceViewMut::copy_from_host`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn copy_from_host(&mut self, data: &[T]) -> Result<()> {
        self.as_view_mut().copy_from_host(data)
    }

    /// As [`DeviceViewMut::fill_bytes`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn fill_bytes(&mut self, value: u8) -> Result<()> {
        self.as_view_mut().fill_bytes(value)
    }
}

impl<T> fmt::Debug for Mapped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped")
            .field("raw", &self.raw.pointer)
            .field("len", &self.raw.len)
            .finish_non_exhaustive()
    }
}
