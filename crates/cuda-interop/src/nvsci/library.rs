//! Loading the two libraries, whose functions differ in a prefix alone.

use std::ffi::c_void;
use std::fmt;
use std::sync::OnceLock;

use libloading::Library;

use crate::error::{Error, ErrorKind, Result};

/// An opaque pointer: a module, a list or an object.
pub(super) type Raw = *mut c_void;

/// `NvSciError`, 0 for success.
pub(super) type Answer = i32;

/// An attribute, as both libraries take it (`NvSci...AttrKeyValuePair`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Pair {
    pub(super) key: u32,
    pub(super) value: *const c_void,
    pub(super) len: usize,
}

mod sealed {
    pub trait Sealed {}
}

/// Which of the two libraries.
pub trait Kind: sealed::Sealed + fmt::Debug + 'static {
    #[doc(hidden)]
    const NAME: &'static str;
    #[doc(hidden)]
    fn functions() -> Result<&'static Functions>;
}

/// `NvSciBuf`: memory.
#[derive(Debug, Clone, Copy)]
pub enum Memory {}

/// `NvSciSync`: semaphores.
#[derive(Debug, Clone, Copy)]
pub enum Semaphore {}

macro_rules! kind {
    ($kind:ident, $prefix:literal, $library:literal) => {
        impl sealed::Sealed for $kind {}

        impl Kind for $kind {
            const NAME: &'static str = $prefix;

            fn functions() -> Result<&'static Functions> {
                static FOUND: OnceLock<Functions> = OnceLock::new();
                if let Some(found) = FOUND.get() {
                    return Ok(found);
                }
                let found = Functions::load($prefix, $library)?;
                Ok(FOUND.get_or_init(|| found))
            }
        }
    };
}

kind!(Memory, "NvSciBuf", "libnvscibuf.so");
kind!(Semaphore, "NvSciSync", "libnvscisync.so");

macro_rules! functions {
    ($( $field:ident = $suffix:literal ( $($arg:ty),* ) $(-> $answer:ty)?; )*) => {
        /// The functions of one library.
        #[derive(Debug)]
        pub struct Functions {
            $( pub(super) $field: unsafe extern "C" fn($($arg),*) $(-> $answer)?, )*
        }

        impl Functions {
            fn find(prefix: &str, library: &Library) -> std::result::Result<Self, String> {
                Ok(Self { $( $field: {
                    let name = format!("{prefix}{}", $suffix);
                    // SAFETY: the type is that of NVIDIA's header, its enums taken as the integers they are in C. The
                    // library is never unloaded.
                    *unsafe { library.get(name.as_bytes()) }.map_err(|_| format!("it has no {name}"))?
                }, )* })
            }
        }
    };
}

functions! {
    module_open = "ModuleOpen" (*mut Raw) -> Answer;
    module_close = "ModuleClose" (Raw);
    list_create = "AttrListCreate" (Raw, *mut Raw) -> Answer;
    list_free = "AttrListFree" (Raw);
    list_set = "AttrListSetAttrs" (Raw, *const Pair, usize) -> Answer;
    list_reconcile = "AttrListReconcile" (*const Raw, usize, *mut Raw, *mut Raw) -> Answer;
    object_allocate = "ObjAlloc" (Raw, *mut Raw) -> Answer;
    object_free = "ObjFree" (Raw);
}

impl Functions {
    fn load(prefix: &str, library: &'static str) -> Result<Self> {
        let numbered = format!("{library}.1");
        let mut refusals = Vec::new();
        for name in [numbered.as_str(), library] {
            // SAFETY: NVIDIA's libraries have initialisers without requirements.
            match unsafe { Library::new(name) } {
                Ok(loaded) => {
                    // Its functions are kept for ever.
                    let loaded: &'static Library = Box::leak(Box::new(loaded));
                    match Self::find(prefix, loaded) {
                        Ok(functions) => return Ok(functions),
                        Err(reason) => refusals.push(format!("{name}: {reason}")),
                    }
                }
                Err(error) => refusals.push(
                    std::error::Error::source(&error)
                        .map_or_else(|| error.to_string(), ToString::to_string),
                ),
            }
        }
        Err(Error::new(ErrorKind::LibraryNotFound(library), format!("loading {prefix}"))
            .detail(refusals.join("; "))
            .hint("NvSci comes with NVIDIA's embedded systems (Jetson, DRIVE) and with no desktop driver"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_named() {
        let error = Functions::load("NvSciBuf", "libnvscibuf_that_is_not_there.so").unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::LibraryNotFound("libnvscibuf_that_is_not_there.so"));
        let text = error.to_string();
        assert!(
            text.contains("libnvscibuf_that_is_not_there.so.1") && text.contains("Jetson"),
            "{text}"
        );
    }

    #[test]
    fn a_pair_is_laid_out_as_in_nvidias_headers() {
        assert_eq!(size_of::<Pair>(), 24);
        assert_eq!(std::mem::offset_of!(Pair, value), 8);
        assert_eq!(std::mem::offset_of!(Pair, len), 16);
    }
}
