//! The window's images: acquired for a frame, written from its picture, presented.

use std::time::Duration;

use ash::{khr, vk};
use cuda_interop::vulkan::{Point, VulkanDevice};

use super::VulkanError;
use super::error::vulkan;
use super::studio::SLOTS;
use super::surface::Surface;
use super::target::{READ, Target, WRITTEN, color_layers, color_range, corners};

/// How long the host waits for an image before it looks at events again.
const ACQUIRE_LIMIT: Duration = Duration::from_millis(100);

/// The images of a surface, and what they are handed around with.
///
/// Semaphores: `acquired`, one for each frame in flight, from the window system to the copy; `shown`, one for each image,
/// from the copy to the window system. A frame's is free again when the frame is done, an image's when it is acquired again.
pub(super) struct Swapchain {
    raw: vk::SwapchainKHR,
    functions: khr::swapchain::Device,
    images: Vec<vk::Image>,
    shown: Vec<vk::Semaphore>,
    acquired: Vec<vk::Semaphore>,
    pool: vk::CommandPool,
    commands: Vec<vk::CommandBuffer>,
    extent: [u32; 2],
    vsync: bool,
    /// Images that do not fit the window any more.
    is_stale: bool,
    surface: Surface,
    device: VulkanDevice,
}

impl Swapchain {
    /// Without images yet: [`Swapchain::fit`] makes them.
    pub(super) fn new(device: &VulkanDevice, surface: Surface) -> Result<Self, VulkanError> {
        let mut swapchain = Self {
            raw: vk::SwapchainKHR::null(),
            functions: khr::swapchain::Device::new(device.instance(), device.device()),
            images: Vec::new(),
            shown: Vec::new(),
            acquired: Vec::new(),
            pool: vk::CommandPool::null(),
            commands: Vec::new(),
            extent: [0; 2],
            vsync: true,
            is_stale: true,
            surface,
            device: device.clone(),
        };
        for _ in 0..SLOTS {
            swapchain.acquired.push(semaphore(device)?);
        }
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(device.queue().1);
        // SAFETY: the device is alive; `swapchain` owns what is created.
        swapchain.pool = unsafe { device.device().create_command_pool(&info, None) }
            .map_err(vulkan("creating the command pool"))?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(swapchain.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(SLOTS as u32);
        // SAFETY: the pool is alive, and frees the buffers with itself.
        swapchain.commands = unsafe { device.device().allocate_command_buffers(&info) }
            .map_err(vulkan("allocating the command buffers"))?;
        Ok(swapchain)
    }

    /// Whether [`Swapchain::fit`] is due before the next frame.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// The window has another size, perhaps.
    pub(super) fn set_stale(&mut self) {
        self.is_stale = true;
    }

    /// Waits for the display's refresh from the next frame on, or not. False if the window system has no such mode.
    pub(super) fn set_vsync(&mut self, vsync: bool) -> bool {
        let has_mode = self.surface.mode(vsync).is_some();
        if has_mode && vsync != self.vsync {
            self.vsync = vsync;
            self.is_stale = true;
        }
        has_mode
    }

    /// Makes images that fit the window, whose size is `window_size` where the surface has none of its own. The size of the
    /// images comes back; `None` if the window has no area. All frames must be done.
    pub(super) fn fit(&mut self, window_size: [u32; 2]) -> Result<Option<[u32; 2]>, VulkanError> {
        self.device.wait_idle()?;
        self.destroy_images();
        let found = self.surface.capabilities()?;
        let Some(extent) = extent(&found, window_size) else {
            self.is_stale = true;
            return Ok(None);
        };
        let format = self.surface.format;
        let mode = self.surface.mode(self.vsync).unwrap_or(vk::PresentModeKHR::FIFO);
        let old = self.raw;
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface.raw())
            .min_image_count(image_count(&found))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(vk::Extent2D { width: extent[0], height: extent[1] })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(found.current_transform)
            .composite_alpha(alpha(found.supported_composite_alpha))
            .present_mode(mode)
            .clipped(true)
            .old_swapchain(old);
        // SAFETY: surface and old swapchain are alive; nothing uses the old one's images any more.
        let made = unsafe { self.functions.create_swapchain(&info, None) };
        // SAFETY: the old one is ours, retired by now, and none of its images is acquired.
        unsafe { self.functions.destroy_swapchain(old, None) };
        self.raw = vk::SwapchainKHR::null();
        self.raw = made.map_err(vulkan("making the window's images"))?;
        // SAFETY: the swapchain is alive.
        self.images = unsafe { self.functions.get_swapchain_images(self.raw) }
            .map_err(vulkan("listing the window's images"))?;
        for _ in 0..self.images.len() {
            self.shown.push(semaphore(&self.device)?);
        }
        self.extent = extent;
        self.is_stale = false;
        Ok(Some(extent))
    }

    /// An image for the frame in this slot. `None` if none is free yet, or if they do not fit any more.
    pub(super) fn acquire(&mut self, slot: usize) -> Result<Option<u32>, VulkanError> {
        let limit = ACQUIRE_LIMIT.as_nanos() as u64;
        // SAFETY: the swapchain is alive; the slot's last frame is done, and with it the wait for this semaphore.
        let acquired = unsafe {
            let semaphore = self.acquired[slot];
            self.functions.acquire_next_image(self.raw, limit, semaphore, vk::Fence::null())
        };
        match acquired {
            Ok((image, is_suboptimal)) => {
                self.is_stale |= is_suboptimal;
                Ok(Some(image))
            }
            Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => Ok(None),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => {
                self.is_stale = true;
                Ok(None)
            }
            Err(result) => {
                Err(VulkanError::Vulkan { doing: "waiting for an image of the window", result })
            }
        }
    }

    /// Submits the copy of a level of the picture to an acquired image, as large as that is, after `wait`. `fence` is signalled
    /// at its end.
    pub(super) fn submit(
        &self,
        slot: usize,
        image: u32,
        (picture, level): (&Target, u32),
        wait: Option<Point<'_>>,
        fence: vk::Fence,
    ) -> Result<(), VulkanError> {
        let commands = [self.commands[slot]];
        self.record(commands[0], self.images[image as usize], picture, level)
            .map_err(vulkan("recording the copy to the window"))?;
        let mut semaphores = vec![self.acquired[slot]];
        // A binary semaphore's value is not looked at.
        let mut values = vec![0];
        let mut stages = vec![vk::PipelineStageFlags::TRANSFER];
        if let Some((semaphore, value)) = wait {
            semaphores.push(semaphore.raw());
            values.push(value);
            stages.push(vk::PipelineStageFlags::ALL_COMMANDS);
        }
        let shown = [self.shown[image as usize]];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&values)
            .signal_semaphore_values(&[0]);
        let submit = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&commands)
            .signal_semaphores(&shown)
            .push_next(&mut values);
        let (queue, _) = self.device.queue();
        // SAFETY: everything named lives until the fence is signalled; the queue is used by this thread alone.
        unsafe { self.device.device().queue_submit(queue, &[submit], fence) }
            .map_err(vulkan("submitting the copy to the window"))
    }

    fn record(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        picture: &Target,
        level: u32,
    ) -> Result<(), vk::Result> {
        let device = self.device.device();
        let change = |from, to| {
            vk::ImageMemoryBarrier::default()
                .old_layout(from)
                .new_layout(to)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image)
                .subresource_range(color_range(0, 1))
        };
        // What was in the image does not matter; it is free once the wait for `acquired`, at the same stage, is over.
        let begin = [change(vk::ImageLayout::UNDEFINED, WRITTEN)
            .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)];
        let end = [change(WRITTEN, vk::ImageLayout::PRESENT_SRC_KHR)
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)];
        let blit = [vk::ImageBlit::default()
            .src_subresource(color_layers(level))
            .src_offsets(corners(picture.level_size(level)))
            .dst_subresource(color_layers(0))
            .dst_offsets(corners(self.extent))];
        let none = vk::DependencyFlags::empty();
        let (transfer, bottom) =
            (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::BOTTOM_OF_PIPE);
        let once = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let (shown, general) = (color_range(level, 1), vk::ImageLayout::GENERAL);
        // SAFETY: the command buffer is not in use: its last frame is done; the images live until this one is.
        unsafe {
            device.begin_command_buffer(commands, &once)?;
            picture.change(commands, shown, general, READ);
            device.cmd_pipeline_barrier(commands, transfer, transfer, none, &[], &[], &begin);
            let source = picture.image.raw();
            let nearest = vk::Filter::NEAREST;
            device.cmd_blit_image(commands, source, READ, image, WRITTEN, &blit, nearest);
            device.cmd_pipeline_barrier(commands, transfer, bottom, none, &[], &[], &end);
            picture.change(commands, shown, READ, general);
            device.end_command_buffer(commands)
        }
    }

    /// Shows an image whose copy was submitted.
    pub(super) fn present(&mut self, image: u32) -> Result<(), VulkanError> {
        let (semaphores, swapchains) = ([self.shown[image as usize]], [self.raw]);
        let images = [image];
        let info = vk::PresentInfoKHR::default()
            .wait_semaphores(&semaphores)
            .swapchains(&swapchains)
            .image_indices(&images);
        let (queue, _) = self.device.queue();
        // SAFETY: the image was acquired, and the semaphore will be signalled; the queue is used by this thread alone.
        match unsafe { self.functions.queue_present(queue, &info) } {
            Ok(is_suboptimal) => self.is_stale |= is_suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.is_stale = true,
            Err(result) => {
                return Err(VulkanError::Vulkan { doing: "showing a picture", result });
            }
        }
        Ok(())
    }

    fn destroy_images(&mut self) {
        self.images.clear();
        for semaphore in self.shown.drain(..) {
            // SAFETY: the semaphore is ours, and the device is idle.
            unsafe { self.device.device().destroy_semaphore(semaphore, None) };
        }
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        if let Err(error) = self.device.wait_idle() {
            tracing::warn!("{error}");
        }
        self.destroy_images();
        // SAFETY: all are ours (and may be null), and the device is idle.
        unsafe {
            for semaphore in &self.acquired {
                self.device.device().destroy_semaphore(*semaphore, None);
            }
            self.device.device().destroy_command_pool(self.pool, None);
            self.functions.destroy_swapchain(self.raw, None);
        }
    }
}

fn semaphore(device: &VulkanDevice) -> Result<vk::Semaphore, VulkanError> {
    // SAFETY: the device is alive; the caller owns the semaphore.
    unsafe { device.device().create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }
        .map_err(vulkan("creating a semaphore"))
}

/// The size that images must have: the surface's, or where that follows its images the window's. `None` without area.
fn extent(found: &vk::SurfaceCapabilitiesKHR, window_size: [u32; 2]) -> Option<[u32; 2]> {
    let own = found.current_extent;
    let size = if own.width == u32::MAX {
        let (least, most) = (found.min_image_extent, found.max_image_extent);
        let [width, height] = window_size;
        [
            width.clamp(least.width.min(most.width), most.width),
            height.clamp(least.height.min(most.height), most.height),
        ]
    } else {
        [own.width, own.height]
    };
    (!size.contains(&0) && !window_size.contains(&0)).then_some(size)
}

/// One more than the least, so that the next frame need not wait for the window system; 0 as the most means no limit.
fn image_count(found: &vk::SurfaceCapabilitiesKHR) -> u32 {
    let most = if found.max_image_count == 0 { u32::MAX } else { found.max_image_count };
    (found.min_image_count + 1).min(most)
}

/// Opaque if possible.
fn alpha(supported: vk::CompositeAlphaFlagsKHR) -> vk::CompositeAlphaFlagsKHR {
    use vk::CompositeAlphaFlagsKHR as Alpha;
    [Alpha::OPAQUE, Alpha::INHERIT, Alpha::PRE_MULTIPLIED]
        .into_iter()
        .find(|alpha| supported.contains(*alpha))
        .unwrap_or(Alpha::POST_MULTIPLIED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capabilities(current: [u32; 2]) -> vk::SurfaceCapabilitiesKHR {
        let extent = |[width, height]: [u32; 2]| vk::Extent2D { width, height };
        vk::SurfaceCapabilitiesKHR {
            current_extent: extent(current),
            min_image_extent: extent([1, 1]),
            max_image_extent: extent([4096, 4096]),
            min_image_count: 3,
            ..vk::SurfaceCapabilitiesKHR::default()
        }
    }

    #[test]
    fn the_surface_decides_the_size_if_it_has_one() {
        assert_eq!(extent(&capabilities([300, 200]), [320, 240]), Some([300, 200]));
        let open = capabilities([u32::MAX; 2]);
        assert_eq!(extent(&open, [320, 240]), Some([320, 240]));
        assert_eq!(extent(&open, [5000, 240]), Some([4096, 240]));
    }

    #[test]
    fn a_window_without_area_has_no_images() {
        assert_eq!(extent(&capabilities([0, 200]), [320, 240]), None);
        assert_eq!(extent(&capabilities([u32::MAX; 2]), [0, 240]), None);
        // Some systems have no area left when there is none to give.
        let mut minimised = capabilities([0, 0]);
        minimised.max_image_extent = vk::Extent2D::default();
        assert_eq!(extent(&minimised, [320, 240]), None);
    }

    #[test]
    fn image_counts_stay_within_the_limits() {
        let mut found = capabilities([1, 1]);
        assert_eq!(image_count(&found), 4);
        found.max_image_count = 3;
        assert_eq!(image_count(&found), 3);
    }
}
