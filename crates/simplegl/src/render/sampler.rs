//! How the surface looks at the painted texture: smooth, no mipmaps, no repetition.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;

/// A sampler object. The texture's own parameters cannot serve: once it is registered with CUDA for surface access, NVIDIA's
/// driver refuses to change them (`GL_INVALID_OPERATION`).
#[derive(Debug)]
pub(super) struct Sampler {
    gl: Arc<glow::Context>,
    name: glow::Sampler,
}

impl Sampler {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        // SAFETY: the context is current; `sampler` owns the name from the line after its creation.
        unsafe {
            let name = gl
                .create_sampler()
                .map_err(|reason| RenderError::Create { object: "sampler", reason })?;
            let sampler = Self { gl: Arc::clone(gl), name };
            for (parameter, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                gl.sampler_parameter_i32(name, parameter, value as i32);
            }
            Ok(sampler)
        }
    }

    /// Puts the sampler in charge of a texture unit, until [`Self::unbind`].
    pub(super) fn bind(&self, unit: u32) {
        // SAFETY: the context is current, and the name is our own.
        unsafe { self.gl.bind_sampler(unit, Some(self.name)) }
    }

    /// Leaves the unit to its texture's own parameters.
    pub(super) fn unbind(&self, unit: u32) {
        // SAFETY: the context is current.
        unsafe { self.gl.bind_sampler(unit, None) }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_sampler(self.name) }
    }
}
