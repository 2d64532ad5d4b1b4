//! When pictures may take the place of points that OpenGL draws.

use std::time::Duration;

use crate::render::PointsWay;
use crate::scene::{DrawMode, Scene};

/// Vertices below which nothing is to be gained: then OpenGL keeps the mesh, as it is what people come to see.
const FEWEST_VERTICES: u64 = 1 << 20;

/// Whether it is worth finding out which is faster for a scene that leaves the choice open.
#[must_use]
pub fn may_raster(scene: &Scene) -> bool {
    scene.draw == DrawMode::Auto
        && PointsWay::is_free(scene)
        && scene.vertex_count() >= FEWEST_VERTICES
}

/// Whether pictures are enough faster to do without the mesh in OpenGL: by a tenth.
#[must_use]
pub fn pays(by_picture: Duration, by_mesh: Duration) -> bool {
    by_picture < by_mesh.mul_f64(0.9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::ColorMode;

    #[test]
    fn only_large_meshes_of_free_points_leave_a_choice() {
        let large = Scene { mesh_width: 1024, mesh_height: 1024, ..Scene::default() };
        assert!(may_raster(&large));
        assert!(!may_raster(&Scene::default()));
        assert!(!may_raster(&Scene { draw: DrawMode::Points, ..large.clone() }));
        assert!(!may_raster(&Scene { color: ColorMode::Height, ..large }));
    }

    #[test]
    fn a_tenth_is_enough() {
        let us = Duration::from_micros;
        assert!(pays(us(899), us(1000)));
        assert!(!pays(us(900), us(1000)));
        assert!(!pays(Duration::MAX, us(1000)));
    }
}
