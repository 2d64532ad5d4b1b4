//! What is left of a resource whose owner was dropped: to be released once, with the OpenGL context current.

use glow::HasContext as _;

use super::context::Shared;
use crate::graphics::Registered;

/// An OpenGL object that this crate created.
#[derive(Debug, Clone, Copy)]
pub(super) enum GlObject {
    Buffer(glow::Buffer),
    Texture(glow::Texture),
    Renderbuffer(glow::Renderbuffer),
    /// An object of an extension, with the function that deletes it.
    #[cfg_attr(not(unix), expect(dead_code, reason = "descriptors are Unix's"))]
    External(unsafe extern "system" fn(i32, *const u32), u32),
}

impl GlObject {
    /// OpenGL's number for the object.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Buffer(name) => name.0.get(),
            Self::Texture(name) => name.0.get(),
            Self::Renderbuffer(name) => name.0.get(),
            Self::External(_, name) => name,
        }
    }

    /// Deletes the object. The context must be current.
    pub(super) fn delete(self, gl: &glow::Context) {
        // SAFETY: the caller has the context current, and the object is this crate's own.
        unsafe {
            match self {
                Self::Buffer(name) => gl.delete_buffer(name),
                Self::Texture(name) => gl.delete_texture(name),
                Self::Renderbuffer(name) => gl.delete_renderbuffer(name),
                Self::External(delete, name) => delete(1, &raw const name),
            }
        }
    }
}

/// A registration to end, then an OpenGL object to delete: in this order.
pub(super) struct Leftover {
    registered: Option<Registered>,
    object: Option<GlObject>,
}

impl Leftover {
    pub(super) fn new(registered: Option<Registered>, object: Option<GlObject>) -> Self {
        Self { registered, object }
    }

    /// Lets go of everything without a call to OpenGL or CUDA.
    pub(super) fn forget(self) {
        if let Some(registered) = self.registered {
            registered.forget();
        }
    }

    /// Releases everything; the OpenGL context is current. The first error is recorded.
    pub(super) fn release(mut self, shared: &Shared) {
        if let Some(registered) = &mut self.registered
            && let Err(error) = registered.end()
        {
            shared.record(shared.explain(error));
        }
        if let Some(object) = self.object {
            object.delete(shared.gl());
        }
    }
}
