//! The table of causes, in the order in which they must be fixed: the GPU, its driver, the kernels, then GL.
//!
//! Words in braces stand for what was seen: see [`super::words`]. To teach the doctor a new failure, add a row
//! (and a fact, if no combination of the present ones tells it apart), and a row to the scenarios in
//! `tests/tests/doctor/scenarios/`.

mod driver;
mod gl;
mod headless;
mod kernels;
mod sharing;
mod window;

use super::cause::Cause;

/// All causes, first things first.
pub(crate) fn all() -> impl Iterator<Item = &'static Cause> {
    [driver::ROWS, kernels::ROWS, gl::ROWS, window::ROWS, headless::ROWS, sharing::ROWS]
        .into_iter()
        .flatten()
}
