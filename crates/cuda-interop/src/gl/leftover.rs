//! What is left of a resource whose owner was dropped: to be released once, with the OpenGL context current.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys::CUgraphicsResource};
use glow::HasContext as _;

use super::context::Shared;
use super::image::Objects;
use crate::context::with_current;
use crate::driver::{check, end, table};
use crate::error::{Code, Result};

/// `CUDA_ERROR_NOT_MAPPED`.
const NOT_MAPPED: Code = Code(211);

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

/// The driver's handle of a registered resource, and where it belongs.
pub(super) struct Registered {
    pub(super) raw: CUgraphicsResource,
    pub(super) cuda: Arc<CudaContext>,
    /// The stream that the resource is mapped on, or may still be after an unmap that failed.
    pub(super) mapped_on: Option<Arc<CudaStream>>,
    pub(super) label: String,
    /// The stream that the resource was last mapped on.
    pub(super) last_stream: Option<Arc<CudaStream>>,
    /// Surfaces and textures made of it.
    pub(super) objects: Objects,
}

impl Registered {
    /// Lets go of everything without a call to the driver.
    pub(super) fn forget(self) {
        self.objects.forget();
    }

    /// Unmaps the resource if it may be mapped still.
    pub(super) fn recover(&mut self) -> Result<()> {
        let Some(stream) = &self.mapped_on else { return Ok(()) };
        let operation = format!("unmapping {} again", self.label);
        match unmap_one(self.raw, stream, &operation) {
            Err(error) if error.code() != Some(NOT_MAPPED) => Err(error),
            _ => {
                self.mapped_on = None;
                Ok(())
            }
        }
    }

    /// Unmaps if need be, destroys surfaces and textures once the work that uses them is done, and unregisters.
    fn end(&mut self) -> Result<()> {
        let unmapped = end(|| self.recover());
        let destroyed = self.objects.destroy_all(&self.cuda, self.last_stream.as_deref());
        let unregistered = end(|| self.unregister());
        unmapped.and(destroyed).and(unregistered)
    }

    fn unregister(&self) -> Result<()> {
        let operation = format!("unregistering {}", self.label);
        let call = table::GRAPHICS_UNREGISTER.get(&operation)?;
        with_current(&self.cuda, &operation, || {
            // SAFETY: this value stands for one registration.
            check(&operation, unsafe { call(self.raw) })
        })
    }
}

fn unmap_one(mut raw: CUgraphicsResource, stream: &CudaStream, operation: &str) -> Result<()> {
    let call = table::GRAPHICS_UNMAP.get(operation)?;
    with_current(stream.context(), operation, || {
        // SAFETY: the resource is registered and the stream alive.
        check(operation, unsafe { call(1, &raw mut raw, stream.cu_stream()) })
    })
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
