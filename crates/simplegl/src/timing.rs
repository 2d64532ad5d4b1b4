//! How long each stage of a frame takes, measured without waiting for anything.
//!
//! GPU stages are read from rings of CUDA events and GL timer queries some frames later; a result that is not ready is not
//! waited for. [`Timings`] keeps the recent past of every stage in fixed arrays.

#![deny(unsafe_code)]

mod cuda;
mod history;
mod minutes;
mod sampling;
pub mod startup;

pub use cuda::{CudaTimer, Mark};
pub use history::{FpsCounter, History, Stage, Timings};
pub use minutes::{Minute, Minutes};
pub use sampling::Sampling;
