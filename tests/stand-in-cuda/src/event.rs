//! Events.

use std::ffi::c_uint;
use std::time::Instant;

use crate::abi::{Handle, code};
use crate::call::{Answer, entries, write};
use crate::queue::STALLED;
use crate::state::in_context;

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: c_uint = 2;

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: Handle,
    flags: c_uint,
    /// The queue's item of the last record.
    pub(crate) item: Option<u64>,
    /// When that item ran.
    time: Option<Instant>,
}

entries! {
    fn cuEventCreate(event: *mut Handle, flags: c_uint) {
        let (mut state, context) = in_context()?;
        let handle = state.new_handle();
        state.events.insert(handle, Event { context, flags, item: None, time: None });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(event, handle) }
    }

    fn cuEventDestroy_v2(event: Handle) {
        let (mut state, _) = in_context()?;
        state.events.remove(event)?;
        Ok(())
    }

    fn cuEventRecord(event: Handle, stream: Handle) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        if state.events.get(event)?.context != context {
            return Err(code::INVALID_HANDLE);
        }
        let item = state.submit_item(stream, None, move |state| {
            if let Ok(event) = state.events.get_mut(event) {
                event.time = Some(Instant::now());
            }
            Ok(())
        })?;
        state.events.get_mut(event)?.item = Some(item);
        Ok(())
    }

    fn cuEventQuery(event: Handle) {
        let (mut state, _) = in_context()?;
        match state.events.get(event)?.item {
            Some(item) if state.queue.is_pending(item) => {
                // Not ready, this once; and done by the time somebody asks again.
                match state.advance(&[item]) {
                    Ok(()) | Err(STALLED) => Err(code::NOT_READY),
                    failed => failed,
                }
            }
            _ => Ok(()),
        }
    }

    fn cuEventSynchronize(event: Handle) {
        let (mut state, _) = in_context()?;
        let item = state.events.get(event)?.item;
        state.finish(item.as_slice())
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }

    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }
}

fn elapsed(milliseconds: *mut f32, start: Handle, end: Handle) -> Answer {
    let (state, _) = in_context()?;
    let (start, end) = (state.events.get(start)?, state.events.get(end)?);
    for event in [start, end] {
        match event.item {
            None => return Err(code::INVALID_HANDLE),
            Some(_) if event.flags & DISABLE_TIMING != 0 => return Err(code::INVALID_HANDLE),
            Some(item) if state.queue.is_pending(item) => return Err(code::NOT_READY),
            Some(_) => {}
        }
    }
    let (Some(start), Some(end)) = (start.time, end.time) else { return Err(code::NOT_READY) };
    let sign = if end >= start { 1.0 } else { -1.0 };
    let time = end.max(start) - end.min(start);
    // SAFETY: the caller passes a place for a float.
    unsafe { write(milliseconds, sign * time.as_secs_f32() * 1e3) }
}
