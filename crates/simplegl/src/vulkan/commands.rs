//! The command buffers: one for each frame in flight, recorded once.

use ash::vk;
use cuda_interop::vulkan::VulkanDevice;

use super::VulkanError;
use super::args::VulkanDraw;
use super::buffer::Buffer;
use super::error::vulkan;
use super::heights::Heights;
use super::pipeline::{Pipeline, Target};
use super::run::{PROBES, SLOTS};
use crate::mesh::MeshSize;

/// What a frame draws.
pub(super) struct Mesh {
    pub(super) size: MeshSize,
    pub(super) draw: VulkanDraw,
    /// The place of each vertex in the plane.
    pub(super) places: Buffer,
    /// Three indices for each triangle, if triangles are drawn.
    pub(super) indices: Option<(Buffer, u32)>,
}

impl Mesh {
    pub(super) fn new(
        device: &VulkanDevice,
        size: MeshSize,
        draw: VulkanDraw,
    ) -> Result<Self, VulkanError> {
        use kernels::simple_vbo::position;
        let (width, height) = (size.width(), size.height());
        // A single row or column has no triangles.
        let draw = if width.min(height) < 2 { VulkanDraw::Points } else { draw };
        let places: Vec<[f32; 2]> = (0..height)
            .flat_map(|y| (0..width).map(move |x| [position(x, width), position(y, height)]))
            .collect();
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let places = Buffer::on_device(device, bytemuck::cast_slice(&places), usage)?;
        let indices = match draw {
            VulkanDraw::Points => None,
            VulkanDraw::Wireframe => {
                let indices = triangles(width, height);
                let usage = vk::BufferUsageFlags::INDEX_BUFFER;
                let buffer = Buffer::on_device(device, bytemuck::cast_slice(&indices), usage)?;
                Some((buffer, indices.len() as u32))
            }
        };
        Ok(Self { size, draw, places, indices })
    }
}

/// Two triangles for each cell.
fn triangles(width: u32, height: u32) -> Vec<u32> {
    (0..height - 1)
        .flat_map(|y| (0..width - 1).map(move |x| y * width + x))
        .flat_map(|at| [at, at + 1, at + width, at + 1, at + width + 1, at + width])
        .collect()
}

/// The command buffers and the fences that tell of their end.
pub(super) struct Commands {
    pool: vk::CommandPool,
    pub(super) buffers: Vec<vk::CommandBuffer>,
    pub(super) fences: Vec<vk::Fence>,
    device: VulkanDevice,
}

impl Commands {
    pub(super) fn new(device: &VulkanDevice) -> Result<Self, VulkanError> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue().1);
        // SAFETY: the device is alive; `commands` owns what is created from the next line on.
        let pool = unsafe { device.device().create_command_pool(&info, None) }
            .map_err(vulkan("creating the command pool"))?;
        let mut commands =
            Self { pool, buffers: Vec::new(), fences: Vec::new(), device: device.clone() };
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

    /// Records a slot's frame: draw, then copy three heights to where the host checks them.
    pub(super) fn record(
        &self,
        slot: usize,
        mesh: &Mesh,
        heights: &Heights,
        pipeline: &Pipeline,
        target: &Target,
        probes: &Buffer,
    ) -> Result<(), VulkanError> {
        let device = self.device.device();
        let commands = self.buffers[slot];
        let [width, height, _] = target.image.request().size;
        let clear =
            [vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } }];
        let pass = vk::RenderPassBeginInfo::default()
            .render_pass(pipeline.render_pass)
            .framebuffer(target.framebuffer)
            .render_area(vk::Rect2D {
                offset: vk::Offset2D::default(),
                extent: vk::Extent2D { width, height },
            })
            .clear_values(&clear);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let source = heights.buffer(slot);
        let vertices = mesh.size.vertices();
        // SAFETY: the command buffer is not in use; everything that it names outlives it; the buffers hold the whole mesh.
        unsafe {
            device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .map_err(vulkan("recording a frame"))?;
            device.cmd_begin_render_pass(commands, &pass, vk::SubpassContents::INLINE);
            device.cmd_bind_pipeline(commands, graphics, pipeline.raw);
            let sets = [pipeline.sets[slot]];
            device.cmd_bind_descriptor_sets(commands, graphics, pipeline.layout, 0, &sets, &[]);
            device.cmd_bind_vertex_buffers(commands, 0, &[mesh.places.raw(), source], &[0, 0]);
            match &mesh.indices {
                None => device.cmd_draw(commands, vertices as u32, 1, 0, 0),
                Some((buffer, count)) => {
                    device.cmd_bind_index_buffer(commands, buffer.raw(), 0, vk::IndexType::UINT32);
                    device.cmd_draw_indexed(commands, *count, 1, 0, 0, 0);
                }
            }
            device.cmd_end_render_pass(commands);
            let regions = probed(vertices).map(|(part, index)| vk::BufferCopy {
                src_offset: index * 4,
                dst_offset: part as u64 * 4,
                size: 4,
            });
            device.cmd_copy_buffer(commands, source, probes.raw(), &regions);
            let to_host = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &to_host,
                &[],
                &[],
            );
            device.end_command_buffer(commands).map_err(vulkan("recording a frame"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_cover_each_cell() {
        assert_eq!(triangles(2, 2), [0, 1, 2, 1, 3, 2]);
        let many = triangles(5, 4);
        assert_eq!(many.len(), 4 * 3 * 6);
        assert!(many.iter().all(|index| *index < 20));
        assert!((0..20).all(|index| many.contains(&index)));
    }
}
