//! Checks that the functions named in faults exist, so that a misspelt fault cannot pass as a test.

use std::ffi::{CString, c_void};
use std::sync::Once;

use crate::settings::{Settings, settings};

/// Ends the process if a fault of its settings names a function that this library does not export.
pub(crate) fn check_once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Err(error) = check_all(settings()) {
            eprintln!("stand-in driver: SIMPLEGL_STANDIN: {error}");
            std::process::exit(97);
        }
    });
}

/// The same for a text of settings.
pub(crate) fn check(text: &str) -> Result<(), String> {
    check_all(&Settings::parse(text)?)
}

fn check_all(settings: &Settings) -> Result<(), String> {
    match settings.faults.iter().find(|fault| !exports(&fault.function)) {
        Some(fault) => Err(format!("there is no function {}", fault.function)),
        None => Ok(()),
    }
}

fn exports(function: &str) -> bool {
    let Ok(function) = CString::new(function) else { return false };
    // SAFETY: all zeros is a value of this structure of pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is in this library, `info` is valid for a write, and dladdr's strings live as long as the library;
    // the handle is only used here, while the library is loaded in any case.
    unsafe {
        if libc::dladdr(exports as *const c_void, &raw mut info) == 0 {
            return false;
        }
        let library = libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        !library.is_null() && !libc::dlsym(library, function.as_ptr()).is_null()
    }
}
