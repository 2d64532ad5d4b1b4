//! The Wayland connection that EGL needs.

use super::super::observation::Refusal;
use super::libraries::reason;
use std::ffi::{c_char, c_void};

/// Connects to the compositor that `WAYLAND_DISPLAY` names. The connection is never closed: the process ends.
pub(super) fn connect() -> Result<*const c_void, Refusal> {
    type Connect = unsafe extern "C" fn(*const c_char) -> *const c_void;
    // SAFETY: the initialisers of libwayland-client have no requirement on the caller.
    let library = unsafe { libloading::Library::new("libwayland-client.so.0") }
        .map_err(|error| Refusal::new(reason(&error)))?;
    // SAFETY: this is the type of wl_display_connect.
    let connect = unsafe { library.get::<Connect>("wl_display_connect") }
        .map_err(|error| Refusal::new(reason(&error)))?;
    // SAFETY: null asks for the compositor that WAYLAND_DISPLAY names.
    let display = unsafe { connect(std::ptr::null()) };
    std::mem::forget(library);
    if display.is_null() {
        let name = std::env::var("WAYLAND_DISPLAY").unwrap_or_default();
        return Err(Refusal::new(format!("no compositor answers at WAYLAND_DISPLAY={name}")));
    }
    Ok(display)
}
