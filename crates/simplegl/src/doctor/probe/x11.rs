//! The X server: whether it answers, and what it lacks.

use super::super::child::Reporter;
use super::super::observation::{Refusal, X11};
use super::egl::text;
use std::ffi::CString;
use x11_dl::xlib::{self, Xlib};

/// What a GL window needs of the server: GLX for one of the two ways, the others for winit.
const EXTENSIONS: &[&str] = &["GLX", "RANDR", "XInputExtension"];

/// A connection to the X server. It is never closed: the process ends.
pub(super) struct Connection {
    pub(super) xlib: Xlib,
    pub(super) display: *mut xlib::Display,
}

/// Connects to the server that `DISPLAY` names.
pub(super) fn open() -> Result<Connection, Refusal> {
    let xlib = Xlib::open()
        .map_err(|error| Refusal::new(format!("libX11 cannot be loaded: {}", error.detail())))?;
    // SAFETY: null asks for the server that DISPLAY names.
    let display = unsafe { (xlib.XOpenDisplay)(std::ptr::null()) };
    if display.is_null() {
        let name = std::env::var("DISPLAY").unwrap_or_default();
        return Err(Refusal::new(format!("no X server answers at DISPLAY={name}")));
    }
    Ok(Connection { xlib, display })
}

/// Reports on the server.
pub(super) fn probe(reporter: &Reporter) {
    let mut found = X11::default();
    reporter.found(&found);
    reporter.step("XOpenDisplay");
    match open() {
        Ok(connection) => describe(&connection, &mut found),
        Err(refusal) => found.refused = Some(refusal),
    }
    reporter.found(&found);
}

fn describe(connection: &Connection, found: &mut X11) {
    let Connection { xlib, display } = connection;
    found.connected = true;
    // SAFETY: the connection is open; the answers are read at once.
    unsafe {
        let vendor = text((xlib.XServerVendor)(*display));
        found.server = format!("{vendor} {}", (xlib.XVendorRelease)(*display));
        found.depth = (xlib.XDefaultDepth)(*display, (xlib.XDefaultScreen)(*display));
    }
    for name in EXTENSIONS {
        let Ok(c_name) = CString::new(*name) else { continue };
        let (mut opcode, mut event, mut error) = (0, 0, 0);
        // SAFETY: the name is a C string; three integers are written.
        let present = unsafe {
            (xlib.XQueryExtension)(
                *display,
                c_name.as_ptr(),
                &raw mut opcode,
                &raw mut event,
                &raw mut error,
            )
        };
        if present == 0 {
            found.missing_extensions.push((*name).to_owned());
        }
    }
}
