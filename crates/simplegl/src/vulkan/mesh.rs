//! What a frame draws: the places of the vertices, and the triangles between them.

use ash::vk;
use cuda_interop::vulkan::VulkanDevice;

use super::VulkanError;
use super::args::VulkanDraw;
use super::buffer::Buffer;
use crate::mesh::MeshSize;

/// A mesh without its heights.
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
