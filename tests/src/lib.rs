//! What the end-to-end tests share: the built program, the stand-in driver, tests that run in a process of their own,
//! OpenGL without a window, a window under a private X server or Wayland compositor.
#![warn(missing_docs)]

pub mod child;
pub mod display;
pub mod gl;
pub mod gpu;
pub mod machine;
pub mod pictures;
pub mod program;
pub mod screen;
pub mod standin;
pub mod vulkan;
pub mod wayland;
