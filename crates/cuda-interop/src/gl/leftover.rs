//! What is left of a resource whose owner was dropped: to be released once, with the OpenGL context current.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys::CUgraphicsResource};
use glow::HasContext as _;

use super::context::Shared;
use crate::context::with_current;
use crate::driver::{check, table};
use crate::error::{Code, Result};

/// How often releasing is tried before the rest is given up.
const ATTEMPTS: u8 = 2;
/// `CUDA_ERROR_NOT_MAPPED`.
const NOT_MAPPED: Code = Code(211);

/// An OpenGL object that this crate created.
#[derive(Debug, Clone, Copy)]
pub(super) enum GlObject {
    Buffer(glow::Buffer),
}

impl GlObject {
    /// Deletes the object. The context must be current.
    pub(super) fn delete(self, gl: &glow::Context) {
        // SAFETY: the caller has the context current, and the object is this crate's own.
        unsafe {
            match self {
                Self::Buffer(name) => gl.delete_buffer(name),
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
}

impl Registered {
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
    attempts: u8,
}

impl Leftover {
    pub(super) fn new(registered: Option<Registered>, object: Option<GlObject>) -> Self {
        Self { registered, object, attempts: 0 }
    }

    /// Releases everything; the OpenGL context is current. An error is recorded, and the rest tried once more at
    /// the next call.
    pub(super) fn release(mut self, shared: &Shared) {
        if let Some(registered) = &mut self.registered {
            let released = registered.recover().and_then(|()| registered.unregister());
            if let Err(error) = released {
                let gone = error.code().is_some_and(Code::is_context_gone);
                shared.record(shared.explain(error, None));
                self.attempts += 1;
                if self.attempts < ATTEMPTS && !gone {
                    shared.keep(self);
                    return;
                }
            }
        }
        if let Some(object) = self.object {
            object.delete(shared.gl());
        }
    }
}
