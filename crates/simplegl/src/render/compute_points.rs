//! Points of one pixel in one colour, by a compute shader.
//!
//! A datacenter GPU has few raster units but many processors: 16.7 million points take 10 ms as `GL_POINTS` and 0.14 ms here
//! (NVIDIA H200). Into a window there is a copy to pay for, 0.03 ms at 512x512. The picture is that of `GL_POINTS`, up to points
//! within rounding of a pixel's border.

use std::sync::Arc;

use glow::HasContext as _;
use kernels::raster::PixelRule;

use super::picture::Picture;
use super::program::{Program, Uniform, has_compute_shaders};
use super::{Frame, RenderError, pixel_rule};
use crate::raster::point_view;

const SOURCE: &str = include_str!("shaders/points.comp");
/// A vertex is four `f32`.
const BYTES_PER_VERTEX: u64 = 16;
/// Invocations in a group, as in the shader.
const GROUP: u32 = 256;
/// Groups in a row of the grid: OpenGL promises no more.
const MOST_GROUPS: u32 = 65_535;

/// The program, and the picture that it writes where it cannot write the framebuffer's own texture.
pub(super) struct ComputePoints {
    gl: Arc<glow::Context>,
    program: Program,
    count: Uniform,
    /// The rows of projection times view.
    clip: [Uniform; 4],
    half_extent: Uniform,
    middle: Uniform,
    subpixel_bits: Uniform,
    solid_color: Uniform,
    picture: Picture,
    rule: PixelRule,
}

impl ComputePoints {
    /// The largest mesh that a compute shader can read here, in vertices; `None` before OpenGL 4.3, which has no such shaders.
    pub(super) fn most_vertices(gl: &glow::Context) -> Option<u64> {
        has_compute_shaders(gl).then(|| {
            // 64 bits: some drivers answer more than 32 bits hold.
            // SAFETY: a plain query in a current context.
            let bytes = unsafe { gl.get_parameter_i64(glow::MAX_SHADER_STORAGE_BLOCK_SIZE) };
            bytes.max(0) as u64 / BYTES_PER_VERTEX
        })
    }

    /// Only where OpenGL has compute shaders.
    ///
    /// # Errors
    /// When OpenGL refuses a shader or an object.
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let program = Program::link_compute(gl, "compute points", SOURCE)?;
        let uniform = |name| program.uniform(name);
        Ok(Self {
            gl: Arc::clone(gl),
            count: uniform("count"),
            clip: ["clip_x", "clip_y", "clip_z", "clip_w"].map(uniform),
            half_extent: uniform("half_extent"),
            middle: uniform("middle"),
            subpixel_bits: uniform("subpixel_bits"),
            solid_color: uniform("solid_color"),
            picture: Picture::new(gl)?,
            rule: pixel_rule(gl)?,
            program,
        })
    }

    /// Draws the whole frame, background included.
    ///
    /// # Errors
    /// When the picture for a new size cannot be made.
    pub(super) fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        let (framebuffer, texture) =
            if let (Some(framebuffer), Some(texture)) = (frame.framebuffer, frame.color_texture) {
                (framebuffer, texture)
            } else {
                self.picture.resize(frame.size)?;
                (self.picture.framebuffer(), self.picture.texture())
            };
        let view = point_view(&frame.projection, &frame.view, frame.size, self.rule);
        let count = frame.vertex_count() as u32;
        let groups = count.div_ceil(GROUP);
        let [r, g, b] = frame.scene.background;
        let (gl, program) = (&self.gl, &self.program);
        let [width, height] = frame.size.map(|side| side as i32);
        // SAFETY: the context is current; the buffer holds `count` vertices; the shader writes inside the picture, which the
        // blit reads after the barrier.
        unsafe {
            gl.disable(glow::SCISSOR_TEST);
            gl.disable(glow::FRAMEBUFFER_SRGB);
            gl.color_mask(true, true, true, true);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.clear_buffer_f32_slice(glow::COLOR, 0, &[r, g, b, 1.0]);
            program.bind();
            gl.uniform_1_u32(self.count.as_ref(), count);
            for (row, values) in self.clip.iter().zip(view.clip) {
                gl.uniform_4_f32_slice(row.as_ref(), &values);
            }
            gl.uniform_2_f32_slice(self.half_extent.as_ref(), &view.half_extent);
            gl.uniform_2_f32_slice(self.middle.as_ref(), &view.middle);
            program.set_int(self.subpixel_bits, view.subpixel_bits as i32);
            program.set_vec3(self.solid_color, frame.scene.solid_color);
            gl.bind_buffer_base(glow::SHADER_STORAGE_BUFFER, 0, Some(frame.vertices));
            gl.bind_image_texture(0, Some(texture), 0, false, 0, glow::WRITE_ONLY, glow::RGBA8);
            gl.dispatch_compute(groups.min(MOST_GROUPS), groups.div_ceil(MOST_GROUPS), 1);
            gl.memory_barrier(glow::FRAMEBUFFER_BARRIER_BIT);
            gl.bind_buffer_base(glow::SHADER_STORAGE_BUFFER, 0, None);
            if frame.framebuffer != Some(framebuffer) {
                gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, frame.framebuffer);
                let (w, h) = (width, height);
                gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, glow::COLOR_BUFFER_BIT, glow::NEAREST);
            }
            gl.bind_framebuffer(glow::FRAMEBUFFER, frame.framebuffer);
            gl.viewport(0, 0, width, height);
        }
        Ok(())
    }
}
