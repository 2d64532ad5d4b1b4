//! One allocation of Vulkan's that CUDA and OpenGL can import.

use std::fmt;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::sync::Arc;

use ash::vk;
use cudarc::driver::CudaContext;

use super::{VulkanDevice, refused};
use crate::error::{Error, ErrorKind, Result};
use crate::external::{Allocation, ExternalMemory, MemoryHandle};

/// The only handle type that is exported.
pub(super) const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags =
    vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// One exportable allocation.
pub struct ExportedMemory {
    raw: vk::DeviceMemory,
    allocation: Allocation,
    device: VulkanDevice,
}

impl ExportedMemory {
    pub(super) fn allocate(
        device: &VulkanDevice,
        requirements: vk::MemoryRequirements,
        size_bytes: u64,
        dedicated: Option<vk::MemoryDedicatedAllocateInfo<'_>>,
    ) -> Result<Arc<Self>> {
        let operation = format!("allocating {size_bytes} bytes of exportable Vulkan memory");
        let kind = device
            .memory_type(requirements.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        let is_dedicated = dedicated.is_some();
        let mut dedicated = dedicated.unwrap_or_default();
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_FD);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(size_bytes)
            .memory_type_index(kind)
            .push_next(&mut export);
        if is_dedicated {
            info = info.push_next(&mut dedicated);
        }
        // SAFETY: the device is alive, and the description lives until the call returns.
        let raw = unsafe { device.device().allocate_memory(&info, None) }
            .map_err(|result| refused(operation, result))?;
        let allocation =
            Allocation { size_bytes, dedicated: is_dedicated, device: Some(device.uuid()) };
        Ok(Arc::new(Self { raw, allocation, device: device.clone() }))
    }

    /// Vulkan's handle.
    pub(super) fn raw(&self) -> vk::DeviceMemory {
        self.raw
    }

    /// The allocation, as an importer must be told of it.
    #[must_use]
    pub fn allocation(&self) -> Allocation {
        self.allocation
    }

    /// A new descriptor of the memory. An importer that takes ownership closes it; else dropping it does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Vulkan`].
    pub fn export(&self) -> Result<OwnedFd> {
        let operation = "exporting Vulkan memory";
        let Some(functions) = &self.device.inner.memory_fd else {
            return Err(Error::new(ErrorKind::Unsupported("exporting Vulkan memory"), operation));
        };
        let info = vk::MemoryGetFdInfoKHR::default().memory(self.raw).handle_type(OPAQUE_FD);
        // SAFETY: the memory is alive and was allocated for this kind of handle.
        let fd = unsafe { functions.get_memory_fd(&info) }
            .map_err(|result| refused(operation, result))?;
        // SAFETY: Vulkan made this descriptor for the caller, who now owns it.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// Imports the memory into CUDA, which must be on the same device.
    ///
    /// # Errors
    ///
    /// As [`ExternalMemory::import`].
    pub fn import_into_cuda(&self, cuda: &Arc<CudaContext>) -> Result<ExternalMemory> {
        let handle = MemoryHandle::OpaqueFd(self.export()?);
        // SAFETY: the descriptor is of this very allocation.
        Ok(unsafe { ExternalMemory::import(cuda, handle, self.allocation) }?)
    }
}

impl Drop for ExportedMemory {
    fn drop(&mut self) {
        // SAFETY: this value owns the memory, and what is bound to it holds a reference to this value.
        unsafe { self.device.device().free_memory(self.raw, None) }
    }
}

impl fmt::Debug for ExportedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportedMemory")
            .field("allocation", &self.allocation)
            .finish_non_exhaustive()
    }
}

/// Whether what has these features must have a dedicated allocation; an error if it cannot be exported.
pub(super) fn check_features(
    device: &VulkanDevice,
    features: vk::ExternalMemoryFeatureFlags,
    operation: &str,
    what: String,
) -> Result<bool> {
    if device.inner.memory_fd.is_none()
        || !features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE)
    {
        let kind = ErrorKind::Unsupported("exporting it as a file descriptor");
        return Err(Error::new(kind, operation).detail(what));
    }
    Ok(features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY))
}
