//! The CUDA driver library: loaded once, its entry points looked up one by one, each answering a plain code.
//!
//! Every driver call of this crate goes through the table in this module. That buys three things which a
//! generated binding does not give:
//!
//! * a driver that is absent, or too old to have some entry point, is a typed [`Error`](crate::Error) that names
//!   the library or the symbol and what cannot be done without it, never a panic;
//! * an answer is a `u32`, so a code newer than this crate stays a number and can be reported;
//! * an out pointer and a code become a `Result` in one function.
//!
//! The library is the one that cudarc loads, so a context or stream made through cudarc is valid here.

mod entry;
mod library;
pub(crate) mod table;

pub(crate) use entry::{Entry, check, end, out};
pub(crate) use library::{init, read_kernel_driver_version};
pub use library::{is_present, library_path, load, version};
pub use table::{Symbol, symbols};
