//! CUDA contexts that are made early and last as long as the program.
//!
//! Making a device's primary context takes 0.2 s and releasing it 0.06 s (NVIDIA H200, driver 580). So a program can have it
//! made while it does something else, and leave the release to the system, which frees everything with the process.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use cuda_interop::device;
use cudarc::driver::CudaContext;

use super::{NoCuda, Opened, open_device};
use crate::options::{Backend, ViewerOptions};

static KEPT: OnceLock<Mutex<Vec<Arc<CudaContext>>>> = OnceLock::new();
static EARLY: Mutex<Option<JoinHandle<Early>>> = Mutex::new(None);

/// What came of opening a device early: its ordinal and the result; `None` if nobody could say which device.
type Early = Option<(usize, Result<Opened, NoCuda>)>;

/// From now on a context that is opened stays until the process ends. For programs, not for libraries.
pub fn keep_contexts() {
    KEPT.get_or_init(Mutex::default);
}

/// Keeps a device's context, if contexts are kept and it is not kept already.
pub(super) fn keep(context: &Arc<CudaContext>) {
    let Some(kept) = KEPT.get() else { return };
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.iter().all(|other| other.cu_ctx() != context.cu_ctx()) {
        kept.push(Arc::clone(context));
    }
}

/// Opens the CUDA device of a run on another thread, if it may need one: the one that is wanted, or the only one there is. The
/// first [`open`](super::open) of that device takes the result, good or bad. The thread is over when the returned value is gone.
#[must_use]
pub(crate) fn open_early(options: &ViewerOptions) -> Option<EarlyGuard> {
    let mut early = EARLY.lock().unwrap_or_else(PoisonError::into_inner);
    // Another run of this process may be using it.
    if options.backend == Backend::Cpu || early.is_some() {
        return None;
    }
    let wanted = options.device;
    let open = move || match (wanted, device::count()) {
        (Some(ordinal), _) => Some((ordinal, open_device(ordinal))),
        (None, Ok(1)) => Some((0, open_device(0))),
        // Which one it will be depends on OpenGL; the driver at least is ready.
        _ => None,
    };
    // Without a thread everything just takes longer.
    let thread = std::thread::Builder::new().name("open CUDA".to_owned()).spawn(open);
    *early = thread.ok();
    Some(EarlyGuard)
}

/// Ends [`open_early`].
#[derive(Debug)]
pub(crate) struct EarlyGuard;

impl Drop for EarlyGuard {
    fn drop(&mut self) {
        // A thread inside the driver while the process exits would be asking for trouble.
        drop(wait());
    }
}

/// The result of [`open_early`] for a device, once.
pub(super) fn take_early(ordinal: usize) -> Option<Result<Opened, NoCuda>> {
    wait().filter(|(opened, _)| *opened == ordinal).map(|(_, result)| result)
}

fn wait() -> Early {
    let thread = EARLY.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread?.join().ok().flatten()
}
