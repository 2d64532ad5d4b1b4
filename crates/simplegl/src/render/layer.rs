//! A transparent picture over the frame, painted when it changes and laid over every frame.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;
use super::picture::Picture;
use super::rectangle::{Pixels, Rectangle};

/// A rectangle of pixels, its lower left corner first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelRect {
    /// Column and row of the lower left corner.
    pub(crate) origin: [u32; 2],
    /// Width and height.
    pub(crate) extent: [u32; 2],
}

/// What lies over the window's picture. What is drawn into it leaves colours multiplied by alpha.
pub(crate) struct Layer {
    gl: Arc<glow::Context>,
    /// Made when first painted.
    made: Option<(Picture, Rectangle)>,
    painted: Vec<PixelRect>,
}

impl Layer {
    /// A layer without a picture.
    pub(crate) fn new(gl: &Arc<glow::Context>) -> Self {
        Self { gl: Arc::clone(gl), made: None, painted: Vec::new() }
    }

    /// The size it was painted for, in physical pixels.
    pub(crate) fn size(&self) -> Option<[u32; 2]> {
        self.made.as_ref().map(|(picture, _)| picture.size())
    }

    /// Paints it anew for a window of `size` pixels. `painting` draws into the framebuffer that is bound, which is transparent,
    /// and inside `areas` only, which lie in the window and do not overlap. Afterwards the window's framebuffer is bound.
    ///
    /// # Errors
    /// If OpenGL refuses the program, or has no room for a picture of that size.
    pub(crate) fn paint(
        &mut self,
        size: [u32; 2],
        areas: Vec<PixelRect>,
        painting: impl FnOnce(),
    ) -> Result<(), RenderError> {
        let (picture, _) = match &mut self.made {
            Some(made) => made,
            slot => slot.insert((
                Picture::new(&self.gl)?,
                Rectangle::new(&self.gl, "layer", Pixels::Drawn)?,
            )),
        };
        let resized = picture.resize(size);
        let gl = &self.gl;
        if resized.is_ok() {
            // SAFETY: the context is current, and the name is ours.
            unsafe {
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(picture.framebuffer()));
                gl.disable(glow::SCISSOR_TEST);
                gl.color_mask(true, true, true, true);
                gl.clear_buffer_f32_slice(glow::COLOR, 0, &[0.0; 4]);
            }
            painting();
            self.painted = areas;
        }
        // SAFETY: the context is current.
        unsafe { gl.bind_framebuffer(glow::FRAMEBUFFER, None) };
        resized
    }

    /// Lays it over the window's framebuffer, which is bound and of the size it was painted for.
    pub(crate) fn draw(&self) {
        let Some((picture, rectangle)) = &self.made else { return };
        let (size, gl) = (picture.size(), &self.gl);
        let [width, height] = size.map(|side| side as i32);
        // SAFETY: the context is current; whoever needs another state sets it.
        unsafe {
            gl.viewport(0, 0, width, height);
            gl.disable(glow::FRAMEBUFFER_SRGB);
            gl.disable(glow::SCISSOR_TEST);
        }
        for &PixelRect { origin, extent } in &self.painted {
            rectangle.draw(picture.texture(), origin, extent, size);
        }
    }
}
