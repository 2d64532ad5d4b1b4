//! An OpenGL object's registration with CUDA: one owner, ended once.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys::CUgraphicsResource};

use super::Access;
use super::context::Shared;
use super::image::Object;
use super::leftover::{GlObject, Leftover};
use crate::context::with_current;
use crate::device::Device;
use crate::driver::{check, out, table};
use crate::error::{Error, ErrorKind, Result};
use crate::graphics::Registered;

/// A registered OpenGL object. Dropping it unmaps what is still mapped and unregisters, once, with the OpenGL
/// context current.
pub struct Registration {
    shared: Rc<Shared>,
    /// `None` once given up.
    registered: RefCell<Option<Registered>>,
}

impl Registration {
    /// Registers what `call` names, after checking that `cuda`'s device is one that the OpenGL context runs on.
    ///
    /// The OpenGL context is current: the caller has entered it.
    pub(super) fn new(
        shared: &Rc<Shared>,
        cuda: &Arc<CudaContext>,
        label: String,
        call: impl FnOnce(*mut CUgraphicsResource) -> u32,
    ) -> Result<Self> {
        let operation = format!("registering {label} with CUDA");
        shared.check_device(Device::of(cuda), &operation)?;
        with_current(cuda, &operation, || {
            // SAFETY: a null handle is a valid value; the driver writes one handle.
            let raw: CUgraphicsResource = unsafe { out(&operation, call) }?;
            if raw.is_null() {
                return Err(Error::new(ErrorKind::Inconsistent, &operation)
                    .detail("the resource handle is null"));
            }
            let registered = Registered::new(raw, cuda, label);
            Ok(Self { shared: shared.clone(), registered: RefCell::new(Some(registered)) })
        })
        .map_err(|error| shared.explain(error))
    }

    pub(super) fn shared(&self) -> &Rc<Shared> {
        &self.shared
    }

    /// The driver's handle and the CUDA context that it belongs to.
    pub(super) fn handle(&self, operation: &str) -> Result<(CUgraphicsResource, Arc<CudaContext>)> {
        match &*self.registered.borrow() {
            Some(registered) => Ok((registered.raw, registered.cuda.clone())),
            None => Err(Error::new(ErrorKind::Invalidated, operation)),
        }
    }

    /// Unmaps what may still be mapped: after an unmap that failed, or a mapping that was leaked.
    pub(super) fn recover(&self) -> Result<()> {
        match self.registered.borrow_mut().as_mut() {
            Some(registered) => registered.recover().map_err(|error| self.shared.explain(error)),
            None => Ok(()),
        }
    }

    /// What the resource is called in errors.
    pub(super) fn label(&self) -> String {
        self.registered.borrow().as_ref().map_or_else(String::new, |r| r.label.clone())
    }

    /// Notes that the resource is mapped on `stream`, until [`note_unmapped`](Self::note_unmapped).
    pub(super) fn note_mapped(&self, stream: &Arc<CudaStream>) {
        if let Some(registered) = self.registered.borrow_mut().as_mut() {
            registered.mapped_on = Some(stream.clone());
            registered.last_stream = Some(stream.clone());
        }
    }

    pub(super) fn note_unmapped(&self) {
        if let Some(registered) = self.registered.borrow_mut().as_mut() {
            registered.mapped_on = None;
        }
    }

    /// Takes a surface or texture made of the mapped resource, to be destroyed when the work that may use it is done.
    pub(super) fn keep_object(&self, object: Object) {
        if let Some(registered) = self.registered.borrow_mut().as_mut() {
            registered.objects.keep(object);
        }
    }

    /// Before unmapping: the surfaces and textures of this mapping end with the work submitted so far.
    pub(super) fn retire_objects(&self, stream: &CudaStream) {
        if let Some(registered) = self.registered.borrow_mut().as_mut() {
            registered.objects.retire(&registered.cuda, stream);
        }
    }

    /// Destroys the surfaces and textures of earlier mappings whose work is done.
    pub(super) fn collect_objects(&self) -> Result<()> {
        match self.registered.borrow_mut().as_mut() {
            Some(Registered { objects, cuda, last_stream, .. }) => {
                objects.collect(cuda, last_stream.as_deref())
            }
            None => Ok(()),
        }
    }

    /// Waits for the work on the stream that the resource was last mapped on.
    pub(super) fn wait(&self) -> Result<()> {
        let stream = self.registered.borrow().as_ref().and_then(|r| r.last_stream.clone());
        stream.map_or(Ok(()), |stream| crate::device::synchronize(&stream))
    }

    /// Changes what CUDA does with the resource at the next map.
    pub(super) fn set_access(&self, access: Access) -> Result<()> {
        let operation = format!("setting the map flags of {}", self.label());
        self.shared.enter(&operation)?;
        self.recover()?;
        let (raw, cuda) = self.handle(&operation)?;
        let call = table::GRAPHICS_SET_MAP_FLAGS.get(&operation)?;
        with_current(&cuda, &operation, || {
            // SAFETY: the resource is registered and not mapped.
            check(&operation, unsafe { call(raw, access.bits()) })
        })
        .map_err(|error| self.shared.explain(error))?;
        Ok(())
    }

    /// Gives up the registration without telling the driver.
    pub(super) fn forget(&self) {
        if let Some(registered) = self.registered.borrow_mut().take() {
            registered.forget();
        }
    }

    /// Ends the registration, then deletes `object`.
    pub(super) fn release_with(self, object: Option<GlObject>) {
        let registered = self.registered.borrow_mut().take();
        self.shared.release(Leftover::new(registered, object));
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registration({})", self.label())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(registered) = self.registered.borrow_mut().take() {
            self.shared.release(Leftover::new(Some(registered), None));
        }
    }
}
