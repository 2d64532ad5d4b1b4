//! One registration of a graphics API's resource: how it is unmapped again, and how it ends.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys::CUgraphicsResource};

use crate::context::with_current;
use crate::driver::{check, end, table};
use crate::error::{Code, Result};
use crate::gl::Objects;

/// `CUDA_ERROR_NOT_MAPPED`.
const NOT_MAPPED: Code = Code(211);

/// The driver's handle of a registered resource, and where it belongs.
pub(crate) struct Registered {
    pub(crate) raw: CUgraphicsResource,
    pub(crate) cuda: Arc<CudaContext>,
    /// The stream that the resource is mapped on, or may still be after an unmap that failed.
    pub(crate) mapped_on: Option<Arc<CudaStream>>,
    pub(crate) label: String,
    /// The stream that the resource was last mapped on.
    pub(crate) last_stream: Option<Arc<CudaStream>>,
    /// Surfaces and textures made of it.
    pub(crate) objects: Objects,
}

impl Registered {
    /// The registration of `raw`, not mapped; `label` is what it is called in errors.
    pub(crate) fn new(raw: CUgraphicsResource, cuda: &Arc<CudaContext>, label: String) -> Self {
        let objects = Objects::default();
        Self { raw, cuda: cuda.clone(), mapped_on: None, label, last_stream: None, objects }
    }

    /// Lets go of everything without a call to the driver.
    pub(crate) fn forget(self) {
        self.objects.forget();
    }

    /// Unmaps the resource if it may be mapped still.
    pub(crate) fn recover(&mut self) -> Result<()> {
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
    pub(crate) fn end(&mut self) -> Result<()> {
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
