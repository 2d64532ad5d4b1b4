//! What the end-to-end tests share: the built program, the stand-in driver, tests that run in a process of their own,
//! OpenGL without a window.
#![warn(missing_docs)]

pub mod child;
pub mod gl;
pub mod gpu;
pub mod pictures;
pub mod machine;
pub mod program;
pub mod standin;
