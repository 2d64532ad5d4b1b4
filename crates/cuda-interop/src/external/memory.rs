//! Memory that another API allocated and exported, imported into CUDA.

use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, sys::CUdeviceptr, sys::CUexternalMemory};

use super::buffer::{ExternalBuffer, Owner};
use super::extent::ImageDesc;
use super::handle::MemoryHandle;
use super::image::ExternalImage;
use super::import_error::ImportError;
use super::sys::{BufferDesc, MemoryHandleDesc};
use crate::context::with_current;
use crate::device::{Device, Uuid};
use crate::driver::{check, end, out, table};
use crate::error::{Error, ErrorKind, Result};

/// `CUDA_EXTERNAL_MEMORY_DEDICATED`.
const DEDICATED: u32 = 1;

/// The exporter's allocation, as the exporter made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    /// The size of the whole allocation in bytes (for Vulkan, `VkMemoryAllocateInfo::allocationSize`): not that of a
    /// buffer in it, nor of what the program means to store.
    pub size_bytes: u64,
    /// Whether the allocation was made for one buffer or image alone (`VkMemoryDedicatedAllocateInfo`).
    pub dedicated: bool,
    /// The exporter's device, where it can tell. The import is refused unless it is CUDA's.
    pub device: Option<Uuid>,
}

/// Imported memory. Buffers and images in it keep it alive; it is given back when the last of them is gone.
#[derive(Clone)]
pub struct ExternalMemory {
    pub(super) inner: Arc<Imported>,
}

/// The driver's handle, and what must be known for mapping.
pub(super) struct Imported {
    pub(super) raw: CUexternalMemory,
    pub(super) context: Arc<CudaContext>,
    pub(super) size_bytes: u64,
}

// SAFETY: a handle that the driver lets any thread use once its context is current there.
unsafe impl Send for Imported {}
// SAFETY: as above; no method changes it.
unsafe impl Sync for Imported {}

impl ExternalMemory {
    /// Imports memory. On success a file descriptor is CUDA's and is closed by it; on failure it comes back in the
    /// error.
    ///
    /// # Safety
    ///
    /// The handle must be of the kind that it says, and of an allocation that `allocation` describes truly.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OtherDevice`] with both UUIDs, before the driver is asked; [`ErrorKind::InvalidArgument`] for a
    /// size of 0; [`ErrorKind::MissingSymbol`]; else the driver's answer.
    pub unsafe fn import<'h>(
        context: &Arc<CudaContext>,
        handle: MemoryHandle<'h>,
        allocation: Allocation,
    ) -> std::result::Result<Self, ImportError<MemoryHandle<'h>>> {
        let operation = format!(
            "importing {} of {} bytes as external memory",
            handle.describe(),
            allocation.size_bytes
        );
        let imported = check_allocation(context, allocation, &operation).and_then(|()| {
            let call = table::IMPORT_EXTERNAL_MEMORY.get(&operation)?;
            let dedicated = allocation.dedicated || handle.is_always_dedicated();
            let import = |handle_to_read| {
                let desc = MemoryHandleDesc {
                    kind: handle.cu_type(),
                    handle: handle_to_read,
                    size: allocation.size_bytes,
                    flags: if dedicated { DEDICATED } else { 0 },
                    reserved: [0; 16],
                };
                // SAFETY: a null handle is a valid value; the driver reads the description and writes one handle.
                unsafe { out::<CUexternalMemory>(&operation, |p| call(p, &raw const desc)) }
            };
            with_current(context, &operation, || {
                let raw = handle.to_sys().lend(&operation, import)?;
                Imported::new(raw, context, allocation.size_bytes, &operation)
            })
            .map_err(|error| explain(error, context, allocation))
        });
        match imported {
            // The driver has its own descriptor from here on.
            Ok(inner) => Ok(Self { inner: Arc::new(inner) }),
            Err(error) => Err(ImportError::new(error, handle)),
        }
    }

    /// The size of the whole allocation in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.inner.size_bytes
    }

    /// The CUDA context that it was imported into.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.inner.context
    }

    /// Maps `len` elements at `offset_bytes` (for Vulkan, the offset that the buffer was bound at). Several buffers
    /// of one memory may live at a time, each freed before the memory.
    ///
    /// # Safety
    ///
    /// Accesses of the exporter and of CUDA must be ordered, by semaphores or by waiting on the host, as long as the
    /// buffer lives, and buffers that overlap must not be used at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the range is empty, not aligned for `T`, or not inside the allocation; else
    /// the driver's answer.
    pub unsafe fn buffer<T: Pod>(
        &self,
        offset_bytes: u64,
        len: usize,
    ) -> Result<ExternalBuffer<T>> {
        let operation = format!("mapping {len} elements at byte {offset_bytes} of external memory");
        let bytes = check_range::<T>(self.inner.size_bytes, offset_bytes, len, &operation)?;
        let call = table::EXTERNAL_MEMORY_GET_BUFFER.get(&operation)?;
        let desc = BufferDesc { offset: offset_bytes, size: bytes, flags: 0, reserved: [0; 16] };
        with_current(&self.inner.context, &operation, || {
            // SAFETY: an address is valid with all bits zero; the memory is alive; one address is written.
            let pointer: CUdeviceptr =
                unsafe { out(&operation, |p| call(p, self.inner.raw, &raw const desc)) }?;
            if pointer == 0 {
                let error = Error::new(ErrorKind::Inconsistent, &operation);
                return Err(error.detail("the pointer is null"));
            }
            Ok(ExternalBuffer::new(pointer, len, Owner::Imported(self.inner.clone())))
        })
    }

    /// Maps an image at `offset_bytes` (for Vulkan, the offset that the image was bound at) as a mipmapped array.
    ///
    /// # Safety
    ///
    /// As [`buffer`](Self::buffer); and `desc` must describe the exporter's image truly.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the description does not fit itself, or the offset the allocation; else the
    /// driver's answer.
    pub unsafe fn image(&self, offset_bytes: u64, desc: ImageDesc) -> Result<ExternalImage> {
        // SAFETY: the caller's promise.
        unsafe { ExternalImage::map(&self.inner, offset_bytes, desc) }
    }
}

impl fmt::Debug for ExternalMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalMemory")
            .field("size_bytes", &self.inner.size_bytes)
            .finish_non_exhaustive()
    }
}

impl Imported {
    fn new(
        raw: CUexternalMemory,
        context: &Arc<CudaContext>,
        size_bytes: u64,
        operation: &str,
    ) -> Result<Self> {
        if raw.is_null() {
            let error = Error::new(ErrorKind::Inconsistent, operation);
            return Err(error.detail("the memory handle is null"));
        }
        Ok(Self { raw, context: context.clone(), size_bytes })
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        let operation = "destroying external memory";
        let destroyed = end(|| {
            let call = table::DESTROY_EXTERNAL_MEMORY.get(operation)?;
            with_current(&self.context, operation, || {
                // SAFETY: this value owns the memory, and every mapping holds a reference to this value.
                check(operation, unsafe { call(self.raw) })
            })
        });
        if let Err(error) = destroyed {
            tracing::warn!("{error}");
        }
    }
}

/// The exporter's device must be CUDA's: an import from another either fails with a misleading code or works slowly.
pub(super) fn check_device(
    context: &CudaContext,
    exporter: Option<Uuid>,
    operation: &str,
) -> Result<()> {
    let Some(exporter) = exporter else { return Ok(()) };
    let device = Device::of(context);
    let own = device.uuid()?;
    if own == exporter {
        return Ok(());
    }
    let name = device.name().unwrap_or_else(|_| "unnamed".into());
    let kind = ErrorKind::OtherDevice {
        cuda: format!("CUDA device {} ({name}, UUID {own})", device.ordinal()),
        exporter: format!("the device with UUID {exporter}"),
    };
    Err(Error::new(kind, operation)
        .hint("allocate on the same device: match devices by UUID, never by their order"))
}

fn check_allocation(context: &CudaContext, allocation: Allocation, operation: &str) -> Result<()> {
    if allocation.size_bytes == 0 {
        return Err(Error::new(ErrorKind::InvalidArgument, operation)
            .detail("the size is that of the whole allocation, which is not 0"));
    }
    check_device(context, allocation.device, operation)
}

/// An import that the driver refuses: says what is known of the devices, since its codes name other causes.
fn explain(error: Error, context: &CudaContext, allocation: Allocation) -> Error {
    if error.code().is_none() {
        return error;
    }
    let device = Device::of(context);
    let own = device.uuid().map_or_else(|_| "unknown".to_owned(), |uuid| uuid.to_string());
    match allocation.device {
        Some(_) => error.detail(format!(
            "both sides are the device with UUID {own}; the size must be that of the whole allocation, and \
             the dedicated flag the exporter's (given: {})",
            allocation.dedicated
        )),
        None => error.detail(format!(
            "the exporter's device is unknown, CUDA's has UUID {own}: if they differ, nothing can be imported"
        )),
    }
}

/// The size in bytes of `len` elements of `T`, if they lie inside `size_bytes`.
pub(crate) fn check_range<T>(
    size_bytes: u64,
    offset_bytes: u64,
    len: usize,
    operation: &str,
) -> Result<u64> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|n| isize::try_from(*n).is_ok());
    let invalid =
        |detail: String| Err(Error::new(ErrorKind::InvalidArgument, operation).detail(detail));
    let Some(bytes @ 1..) = bytes else {
        return invalid(format!("{len} elements of {} bytes", size_of::<T>()));
    };
    let bytes = bytes as u64;
    if !offset_bytes.is_multiple_of(align_of::<T>() as u64) {
        return invalid(format!("elements are aligned to {} bytes", align_of::<T>()));
    }
    match offset_bytes.checked_add(bytes) {
        Some(last) if last <= size_bytes => Ok(bytes),
        _ => {
            invalid(format!("the allocation has {size_bytes} bytes, wanted are {bytes} from there"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lie_inside_the_allocation() {
        let check = |size, offset, len| check_range::<u32>(size, offset, len, "test");
        assert_eq!(check(4096, 0, 1024).unwrap(), 4096);
        assert_eq!(check(4096, 4092, 1).unwrap(), 4);
        assert!(check(4096, 0, 1025).is_err());
        assert!(check(4096, 4096, 1).is_err());
        assert!(check(4096, 2, 1).is_err());
        assert!(check(4096, 0, 0).is_err());
        assert!(check(4096, u64::MAX - 3, 1).is_err());
        assert!(check(u64::MAX, 0, usize::MAX / 4 + 1).is_err());
    }
}
