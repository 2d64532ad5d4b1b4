//! Semaphores that another API exported, for OpenGL to signal and wait for in its own command stream.

use std::fmt;
use std::os::fd::{AsFd as _, OwnedFd};
use std::rc::Rc;

use glow::HasContext as _;
use smallvec::SmallVec;

use super::functions::{SemaphoreFunctions, TimelineFunctions};
use super::memory::{OPAQUE_FD, check_device};
use crate::device::Uuid;
use crate::error::{Error, ErrorKind, Result};
use crate::external::{ImportError, SemaphoreLink, Signalled, lend};
use crate::gl::GlContext;
use crate::gl::context::Shared;
use crate::gl::leftover::{GlObject, Leftover};

/// `GL_SEMAPHORE_TYPE_NV`.
const SEMAPHORE_TYPE: u32 = 0x95B3;
/// `GL_SEMAPHORE_TYPE_TIMELINE_NV`.
static SEMAPHORE_TYPE_TIMELINE: i32 = 0x95B5;
/// `GL_TIMELINE_SEMAPHORE_VALUE_NV`.
const TIMELINE_VALUE: u32 = 0x9595;
/// `GL_LAYOUT_GENERAL_EXT`.
const LAYOUT_GENERAL: u32 = 0x958D;

/// The buffers and textures that a semaphore hands over, by name. Textures stay in the general layout.
#[derive(Debug, Clone, Copy, Default)]
pub struct Barrier<'a> {
    /// Buffers whose contents are made visible.
    pub buffers: &'a [glow::Buffer],
    /// Textures whose contents are made visible.
    pub textures: &'a [glow::Texture],
}

/// What a barrier lists, for the few objects of a frame without an allocation.
type Names = SmallVec<[u32; 8]>;

/// OpenGL's semaphore object.
struct Imported {
    shared: Rc<Shared>,
    functions: SemaphoreFunctions,
    name: u32,
}

impl Imported {
    fn create(gl: &GlContext, exporter: Option<Uuid>, timeline: bool) -> Result<Self> {
        let operation = "importing a semaphore into OpenGL";
        let shared = &gl.shared;
        shared.enter(operation)?;
        check_device(shared, exporter, operation)?;
        let functions = SemaphoreFunctions::load(shared, operation)?;
        let mut name = 0;
        if timeline {
            let timeline = TimelineFunctions::load(shared, operation)?;
            // SAFETY: the context is current; one name is written.
            unsafe { (timeline.create)(1, &raw mut name) };
            shared.check_gl(operation)?;
            let semaphore = Self { shared: shared.clone(), functions, name };
            // SAFETY: the context is current, the object exists; one integer is read.
            unsafe {
                (timeline.set_parameter)(name, SEMAPHORE_TYPE, &raw const SEMAPHORE_TYPE_TIMELINE);
            }
            shared.check_gl(operation)?;
            return Ok(semaphore);
        }
        // SAFETY: the context is current; one name is written.
        unsafe { (functions.generate)(1, &raw mut name) };
        shared.check_gl(operation)?;
        Ok(Self { shared: shared.clone(), functions, name })
    }

    /// # Safety
    ///
    /// `fd` must be an opaque descriptor of a semaphore, of the kind that was asked of `create`.
    unsafe fn import(
        gl: &GlContext,
        fd: OwnedFd,
        exporter: Option<Uuid>,
        timeline: bool,
    ) -> std::result::Result<Self, ImportError<OwnedFd>> {
        let semaphore = match Self::create(gl, exporter, timeline) {
            Ok(semaphore) => semaphore,
            Err(error) => return Err(ImportError::new(error, fd)),
        };
        let operation = "importing a semaphore into OpenGL";
        let imported = lend(fd.as_fd(), operation, |fd| {
            // SAFETY: the context is current, the object exists, and the descriptor is the caller's promise.
            unsafe { (semaphore.functions.import_fd)(semaphore.name, OPAQUE_FD, fd) };
            semaphore.shared.check_gl(operation)
        });
        match imported {
            // OpenGL has its own descriptor from here on.
            Ok(()) => Ok(semaphore),
            Err(error) => Err(ImportError::new(error, fd)),
        }
    }

    /// Signals or waits, with `value` set before for a timeline. The commands are submitted at once: another API may
    /// wait for them.
    fn barrier(
        &self,
        operation: &str,
        signals: bool,
        value: Option<u64>,
        barrier: Barrier<'_>,
    ) -> Result<()> {
        self.shared.enter(operation)?;
        let buffers: Names = barrier.buffers.iter().map(|buffer| buffer.0.get()).collect();
        let textures: Names = barrier.textures.iter().map(|texture| texture.0.get()).collect();
        let layouts: Names = textures.iter().map(|_| LAYOUT_GENERAL).collect();
        let call = if signals { self.functions.signal } else { self.functions.wait };
        // SAFETY: the context is current, the object exists, and the lists have the lengths given.
        unsafe {
            if let Some(value) = value {
                (self.functions.set_value)(self.name, TIMELINE_VALUE, &raw const value);
            }
            call(
                self.name,
                buffers.len() as u32,
                buffers.as_ptr(),
                textures.len() as u32,
                textures.as_ptr(),
                layouts.as_ptr(),
            );
            self.shared.gl().flush();
        }
        self.shared.check_gl(operation)
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        let object = GlObject::External(self.functions.delete, self.name);
        self.shared.release(Leftover::new(None, Some(object)));
    }
}

/// OpenGL's end of a binary semaphore.
pub struct GlBinarySemaphore {
    imported: Imported,
    link: SemaphoreLink,
}

impl GlBinarySemaphore {
    /// Imports a binary semaphore by its opaque file descriptor. `link` is that of its other end. On success the
    /// descriptor is OpenGL's and is closed by it; on failure it comes back in the error.
    ///
    /// # Safety
    ///
    /// `fd` must be an opaque descriptor of a binary semaphore.
    ///
    /// # Errors
    ///
    /// The context's errors; [`ErrorKind::MissingGlExtension`]; [`ErrorKind::OtherDevice`]; [`ErrorKind::Gl`].
    pub unsafe fn import_fd(
        gl: &GlContext,
        fd: OwnedFd,
        exporter: Option<Uuid>,
        link: &SemaphoreLink,
    ) -> std::result::Result<Self, ImportError<OwnedFd>> {
        // SAFETY: the caller's promise.
        let imported = unsafe { Imported::import(gl, fd, exporter, false) }?;
        Ok(Self { imported, link: link.clone() })
    }

    /// Signals after the commands issued so far, which are submitted; what they wrote to the barrier's objects is
    /// visible to who waits.
    ///
    /// # Errors
    ///
    /// The context's errors, or [`ErrorKind::Gl`].
    pub fn signal(&self, barrier: Barrier<'_>) -> Result<Signalled> {
        self.imported.barrier("signalling a semaphore in OpenGL", true, None, barrier)?;
        Ok(self.link.signalled())
    }

    /// Makes later commands wait for the signal. The host does not wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotSignalled`] for another semaphore's signal; else as [`signal`](Self::signal).
    pub fn wait(&self, signalled: &Signalled, barrier: Barrier<'_>) -> Result<()> {
        let operation = "waiting for a semaphore in OpenGL";
        self.link.take(signalled, operation)?;
        self.imported.barrier(operation, false, None, barrier)
    }
}

/// OpenGL's end of a timeline semaphore (`GL_NV_timeline_semaphore`).
pub struct GlTimelineSemaphore {
    imported: Imported,
    link: SemaphoreLink,
}

impl GlTimelineSemaphore {
    /// Imports a timeline semaphore by its opaque file descriptor; else as [`GlBinarySemaphore::import_fd`].
    ///
    /// # Safety
    ///
    /// `fd` must be an opaque descriptor of a timeline semaphore.
    ///
    /// # Errors
    ///
    /// As there.
    pub unsafe fn import_fd(
        gl: &GlContext,
        fd: OwnedFd,
        exporter: Option<Uuid>,
        link: &SemaphoreLink,
    ) -> std::result::Result<Self, ImportError<OwnedFd>> {
        // SAFETY: the caller's promise.
        let imported = unsafe { Imported::import(gl, fd, exporter, true) }?;
        Ok(Self { imported, link: link.clone() })
    }

    /// Raises the number to `value` after the commands issued so far, which are submitted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimelineNotGrowing`]; the context's errors; [`ErrorKind::Gl`].
    pub fn signal(&self, value: u64, barrier: Barrier<'_>) -> Result<()> {
        let operation = "signalling a timeline semaphore in OpenGL";
        self.link.advance(value, operation, || {
            self.imported.barrier(operation, true, Some(value), barrier)
        })
    }

    /// Makes later commands wait until the number is at least `value`. The host does not wait.
    ///
    /// The value must have been told to some end before: OpenGL may not wait for a signal that is not submitted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotSignalled`] if no end has been told to signal as much; the context's errors;
    /// [`ErrorKind::Gl`].
    pub fn wait(&self, value: u64, barrier: Barrier<'_>) -> Result<()> {
        let operation = "waiting for a timeline semaphore in OpenGL";
        let last = self.link.last_value();
        if value > last {
            return Err(Error::new(ErrorKind::NotSignalled, operation)
                .detail(format!("wanted is {value}, told to be signalled was at most {last}")));
        }
        self.imported.barrier(operation, false, Some(value), barrier)
    }
}

impl fmt::Debug for GlBinarySemaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GlBinarySemaphore({})", self.imported.name)
    }
}

impl fmt::Debug for GlTimelineSemaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GlTimelineSemaphore({})", self.imported.name)
    }
}
