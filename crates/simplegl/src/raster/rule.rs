//! How this OpenGL rounds points to pixels, found out by drawing one.

use std::sync::Arc;

use glow::HasContext as _;
use kernels::raster::PixelRule;
use nalgebra::Matrix4;

use crate::capture::{CaptureError, read_framebuffer};
use crate::render::{Frame, RenderError, Renderer, Target};
use crate::scene::{DrawMode, Scene};

/// Width and height of the picture in which the point is drawn. Even, so that its middle is where four pixels meet.
const SIDE: u32 = 8;

/// Draws a point where four pixels meet, and looks which of them it takes.
///
/// # Errors
/// When OpenGL refuses.
pub fn pixel_rule(gl: &Arc<glow::Context>) -> Result<PixelRule, CaptureError> {
    let target = Target::new(gl, [SIDE, SIDE], 0)?;
    // Not the renderer of the viewer, which would remember the buffer.
    let mut renderer = Renderer::new(gl)?;
    let point = Buffer::new(gl, &[0.0, 0.0, 0.0, 1.0])?;
    let scene = Scene {
        draw: DrawMode::Points,
        solid_color: [1.0; 3],
        background: [0.0; 3],
        color_bar: false,
        mesh_width: 1,
        mesh_height: 1,
        ..Scene::default()
    };
    // SAFETY: the context is current. The texture is not looked at with a solid colour.
    let painted = unsafe { gl.create_texture() }
        .map_err(|reason| RenderError::Create { object: "texture", reason })?;
    let drawn = renderer.draw(&Frame {
        scene: &scene,
        view: Matrix4::identity(),
        projection: Matrix4::identity(),
        size: [SIDE, SIDE],
        vertices: point.name,
        mesh_size: [1, 1],
        painted,
        framebuffer: Some(target.framebuffer()),
    });
    // SAFETY: our own name.
    unsafe { gl.delete_texture(painted) };
    drawn?;
    let picture = read_framebuffer(gl, Some(target.framebuffer()), [SIDE, SIDE])?;
    // SAFETY: a plain query in a current context.
    let subpixel_bits = unsafe { gl.get_parameter_i32(glow::SUBPIXEL_BITS) }.clamp(0, 16) as u32;
    let lit = |left: bool, lower: bool| {
        let column = SIDE / 2 - u32::from(left);
        // Pictures go from the top.
        let row = SIDE / 2 - u32::from(!lower);
        picture.rgb[((row * SIDE + column) * 3) as usize] > 127
    };
    let candidates = [(true, true), (true, false), (false, true), (false, false)];
    let taken = candidates.into_iter().find(|&(left, lower)| lit(left, lower));
    // A driver that draws nothing here would draw no points at all; the rule is then as good as any.
    let (left, lower) = taken.unwrap_or((PixelRule::default().left, PixelRule::default().lower));
    Ok(PixelRule { subpixel_bits, left, lower })
}

/// A GL buffer that deletes itself.
struct Buffer<'a> {
    gl: &'a glow::Context,
    name: glow::Buffer,
}

impl<'a> Buffer<'a> {
    fn new(gl: &'a glow::Context, data: &[f32]) -> Result<Self, RenderError> {
        // SAFETY: the context is current; `buffer` owns the name from the line after its creation.
        unsafe {
            let name = gl
                .create_buffer()
                .map_err(|reason| RenderError::Create { object: "buffer", reason })?;
            let buffer = Self { gl, name };
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(name));
            gl.buffer_data_u8_slice(
                glow::ARRAY_BUFFER,
                bytemuck::cast_slice(data),
                glow::STATIC_DRAW,
            );
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
            Ok(buffer)
        }
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_buffer(self.name) }
    }
}
