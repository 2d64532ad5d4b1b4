//! The X server going away in mid-run: Xlib ends the process by itself then, with a status that would mean a failed comparison.

use std::ffi::{c_int, c_void};

use libloading::Library;

use crate::status::Status;

/// Xlib's library; winit has loaded it.
const LIBRARY: &str = "libX11.so.6";

type Handler = unsafe extern "C" fn(display: *mut c_void) -> c_int;
type SetHandler = unsafe extern "C" fn(handler: Option<Handler>) -> Option<Handler>;

/// Has the loss of the connection end the process with one message and [`Status::Runtime`]. Without Xlib nothing changes.
pub(super) fn end_with_status() {
    // SAFETY: loading a library that is loaded already runs no code of it.
    let Ok(library) = (unsafe { Library::new(LIBRARY) }) else { return };
    // SAFETY: this is the function's type in Xlib.
    let Ok(set) = (unsafe { library.get::<SetHandler>(b"XSetIOErrorHandler\0") }) else { return };
    // SAFETY: the handler may be called at any time and does not return.
    unsafe { set(Some(end)) };
}

/// Xlib calls this once it cannot go on. The connection is gone, and with it everything that drops would give back.
unsafe extern "C" fn end(_display: *mut c_void) -> c_int {
    eprintln!("simplegl: the connection to the X server broke");
    std::process::exit(Status::Runtime as i32)
}
