//! What a driver may do with the descriptor of an import that failed: close it.

use std::ffi::c_int;
use std::time::Duration;

use super::{OPAQUE_FD, TIMELINE_FD};
use crate::call::Value;
use crate::settings::settings;

/// After a call that failed: closes its descriptor, if it was an import and `refused=closed` is set.
///
/// # Safety
/// The arguments are those that `function` was called with, in order.
pub(crate) unsafe fn refuse(function: &str, arguments: &[(&'static str, Value)]) {
    let kinds: &[u32] = match function {
        "cuImportExternalMemory" => &[OPAQUE_FD],
        "cuImportExternalSemaphore" => &[OPAQUE_FD, TIMELINE_FD],
        _ => return,
    };
    let Some((_, Value::Address(description @ 1..))) = arguments.get(1) else { return };
    if !settings().closes_refused {
        return;
    }
    // SAFETY: both descriptions begin with the kind; the handle is at byte 8 and begins with the descriptor.
    let (kind, file) =
        unsafe { (*(*description as *const u32), *((*description + 8) as *const c_int)) };
    if kinds.contains(&kind) {
        // SAFETY: whose descriptor this is, is the question that the tests ask.
        unsafe { libc::close(file) };
        // Time for other threads to open something under that number.
        std::thread::sleep(Duration::from_micros(200));
    }
}
