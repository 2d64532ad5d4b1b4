//! The kernels' view of the mesh, from the matrices that OpenGL gets.

use kernels::WaveMesh;
use kernels::raster::{COLUMNS_REVERSED, PixelRule, PointView, ROWS_REVERSED};
use nalgebra::Matrix4;

use crate::compute::Wave;
use crate::mesh::MeshSize;

/// Vertices that a picture can tell apart: an index has 32 bits.
pub const MAX_VERTICES: u64 = 1 << 32;

/// Threads that fill a GPU several times over: below that a thread takes a single vertex.
const THREADS: u64 = 1 << 20;
/// Rows beyond which longer runs gain nothing.
const MOST_ROWS_PER_THREAD: u64 = 64;

/// A wave on a mesh in the kernels' terms.
#[must_use]
pub fn wave_mesh(mesh: MeshSize, wave: Wave) -> WaveMesh {
    let Wave { time, frequency, amplitude } = wave;
    WaveMesh { width: mesh.width(), height: mesh.height(), time, frequency, amplitude }
}

/// The view through `projection * view` onto `size` pixels, visiting the mesh from the near side.
#[must_use]
pub fn point_view(
    projection: &Matrix4<f32>,
    view: &Matrix4<f32>,
    size: [u32; 2],
    rule: PixelRule,
) -> PointView {
    // In f64, so that one rounding per element is all that separates the product from its factors.
    let clip = projection.cast::<f64>() * view.cast::<f64>();
    let rows = std::array::from_fn(|row| std::array::from_fn(|column| clip[(row, column)] as f32));
    PointView { order: order(&clip), ..PointView::new(rows, size[0], size[1], rule) }
}

/// Which way depth grows at the middle of the mesh, along a row and from row to row.
///
/// Depth is the quotient of the matrix's third and fourth row, so its sign of growth is that of the quotient rule's numerator.
fn order(clip: &Matrix4<f64>) -> u32 {
    let (depth, w) = (clip.row(2), clip.row(3));
    let grows = |axis: usize| depth[axis] * w[3] - depth[3] * w[axis] >= 0.0;
    let (u, v) = (grows(0), grows(2));
    (u32::from(!u) * COLUMNS_REVERSED) | (u32::from(!v) * ROWS_REVERSED)
}

/// How many rows a thread of a raster kernel takes: as many as leave enough threads.
#[must_use]
pub fn rows_per_thread(mesh: MeshSize) -> u32 {
    (mesh.vertices() / THREADS).clamp(1, MOST_ROWS_PER_THREAD) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;

    fn order_of(camera: &Camera) -> u32 {
        point_view(&camera.projection(1.0), &camera.view(), [512, 512], PixelRule::default()).order
    }

    #[test]
    fn the_near_side_comes_first() {
        // From the front, the last row (v = 1) is nearest; which column is nearest does not matter.
        assert_eq!(order_of(&Camera::default()) & ROWS_REVERSED, ROWS_REVERSED);
        let behind = Camera { rotate_y_deg: 180.0, ..Camera::default() };
        assert_eq!(order_of(&behind) & ROWS_REVERSED, 0);
        // From the right, the last column is nearest.
        let mut side = Camera::default();
        side.side();
        assert_eq!(order_of(&side) & COLUMNS_REVERSED, COLUMNS_REVERSED);
        side.toggle_projection();
        assert_eq!(order_of(&side) & COLUMNS_REVERSED, COLUMNS_REVERSED);
        let left = Camera { rotate_y_deg: 90.0, ..Camera::default() };
        assert_eq!(order_of(&left) & COLUMNS_REVERSED, 0);
    }

    #[test]
    fn small_meshes_get_a_thread_for_every_vertex() {
        let rows = |side| rows_per_thread(MeshSize::new(side, side).unwrap());
        assert_eq!([rows(1), rows(256), rows(4096), rows(65_536)], [1, 1, 16, 64]);
    }
}
