//! What the pictures of one batch have in common.

use kernels::raster::{PixelRule, PointView};
use nalgebra::Matrix4;

use super::view::point_view;
use crate::mesh::MeshSize;
use crate::scene::Scene;

/// The scene from one point of view.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// The colours; the draw mode does not count.
    pub scene: &'a Scene,
    /// Eye to clip.
    pub projection: Matrix4<f32>,
    /// World to eye.
    pub view: Matrix4<f32>,
    /// The size of the mesh.
    pub mesh: MeshSize,
    /// Whether the painted image goes on with each frame; it does not while the animation is paused.
    pub paints: bool,
}

impl Look<'_> {
    /// The kernels' view onto `size` pixels.
    #[must_use]
    pub fn point_view(&self, size: [u32; 2], rule: PixelRule) -> PointView {
        point_view(&self.projection, &self.view, size, rule)
    }
}
