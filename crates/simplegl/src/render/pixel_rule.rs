//! How this OpenGL rounds points to pixels, found out by drawing one.

use std::sync::Arc;

use glow::HasContext as _;
use kernels::raster::PixelRule;

use super::program::{Program, Source};
use super::{RenderError, Target, check_gl};

/// Width and height of the picture in which the point is drawn. Even, so that its middle is where four pixels meet.
const SIDE: usize = 8;

const VERTEX: &str = "void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }\n";
const FRAGMENT: &str = "out vec4 color; void main() { color = vec4(1.0); }\n";

/// Draws a point where four pixels meet, and looks which of them it takes.
///
/// # Errors
/// When OpenGL refuses.
pub fn pixel_rule(gl: &Arc<glow::Context>) -> Result<PixelRule, RenderError> {
    let target = Target::new(gl, [SIDE as u32; 2], 0)?;
    let source = Source { name: "one point", defines: &[], vertex: VERTEX, fragment: FRAGMENT };
    let program = Program::link(gl, &source)?;
    let mut pixels = [0_u8; SIDE * SIDE * 4];
    // SAFETY: the context is current; the array of vertices is deleted below; the memory holds every pixel.
    let subpixel_bits = unsafe {
        let array = gl
            .create_vertex_array()
            .map_err(|reason| RenderError::Create { object: "vertex array", reason })?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(target.framebuffer()));
        gl.viewport(0, 0, SIDE as i32, SIDE as i32);
        for off in [glow::BLEND, glow::SCISSOR_TEST, glow::DEPTH_TEST, glow::STENCIL_TEST] {
            gl.disable(off);
        }
        gl.color_mask(true, true, true, true);
        gl.clear_buffer_f32_slice(glow::COLOR, 0, &[0.0; 4]);
        program.bind();
        gl.bind_vertex_array(Some(array));
        gl.draw_arrays(glow::POINTS, 0, 1);
        gl.bind_vertex_array(None);
        gl.delete_vertex_array(array);
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
        gl.read_pixels(
            0,
            0,
            SIDE as i32,
            SIDE as i32,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelPackData::Slice(Some(&mut pixels)),
        );
        gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        gl.get_parameter_i32(glow::SUBPIXEL_BITS).clamp(0, 16) as u32
    };
    check_gl(gl, "drawing a point to see how it is rounded")?;
    let lit = |left: bool, lower: bool| {
        let (column, row) = (SIDE / 2 - usize::from(left), SIDE / 2 - usize::from(lower));
        pixels[(row * SIDE + column) * 4] > 127
    };
    let candidates = [(true, true), (true, false), (false, true), (false, false)];
    let taken = candidates.into_iter().find(|&(left, lower)| lit(left, lower));
    // A driver that draws nothing here would draw no points at all; the rule is then as good as any.
    let (left, lower) = taken.unwrap_or((PixelRule::default().left, PixelRule::default().lower));
    Ok(PixelRule { subpixel_bits, left, lower })
}
