//! From inside a process that runs on the stand-in driver: changing its faults, asking for its leftovers.

use std::ffi::{CString, c_char};

use libloading::{Library, Symbol};

use super::Leftovers;

/// The stand-in driver that this process has loaded.
#[derive(Debug)]
pub struct Control(Library);

impl Control {
    /// Finds it.
    ///
    /// # Panics
    /// If the process has no driver, or a real one.
    #[must_use]
    pub fn new() -> Self {
        // SAFETY: the stand-in's initialiser only reads its settings.
        let library =
            unsafe { Library::new("libcuda.so.1") }.expect("a driver on the library path");
        let control = Self(library);
        control.set_faults("");
        control
    }

    /// Takes these faults, in the form of settings, and counts calls from 1 again.
    ///
    /// # Panics
    /// If they make no sense.
    pub fn set_faults(&self, text: &str) {
        let text = CString::new(text).expect("settings have no NUL");
        // SAFETY: the function's type, and a text with its NUL.
        let code = unsafe {
            let set: Symbol<'_, unsafe extern "C" fn(*const c_char) -> u32> =
                self.0.get("standInSetFaults").expect("the driver is the stand-in");
            set(text.as_ptr())
        };
        assert_eq!(code, 0, "faults {text:?}");
    }

    /// How often a function was called since then.
    ///
    /// # Panics
    /// If its name holds a NUL.
    #[must_use]
    pub fn count(&self, function: &str) -> usize {
        let function = CString::new(function).expect("names have no NUL");
        // SAFETY: the function's type, and a text with its NUL.
        unsafe {
            let count: Symbol<'_, unsafe extern "C" fn(*const c_char) -> u64> =
                self.0.get("standInCount").expect("the driver is the stand-in");
            count(function.as_ptr()) as usize
        }
    }

    /// What is there now: leftovers, if everything should be gone.
    ///
    /// # Panics
    /// If the report is none.
    #[must_use]
    pub fn leftovers(&self) -> Leftovers {
        let mut text = vec![0u8; 1 << 16];
        // SAFETY: the function's type, and the room that is there.
        unsafe {
            let report: Symbol<'_, unsafe extern "C" fn(*mut c_char, usize)> =
                self.0.get("standInLeftovers").expect("the driver is the stand-in");
            report(text.as_mut_ptr().cast(), text.len());
        }
        let len = text.iter().position(|byte| *byte == 0).expect("a NUL at the end");
        Leftovers::parse(std::str::from_utf8(&text[..len]).expect("a report in UTF-8"))
    }
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}
