//! The proof that an OpenGL context is current on this thread.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glow::HasContext as _;
use glutin::context::PossiblyCurrentContext;
use glutin::display::GetGlDisplay as _;
use glutin::prelude::{GlDisplay as _, PossiblyCurrentGlContext as _};

use super::current::{self, Identity};
use super::explain;
use super::leftover::Leftover;
use crate::device::{Device, Uuid};
use crate::error::{Error, ErrorKind, GlError, GlOwner, Result};

/// An OpenGL context that CUDA can share resources with, tied to the thread that it is current on.
///
/// Every resource is made from one of these and belongs to it. Each use of a resource checks that this very context
/// is current. The type is neither `Send` nor `Sync`, and nor is any resource: OpenGL contexts are current on one
/// thread, and CUDA's graphics calls need that thread.
///
/// Clones are the same context.
#[derive(Clone)]
pub struct GlContext {
    pub(super) shared: Rc<Shared>,
}

/// What all resources of one context share.
pub(super) struct Shared {
    gl: Arc<glow::Context>,
    identity: Identity,
    generation: u64,
    owner: GlOwner,
    uuids: Vec<Uuid>,
    alive: Cell<bool>,
    other_devices_allowed: Cell<bool>,
    /// The devices that the driver names for this context, once it has been asked with success.
    devices: RefCell<Option<Vec<Device>>>,
    /// An error from a place that cannot return one, kept for the next call.
    pending: RefCell<Option<Error>>,
    /// The OpenGL error that was pending when the operation under way began.
    pending_gl_error: Cell<Option<GlError>>,
    /// The last such error, kept for the program.
    foreign_gl_error: Cell<Option<GlError>>,
    /// What was dropped while the context was not current.
    leftovers: RefCell<Vec<Leftover>>,
    /// Keeps the context alive as long as its resources. Last: dropped after all of the above.
    _keep_alive: Option<Rc<PossiblyCurrentContext>>,
}

impl GlContext {
    /// Takes a glutin context that is current on this thread, and loads OpenGL's functions from it.
    ///
    /// The context is kept alive until the last resource of it is gone.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoCurrentGlContext`] if the context is not current on this thread, and
    /// [`ErrorKind::WrongGlContext`] if the system says that another one is; [`ErrorKind::GlTooOld`] below
    /// OpenGL 3.1.
    pub fn from_glutin(context: &Rc<PossiblyCurrentContext>) -> Result<Self> {
        if !context.is_current() {
            return Err(no_context("taking the OpenGL context"));
        }
        let display = context.display();
        // SAFETY: the context is current, and the addresses come from its display.
        let gl = unsafe {
            glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name))
        };
        Self::build(Arc::new(gl), Some(context.clone()))
    }

    /// Takes the OpenGL context that is current on this thread, whatever library made it.
    ///
    /// # Safety
    ///
    /// `gl` must have been loaded from that context. The context must not be destroyed while resources of it
    /// live; if it was, call [`invalidate`](Self::invalidate) before anything else.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoCurrentGlContext`] if no context is current on this thread; [`ErrorKind::GlTooOld`] below
    /// OpenGL 3.1.
    pub unsafe fn new(gl: Arc<glow::Context>) -> Result<Self> {
        Self::build(gl, None)
    }

    fn build(gl: Arc<glow::Context>, keep: Option<Rc<PossiblyCurrentContext>>) -> Result<Self> {
        static GENERATION: AtomicU64 = AtomicU64::new(1);
        let operation = "taking the OpenGL context";
        let identity = current::current().ok_or_else(|| no_context(operation))?;
        let version = gl.version();
        if version.is_embedded || (version.major, version.minor) < (3, 1) {
            // SAFETY: the context is current.
            let text = unsafe { gl.get_parameter_string(glow::VERSION) };
            return Err(Error::new(ErrorKind::GlTooOld, operation).detail(text));
        }
        // SAFETY: the context is current.
        let owner = unsafe {
            GlOwner {
                vendor: gl.get_parameter_string(glow::VENDOR),
                renderer: gl.get_parameter_string(glow::RENDERER),
                version: gl.get_parameter_string(glow::VERSION),
            }
        };
        let uuids = super::uuid::of_current_context(&gl, identity.interface);
        let shared = Shared {
            gl,
            identity,
            generation: GENERATION.fetch_add(1, Ordering::Relaxed),
            owner,
            uuids,
            alive: Cell::new(true),
            other_devices_allowed: Cell::new(false),
            devices: RefCell::new(None),
            pending: RefCell::new(None),
            pending_gl_error: Cell::new(None),
            foreign_gl_error: Cell::new(None),
            leftovers: RefCell::new(Vec::new()),
            _keep_alive: keep,
        };
        Ok(Self { shared: Rc::new(shared) })
    }

    /// OpenGL's functions.
    #[must_use]
    pub fn glow(&self) -> &Arc<glow::Context> {
        &self.shared.gl
    }

    /// Who implements the context.
    #[must_use]
    pub fn owner(&self) -> &GlOwner {
        &self.shared.owner
    }

    /// The UUIDs of the devices that the context runs on (`GL_DEVICE_UUID_EXT`); empty where OpenGL does not tell.
    #[must_use]
    pub fn device_uuids(&self) -> &[Uuid] {
        &self.shared.uuids
    }

    /// A number that no other context of this process has, for telling contexts apart in messages.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.shared.generation
    }

    /// Checks that this context is current on this thread, releases what was dropped while it was not, and gives
    /// back an error from a drop, if there was one.
    ///
    /// Every use of a resource begins with this; a program calls it to have such an error at a place of its choice.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalidated`], [`ErrorKind::NoCurrentGlContext`], [`ErrorKind::WrongGlContext`] naming both, or
    /// the recorded error.
    pub fn check(&self) -> Result<()> {
        self.shared.enter("checking the OpenGL context")
    }

    /// Forgets the context and every resource of it: from here on their use is an error, and their drop calls
    /// neither OpenGL nor CUDA. For a context that is gone already, for example because a toolkit rebuilt it.
    pub fn invalidate(&self) {
        self.shared.alive.set(false);
        self.shared.leftovers.take().into_iter().for_each(Leftover::forget);
        self.shared.pending.borrow_mut().take();
    }

    /// Allows registering from a CUDA device that this context does not run on. The driver then copies between the
    /// devices at every map, if it can at all.
    pub fn allow_other_devices(&self, allowed: bool) {
        self.shared.other_devices_allowed.set(allowed);
    }

    /// An OpenGL error that the program had left pending before one of this crate's calls, which had to read it.
    #[must_use]
    pub fn take_foreign_gl_error(&self) -> Option<GlError> {
        self.shared.foreign_gl_error.take()
    }
}

impl fmt::Debug for GlContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlContext")
            .field("identity", &format_args!("{}", self.shared.describe()))
            .field("owner", &self.shared.owner)
            .finish_non_exhaustive()
    }
}

fn no_context(operation: &str) -> Error {
    Error::new(ErrorKind::NoCurrentGlContext, operation)
        .hint("make the OpenGL context current on this thread first")
}

impl Shared {
    pub(super) fn gl(&self) -> &glow::Context {
        &self.gl
    }

    pub(super) fn owner(&self) -> &GlOwner {
        &self.owner
    }

    pub(super) fn identity(&self) -> Identity {
        self.identity
    }

    pub(super) fn uuids(&self) -> &[Uuid] {
        &self.uuids
    }

    /// The context in words, for errors that name two.
    pub(super) fn describe(&self) -> String {
        format!("{} (generation {})", self.identity, self.generation)
    }

    pub(super) fn is_alive(&self) -> bool {
        self.alive.get()
    }

    pub(super) fn is_current(&self) -> bool {
        self.identity.is_current()
    }

    /// The check at the beginning of every operation; see [`GlContext::check`].
    pub(super) fn enter(&self, operation: &str) -> Result<()> {
        self.check_current(operation)?;
        self.set_aside_gl_error(operation);
        let leftovers = self.leftovers.take();
        for leftover in leftovers {
            leftover.release(self);
        }
        match self.pending.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    pub(super) fn check_current(&self, operation: &str) -> Result<()> {
        if !self.alive.get() {
            return Err(Error::new(ErrorKind::Invalidated, operation)
                .detail(self.describe())
                .hint("make the resource again in the new context"));
        }
        if self.identity.is_current() {
            return Ok(());
        }
        match current::current() {
            Some(other) => Err(Error::new(
                ErrorKind::WrongGlContext { expected: self.describe(), current: other.to_string() },
                operation,
            )),
            None => Err(no_context(operation).detail(format!("needed is {}", self.describe()))),
        }
    }

    /// Keeps an error from a drop for the next call. The first one stays; the CUDA context being gone is not worth
    /// more than a warning, since nothing is left to be done about it.
    pub(super) fn record(&self, error: Error) {
        let gone = error.code().is_some_and(crate::Code::is_context_gone);
        let mut pending = self.pending.borrow_mut();
        if gone || pending.is_some() {
            tracing::warn!("{error}");
        } else {
            *pending = Some(error);
        }
    }

    /// Releases `leftover` now if the context is current, else when it is so again.
    pub(super) fn release(&self, leftover: Leftover) {
        if !self.alive.get() {
            leftover.forget();
        } else if self.is_current() {
            leftover.release(self);
        } else {
            self.leftovers.borrow_mut().push(leftover);
        }
    }

    /// Takes OpenGL's pending errors, and gives the first.
    pub(super) fn take_gl_error(&self) -> Option<GlError> {
        let mut first = None;
        // A lost context may answer with errors for ever.
        for _ in 0..16 {
            // SAFETY: the context is current.
            match unsafe { self.gl.get_error() } {
                glow::NO_ERROR => break,
                code => first = first.or(Some(GlError(code))),
            }
        }
        first
    }

    /// Reads what error the program left pending, so that it is not taken for ours; the program is told of it.
    fn set_aside_gl_error(&self, operation: &str) {
        let error = self.take_gl_error();
        if let Some(error) = error {
            tracing::warn!("{operation}: OpenGL had {error} pending before");
            self.foreign_gl_error.set(Some(error));
        }
        self.pending_gl_error.set(error);
    }

    /// Turns an OpenGL error of our own calls into a `Result`.
    pub(super) fn check_gl(&self, operation: &str) -> Result<()> {
        match self.take_gl_error() {
            None => Ok(()),
            Some(error) => Err(Error::new(ErrorKind::Gl(error), operation)),
        }
    }

    /// Adds to the driver's answer what is known of the OpenGL side.
    pub(super) fn explain(&self, error: Error) -> Error {
        explain::with_gl_side(error, &self.owner, self.pending_gl_error.get())
    }

    /// Checks that `device` is one that this context runs on, by asking the driver once.
    pub(super) fn check_device(&self, device: Device, operation: &str) -> Result<()> {
        let known = self.devices.borrow().clone();
        let devices = if let Some(devices) = known {
            devices
        } else {
            let devices = match super::devices::ask(self, super::DeviceList::All, operation) {
                Ok(devices) => devices,
                // A driver that cannot be asked may still share.
                Err(error) if matches!(error.kind(), ErrorKind::MissingSymbol { .. }) => {
                    tracing::debug!("{error}");
                    return Ok(());
                }
                Err(error) => {
                    let name = explain::device_name(device);
                    return Err(error.detail(format!("to be shared with {name}")));
                }
            };
            *self.devices.borrow_mut() = Some(devices.clone());
            devices
        };
        if devices.contains(&device) {
            return Ok(());
        }
        let error = explain::wrong_device(operation, device, &devices, &self.owner);
        if self.other_devices_allowed.get() && !devices.is_empty() {
            tracing::warn!("{error}; going on, as allowed, on a slow path");
            return Ok(());
        }
        Err(error)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let leftovers = self.leftovers.take();
        if self.alive.get() && !leftovers.is_empty() {
            if self.is_current() {
                for leftover in leftovers {
                    leftover.release(self);
                }
            } else {
                let count = leftovers.len();
                tracing::warn!(
                    "{count} shared resources leak: their OpenGL context is not current"
                );
            }
        }
        if let Some(error) = self.pending.take() {
            tracing::warn!("{error}");
        }
    }
}
