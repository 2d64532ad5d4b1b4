//! The painted texture of the external path: exported memory of CUDA's is linear, and a texture is not, so every frame copies.

use std::sync::Arc;

use kernels::hatch::Pixel;

use super::gl_objects::HostPainted;
use super::{PAINTED_SIZE, SourceError};
use crate::render::TexelCopy;

/// A texture, and what fills it.
#[derive(Debug)]
pub(super) struct SharedPainted {
    texture: HostPainted,
    copy: TexelCopy,
}

impl SharedPainted {
    /// # Errors
    /// When OpenGL has no compute shaders, or refuses.
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, SourceError> {
        Ok(Self { texture: HostPainted::new(gl)?, copy: TexelCopy::new(gl)? })
    }

    pub(super) fn name(&self) -> glow::Texture {
        self.texture.name()
    }

    /// Uploads the whole picture.
    pub(super) fn write(&mut self, pixels: &[Pixel]) {
        self.texture.write(pixels);
    }

    /// Copies the whole picture from a buffer, on the GPU.
    ///
    /// # Safety
    /// The context is current, and the buffer holds the whole picture.
    pub(super) unsafe fn copy_from(&mut self, pixels: glow::Buffer) {
        // SAFETY: the caller's promise; the texture is ours, of that size, and complete.
        unsafe { self.copy.copy(pixels, self.texture.name(), PAINTED_SIZE) }
    }
}
