//! Imported semaphores.

use std::ffi::c_uint;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::FileExt as _;

use super::memory::Descriptor;
use super::{LAST_TYPE, OPAQUE_FD, TIMELINE_FD};
use crate::abi::{Handle, code};
use crate::call::{Answer, entries, write};
use crate::queue::STALLED;
use crate::state::in_context;

/// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct SemaphoreHandle {
    kind: u32,
    handle: Descriptor,
    flags: u32,
    reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` and its like for waits: the value of a timeline semaphore comes first.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Parameters {
    value: u64,
    rest: [u64; 17],
}

const _: () = {
    assert!(size_of::<SemaphoreHandle>() == 96);
    assert!(size_of::<Parameters>() == 144);
};

/// An imported semaphore.
#[derive(Debug)]
pub(crate) struct Semaphore {
    pub(crate) context: Handle,
    file: File,
    is_timeline: bool,
}

entries! {
    fn cuImportExternalSemaphore(semaphore: *mut Handle, handle: *const SemaphoreHandle) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes a description.
        let handle = *unsafe { handle.as_ref() }.ok_or(code::INVALID_VALUE)?;
        if !(1..=LAST_TYPE).contains(&handle.kind) || handle.flags != 0 {
            return Err(code::INVALID_VALUE);
        }
        if !matches!(handle.kind, OPAQUE_FD | TIMELINE_FD) {
            return Err(code::NOT_SUPPORTED);
        }
        // SAFETY: these types of handle are descriptors.
        let file = unsafe { handle.handle.file };
        // SAFETY: asks whether the descriptor is one.
        if unsafe { libc::fcntl(file, libc::F_GETFD) } < 0 {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: from here on the import succeeds, and the descriptor is the driver's.
        let file = unsafe { File::from_raw_fd(file) };
        let new = state.new_handle();
        let is_timeline = handle.kind == TIMELINE_FD;
        state.semaphores.insert(new, Semaphore { context, file, is_timeline });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(semaphore, new) }
    }

    fn cuSignalExternalSemaphoresAsync(
        semaphores: *const Handle, parameters: *const Parameters, count: c_uint, stream: Handle,
    ) {
        // SAFETY: the caller passes `count` of each.
        unsafe { submit(semaphores, parameters, count, stream, Semaphore::signal) }
    }

    fn cuWaitExternalSemaphoresAsync(
        semaphores: *const Handle, parameters: *const Parameters, count: c_uint, stream: Handle,
    ) {
        // SAFETY: the caller passes `count` of each.
        unsafe { submit(semaphores, parameters, count, stream, Semaphore::wait) }
    }

    fn cuDestroyExternalSemaphore(semaphore: Handle) {
        let (mut state, context) = in_context()?;
        state.finish_context(context)?;
        state.semaphores.remove(semaphore)?;
        Ok(())
    }
}

/// # Safety
/// `semaphores` and `parameters` have `count` elements.
unsafe fn submit(
    semaphores: *const Handle,
    parameters: *const Parameters,
    count: c_uint,
    stream: Handle,
    work: fn(&Semaphore, u64) -> Answer,
) -> Answer {
    let (mut state, context) = in_context()?;
    let stream = state.stream(stream, context)?;
    if count == 0 || semaphores.is_null() || parameters.is_null() {
        return Err(code::INVALID_VALUE);
    }
    for i in 0..count as usize {
        // SAFETY: below `count`.
        let (handle, value) = unsafe { (*semaphores.add(i), (*parameters.add(i)).value) };
        state.semaphores.get(handle)?;
        state.submit(stream, None, move |state| {
            let semaphore = state.semaphores.get(handle).map_err(|_| code::ILLEGAL_ADDRESS)?;
            work(semaphore, value)
        })?;
    }
    // Others, which do not wait for this stream, are to see a signal as soon as it can be given.
    match state.advance_stream(stream) {
        Err(STALLED) => Ok(()),
        answer => answer,
    }
}

impl Semaphore {
    fn signal(&self, value: u64) -> Answer {
        let written = if self.is_timeline {
            self.file.write_all_at(&value.to_ne_bytes(), 0)
        } else {
            (&self.file).write_all(&1u64.to_ne_bytes())
        };
        written.map_err(|_| code::UNKNOWN)
    }

    fn wait(&self, value: u64) -> Answer {
        if !self.is_timeline {
            return self.take();
        }
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, 0).map_err(|_| code::UNKNOWN)?;
        if u64::from_ne_bytes(bytes) >= value { Ok(()) } else { Err(STALLED) }
    }

    /// Takes the signal of a binary semaphore, if it is there.
    fn take(&self) -> Answer {
        let mut poll = libc::pollfd { fd: self.file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry.
        match unsafe { libc::poll(&raw mut poll, 1, 0) } {
            1 => (&self.file).read_exact(&mut [0; 8]).map_err(|_| code::UNKNOWN),
            0 => Err(STALLED),
            _ => Err(code::UNKNOWN),
        }
    }
}
