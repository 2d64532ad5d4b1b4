//! Vulkan's side of tests: host memory, uploads and read-backs.

use ash::vk;
use cuda_interop::vulkan::{Point, VulkanBuffer, VulkanDevice, VulkanImage};

use crate::standin::Driver;

/// The stand-in driver as a device of lavapipe's: CUDA imports what Vulkan exports, and both work on the same memory.
///
/// Lavapipe exports memory and no semaphores, so the host orders the two. Its images have no gaps, as the stand-in takes
/// them, where the rows of each level are whole times 64 bytes, and their number is a multiple of 4.
///
/// # Panics
/// If there is no lavapipe.
#[must_use]
pub fn cuda_on_lavapipe() -> Driver {
    let found = VulkanDevice::list().expect("Vulkan's loader");
    let lavapipe = found.iter().find(|device| device.software).expect("mesa-vulkan-drivers");
    Driver::new().set(format!("uuid={}", lavapipe.uuid.to_string().replace('-', "")))
}

/// A buffer that the host writes and reads.
#[derive(Debug)]
pub struct HostBuffer<'a> {
    device: &'a VulkanDevice,
    raw: vk::Buffer,
    memory: vk::DeviceMemory,
    len: usize,
}

impl<'a> HostBuffer<'a> {
    /// `len` bytes, all zero.
    ///
    /// # Panics
    /// If Vulkan refuses.
    #[must_use]
    pub fn new(device: &'a VulkanDevice, len: usize) -> Self {
        let info = vk::BufferCreateInfo::default()
            .size(len as u64)
            .usage(vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: the device is alive; all handles are new and owned by the value returned.
        unsafe {
            let raw = device.device().create_buffer(&info, None).unwrap();
            let needed = device.device().get_buffer_memory_requirements(raw);
            let flags =
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needed.size)
                .memory_type_index(device.memory_type(needed.memory_type_bits, flags).unwrap());
            let memory = device.device().allocate_memory(&info, None).unwrap();
            device.device().bind_buffer_memory(raw, memory, 0).unwrap();
            let buffer = Self { device, raw, memory, len };
            buffer.write(&vec![0; len]);
            buffer
        }
    }

    /// Vulkan's handle.
    #[must_use]
    pub fn raw(&self) -> vk::Buffer {
        self.raw
    }

    fn with_mapped<R>(&self, body: impl FnOnce(&mut [u8]) -> R) -> R {
        // SAFETY: the memory is host-visible, as long, and used by no command that is not done.
        unsafe {
            let flags = vk::MemoryMapFlags::empty();
            let pointer =
                self.device.device().map_memory(self.memory, 0, self.len as u64, flags).unwrap();
            let value = body(std::slice::from_raw_parts_mut(pointer.cast(), self.len));
            self.device.device().unmap_memory(self.memory);
            value
        }
    }

    /// Writes the whole buffer.
    pub fn write(&self, data: &[u8]) {
        self.with_mapped(|mapped| mapped.copy_from_slice(data));
    }

    /// Reads the whole buffer.
    #[must_use]
    pub fn read(&self) -> Vec<u8> {
        self.with_mapped(|mapped| mapped.to_vec())
    }
}

impl Drop for HostBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: both are ours, and no command uses them any more.
        unsafe {
            self.device.device().destroy_buffer(self.raw, None);
            self.device.device().free_memory(self.memory, None);
        }
    }
}

/// Writes a buffer through Vulkan, between two semaphores.
///
/// # Panics
/// If Vulkan refuses.
pub fn write_buffer(
    device: &VulkanDevice,
    buffer: &VulkanBuffer,
    data: &[u8],
    wait: Option<Point<'_>>,
    signal: Option<Point<'_>>,
) {
    let host = HostBuffer::new(device, data.len());
    host.write(data);
    let region = vk::BufferCopy::default().size(data.len() as u64);
    device
        .run_once_between(wait, signal, |device, commands| {
            // SAFETY: both buffers live until the commands are done, which is waited for.
            unsafe { device.cmd_copy_buffer(commands, host.raw(), buffer.raw(), &[region]) }
        })
        .unwrap();
}

/// Reads a buffer through Vulkan, after a semaphore.
///
/// # Panics
/// If Vulkan refuses.
#[must_use]
pub fn read_buffer(
    device: &VulkanDevice,
    buffer: &VulkanBuffer,
    wait: Option<Point<'_>>,
) -> Vec<u8> {
    let host = HostBuffer::new(device, buffer.size_bytes() as usize);
    let region = vk::BufferCopy::default().size(buffer.size_bytes());
    device
        .run_once_between(wait, None, |device, commands| {
            // SAFETY: both buffers live until the commands are done, which is waited for.
            unsafe { device.cmd_copy_buffer(commands, buffer.raw(), host.raw(), &[region]) }
        })
        .unwrap();
    host.read()
}

/// All layers of one level.
fn region(image: &VulkanImage, level: u32) -> vk::BufferImageCopy {
    let request = image.request();
    let [width, height, depth] = request.size.map(|side| (side >> level).max(1));
    vk::BufferImageCopy::default()
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: level,
            base_array_layer: 0,
            layer_count: request.layers,
        })
        .image_extent(vk::Extent3D { width, height, depth })
}

fn change(
    device: &ash::Device,
    commands: vk::CommandBuffer,
    image: &VulkanImage,
    from: vk::ImageLayout,
    to: vk::ImageLayout,
) {
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let barrier = vk::ImageMemoryBarrier::default()
        .src_access_mask(access)
        .dst_access_mask(access)
        .old_layout(from)
        .new_layout(to)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image.raw())
        .subresource_range(vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: image.request().levels,
            base_array_layer: 0,
            layer_count: image.request().layers,
        });
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    // SAFETY: the command buffer is being recorded, and the image is alive.
    unsafe {
        device.cmd_pipeline_barrier(
            commands,
            all,
            all,
            vk::DependencyFlags::empty(),
            &[],
            &[],
            &[barrier],
        );
    }
}

/// Writes all levels of an image through Vulkan, level by level, and leaves it in the general layout.
///
/// # Panics
/// If Vulkan refuses.
pub fn write_image(device: &VulkanDevice, image: &VulkanImage, levels: &[Vec<u8>]) {
    let hosts: Vec<HostBuffer<'_>> = levels
        .iter()
        .map(|data| {
            let host = HostBuffer::new(device, data.len());
            host.write(data);
            host
        })
        .collect();
    device
        .run_once(|device, commands| {
            let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
            change(device, commands, image, vk::ImageLayout::UNDEFINED, layout);
            for (level, host) in hosts.iter().enumerate() {
                let regions = [region(image, level as u32)];
                // SAFETY: buffer and image live until the commands are done, which is waited for.
                unsafe {
                    device.cmd_copy_buffer_to_image(
                        commands,
                        host.raw(),
                        image.raw(),
                        layout,
                        &regions,
                    );
                }
            }
            change(device, commands, image, layout, vk::ImageLayout::GENERAL);
        })
        .unwrap();
}

/// Reads all levels of an image, which is in the general layout, through Vulkan; `sizes` are the levels' bytes.
///
/// # Panics
/// If Vulkan refuses.
#[must_use]
pub fn read_image(device: &VulkanDevice, image: &VulkanImage, sizes: &[usize]) -> Vec<Vec<u8>> {
    let hosts: Vec<HostBuffer<'_>> =
        sizes.iter().map(|len| HostBuffer::new(device, *len)).collect();
    device
        .run_once(|device, commands| {
            let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            change(device, commands, image, vk::ImageLayout::GENERAL, layout);
            for (level, host) in hosts.iter().enumerate() {
                let regions = [region(image, level as u32)];
                // SAFETY: buffer and image live until the commands are done, which is waited for.
                unsafe {
                    device.cmd_copy_image_to_buffer(
                        commands,
                        image.raw(),
                        layout,
                        host.raw(),
                        &regions,
                    );
                }
            }
            change(device, commands, image, layout, vk::ImageLayout::GENERAL);
        })
        .unwrap();
    hosts.iter().map(HostBuffer::read).collect()
}
