//! Checks that the functions named in the settings exist, so that a misspelt fault cannot pass as a test.

use std::ffi::{CString, c_void};
use std::sync::Once;

use crate::settings::settings;

/// Ends the process if a fault names a function that this library does not export.
pub(crate) fn check() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for fault in &settings().faults {
            if !exports(&fault.function) {
                eprintln!(
                    "stand-in driver: SIMPLEGL_STANDIN: there is no function {}",
                    fault.function
                );
                std::process::exit(97);
            }
        }
    });
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
