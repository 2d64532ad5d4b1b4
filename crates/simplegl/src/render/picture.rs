//! An off-screen picture without depth and samples: an RGBA8 texture that shaders may write.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;
use super::target::allocate_rgba8;

/// The texture, and a framebuffer to draw into it and to copy from it.
pub(super) struct Picture {
    gl: Arc<glow::Context>,
    texture: glow::Texture,
    framebuffer: glow::Framebuffer,
    size: [u32; 2],
}

impl Picture {
    /// A picture without pixels.
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        let named = |object| move |reason| RenderError::Create { object, reason };
        // SAFETY: the context is current; the names are owned from the line after the second creation.
        unsafe {
            let texture = gl.create_texture().map_err(named("texture"))?;
            let framebuffer = gl.create_framebuffer().map_err(named("framebuffer"))?;
            Ok(Self { gl: Arc::clone(gl), texture, framebuffer, size: [0; 2] })
        }
    }

    /// Gives it another size; nothing happens when it has that already. Leaves its framebuffer bound if not.
    ///
    /// # Errors
    /// When OpenGL has no room for it.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), RenderError> {
        if self.size == size {
            return Ok(());
        }
        let gl = &self.gl;
        let [width, height] = size.map(|side| side as i32);
        // SAFETY: the context is current and the names are ours.
        unsafe {
            allocate_rgba8(gl, self.texture, [width, height]);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.framebuffer));
            let (target, texture) = (glow::COLOR_ATTACHMENT0, Some(self.texture));
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, target, glow::TEXTURE_2D, texture, 0);
        }
        super::check_gl(gl, "allocating a picture")?;
        self.size = size;
        Ok(())
    }

    pub(super) fn texture(&self) -> glow::Texture {
        self.texture
    }

    pub(super) fn framebuffer(&self) -> glow::Framebuffer {
        self.framebuffer
    }

    /// Width and height in pixels.
    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        // SAFETY: our own names, of the context that we hold.
        unsafe {
            self.gl.delete_framebuffer(self.framebuffer);
            self.gl.delete_texture(self.texture);
        }
    }
}
