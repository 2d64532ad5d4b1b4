//! The guard of one map call: its end is the unmap.

use std::sync::Arc;

use cudarc::driver::{CudaStream, sys::CUgraphicsResource};
use smallvec::SmallVec;

use super::registration::Registration;
use crate::context::{check_same, with_current};
use crate::driver::{check, table};
use crate::error::{Code, Error, ErrorKind, Result};

/// So many resources are mapped without an allocation.
const FEW: usize = 32;

/// The resources of one map call; a few need no heap.
pub(super) type Registrations<'a> = SmallVec<[&'a Registration; FEW]>;

const MAPPING: &str = "mapping";
const UNMAPPING: &str = "unmapping";

/// One or more resources, mapped by one driver call and unmapped by one when dropped, also on error and panic.
pub(super) struct Mapping<'a> {
    registrations: Registrations<'a>,
    handles: SmallVec<[CUgraphicsResource; FEW]>,
    stream: Arc<CudaStream>,
    mapped: bool,
}

impl<'a> Mapping<'a> {
    /// Maps all of `registrations` or none of them.
    pub(super) fn new(registrations: Registrations<'a>, stream: &Arc<CudaStream>) -> Result<Self> {
        let handles = SmallVec::new();
        let mut mapping = Self { registrations, handles, stream: stream.clone(), mapped: false };
        match mapping.map_now() {
            Ok(()) => Ok(mapping),
            Err(error) => {
                Err(error.spell_out(MAPPING, || describe(MAPPING, &mapping.registrations)))
            }
        }
    }

    fn map_now(&mut self) -> Result<()> {
        let Some(first) = self.registrations.first().copied() else { return Ok(()) };
        first.shared().enter(MAPPING)?;
        self.check_contexts(MAPPING)?;
        for registration in &self.registrations {
            registration.recover()?;
            registration.collect_objects()?;
            self.handles.push(registration.handle(MAPPING)?.0);
        }
        let call = table::GRAPHICS_MAP.get(MAPPING)?;
        let stream = self.stream.clone();
        with_current(stream.context(), MAPPING, || {
            let (count, handles) = (self.handles.len() as u32, self.handles.as_mut_ptr());
            // SAFETY: the handles are registered and not mapped, and the stream is of their context.
            check(MAPPING, unsafe { call(count, handles, stream.cu_stream()) })?;
            self.mapped = true;
            self.registrations.iter().for_each(|r| r.note_mapped(&stream));
            Ok(())
        })
        .map_err(|error| first.shared().explain(error))
    }

    /// All resources must be of one OpenGL context, and of the stream's CUDA context.
    fn check_contexts(&self, operation: &str) -> Result<()> {
        for registration in &self.registrations {
            let first = self.registrations[0].shared();
            if !std::rc::Rc::ptr_eq(first, registration.shared()) {
                let kind = ErrorKind::WrongGlContext {
                    expected: registration.shared().describe(),
                    current: first.describe(),
                };
                return Err(Error::new(kind, operation));
            }
            let (_, own) = registration.handle(operation)?;
            check_same(&own, &self.stream, operation).map_err(|error| {
                error.hint("map on a stream of the context that the resource was registered with")
            })?;
        }
        Ok(())
    }

    pub(super) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Unmaps, and says whether that worked.
    pub(super) fn unmap(mut self) -> Result<()> {
        self.unmap_now()
    }

    fn unmap_now(&mut self) -> Result<()> {
        let Some(first) = self.registrations.first().copied() else { return Ok(()) };
        if !std::mem::take(&mut self.mapped) || !first.shared().is_alive() {
            return Ok(());
        }
        let unmapped = self.unmap_call();
        let ended = match &unmapped {
            Ok(()) => true,
            Err(error) => error.code().is_some_and(Code::is_context_gone),
        };
        if ended {
            self.registrations.iter().for_each(|r| r.note_unmapped());
        }
        unmapped.map_err(|error| {
            let error = error.spell_out(UNMAPPING, || describe(UNMAPPING, &self.registrations));
            first.shared().explain(error)
        })
    }

    fn unmap_call(&mut self) -> Result<()> {
        self.registrations[0].shared().check_current(UNMAPPING)?;
        let call = table::GRAPHICS_UNMAP.get(UNMAPPING)?;
        self.registrations.iter().for_each(|r| r.retire_objects(&self.stream));
        let stream = self.stream.clone();
        with_current(stream.context(), UNMAPPING, || {
            let (count, handles) = (self.handles.len() as u32, self.handles.as_mut_ptr());
            // SAFETY: these are the handles that `new` mapped, on the same stream.
            check(UNMAPPING, unsafe { call(count, handles, stream.cu_stream()) })
        })
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.unmap_now() {
            self.registrations[0].shared().record(error);
        }
    }
}

/// "mapping OpenGL buffer 3", or "mapping 2 resources (OpenGL buffer 3, OpenGL texture 1)".
fn describe(verb: &str, registrations: &[&Registration]) -> String {
    let labels: Vec<String> = registrations.iter().map(|r| r.label()).collect();
    match labels.as_slice() {
        [one] => format!("{verb} {one}"),
        many => format!("{verb} {} resources ({})", many.len(), many.join(", ")),
    }
}
