//! A picture drawn as a rectangle of the framebuffer, one texel a pixel.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;
use super::program::{Program, Source, Uniform};

/// How a picture lies in its texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pixels {
    /// As in an image file: as large as the rectangle, the top row first, colours not multiplied by alpha.
    Painted,
    /// As OpenGL draws: as large as the framebuffer, the bottom row first, colours multiplied by alpha.
    Drawn,
}

/// The program for pictures of one kind.
pub(super) struct Rectangle {
    gl: Arc<glow::Context>,
    pixels: Pixels,
    program: Program,
    origin: Uniform,
    extent: Uniform,
    framebuffer: Uniform,
    /// A core profile draws nothing without one, even if no attribute is read.
    array: glow::VertexArray,
}

impl Rectangle {
    pub(super) fn new(
        gl: &Arc<glow::Context>,
        name: &'static str,
        pixels: Pixels,
    ) -> Result<Self, RenderError> {
        let source = Source {
            name,
            defines: if pixels == Pixels::Painted { &["TOP_FIRST"] } else { &[] },
            vertex: include_str!("shaders/rectangle.vert"),
            fragment: include_str!("shaders/rectangle.frag"),
        };
        let program = Program::link(gl, &source)?;
        // SAFETY: the context is current.
        let array = unsafe { gl.create_vertex_array() }
            .map_err(|reason| RenderError::Create { object: "vertex array", reason })?;
        Ok(Self {
            gl: Arc::clone(gl),
            pixels,
            origin: program.uniform("origin"),
            extent: program.uniform("extent"),
            framebuffer: program.uniform("framebuffer"),
            program,
            array,
        })
    }

    /// Lays `picture` over a rectangle of `extent` pixels, its lower left corner at `origin`, in the bound framebuffer of `size`
    /// pixels. The framebuffer's own alpha is kept.
    pub(super) fn draw(
        &self,
        picture: glow::Texture,
        origin: [u32; 2],
        extent: [u32; 2],
        size: [u32; 2],
    ) {
        let gl = &self.gl;
        self.program.bind();
        self.program.set_ivec2(self.origin, origin);
        self.program.set_ivec2(self.extent, extent);
        self.program.set_ivec2(self.framebuffer, size);
        let source = match self.pixels {
            Pixels::Painted => glow::SRC_ALPHA,
            Pixels::Drawn => glow::ONE,
        };
        // SAFETY: the context is current and the names are ours; the state changed here is put back.
        unsafe {
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(picture));
            gl.disable(glow::DEPTH_TEST);
            gl.enable(glow::BLEND);
            gl.blend_func_separate(source, glow::ONE_MINUS_SRC_ALPHA, glow::ZERO, glow::ONE);
            gl.bind_vertex_array(Some(self.array));
            gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
            gl.bind_vertex_array(None);
            gl.disable(glow::BLEND);
        }
    }
}

impl Drop for Rectangle {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_vertex_array(self.array) }
    }
}
