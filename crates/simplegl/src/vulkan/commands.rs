//! The command buffers: one for each frame in flight, recorded when what they draw has changed.

use ash::vk;
use cuda_interop::vulkan::VulkanDevice;

use super::VulkanError;
use super::buffer::Buffer;
use super::error::vulkan;
use super::heights::Heights;
use super::mesh::Mesh;
use super::pipeline::Pipeline;
use super::studio::{PROBES, SLOTS};
use super::target::{Target, to_host};

/// The command buffers and the fences that tell of their end.
pub(super) struct Commands {
    pool: vk::CommandPool,
    pub(super) buffers: Vec<vk::CommandBuffer>,
    pub(super) fences: Vec<vk::Fence>,
    recorded: [bool; SLOTS],
    device: VulkanDevice,
}

/// What a frame is drawn from, and into.
pub(super) struct Drawing<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) heights: &'a Heights,
    pub(super) pipeline: &'a Pipeline,
    pub(super) target: &'a Target,
    pub(super) probes: &'a Buffer,
}

impl Commands {
    pub(super) fn new(device: &VulkanDevice) -> Result<Self, VulkanError> {
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(device.queue().1);
        // SAFETY: the device is alive; `commands` owns what is created from the next line on.
        let pool = unsafe { device.device().create_command_pool(&info, None) }
            .map_err(vulkan("creating the command pool"))?;
        let mut commands = Self {
            pool,
            buffers: Vec::new(),
            fences: Vec::new(),
            recorded: [false; SLOTS],
            device: device.clone(),
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(SLOTS as u32);
        // SAFETY: the pool is alive, and frees the buffers with itself.
        commands.buffers = unsafe { device.device().allocate_command_buffers(&info) }
            .map_err(vulkan("allocating the command buffers"))?;
        for _ in 0..SLOTS {
            // SAFETY: the device is alive.
            let fence =
                unsafe { device.device().create_fence(&vk::FenceCreateInfo::default(), None) };
            commands.fences.push(fence.map_err(vulkan("creating a fence"))?);
        }
        Ok(commands)
    }

    /// Something that frames draw with has changed.
    pub(super) fn forget(&mut self) {
        self.recorded = [false; SLOTS];
    }

    /// A slot's frame: draw, make the smaller levels, then copy three heights to where the host checks them. The slot's
    /// last frame must be done.
    pub(super) fn frame(
        &mut self,
        slot: usize,
        drawing: &Drawing<'_>,
    ) -> Result<vk::CommandBuffer, VulkanError> {
        let commands = self.buffers[slot];
        if !self.recorded[slot] {
            self.record(commands, slot, drawing).map_err(vulkan("recording a frame"))?;
            self.recorded[slot] = true;
        }
        Ok(commands)
    }

    fn record(
        &self,
        commands: vk::CommandBuffer,
        slot: usize,
        drawing: &Drawing<'_>,
    ) -> Result<(), vk::Result> {
        let device = self.device.device();
        // SAFETY: the command buffer is not in use; everything that it names outlives it, or it is recorded anew; the
        // buffers hold the whole mesh.
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            self.draw(commands, slot, drawing);
            drawing.target.record_levels(commands);
            let vertices = drawing.mesh.size.vertices();
            let regions = probed(vertices).map(|(part, index)| vk::BufferCopy {
                src_offset: index * 4,
                dst_offset: part as u64 * 4,
                size: 4,
            });
            let source = drawing.heights.buffer(slot);
            device.cmd_copy_buffer(commands, source, drawing.probes.raw(), &regions);
            to_host(device, commands);
            device.end_command_buffer(commands)
        }
    }

    /// # Safety
    ///
    /// As in `record`: the command buffer is being recorded.
    unsafe fn draw(&self, commands: vk::CommandBuffer, slot: usize, drawing: &Drawing<'_>) {
        let Drawing { mesh, heights, pipeline, target, .. } = drawing;
        let device = self.device.device();
        let [width, height] = target.size();
        let extent = vk::Extent2D { width, height };
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent };
        let viewport = vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: width as f32,
            height: height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        let clear =
            [vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } }];
        let pass = vk::RenderPassBeginInfo::default()
            .render_pass(pipeline.render_pass)
            .framebuffer(target.framebuffer)
            .render_area(area)
            .clear_values(&clear);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let sets = [pipeline.sets[slot]];
        let vertex_buffers = [mesh.places.raw(), heights.buffer(slot)];
        // SAFETY: the caller's promise.
        unsafe {
            device.cmd_begin_render_pass(commands, &pass, vk::SubpassContents::INLINE);
            device.cmd_bind_pipeline(commands, graphics, pipeline.raw(mesh.draw));
            device.cmd_set_viewport(commands, 0, &[viewport]);
            device.cmd_set_scissor(commands, 0, &[area]);
            device.cmd_bind_descriptor_sets(commands, graphics, pipeline.layout, 0, &sets, &[]);
            device.cmd_bind_vertex_buffers(commands, 0, &vertex_buffers, &[0, 0]);
            match &mesh.indices {
                None => device.cmd_draw(commands, mesh.size.vertices() as u32, 1, 0, 0),
                Some((buffer, count)) => {
                    device.cmd_bind_index_buffer(commands, buffer.raw(), 0, vk::IndexType::UINT32);
                    device.cmd_draw_indexed(commands, *count, 1, 0, 0, 0);
                }
            }
            device.cmd_end_render_pass(commands);
        }
    }
}

/// The vertices whose heights are checked in every frame: the first, one in the middle, the last.
pub(super) fn probed(vertices: u64) -> [(usize, u64); PROBES] {
    [(0, 0), (1, vertices / 2), (2, vertices - 1)]
}

impl Drop for Commands {
    fn drop(&mut self) {
        // SAFETY: all are ours, and the frames were waited for.
        unsafe {
            for fence in &self.fences {
                self.device.device().destroy_fence(*fence, None);
            }
            self.device.device().destroy_command_pool(self.pool, None);
        }
    }
}
