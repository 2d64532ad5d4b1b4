//! CUDA's own memory, made so that other APIs can import it.

use std::fmt;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaContext, sys::CUdeviceptr};

use super::buffer::{ExternalBuffer, Owner};
use super::memory::check_range;
use super::sys::{AccessDesc, AllocationProp, MemLocation};
use crate::context::with_current;
use crate::device::Device;
use crate::driver::{check, end, out, table};
use crate::error::{Error, ErrorKind, Result};

/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
const PINNED: u32 = 1;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const POSIX_FD: u32 = 1;
/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const ON_DEVICE: u32 = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
const READ_WRITE: u32 = 3;
/// `CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED`.
const VIRTUAL_ADDRESS_MANAGEMENT: i32 = 102;
/// `CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED`.
const POSIX_FD_SUPPORTED: i32 = 103;

/// Memory of CUDA's that can be exported as file descriptors, for OpenGL or Vulkan to import.
///
/// Buffers in it keep it alive. What another API has imported stays valid after this value is gone: an exported
/// descriptor is a reference of its own.
#[derive(Clone)]
pub struct ExportableMemory {
    inner: Arc<Exportable>,
}

/// The allocation, and where it is mapped: each part is `None` until it has been made.
pub(super) struct Exportable {
    context: Arc<CudaContext>,
    size_bytes: usize,
    handle: Option<u64>,
    reserved: Option<CUdeviceptr>,
    mapped: bool,
}

impl ExportableMemory {
    /// Allocates at least `bytes` on the context's device, rounded up to what the driver hands out
    /// (2 MiB on most devices), and maps it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if the device cannot export memory as file descriptors;
    /// [`ErrorKind::InvalidArgument`] for 0 bytes or more than an address can count; else the driver's answer.
    pub fn new(context: &Arc<CudaContext>, bytes: usize) -> Result<Self> {
        let operation = format!("allocating {bytes} bytes that can be exported");
        check_support(context, &operation)?;
        let prop = properties(context);
        let size_bytes = rounded(context, &prop, bytes, &operation)?;
        let mut memory = Exportable {
            context: context.clone(),
            size_bytes,
            handle: None,
            reserved: None,
            mapped: false,
        };
        with_current(context, &operation, || memory.create(&prop, &operation))?;
        Ok(Self { inner: Arc::new(memory) })
    }

    /// The size of the whole allocation in bytes: what an importer must be told.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.inner.size_bytes as u64
    }

    /// The CUDA context that it is mapped in.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.inner.context
    }

    /// A new descriptor of the memory. An importer that takes ownership closes it; else dropping it does.
    ///
    /// # Errors
    ///
    /// The driver's answer.
    pub fn export(&self) -> Result<OwnedFd> {
        let operation = "exporting CUDA memory as a file descriptor";
        let call = table::MEM_EXPORT.get(operation)?;
        let handle = self.inner.handle.unwrap_or_default();
        let fd: RawFd = with_current(&self.inner.context, operation, || {
            let mut fd: RawFd = -1;
            // SAFETY: the allocation is alive and was made for this kind; the driver writes one descriptor.
            let code = unsafe { call((&raw mut fd).cast(), handle, POSIX_FD, 0) };
            check(operation, code).map(|()| fd)
        })?;
        if fd < 0 {
            let error = Error::new(ErrorKind::Inconsistent, operation);
            return Err(error.detail(format!("the descriptor is {fd}")));
        }
        // SAFETY: the driver made this descriptor for the caller, who now owns it.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// `len` elements at `offset_bytes`.
    ///
    /// # Safety
    ///
    /// Accesses of CUDA and of whoever imports the memory must be ordered, by semaphores or by waiting on the host,
    /// as long as the buffer lives, and buffers that overlap must not be used at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the range is empty, not aligned for `T`, or not inside the allocation.
    pub unsafe fn buffer<T: Pod>(
        &self,
        offset_bytes: u64,
        len: usize,
    ) -> Result<ExternalBuffer<T>> {
        let operation =
            format!("taking {len} elements at byte {offset_bytes} of exportable memory");
        check_range::<T>(self.size_bytes(), offset_bytes, len, &operation)?;
        let pointer = self.inner.reserved.unwrap_or_default() + offset_bytes;
        Ok(ExternalBuffer::new(pointer, len, Owner::Exported(self.inner.clone())))
    }
}

fn check_support(context: &CudaContext, operation: &str) -> Result<()> {
    let device = Device::of(context);
    for (attribute, what) in [
        (VIRTUAL_ADDRESS_MANAGEMENT, "virtual memory management"),
        (POSIX_FD_SUPPORTED, "exporting memory as a file descriptor"),
    ] {
        if device.attribute(attribute)? == 0 {
            return Err(Error::new(ErrorKind::Unsupported(what), operation));
        }
    }
    Ok(())
}

fn location(context: &CudaContext) -> MemLocation {
    MemLocation { kind: ON_DEVICE, id: context.ordinal() as i32 }
}

fn properties(context: &CudaContext) -> AllocationProp {
    AllocationProp {
        kind: PINNED,
        handle_types: POSIX_FD,
        location: location(context),
        win32_meta_data: std::ptr::null(),
        compression: 0,
        rdma_capable: 0,
        usage: 0,
        reserved: [0; 4],
    }
}

/// `bytes` rounded up to the driver's granularity.
fn rounded(
    context: &CudaContext,
    prop: &AllocationProp,
    bytes: usize,
    operation: &str,
) -> Result<usize> {
    let call = table::MEM_GET_ALLOCATION_GRANULARITY.get(operation)?;
    let granularity: usize = with_current(context, operation, || {
        // SAFETY: an integer is valid with all bits zero; the driver reads the properties and writes one size.
        unsafe { out(operation, |p| call(p, prop, 0)) }
    })?;
    let size = bytes.checked_next_multiple_of(granularity.max(1));
    size.filter(|size| *size > 0 && isize::try_from(*size).is_ok()).ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, operation)
            .detail("memory must have at least one byte, and a size that fits the address space")
    })
}

impl Exportable {
    pub(super) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Allocates, reserves addresses, maps, allows access. What was made is undone by `drop`, also after a failure.
    fn create(&mut self, prop: &AllocationProp, operation: &str) -> Result<()> {
        let (create, reserve) =
            (table::MEM_CREATE.get(operation)?, table::MEM_ADDRESS_RESERVE.get(operation)?);
        let (map, allow) = (table::MEM_MAP.get(operation)?, table::MEM_SET_ACCESS.get(operation)?);
        let size = self.size_bytes;
        // SAFETY: an integer is valid with all bits zero; the driver reads the properties and writes one handle.
        let handle: u64 = unsafe { out(operation, |p| create(p, size, prop, 0)) }?;
        self.handle = Some(handle);
        let reserving = format!("{operation} (reserving addresses)");
        // SAFETY: an address is valid with all bits zero; the driver writes one address.
        let pointer: CUdeviceptr = unsafe { out(&reserving, |p| reserve(p, size, 0, 0, 0)) }?;
        if pointer == 0 {
            let error = Error::new(ErrorKind::Inconsistent, reserving);
            return Err(error.detail("the address is null"));
        }
        self.reserved = Some(pointer);
        // SAFETY: the addresses are reserved and the allocation is as large.
        check(format!("{operation} (mapping)"), unsafe { map(pointer, size, 0, handle, 0) })?;
        self.mapped = true;
        let access = AccessDesc { location: location(&self.context), flags: READ_WRITE };
        // SAFETY: the range is mapped; the driver reads one description.
        let code = unsafe { allow(pointer, size, &raw const access, 1) };
        check(format!("{operation} (allowing access)"), code)
    }

    fn release(&mut self) -> Result<()> {
        let operation = "freeing exportable memory";
        if let (Some(pointer), true) = (self.reserved, self.mapped) {
            let call = table::MEM_UNMAP.get(operation)?;
            // SAFETY: the range is mapped, and no buffer of it is left.
            check(operation, unsafe { call(pointer, self.size_bytes) })?;
            self.mapped = false;
        }
        if let Some(pointer) = self.reserved {
            let call = table::MEM_ADDRESS_FREE.get(operation)?;
            // SAFETY: the addresses are reserved and nothing is mapped there.
            check(operation, unsafe { call(pointer, self.size_bytes) })?;
            self.reserved = None;
        }
        if let Some(handle) = self.handle {
            let call = table::MEM_RELEASE.get(operation)?;
            // SAFETY: this value owns the handle.
            check(operation, unsafe { call(handle) })?;
            self.handle = None;
        }
        Ok(())
    }
}

impl Drop for Exportable {
    fn drop(&mut self) {
        let context = self.context.clone();
        let operation = "freeing exportable memory";
        if let Err(error) = end(|| with_current(&context, operation, || self.release())) {
            tracing::warn!("{error}");
        }
    }
}

impl fmt::Debug for ExportableMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportableMemory")
            .field("size_bytes", &self.inner.size_bytes)
            .finish_non_exhaustive()
    }
}
