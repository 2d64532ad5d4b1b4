//! The picture that frames are drawn into, exportable to CUDA, with its smaller levels.

use ash::vk::{self, ImageLayout as Layout};
use cuda_interop::external::ImageShape;
use cuda_interop::vulkan::{ImageRequest, VulkanDevice, VulkanImage};

use super::VulkanError;
use super::buffer::Buffer;
use super::error::vulkan;

/// The picture's format: what CUDA's filters read and write as one word a pixel.
pub(super) const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// The layout of what a copy reads.
pub(super) const READ: Layout = Layout::TRANSFER_SRC_OPTIMAL;
/// The layout of what a copy writes.
pub(super) const WRITTEN: Layout = Layout::TRANSFER_DST_OPTIMAL;

/// The picture. Between frames all of it is in the general layout.
pub(super) struct Target {
    view: vk::ImageView,
    pub(super) framebuffer: vk::Framebuffer,
    pub(super) image: VulkanImage,
    device: VulkanDevice,
}

impl Target {
    /// A picture of this size, with as many of `levels` levels as it can have.
    pub(super) fn new(
        device: &VulkanDevice,
        render_pass: vk::RenderPass,
        [width, height]: [u32; 2],
        levels: u32,
    ) -> Result<Self, VulkanError> {
        let request = ImageRequest {
            format: FORMAT,
            shape: ImageShape::D2,
            size: [width, height, 1],
            layers: 1,
            levels: levels.clamp(1, most_levels([width, height])),
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT
                | vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::TRANSFER_DST
                | vk::ImageUsageFlags::STORAGE,
        };
        let image = VulkanImage::new(device, request, true)?;
        let (view, framebuffer) = (vk::ImageView::null(), vk::Framebuffer::null());
        let mut target = Self { view, framebuffer, image, device: device.clone() };
        let info = vk::ImageViewCreateInfo::default()
            .image(target.image.raw())
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(color_range(0, 1));
        // SAFETY: the image is alive; `target` owns what is created.
        target.view = unsafe { device.device().create_image_view(&info, None) }
            .map_err(vulkan("creating the picture's view"))?;
        let attachments = [target.view];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(render_pass)
            .attachments(&attachments)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: render pass and view are alive.
        target.framebuffer = unsafe { device.device().create_framebuffer(&info, None) }
            .map_err(vulkan("creating the framebuffer"))?;
        Ok(target)
    }

    /// Width and height in pixels.
    pub(super) fn size(&self) -> [u32; 2] {
        self.level_size(0)
    }

    /// Width and height of a level.
    pub(super) fn level_size(&self, level: u32) -> [u32; 2] {
        let [width, height, _] = self.image.request().size;
        [width, height].map(|side| (side >> level).max(1))
    }

    /// How many levels there are.
    pub(super) fn levels(&self) -> u32 {
        self.image.request().levels
    }

    /// Records how each level is made from the one before, at half its size. The first must be drawn.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded, outside a render pass, and the picture outlives its execution.
    pub(super) unsafe fn record_levels(&self, commands: vk::CommandBuffer) {
        let levels = self.levels();
        if levels == 1 {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            self.change(commands, color_range(0, 1), Layout::GENERAL, READ);
            self.change(commands, color_range(1, levels - 1), Layout::UNDEFINED, WRITTEN);
            for level in 1..levels {
                let half = vk::ImageBlit::default()
                    .src_subresource(color_layers(level - 1))
                    .src_offsets(corners(self.level_size(level - 1)))
                    .dst_subresource(color_layers(level))
                    .dst_offsets(corners(self.level_size(level)));
                self.device.device().cmd_blit_image(
                    commands,
                    self.image.raw(),
                    READ,
                    self.image.raw(),
                    WRITTEN,
                    &[half],
                    vk::Filter::LINEAR,
                );
                self.change(commands, color_range(level, 1), WRITTEN, READ);
            }
            self.change(commands, color_range(0, levels), READ, Layout::GENERAL);
        }
    }

    /// Records that everything that was done with some levels before comes before everything after, which finds them in
    /// another layout.
    ///
    /// # Safety
    ///
    /// As [`Target::record_levels`]; the levels are in the first layout.
    pub(super) unsafe fn change(
        &self,
        commands: vk::CommandBuffer,
        range: vk::ImageSubresourceRange,
        from: Layout,
        to: Layout,
    ) {
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image.raw())
            .subresource_range(range);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the caller's promise.
        unsafe {
            let none = vk::DependencyFlags::empty();
            let barriers = [barrier];
            self.device.device().cmd_pipeline_barrier(
                commands,
                all,
                all,
                none,
                &[],
                &[],
                &barriers,
            );
        }
    }

    /// The pixels of all levels, one word each, row 0 at the top. Nobody else may be writing them.
    pub(super) fn read(&self) -> Result<Vec<Vec<u32>>, VulkanError> {
        let hosts = self.host_buffers(vk::BufferUsageFlags::TRANSFER_DST)?;
        let levels = color_range(0, self.levels());
        self.device.run_once(|device, commands| {
            // SAFETY: image and buffers live until the commands are done, which is waited for.
            unsafe {
                self.change(commands, levels, Layout::GENERAL, READ);
                for (level, host) in (0..).zip(&hosts) {
                    let (image, region) = (self.image.raw(), [self.region(level)]);
                    device.cmd_copy_image_to_buffer(commands, image, READ, host.raw(), &region);
                }
                self.change(commands, levels, READ, Layout::GENERAL);
                to_host(device, commands);
            }
        })?;
        let word = |pixel: &[u8]| u32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]);
        Ok(hosts.iter().map(|host| host.bytes().chunks_exact(4).map(word).collect()).collect())
    }

    /// Writes the pixels of all levels. Nobody else may be using them.
    pub(super) fn write(&self, pixels: &[Vec<u32>]) -> Result<(), VulkanError> {
        let mut hosts = self.host_buffers(vk::BufferUsageFlags::TRANSFER_SRC)?;
        for (host, pixels) in hosts.iter_mut().zip(pixels) {
            host.bytes_mut().copy_from_slice(bytemuck::cast_slice(pixels));
        }
        let levels = color_range(0, self.levels());
        self.device.run_once(|device, commands| {
            // SAFETY: as in `read`.
            unsafe {
                self.change(commands, levels, Layout::GENERAL, WRITTEN);
                for (level, host) in (0..).zip(&hosts) {
                    let (image, region) = (self.image.raw(), [self.region(level)]);
                    device.cmd_copy_buffer_to_image(commands, host.raw(), image, WRITTEN, &region);
                }
                self.change(commands, levels, WRITTEN, Layout::GENERAL);
            }
        })?;
        Ok(())
    }

    fn host_buffers(&self, usage: vk::BufferUsageFlags) -> Result<Vec<Buffer>, VulkanError> {
        let bytes =
            |level| self.level_size(level).map(|side| side as usize).iter().product::<usize>() * 4;
        (0..self.levels()).map(|level| Buffer::host(&self.device, bytes(level), usage)).collect()
    }

    fn region(&self, level: u32) -> vk::BufferImageCopy {
        let [width, height] = self.level_size(level);
        vk::BufferImageCopy::default()
            .image_subresource(color_layers(level))
            .image_extent(vk::Extent3D { width, height, depth: 1 })
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: both are ours (and may be null), and the frames that used them were waited for.
        unsafe {
            self.device.device().destroy_framebuffer(self.framebuffer, None);
            self.device.device().destroy_image_view(self.view, None);
        }
    }
}

/// How many levels a picture of this size can have: down to one pixel.
pub(super) fn most_levels([width, height]: [u32; 2]) -> u32 {
    width.max(height).max(1).ilog2() + 1
}

/// Makes copies so far visible to the host, once their fence is waited for.
///
/// # Safety
///
/// The command buffer is being recorded, outside a render pass.
pub(super) unsafe fn to_host(device: &ash::Device, commands: vk::CommandBuffer) {
    let (transfer, host) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
    let written = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::HOST_READ)];
    let none = vk::DependencyFlags::empty();
    // SAFETY: the caller's promise.
    unsafe { device.cmd_pipeline_barrier(commands, transfer, host, none, &written, &[], &[]) }
}

pub(super) fn color_range(first: u32, count: u32) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: first,
        level_count: count,
        base_array_layer: 0,
        layer_count: 1,
    }
}

pub(super) fn color_layers(level: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: level,
        base_array_layer: 0,
        layer_count: 1,
    }
}

/// The corners of a picture of this size, as a blit takes them.
pub(super) fn corners([width, height]: [u32; 2]) -> [vk::Offset3D; 2] {
    [vk::Offset3D::default(), vk::Offset3D { x: width as i32, y: height as i32, z: 1 }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_end_at_one_pixel() {
        for (size, levels) in [([1, 1], 1), ([2, 1], 2), ([512, 512], 10), ([300, 700], 10)] {
            assert_eq!(most_levels(size), levels, "{size:?}");
        }
    }
}
