//! Streams.

use std::ffi::{c_int, c_uint};

use crate::abi::{Handle, code};
use crate::call::{entries, write};
use crate::queue::STALLED;
use crate::state::{State, in_context};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;
/// `CU_STREAM_LEGACY`: another name of the default stream.
const LEGACY: Handle = 1;
/// `CU_STREAM_PER_THREAD`.
const PER_THREAD: Handle = 2;

/// A created stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) context: Handle,
    flags: c_uint,
}

/// A stream in a call: a created one, the default stream of a context, or the per-thread one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamRef {
    pub(crate) context: Handle,
    pub(crate) handle: Handle,
    /// The default stream.
    pub(crate) is_legacy: bool,
    /// Waits for the default stream, and the default stream for it.
    pub(crate) is_blocking: bool,
}

impl State {
    /// Resolves a stream for use in the current context.
    pub(crate) fn stream(&self, handle: Handle, current: Handle) -> Result<StreamRef, u32> {
        let context = current;
        match handle {
            0 | LEGACY => {
                Ok(StreamRef { context, handle: LEGACY, is_legacy: true, is_blocking: false })
            }
            PER_THREAD => Ok(StreamRef { context, handle, is_legacy: false, is_blocking: true }),
            _ => {
                let stream = self.streams.get(handle)?;
                if stream.context != current {
                    return Err(code::INVALID_HANDLE);
                }
                let is_blocking = stream.flags & NON_BLOCKING == 0;
                Ok(StreamRef { context, handle, is_legacy: false, is_blocking })
            }
        }
    }
}

entries! {
    fn cuStreamCreate(stream: *mut Handle, flags: c_uint) {
        create(stream, flags)
    }

    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, _priority: c_int) {
        create(stream, flags)
    }

    fn cuStreamDestroy_v2(stream: Handle) {
        let (mut state, _) = in_context()?;
        // The work stays: the driver finishes it even though the stream is gone.
        state.streams.remove(stream)?;
        Ok(())
    }

    fn cuStreamSynchronize(stream: Handle) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        state.finish_stream(stream)
    }

    fn cuStreamQuery(stream: Handle) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        if state.has_work(stream) {
            // Not ready, this once; and done by the time somebody asks again.
            return match state.advance_stream(stream) {
                Ok(()) | Err(STALLED) => Err(code::NOT_READY),
                failed => failed,
            };
        }
        Ok(())
    }

    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        let recorded = state.events.get(event)?.item;
        state.submit(stream, recorded, |_| Ok(()))
    }

    fn cuStreamIsCapturing(stream: Handle, status: *mut c_uint) {
        let (state, context) = in_context()?;
        state.stream(stream, context)?;
        // SAFETY: the caller passes a place for an integer.
        unsafe { write(status, 0) }
    }
}

fn create(stream: *mut Handle, flags: c_uint) -> crate::call::Answer {
    let (mut state, context) = in_context()?;
    if flags > NON_BLOCKING {
        return Err(code::INVALID_VALUE);
    }
    let handle = state.new_handle();
    state.streams.insert(handle, Stream { context, flags });
    // SAFETY: the caller passes a place for a handle.
    unsafe { write(stream, handle) }
}
