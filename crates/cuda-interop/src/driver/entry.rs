//! One driver entry point, and the two functions that judge its answer.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use super::library::library;
use crate::error::{Code, Error, ErrorKind, Result};

/// A driver function of type `F`, looked up by name at its first use.
pub(crate) struct Entry<F> {
    pub(super) symbol: &'static str,
    pub(super) feature: &'static str,
    found: OnceLock<F>,
}

impl<F: Copy> Entry<F> {
    /// # Safety
    ///
    /// `F` must be the type of the driver's function `symbol`.
    pub(super) const unsafe fn new(symbol: &'static str, feature: &'static str) -> Self {
        Self { symbol, feature, found: OnceLock::new() }
    }

    /// The function itself.
    ///
    /// # Errors
    ///
    /// No driver library, or one without this symbol: then the error names `operation`, the symbol and the feature.
    pub(crate) fn get(&self, operation: &str) -> Result<F> {
        if let Some(function) = self.found.get() {
            return Ok(*function);
        }
        let library = library()?;
        // SAFETY: `new` promises that `F` is the type of this symbol, and the library is never unloaded.
        match unsafe { library.get::<F>(self.symbol.as_bytes()) } {
            Ok(function) => Ok(*self.found.get_or_init(|| *function)),
            Err(_) => Err(self.missing(operation)),
        }
    }

    fn missing(&self, operation: &str) -> Error {
        let kind = ErrorKind::MissingSymbol { symbol: self.symbol, feature: self.feature };
        Error::new(kind, operation).hint("a newer NVIDIA driver has it")
    }
}

/// Turns the driver's `code` into a `Result`.
pub(crate) fn check(operation: impl Into<String>, code: u32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::driver(operation, Code(code))) }
}

/// Runs `call` with the address of an out value and returns that value if the driver answered success.
///
/// The value starts as zeros, so a driver that claims success without writing it yields a null, not garbage.
///
/// # Safety
///
/// `T` must be valid with all bits zero, and `call` must write nothing but a valid `T`.
pub(crate) unsafe fn out<T>(
    operation: impl Into<String>,
    call: impl FnOnce(*mut T) -> u32,
) -> Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let code = call(value.as_mut_ptr());
    check(operation, code)?;
    // SAFETY: the caller promises that zeros, or what `call` wrote, is a valid `T`.
    Ok(unsafe { value.assume_init() })
}

/// Ends something that only its owner may end, trying a second time if the driver refuses: what is left over
/// otherwise leaks. The first refusal is the answer, even if the second try worked.
pub(crate) fn end(mut call: impl FnMut() -> Result<()>) -> Result<()> {
    let first = call();
    if let Err(error) = &first
        && !error.code().is_some_and(Code::is_context_gone)
    {
        let _ = call();
    }
    first
}
