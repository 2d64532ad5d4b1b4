//! For tests that try many faults in one process: functions besides the driver's.

use std::ffi::{CStr, c_char};

use crate::state::state;
use crate::{fault, leftovers, names};

/// Takes the faults in `text`, a text of settings, and counts calls from 1 again. What only stayed because a fault refused
/// its release goes. 0, or 1 if the text makes no sense.
///
/// # Safety
/// `text` ends in a NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn standInSetFaults(text: *const c_char) -> u32 {
    // SAFETY: the caller's word.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    state().forgive();
    match fault::replace(&text).and_then(|()| names::check(&text)) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("stand-in driver: {error}");
            1
        }
    }
}

/// How often a function was called since the faults were set.
///
/// # Safety
/// `function` ends in a NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn standInCount(function: *const c_char) -> u64 {
    // SAFETY: the caller's word.
    fault::count(&unsafe { CStr::from_ptr(function) }.to_string_lossy())
}

/// Writes the report of leftovers as of now, cut to `room` bytes with its NUL.
///
/// # Safety
/// `to` has room for `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn standInLeftovers(to: *mut c_char, room: usize) {
    let text = leftovers::now();
    let len = text.len().min(room.saturating_sub(1));
    // SAFETY: `len` bytes and a NUL fit, by the caller's word.
    unsafe {
        to.copy_from_nonoverlapping(text.as_ptr().cast(), len);
        to.add(len).write(0);
    }
}
