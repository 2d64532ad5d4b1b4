//! What can go wrong, told so that something can be done about it.

mod code;
mod kind;

use std::fmt;

pub use code::Code;
pub use kind::{ErrorKind, GlError, GlOwner};

/// The result of this crate's fallible functions.
pub type Result<T> = std::result::Result<T, Error>;

/// What was being done, what CUDA and OpenGL answered, who owns the OpenGL context, and what to do about it.
///
/// `Display` tells all of it in one line. The parts are there for programs that show them otherwise.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    operation: String,
    gl_error: Option<GlError>,
    gl_owner: Option<GlOwner>,
    detail: Option<String>,
    hint: Option<String>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, operation: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            operation: operation.into(),
            gl_error: None,
            gl_owner: None,
            detail: None,
            hint: None,
        }))
    }

    /// The driver answered `code`, which is not success.
    pub(crate) fn driver(operation: impl Into<String>, code: Code) -> Self {
        let error = Self::new(ErrorKind::Driver(code), operation);
        match code.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// Puts `operation` in place of the short name that a hot path worked under: putting it into words allocates, so
    /// that is left until something has failed.
    pub(crate) fn spell_out(mut self, short: &str, operation: impl FnOnce() -> String) -> Self {
        if let Some(rest) = self.0.operation.strip_prefix(short) {
            self.0.operation = operation() + rest;
        }
        self
    }

    /// Adds the part of the operation that failed.
    pub(crate) fn within(mut self, part: &str) -> Self {
        self.0.operation = format!("{} ({part})", self.0.operation);
        self
    }

    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds the OpenGL side: who owns the context, and the error that it had pending.
    pub(crate) fn with_gl(mut self, owner: GlOwner, pending: Option<GlError>) -> Self {
        self.0.gl_owner = Some(owner);
        self.0.gl_error = pending;
        self
    }

    /// Adds the library's path and the kernel module's version to the errors that come of their mismatch.
    pub(crate) fn with_driver_versions(self) -> Self {
        if !self.code().is_some_and(Code::is_driver_mismatch) {
            return self;
        }
        let path = crate::driver::library_path().unwrap_or_else(|| "unknown".into());
        let kernel =
            crate::driver::read_kernel_driver_version().unwrap_or_else(|| "unknown".into());
        self.detail(format!("CUDA library: {path}; kernel driver: {kernel}"))
    }

    /// What kind of error this is.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What was being done, for example "registering OpenGL buffer 3 with CUDA".
    #[must_use]
    pub fn operation(&self) -> &str {
        &self.0.operation
    }

    /// The driver's answer, if the driver was asked and refused.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        match self.0.kind {
            ErrorKind::Driver(code) => Some(code),
            _ => None,
        }
    }

    /// An OpenGL error that was pending when CUDA was asked: often the first cause.
    #[must_use]
    pub fn gl_error(&self) -> Option<GlError> {
        self.0.gl_error
    }

    /// Who implements the OpenGL context in question.
    #[must_use]
    pub fn gl_owner(&self) -> Option<&GlOwner> {
        self.0.gl_owner.as_ref()
    }

    /// More of what is known: the JIT compiler's log, sizes, versions.
    #[must_use]
    pub fn detail_text(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// What to do about it.
    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, operation, gl_error, gl_owner, detail, hint } = &*self.0;
        write!(f, "{operation}: {kind}")?;
        if let Some(detail) = detail {
            write!(f, ": {detail}")?;
        }
        if let Some(gl_error) = gl_error {
            write!(f, "; OpenGL had {gl_error} pending, likely the first cause")?;
        }
        if let Some(owner) = gl_owner {
            write!(f, "; the OpenGL context is {owner}")?;
        }
        if let Some(hint) = hint {
            write!(f, "; to do: {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}
