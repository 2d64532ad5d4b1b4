//! A transparent picture over the frame, painted when it changes and laid over every frame.

use std::sync::Arc;

use glow::HasContext as _;

use super::rectangle::{Pixels, Rectangle};
use super::{RenderError, Target};

/// A rectangle of pixels, its lower left corner first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PixelRect {
    /// Column and row of the lower left corner.
    pub(crate) origin: [u32; 2],
    /// Width and height; 0 is nothing.
    pub(crate) extent: [u32; 2],
}

/// What lies over the window's picture. What is drawn into it leaves colours multiplied by alpha.
pub(crate) struct Layer {
    gl: Arc<glow::Context>,
    /// Made when first painted.
    made: Option<(Target, Rectangle)>,
    painted: PixelRect,
}

impl Layer {
    /// A layer without a picture.
    pub(crate) fn new(gl: &Arc<glow::Context>) -> Self {
        Self { gl: Arc::clone(gl), made: None, painted: PixelRect::default() }
    }

    /// The size it was painted for, in physical pixels.
    pub(crate) fn size(&self) -> Option<[u32; 2]> {
        self.made.as_ref().map(|(target, _)| target.size())
    }

    /// Paints it anew for a window of `size` pixels. `painting` draws into the framebuffer that is bound, which is transparent,
    /// and inside `bounds` only. Afterwards the window's framebuffer is bound.
    ///
    /// # Errors
    /// If OpenGL refuses the program, or a picture of that size.
    pub(crate) fn paint(
        &mut self,
        size: [u32; 2],
        bounds: PixelRect,
        painting: impl FnOnce(),
    ) -> Result<(), RenderError> {
        let (target, _) = match &mut self.made {
            Some(made) => made,
            slot => slot.insert((
                Target::new(&self.gl, size, 0)?,
                Rectangle::new(&self.gl, "layer", Pixels::Drawn)?,
            )),
        };
        target.resize(size, 0)?;
        let gl = &self.gl;
        // SAFETY: the context is current. Clearing obeys the scissor test, the colour mask and nothing else.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(target.framebuffer()));
            gl.disable(glow::SCISSOR_TEST);
            gl.clear_color(0.0, 0.0, 0.0, 0.0);
            gl.clear(glow::COLOR_BUFFER_BIT);
        }
        painting();
        // SAFETY: the context is current.
        unsafe { gl.bind_framebuffer(glow::FRAMEBUFFER, None) };
        self.painted = bounds;
        Ok(())
    }

    /// Lays it over the window's framebuffer, which is bound and of the size it was painted for.
    pub(crate) fn draw(&self) {
        let PixelRect { origin: [x, y], extent: [width, height] } = self.painted;
        let Some((target, rectangle)) = &self.made else { return };
        let (Some(picture), size, gl) = (target.texture(), target.size(), &self.gl) else { return };
        if width == 0 || height == 0 {
            return;
        }
        let [w, h] = size.map(|side| side as i32);
        // SAFETY: the context is current; the state changed here is put back, or set by whoever needs another.
        unsafe {
            gl.viewport(0, 0, w, h);
            gl.disable(glow::FRAMEBUFFER_SRGB);
            gl.enable(glow::SCISSOR_TEST);
            gl.scissor(x as i32, y as i32, width as i32, height as i32);
        }
        rectangle.draw(picture, [0; 2], size, size);
        // SAFETY: the context is current.
        unsafe { gl.disable(glow::SCISSOR_TEST) };
    }
}
