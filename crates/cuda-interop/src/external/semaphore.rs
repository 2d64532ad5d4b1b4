//! Semaphores that another API created and exported, imported into CUDA.

use std::ffi::c_uint;
use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::{CUexternalSemaphore, CUstream};
use cudarc::driver::{CudaContext, CudaStream};

use super::handle::{SemaphoreClass, SemaphoreHandle};
use super::import_error::ImportError;
use super::link::{SemaphoreLink, Signalled};
use super::memory::check_device;
use super::sys::{SemaphoreHandleDesc, SignalParams, WaitParams};
use crate::context::with_current;
use crate::device::{Device, Uuid};
use crate::driver::{Entry, check, end, out, table};
use crate::error::{Error, ErrorKind, Result};

/// `CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED`.
const TIMELINE_SUPPORTED: i32 = 114;

/// Whether CUDA can import timeline semaphores on this device; binary ones work everywhere.
///
/// # Errors
///
/// The driver's answer. A driver that does not know the question has no timelines: that is `Ok(false)`.
pub fn supports_timeline(device: Device) -> Result<bool> {
    match device.attribute(TIMELINE_SUPPORTED) {
        Ok(answer) => Ok(answer != 0),
        Err(error) if error.code() == Some(crate::Code(1)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The driver's handle of any kind of semaphore.
pub(super) struct Imported {
    pub(super) raw: CUexternalSemaphore,
    context: Arc<CudaContext>,
}

// SAFETY: a handle that the driver lets any thread use once its context is current there.
unsafe impl Send for Imported {}
// SAFETY: as above; the driver orders what threads do with it.
unsafe impl Sync for Imported {}

impl Imported {
    /// # Safety
    ///
    /// The handle must be of the kind that it says.
    pub(super) unsafe fn import<'h>(
        context: &Arc<CudaContext>,
        handle: SemaphoreHandle<'h>,
        class: SemaphoreClass,
        exporter: Option<Uuid>,
    ) -> std::result::Result<Self, ImportError<SemaphoreHandle<'h>>> {
        let operation = format!("importing {} as an external semaphore", handle.describe());
        let imported = check_class(context, &handle, class, &operation)
            .and_then(|()| check_device(context, exporter, &operation))
            .and_then(|()| {
                let call = table::IMPORT_EXTERNAL_SEMAPHORE.get(&operation)?;
                let import = |handle_to_read| {
                    let desc = SemaphoreHandleDesc {
                        kind: handle.cu_type(),
                        handle: handle_to_read,
                        flags: 0,
                        reserved: [0; 16],
                    };
                    // SAFETY: a null handle is a valid value; the driver reads the description and writes one handle.
                    unsafe { out::<CUexternalSemaphore>(&operation, |p| call(p, &raw const desc)) }
                };
                with_current(context, &operation, || {
                    let raw = handle.to_sys().lend(&operation, import)?;
                    if raw.is_null() {
                        let error = Error::new(ErrorKind::Inconsistent, &operation);
                        return Err(error.detail("the semaphore handle is null"));
                    }
                    Ok(Self { raw, context: context.clone() })
                })
            });
        // After a success the driver has a descriptor of its own, and this one is closed here.
        imported.map_err(|error| ImportError::new(error, handle))
    }
}

fn check_class(
    context: &CudaContext,
    handle: &SemaphoreHandle<'_>,
    class: SemaphoreClass,
    operation: &str,
) -> Result<()> {
    if handle.class() != class {
        return Err(Error::new(ErrorKind::InvalidArgument, operation)
            .detail(format!("the handle is of a {:?} semaphore, not {class:?}", handle.class())));
    }
    if class == SemaphoreClass::Timeline && !supports_timeline(Device::of(context))? {
        return Err(Error::new(ErrorKind::Unsupported("importing timeline semaphores"), operation)
            .hint("use binary semaphores"));
    }
    Ok(())
}

impl Drop for Imported {
    fn drop(&mut self) {
        let operation = "destroying an external semaphore";
        let destroyed = end(|| {
            let call = table::DESTROY_EXTERNAL_SEMAPHORE.get(operation)?;
            with_current(&self.context, operation, || {
                // SAFETY: this value owns the semaphore.
                check(operation, unsafe { call(self.raw) })
            })
        });
        if let Err(error) = destroyed {
            tracing::warn!("{error}");
        }
    }
}

/// Signals all of `semaphores` in one call, after the work submitted to `stream` so far.
pub(super) fn signal(stream: &CudaStream, semaphores: &[(&Imported, SignalParams)]) -> Result<()> {
    submit("signalling", &table::SIGNAL_EXTERNAL_SEMAPHORES, stream, semaphores)
}

/// Makes later work on `stream` wait for all of `semaphores`, in one call. The host does not wait.
pub(super) fn wait(stream: &CudaStream, semaphores: &[(&Imported, WaitParams)]) -> Result<()> {
    submit("waiting for", &table::WAIT_EXTERNAL_SEMAPHORES, stream, semaphores)
}

/// A driver function that takes a list of semaphores, one of their parameters, their number and the stream.
type Submit<P> =
    unsafe extern "C" fn(*const CUexternalSemaphore, *const P, c_uint, CUstream) -> u32;

fn submit<P: Copy>(
    verb: &str,
    entry: &Entry<Submit<P>>,
    stream: &CudaStream,
    semaphores: &[(&Imported, P)],
) -> Result<()> {
    let operation = describe(verb, semaphores.len());
    if semaphores.is_empty() {
        return Ok(());
    }
    let call = entry.get(&operation)?;
    check_stream(stream, semaphores.iter().map(|(semaphore, _)| *semaphore), &operation)?;
    let raw: Vec<CUexternalSemaphore> = semaphores.iter().map(|(s, _)| s.raw).collect();
    let params: Vec<P> = semaphores.iter().map(|(_, params)| *params).collect();
    with_current(stream.context(), &operation, || {
        // SAFETY: both lists have this length; semaphores and stream are alive and of the current context.
        let code =
            unsafe { call(raw.as_ptr(), params.as_ptr(), raw.len() as u32, stream.cu_stream()) };
        check(&operation, code)
    })
}

fn describe(verb: &str, count: usize) -> String {
    match count {
        1 => format!("{verb} an external semaphore"),
        _ => format!("{verb} {count} external semaphores"),
    }
}

fn check_stream<'a>(
    stream: &CudaStream,
    mut semaphores: impl Iterator<Item = &'a Imported>,
    operation: &str,
) -> Result<()> {
    if semaphores.all(|s| s.context.cu_ctx() == stream.context().cu_ctx()) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidArgument, operation)
        .detail("the stream belongs to another CUDA context than a semaphore"))
}

/// A binary semaphore: each signal lets one wait pass.
pub struct BinarySemaphore {
    imported: Imported,
    link: SemaphoreLink,
}

impl BinarySemaphore {
    /// Imports a binary semaphore. `link` is that of its other end, or a new one if that is not of this crate. On
    /// success a file descriptor is CUDA's and is closed by it; on failure it comes back in the error.
    ///
    /// # Safety
    ///
    /// The handle must be of the kind that it says.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a handle of another kind of semaphore; [`ErrorKind::OtherDevice`] if
    /// `exporter` is not CUDA's device; else the driver's answer.
    pub unsafe fn import<'h>(
        context: &Arc<CudaContext>,
        handle: SemaphoreHandle<'h>,
        exporter: Option<Uuid>,
        link: &SemaphoreLink,
    ) -> std::result::Result<Self, ImportError<SemaphoreHandle<'h>>> {
        // SAFETY: the caller's promise.
        let imported =
            unsafe { Imported::import(context, handle, SemaphoreClass::Binary, exporter) }?;
        Ok(Self { imported, link: link.clone() })
    }

    /// Signals after the work submitted to `stream` so far. The host does not wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the stream is of another context; else the driver's answer.
    pub fn signal(&self, stream: &CudaStream) -> Result<Signalled> {
        signal(stream, &[(&self.imported, SignalParams::default())])?;
        Ok(self.link.signalled())
    }

    /// Makes later work on `stream` wait for the signal. The host does not wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotSignalled`] for another semaphore's signal; else as [`signal`](Self::signal).
    pub fn wait(&self, stream: &CudaStream, signalled: &Signalled) -> Result<()> {
        self.link.take(signalled, "waiting for an external semaphore")?;
        wait(stream, &[(&self.imported, WaitParams::default())])
    }

    /// [`signal`](Self::signal) of many in one driver call; the signals are in the same order.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn signal_all(semaphores: &[&Self], stream: &CudaStream) -> Result<Vec<Signalled>> {
        let list: Vec<_> =
            semaphores.iter().map(|s| (&s.imported, SignalParams::default())).collect();
        signal(stream, &list)?;
        Ok(semaphores.iter().map(|s| s.link.signalled()).collect())
    }

    /// [`wait`](Self::wait) for many in one driver call.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn wait_all(waits: &[(&Self, Signalled)], stream: &CudaStream) -> Result<()> {
        for (semaphore, signalled) in waits {
            semaphore.link.take(signalled, "waiting for external semaphores")?;
        }
        let list: Vec<_> =
            waits.iter().map(|(s, _)| (&s.imported, WaitParams::default())).collect();
        wait(stream, &list)
    }

    /// What ties this end to the other.
    #[must_use]
    pub fn link(&self) -> &SemaphoreLink {
        &self.link
    }
}

/// A timeline semaphore, or a fence of Direct3D: a number that signals raise, and waits wait for.
pub struct TimelineSemaphore {
    imported: Imported,
    link: SemaphoreLink,
}

impl TimelineSemaphore {
    /// Imports a timeline semaphore or a Direct3D fence. `link` is that of its other end, or a new one if that is not
    /// of this crate. On success a file descriptor is CUDA's and is closed by it; on failure it comes back in the
    /// error.
    ///
    /// # Safety
    ///
    /// The handle must be of the kind that it says.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unsupported`] if the device has no timeline import; else as [`BinarySemaphore::import`].
    pub unsafe fn import<'h>(
        context: &Arc<CudaContext>,
        handle: SemaphoreHandle<'h>,
        exporter: Option<Uuid>,
        link: &SemaphoreLink,
    ) -> std::result::Result<Self, ImportError<SemaphoreHandle<'h>>> {
        // SAFETY: the caller's promise.
        let imported =
            unsafe { Imported::import(context, handle, SemaphoreClass::Timeline, exporter) }?;
        Ok(Self { imported, link: link.clone() })
    }

    /// Raises the number to `value` after the work submitted to `stream` so far. The host does not wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimelineNotGrowing`] if any end has been told to signal that value or a larger one;
    /// [`ErrorKind::InvalidArgument`] if the stream is of another context; else the driver's answer.
    pub fn signal(&self, stream: &CudaStream, value: u64) -> Result<()> {
        self.link.advance(value, "signalling an external timeline semaphore", || {
            signal(stream, &[(&self.imported, SignalParams { value, ..SignalParams::default() })])
        })
    }

    /// Signals a value that some end was told to signal and never did, so that what waits for it can end.
    ///
    /// # Errors
    ///
    /// As [`signal`](Self::signal), growing aside.
    pub fn signal_lost(&self, stream: &CudaStream, value: u64) -> Result<()> {
        signal(stream, &[(&self.imported, SignalParams { value, ..SignalParams::default() })])
    }

    /// Makes later work on `stream` wait until the number is at least `value`. The host does not wait.
    ///
    /// A wait may be issued before its signal; if that never comes, the stream stands still, and
    /// [`wait_within`](super::wait_within) ends in its time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the stream is of another context; else the driver's answer.
    pub fn wait(&self, stream: &CudaStream, value: u64) -> Result<()> {
        wait(stream, &[(&self.imported, WaitParams { value, ..WaitParams::default() })])
    }

    /// [`signal`](Self::signal) of two in one driver call, the first before the second.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn signal_both(
        first: (&Self, u64),
        second: (&Self, u64),
        stream: &CudaStream,
    ) -> Result<()> {
        let operation = "signalling external timeline semaphores";
        let params = |value| SignalParams { value, ..SignalParams::default() };
        first.0.link.advance(first.1, operation, || {
            second.0.link.advance(second.1, operation, || {
                let list =
                    [(&first.0.imported, params(first.1)), (&second.0.imported, params(second.1))];
                signal(stream, &list)
            })
        })
    }

    /// [`wait`](Self::wait) for many in one driver call.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn wait_all(waits: &[(&Self, u64)], stream: &CudaStream) -> Result<()> {
        let list: Vec<_> = waits
            .iter()
            .map(|(s, value)| (&s.imported, WaitParams { value: *value, ..WaitParams::default() }))
            .collect();
        wait(stream, &list)
    }

    /// What ties this end to the other.
    #[must_use]
    pub fn link(&self) -> &SemaphoreLink {
        &self.link
    }
}

macro_rules! debug_by_name {
    ($( $ty:ident ),*) => { $(
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($ty), "({:p})"), self.imported.raw)
            }
        }
    )* };
}

pub(super) use debug_by_name;

debug_by_name!(BinarySemaphore, TimelineSemaphore);
