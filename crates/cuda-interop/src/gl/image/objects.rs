//! Surfaces and textures of CUDA's over mapped images, and when they may be destroyed.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use cudarc::driver::CudaContext;
use cudarc::driver::CudaStream;
use cudarc::driver::sys::CUdeviceptr;
use smallvec::SmallVec;

use crate::context::with_current;
use crate::device::synchronize;
use crate::driver::{check, end, table};
use crate::error::Result;
use crate::event::Event;

/// How many mappings' worth of objects may wait for their work before the host waits too.
const MOST_RETIRED: usize = 8;

/// A surface of one level of a mapped image: kernels load and store texels through it.
///
/// Its value, a `CUsurfObject`, is a kernel argument. It is destroyed once the work submitted before the unmap is
/// done, not when this value is dropped.
pub struct Surface<'m> {
    object: u64,
    stream: &'m Arc<CudaStream>,
    writable: bool,
    borrow: PhantomData<&'m ()>,
}

/// A texture of a mapped image: kernels read it with filtering and addressing.
///
/// Its value, a `CUtexObject`, is a kernel argument; it lives as long as a [`Surface`] does.
pub struct Texture<'m> {
    object: u64,
    stream: &'m Arc<CudaStream>,
    borrow: PhantomData<&'m ()>,
}

impl<'m> Surface<'m> {
    pub(crate) fn new(object: u64, stream: &'m Arc<CudaStream>, writable: bool) -> Self {
        Self { object, stream, writable, borrow: PhantomData }
    }

    /// The `CUsurfObject`. For kernel arguments, pass the surface itself.
    #[must_use]
    pub fn object(&self) -> u64 {
        self.object
    }

    /// The stream that the image is mapped on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.stream
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.writable
    }

    pub(crate) fn pointer_cell(&self) -> &CUdeviceptr {
        &self.object
    }
}

impl<'m> Texture<'m> {
    pub(super) fn new(object: u64, stream: &'m Arc<CudaStream>) -> Self {
        Self { object, stream, borrow: PhantomData }
    }

    /// The `CUtexObject`. For kernel arguments, pass the texture itself.
    #[must_use]
    pub fn object(&self) -> u64 {
        self.object
    }

    /// The stream that the image is mapped on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.stream
    }

    pub(crate) fn pointer_cell(&self) -> &CUdeviceptr {
        &self.object
    }
}

impl fmt::Debug for Surface<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Surface({:#x})", self.object)
    }
}

impl fmt::Debug for Texture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Texture({:#x})", self.object)
    }
}

/// The driver's handle of one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    Surface(u64),
    Texture(u64),
}

impl Object {
    fn destroy(self, cuda: &CudaContext) -> Result<()> {
        let (operation, entry, raw) = match self {
            Self::Surface(raw) => ("destroying a CUDA surface", &table::SURF_OBJECT_DESTROY, raw),
            Self::Texture(raw) => ("destroying a CUDA texture", &table::TEX_OBJECT_DESTROY, raw),
        };
        end(|| {
            let call = entry.get(operation)?;
            with_current(cuda, operation, || {
                // SAFETY: the object is alive, and the work that used it is done.
                check(operation, unsafe { call(raw) })
            })
        })
    }
}

/// The objects of one mapping; a few need no heap.
type Few = SmallVec<[Object; 4]>;

/// The surfaces and textures of one resource. The driver does not keep them for work in flight, so this does.
pub(crate) struct Objects {
    /// Of the current mapping.
    live: Few,
    /// Of earlier mappings, each with the event that ends the work which may use them; `None` if it could not be
    /// recorded.
    retired: VecDeque<(Option<Event>, Few)>,
    /// Events whose work is done, for the next mappings.
    spare: SmallVec<[Event; MOST_RETIRED]>,
}

impl Default for Objects {
    fn default() -> Self {
        // Room for all that can pile up, so that no frame allocates.
        let retired = VecDeque::with_capacity(MOST_RETIRED + 1);
        Self { live: Few::new(), retired, spare: SmallVec::new() }
    }
}

impl Objects {
    /// Lets go of everything without a call to the driver.
    pub(crate) fn forget(self) {
        for (event, _) in self.retired {
            std::mem::forget(event);
        }
        self.spare.into_iter().for_each(std::mem::forget);
    }

    pub(crate) fn keep(&mut self, object: Object) {
        self.live.push(object);
    }

    pub(crate) fn retire(&mut self, cuda: &Arc<CudaContext>, stream: &CudaStream) {
        if self.live.is_empty() {
            return;
        }
        let event = self.spare.pop().map_or_else(|| Event::new(cuda), Ok);
        let event = event.and_then(|event| event.record(stream).map(|()| event));
        if let Err(error) = &event {
            tracing::warn!("{error}");
        }
        self.retired.push_back((event.ok(), std::mem::take(&mut self.live)));
    }

    /// Destroys what no work uses any more. Waits only if very much has piled up.
    pub(crate) fn collect(
        &mut self,
        cuda: &Arc<CudaContext>,
        stream: Option<&CudaStream>,
    ) -> Result<()> {
        if !self.live.is_empty() {
            // Left by a mapping that was leaked.
            self.retired.push_back((None, std::mem::take(&mut self.live)));
        }
        while let Some((event, _)) = self.retired.front() {
            match (event, stream) {
                (Some(event), _) if self.retired.len() > MOST_RETIRED => event.synchronize()?,
                (Some(event), _) if !event.is_complete()? => break,
                (None, Some(stream)) => synchronize(stream)?,
                _ => {}
            }
            if let Some((event, objects)) = self.retired.pop_front() {
                self.spare.extend(event);
                destroy(cuda, objects)?;
            }
        }
        Ok(())
    }

    /// Destroys everything, after waiting for the work on `stream`.
    pub(crate) fn destroy_all(
        &mut self,
        cuda: &Arc<CudaContext>,
        stream: Option<&CudaStream>,
    ) -> Result<()> {
        let retired = self.retired.drain(..).flat_map(|(_, objects)| objects);
        let objects: Vec<Object> = self.live.drain(..).chain(retired).collect();
        if objects.is_empty() {
            return Ok(());
        }
        let waited = stream.map_or(Ok(()), synchronize);
        waited.and(destroy(cuda, objects))
    }
}

/// Destroys all, and gives the first error.
fn destroy(cuda: &CudaContext, objects: impl IntoIterator<Item = Object>) -> Result<()> {
    objects.into_iter().map(|object| object.destroy(cuda)).fold(Ok(()), Result::and)
}
