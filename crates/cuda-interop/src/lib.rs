//! Safe sharing of GPU memory between CUDA and graphics APIs.
//!
//! [`device`] opens a CUDA device, [`module`] loads and launches kernels, [`memory`] holds CUDA's own memory and
//! [`event`] times work. All of it stands on cudarc's `CudaContext` and `CudaStream`, and calls the driver through
//! [`driver`], so that no driver, an old one or an unknown answer is an [`Error`] and never a panic.
#![warn(missing_docs)]

mod context;
mod copy;
mod cudarc_interop;
pub mod device;
pub mod driver;
mod error;
pub mod event;
pub mod gl;
pub mod memory;
pub mod module;

pub use error::{Code, Error, ErrorKind, GlError, GlOwner, Result};
