//! The part of rust-cuda's [`cuda_std`](https://docs.rs/cuda_std) that simplegl's kernels use, under the same names, on the
//! NVPTX backend of stock rustc.
//!
//! A kernel written against these names also type-checks against the published crate, and so can be built by a
//! rust-cuda user with `rustc_codegen_nvvm`.
//!
//! On any other target than `nvptx64` the same names work too: [`host`] runs a kernel over a grid, one thread after another.
//! That is what lets a test execute the very entry point that the GPU executes.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(stdarch_nvptx))]
#![warn(missing_docs)]
// A thread index is one register read.
#![allow(clippy::inline_always)]

#[cfg(not(target_arch = "nvptx64"))]
pub mod host;
#[cfg(target_arch = "nvptx64")]
mod panic;
pub mod thread;

pub use cuda_std_macros::kernel;

/// What a kernel imports: the [`kernel`] attribute and [`thread`].
pub mod prelude {
    pub use crate::kernel;
    pub use crate::thread;
}
