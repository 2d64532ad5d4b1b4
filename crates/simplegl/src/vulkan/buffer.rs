//! Vulkan buffers that are not shared: those that the host writes and reads, and those of the device alone.

use ash::vk;
use cuda_interop::vulkan::VulkanDevice;

use super::VulkanError;
use super::error::vulkan;

/// A buffer in memory of its own.
pub(super) struct Buffer {
    raw: vk::Buffer,
    memory: vk::DeviceMemory,
    len: usize,
    /// Where the host sees it, for host-visible memory.
    mapped: *mut u8,
    device: VulkanDevice,
}

impl Buffer {
    /// `len` bytes that the host sees, all zero.
    pub(super) fn host(
        device: &VulkanDevice,
        len: usize,
        usage: vk::BufferUsageFlags,
    ) -> Result<Self, VulkanError> {
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let mut buffer = Self::create(device, len, usage, flags)?;
        // SAFETY: the memory is host-visible and as long.
        let pointer = unsafe {
            let all = vk::MemoryMapFlags::empty();
            device.device().map_memory(buffer.memory, 0, vk::WHOLE_SIZE, all)
        }
        .map_err(vulkan("mapping a buffer for the host"))?;
        buffer.mapped = pointer.cast();
        buffer.bytes_mut().fill(0);
        Ok(buffer)
    }

    /// The device's own copy of `data`.
    pub(super) fn on_device(
        device: &VulkanDevice,
        data: &[u8],
        usage: vk::BufferUsageFlags,
    ) -> Result<Self, VulkanError> {
        let mut staging = Self::host(device, data.len(), vk::BufferUsageFlags::TRANSFER_SRC)?;
        staging.bytes_mut().copy_from_slice(data);
        let usage = usage | vk::BufferUsageFlags::TRANSFER_DST;
        let flags = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let buffer = Self::create(device, data.len(), usage, flags)?;
        let region = [vk::BufferCopy::default().size(data.len() as u64)];
        device.run_once(|device, commands| {
            // SAFETY: both buffers live until the commands are done, which is waited for.
            unsafe { device.cmd_copy_buffer(commands, staging.raw, buffer.raw, &region) }
        })?;
        Ok(buffer)
    }

    fn create(
        device: &VulkanDevice,
        len: usize,
        usage: vk::BufferUsageFlags,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<Self, VulkanError> {
        let info = vk::BufferCreateInfo::default().size(len as u64).usage(usage);
        // SAFETY: the device is alive; `buffer` owns the handle from the line after its creation.
        let raw = unsafe { device.device().create_buffer(&info, None) }
            .map_err(vulkan("creating a buffer"))?;
        let memory = vk::DeviceMemory::null();
        let mapped = std::ptr::null_mut();
        let mut buffer = Self { raw, memory, len, mapped, device: device.clone() };
        // SAFETY: the buffer is alive; the memory fits it.
        unsafe {
            let needed = device.device().get_buffer_memory_requirements(raw);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needed.size)
                .memory_type_index(device.memory_type(needed.memory_type_bits, flags)?);
            buffer.memory = device
                .device()
                .allocate_memory(&info, None)
                .map_err(vulkan("allocating a buffer's memory"))?;
            device
                .device()
                .bind_buffer_memory(raw, buffer.memory, 0)
                .map_err(vulkan("binding a buffer"))?;
        }
        Ok(buffer)
    }

    pub(super) fn raw(&self) -> vk::Buffer {
        self.raw
    }

    /// What the host sees. Commands that use the buffer must be done.
    pub(super) fn bytes(&self) -> &[u8] {
        assert!(!self.mapped.is_null(), "the host does not see this buffer");
        // SAFETY: the memory is mapped as long as this value lives, and holds that many bytes.
        unsafe { std::slice::from_raw_parts(self.mapped, self.len) }
    }

    /// As [`bytes`](Self::bytes), to write.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(!self.mapped.is_null(), "the host does not see this buffer");
        // SAFETY: as in `bytes`, and borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.mapped, self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: both are ours (the memory may be null), and the frames that used them were waited for.
        unsafe {
            self.device.device().destroy_buffer(self.raw, None);
            self.device.device().free_memory(self.memory, None);
        }
    }
}
