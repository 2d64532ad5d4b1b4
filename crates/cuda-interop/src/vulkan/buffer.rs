//! Vulkan buffers in exportable memory.

use std::fmt;
use std::sync::Arc;

use ash::vk;

use super::memory::{ExportedMemory, OPAQUE_FD, check_features};
use super::{VulkanDevice, refused};
use crate::error::{Error, ErrorKind, Result};

/// A buffer to be made.
#[derive(Debug, Clone, Copy)]
pub struct BufferRequest {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// What Vulkan does with it.
    pub usage: vk::BufferUsageFlags,
}

/// A Vulkan buffer in exportable memory.
pub struct VulkanBuffer {
    raw: vk::Buffer,
    request: BufferRequest,
    offset_bytes: u64,
    memory: Option<Arc<ExportedMemory>>,
    device: VulkanDevice,
}

impl VulkanBuffer {
    /// A buffer in memory of its own; `dedicated` asks for a dedicated allocation, which is made anyway if the device
    /// requires one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if a buffer of that usage cannot be exported; [`ErrorKind::InvalidArgument`] for no
    /// bytes; [`ErrorKind::Vulkan`].
    pub fn new(device: &VulkanDevice, request: BufferRequest, dedicated: bool) -> Result<Self> {
        let required = check_buffer_support(device, request.usage)?;
        let mut buffer = Self::create(device, request)?;
        // SAFETY: the buffer is alive.
        let needed = unsafe { device.device().get_buffer_memory_requirements(buffer.raw) };
        let dedicated = (dedicated || required)
            .then(|| vk::MemoryDedicatedAllocateInfo::default().buffer(buffer.raw));
        let memory = ExportedMemory::allocate(device, needed, needed.size, dedicated)?;
        buffer.bind(memory, 0)?;
        Ok(buffer)
    }

    /// Several buffers in one allocation, one after the other as their alignments allow.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`ErrorKind::Unsupported`] if the device requires dedicated allocations.
    pub fn several(device: &VulkanDevice, requests: &[BufferRequest]) -> Result<Vec<Self>> {
        let operation = "placing several buffers in one allocation";
        let mut buffers = Vec::new();
        let mut total = vk::MemoryRequirements { memory_type_bits: u32::MAX, ..Default::default() };
        let mut offsets = Vec::new();
        for request in requests {
            if check_buffer_support(device, request.usage)? {
                let kind = ErrorKind::Unsupported("sharing an allocation between buffers");
                return Err(Error::new(kind, operation));
            }
            let buffer = Self::create(device, *request)?;
            // SAFETY: the buffer is alive.
            let needed = unsafe { device.device().get_buffer_memory_requirements(buffer.raw) };
            let offset = total.size.next_multiple_of(needed.alignment.max(1));
            total.size = offset + needed.size;
            total.memory_type_bits &= needed.memory_type_bits;
            offsets.push(offset);
            buffers.push(buffer);
        }
        let memory = ExportedMemory::allocate(device, total, total.size, None)?;
        for (buffer, offset) in buffers.iter_mut().zip(offsets) {
            buffer.bind(memory.clone(), offset)?;
        }
        Ok(buffers)
    }

    fn create(device: &VulkanDevice, request: BufferRequest) -> Result<Self> {
        let operation = format!("creating a Vulkan buffer of {} bytes", request.size_bytes);
        if request.size_bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, operation));
        }
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_FD);
        let info = vk::BufferCreateInfo::default()
            .size(request.size_bytes)
            .usage(request.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut external);
        // SAFETY: the device is alive, and the description lives until the call returns.
        let raw = unsafe { device.device().create_buffer(&info, None) }
            .map_err(|result| refused(operation, result))?;
        Ok(Self { raw, request, offset_bytes: 0, memory: None, device: device.clone() })
    }

    fn bind(&mut self, memory: Arc<ExportedMemory>, offset_bytes: u64) -> Result<()> {
        // SAFETY: buffer and memory are alive; the offset is aligned and the buffer fits.
        unsafe { self.device.device().bind_buffer_memory(self.raw, memory.raw(), offset_bytes) }
            .map_err(|result| refused("binding a Vulkan buffer", result))?;
        self.offset_bytes = offset_bytes;
        self.memory = Some(memory);
        Ok(())
    }

    /// Vulkan's handle.
    #[must_use]
    pub fn raw(&self) -> vk::Buffer {
        self.raw
    }

    /// The size in bytes; the allocation's is larger.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.request.size_bytes
    }

    /// Where in the allocation the buffer starts: what an importer must be told.
    #[must_use]
    pub fn offset_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// The allocation that the buffer lies in.
    ///
    /// # Panics
    ///
    /// Never: a buffer that is given out is bound.
    #[must_use]
    pub fn memory(&self) -> &ExportedMemory {
        self.memory.as_deref().expect("a buffer that is given out is bound")
    }
}

impl Drop for VulkanBuffer {
    fn drop(&mut self) {
        // SAFETY: this value owns the buffer; the program waits for commands that use it before dropping it.
        unsafe { self.device.device().destroy_buffer(self.raw, None) }
    }
}

impl fmt::Debug for VulkanBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanBuffer").field("request", &self.request).finish_non_exhaustive()
    }
}

/// Whether a buffer of exactly that usage must have a dedicated allocation; an error if it cannot be exported.
fn check_buffer_support(device: &VulkanDevice, usage: vk::BufferUsageFlags) -> Result<bool> {
    let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(usage).handle_type(OPAQUE_FD);
    let mut found = vk::ExternalBufferProperties::default();
    // SAFETY: the device is one of the instance's; both structures live until the call returns.
    unsafe {
        device.instance().get_physical_device_external_buffer_properties(
            device.physical(),
            &info,
            &mut found,
        );
    }
    let features = found.external_memory_properties.external_memory_features;
    check_features(device, features, "exporting a Vulkan buffer", format!("{usage:?}"))
}
