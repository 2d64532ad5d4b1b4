//! Copies a finished picture from a texture into a framebuffer.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;

/// A framebuffer to read textures through.
pub(super) struct Blit {
    gl: Arc<glow::Context>,
    framebuffer: glow::Framebuffer,
}

impl Blit {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        // SAFETY: the context is current.
        let framebuffer = unsafe { gl.create_framebuffer() }
            .map_err(|reason| RenderError::Create { object: "framebuffer", reason })?;
        Ok(Self { gl: Arc::clone(gl), framebuffer })
    }

    /// Copies the whole picture, which is of `size` pixels like the framebuffer (`None`: the window), and leaves that bound.
    pub(super) fn copy(
        &self,
        picture: glow::Texture,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
    ) {
        let (gl, [w, h]) = (&self.gl, size.map(|side| side as i32));
        // SAFETY: the context is current; the rectangles lie within both framebuffers. A blit obeys the scissor test and
        // sRGB encoding alone of all state, and others draw into this context too.
        unsafe {
            gl.disable(glow::SCISSOR_TEST);
            gl.disable(glow::FRAMEBUFFER_SRGB);
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(self.framebuffer));
            let (target, texture) = (glow::COLOR_ATTACHMENT0, Some(picture));
            gl.framebuffer_texture_2d(glow::READ_FRAMEBUFFER, target, glow::TEXTURE_2D, texture, 0);
            gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, framebuffer);
            gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, glow::COLOR_BUFFER_BIT, glow::NEAREST);
            gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer);
            gl.viewport(0, 0, w, h);
        }
    }
}

impl Drop for Blit {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_framebuffer(self.framebuffer) }
    }
}
