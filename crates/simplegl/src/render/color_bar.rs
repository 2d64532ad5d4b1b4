//! The colour bar: which height has which colour. Painted on the CPU when something about it changes, drawn as one rectangle.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;
use super::bar_picture::{BarPicture, BarStyle};
use super::rectangle::{Pixels, Rectangle};
use crate::scene::Scene;

/// The rectangle, the picture's texture, and what it shows at the moment.
pub(super) struct ColorBar {
    gl: Arc<glow::Context>,
    rectangle: Rectangle,
    texture: glow::Texture,
    shown: Option<(BarStyle, [u32; 2])>,
}

impl ColorBar {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let rectangle = Rectangle::new(gl, "colour bar", Pixels::Painted)?;
        // SAFETY: the context is current.
        let texture = unsafe { gl.create_texture() }
            .map_err(|reason| RenderError::Create { object: "texture", reason })?;
        Ok(Self { gl: Arc::clone(gl), rectangle, texture, shown: None })
    }

    /// Draws it at the right edge of the framebuffer that is bound; one that is too small gets none.
    pub(super) fn draw(&mut self, scene: &Scene, size: [u32; 2]) -> Result<(), RenderError> {
        let Some(style) = BarStyle::for_frame(scene, size) else { return Ok(()) };
        let extent = match self.shown {
            Some((shown, extent)) if shown == style => extent,
            _ => self.paint(style)?,
        };
        self.rectangle.draw(self.texture, style.origin(size, extent), extent, size);
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
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_texture(self.texture) }
    }
}
