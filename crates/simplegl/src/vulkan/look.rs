//! What a frame shows, as the kernels and the shaders take it.

#![deny(unsafe_code)]

use nalgebra::Matrix4;

use super::pipeline::Uniforms;
use crate::camera::Camera;
use crate::compute::Wave;
use crate::scene::Scene;

/// OpenGL's clip space to Vulkan's: y points down, and depth is 0 to 1.
#[rustfmt::skip]
const TO_VULKAN: Matrix4<f32> = Matrix4::new(
    1.0,  0.0, 0.0, 0.0,
    0.0, -1.0, 0.0, 0.0,
    0.0,  0.0, 0.5, 0.5,
    0.0,  0.0, 0.0, 1.0,
);

/// What a frame shows.
pub(super) struct Look<'a> {
    pub(super) scene: &'a Scene,
    pub(super) camera: &'a Camera,
    /// The phase, as the kernels take it.
    pub(super) time: f32,
}

impl Look<'_> {
    /// The wave of the heights.
    pub(super) fn wave(&self) -> Wave {
        let Scene { frequency, amplitude, .. } = *self.scene;
        Wave { time: self.time, frequency, amplitude }
    }

    /// What the shaders are told, for a picture of this size.
    pub(super) fn uniforms(&self, [width, height]: [u32; 2]) -> Uniforms {
        let Scene { solid_color: [red, green, blue], point_size, .. } = *self.scene;
        let view_projection = self.camera.view_projection(width as f32 / height as f32);
        Uniforms {
            model_view_projection: (TO_VULKAN * view_projection).into(),
            color: [red, green, blue, 1.0],
            point_size: [point_size; 4],
        }
    }
}
