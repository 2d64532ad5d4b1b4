//! How the program ends: one exit status per kind of outcome.

use std::process::ExitCode;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// All went well.
    Success = 0,
    /// A comparison failed.
    Mismatch = 1,
    /// Wrong usage, or input that cannot be used.
    Usage = 2,
    /// No usable device or context.
    NoDevice = 3,
    /// A failure at run time.
    Runtime = 4,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// An error together with the status that the program ends with.
#[derive(Debug)]
pub struct Failure {
    /// The status.
    pub status: Status,
    /// What went wrong, and what to do about it.
    pub error: anyhow::Error,
}

impl Failure {
    /// An error that ends the program with `status`.
    pub fn new(status: Status, error: impl Into<anyhow::Error>) -> Self {
        Self { status, error: error.into() }
    }
}

/// `?` for results whose errors all mean the same status.
pub trait OrStatus<T> {
    /// The value, or a failure with `status`.
    ///
    /// # Errors
    /// The error of `self`.
    fn or_status(self, status: Status) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> OrStatus<T> for Result<T, E> {
    fn or_status(self, status: Status) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(status, error))
    }
}
