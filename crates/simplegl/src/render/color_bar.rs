//! The colour bar: which height has which colour. Painted on the CPU when something about it changes, drawn as one rectangle.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;
use super::bar_picture::{BarPicture, BarStyle};
use super::program::{Program, Source, Uniform};
use crate::scene::Scene;

/// The rectangle's program, the picture's texture, and what it shows at the moment.
pub(super) struct ColorBar {
    gl: Arc<glow::Context>,
    program: Program,
    origin: Uniform,
    extent: Uniform,
    framebuffer: Uniform,
    /// A core profile draws nothing without one, even if no attribute is read.
    array: glow::VertexArray,
    texture: glow::Texture,
    shown: Option<(BarStyle, [u32; 2])>,
}

impl ColorBar {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let source = Source {
            name: "colour bar",
            defines: &[],
            vertex: include_str!("shaders/color_bar.vert"),
            fragment: include_str!("shaders/color_bar.frag"),
        };
        let program = Program::link(gl, &source)?;
        // SAFETY: the context is current; the names are owned from the line after the second creation.
        unsafe {
            let array = gl
                .create_vertex_array()
                .map_err(|reason| RenderError::Create { object: "vertex array", reason })?;
            let texture = gl
                .create_texture()
                .map_err(|reason| RenderError::Create { object: "texture", reason })?;
            Ok(Self {
                gl: Arc::clone(gl),
                origin: program.uniform("origin"),
                extent: program.uniform("extent"),
                framebuffer: program.uniform("framebuffer"),
                program,
                array,
                texture,
                shown: None,
            })
        }
    }

    /// Draws it at the right edge of the framebuffer that is bound; one that is too small gets none.
    pub(super) fn draw(&mut self, scene: &Scene, size: [u32; 2]) -> Result<(), RenderError> {
        let Some(style) = BarStyle::for_frame(scene, size) else { return Ok(()) };
        let extent = match self.shown {
            Some((shown, extent)) if shown == style => extent,
            _ => self.paint(style)?,
        };
        let origin = style.origin(size, extent);
        let gl = &self.gl;
        self.program.bind();
        self.program.set_ivec2(self.origin, origin);
        self.program.set_ivec2(self.extent, extent);
        self.program.set_ivec2(self.framebuffer, size);
        // SAFETY: the context is current and the names are ours; the state changed here is put back.
        unsafe {
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.texture));
            gl.disable(glow::DEPTH_TEST);
            gl.enable(glow::BLEND);
            // The framebuffer stays opaque: its alpha is kept.
            gl.blend_func_separate(
                glow::SRC_ALPHA,
                glow::ONE_MINUS_SRC_ALPHA,
                glow::ZERO,
                glow::ONE,
            );
            gl.bind_vertex_array(Some(self.array));
            gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
            gl.bind_vertex_array(None);
            gl.disable(glow::BLEND);
        }
        Ok(())
    }

    /// Paints and uploads the picture, and returns its size.
    fn paint(&mut self, style: BarStyle) -> Result<[u32; 2], RenderError> {
        let picture = BarPicture::paint(&style);
        let [width, height] = picture.size().map(|side| side as i32);
        let gl = &self.gl;
        // SAFETY: the context is current, the texture is ours, and the picture has four bytes a pixel.
        unsafe {
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.texture));
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                glow::RGBA8 as i32,
                width,
                height,
                0,
                glow::RGBA,
                glow::UNSIGNED_BYTE,
                glow::PixelUnpackData::Slice(Some(picture.rgba())),
            );
            for filter in [glow::TEXTURE_MIN_FILTER, glow::TEXTURE_MAG_FILTER] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, filter, glow::NEAREST as i32);
            }
            super::check_gl(gl, "uploading the colour bar")?;
        }
        self.shown = Some((style, picture.size()));
        Ok(picture.size())
    }
}

impl Drop for ColorBar {
    fn drop(&mut self) {
        // SAFETY: our own names, of the context that we hold.
        unsafe {
            self.gl.delete_vertex_array(self.array);
            self.gl.delete_texture(self.texture);
        }
    }
}
