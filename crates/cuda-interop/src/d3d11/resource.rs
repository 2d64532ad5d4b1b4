//! The registration of a Direct3D 11 resource, and the guard of its mapping.

use std::ffi::{c_uint, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys::CUgraphicsResource};

use crate::context::{check_same, with_current};
use crate::driver::{check, out, table};
use crate::error::{Code, Error, ErrorKind, Result};
use crate::gl::Access;
use crate::graphics::Registered;

/// A registered resource. Dropping it unmaps what is still mapped and unregisters.
pub(super) struct Resource {
    registered: Registered,
    access: Access,
    /// Of one thread: the one of the immediate context.
    thread: PhantomData<*const ()>,
}

impl Resource {
    /// # Safety
    ///
    /// `resource` must be a live `ID3D11Resource*` of a kind that CUDA shares, on the device of `cuda`.
    pub(super) unsafe fn register(
        cuda: &Arc<CudaContext>,
        resource: *mut c_void,
        flags: c_uint,
        access: Access,
        label: &str,
    ) -> Result<Self> {
        let operation = format!("registering {label} with CUDA");
        if resource.is_null() {
            let error = Error::new(ErrorKind::InvalidArgument, operation);
            return Err(error.detail("the resource is null"));
        }
        let call = table::D3D11_REGISTER.get(&operation)?;
        let set_flags = table::GRAPHICS_SET_MAP_FLAGS.get(&operation)?;
        with_current(cuda, &operation, || {
            // SAFETY: a null handle is a valid value; the resource is the caller's promise; one handle is written.
            let raw: CUgraphicsResource = unsafe { out(&operation, |p| call(p, resource, flags)) }?;
            if raw.is_null() {
                let error = Error::new(ErrorKind::Inconsistent, &operation);
                return Err(error.detail("the resource handle is null"));
            }
            let registered = Registered::new(raw, cuda, label.to_owned());
            let resource = Self { registered, access, thread: PhantomData };
            // Direct3D's resources are registered without an access; it is set apart.
            // SAFETY: the resource is registered and not mapped.
            check(&operation, unsafe { set_flags(raw, access.bits()) })?;
            Ok(resource)
        })
    }

    /// Maps on `stream`, for as long as the guard lives.
    pub(super) fn map<'a>(&'a mut self, stream: &'a Arc<CudaStream>) -> Result<Mapping<'a>> {
        let operation = format!("mapping {}", self.registered.label);
        check_same(&self.registered.cuda, stream, &operation)?;
        let registered = &mut self.registered;
        // After an unmap that failed, or a mapping that was leaked.
        registered.recover()?;
        registered.objects.collect(&registered.cuda, registered.last_stream.as_deref())?;
        let call = table::GRAPHICS_MAP.get(&operation)?;
        with_current(stream.context(), &operation, || {
            let mut raw = registered.raw;
            // SAFETY: one handle, registered and not mapped; the stream is of its context.
            check(&operation, unsafe { call(1, &raw mut raw, stream.cu_stream()) })?;
            registered.mapped_on = Some(stream.clone());
            registered.last_stream = Some(stream.clone());
            Ok(())
        })?;
        Ok(Mapping { registered, access: self.access, stream, ended: false })
    }

    pub(super) fn label(&self) -> &str {
        &self.registered.label
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        if let Err(error) = self.registered.end() {
            tracing::warn!("{error}");
        }
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Resource({})", self.label())
    }
}

/// A resource while it is CUDA's. Dropping it unmaps, also on error and panic.
pub(super) struct Mapping<'a> {
    pub(super) registered: &'a mut Registered,
    access: Access,
    stream: &'a Arc<CudaStream>,
    ended: bool,
}

impl Mapping<'_> {
    pub(super) fn stream(&self) -> &Arc<CudaStream> {
        self.stream
    }

    pub(super) fn is_writable(&self) -> bool {
        self.access.is_writable()
    }

    pub(super) fn unmap(mut self) -> Result<()> {
        self.unmap_now()
    }

    fn unmap_now(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        let operation = format!("unmapping {}", self.registered.label);
        let call = table::GRAPHICS_UNMAP.get(&operation)?;
        let Registered { objects, cuda, raw, .. } = &mut *self.registered;
        objects.retire(cuda, self.stream);
        let unmapped = with_current(self.stream.context(), &operation, || {
            // SAFETY: the handle that was mapped, on the same stream.
            check(&operation, unsafe { call(1, &raw mut *raw, self.stream.cu_stream()) })
        });
        match &unmapped {
            // Else it is unmapped again at its next use.
            Err(error) if !error.code().is_some_and(Code::is_context_gone) => {}
            _ => self.registered.mapped_on = None,
        }
        unmapped
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.unmap_now() {
            tracing::warn!("{error}");
        }
    }
}
