//! simplegl: a CUDA kernel written in Rust animates a mesh inside an OpenGL buffer, and OpenGL draws it without a copy.

pub mod backend;
pub mod bench;
pub mod camera;
pub mod capture;
pub mod cli;
pub mod compute;
pub mod doctor;
pub mod explain;
pub mod headless;
pub mod heap;
pub mod input;
pub mod mesh;
pub mod options;
pub mod panel;
pub mod phase;
pub mod preflight;
pub mod raster;
pub mod readback;
pub mod reference;
pub mod render;
pub mod scene;
pub mod signals;
pub mod source;
pub mod status;
pub mod timing;
pub mod verify;
#[cfg(unix)]
pub mod vulkan;
pub mod window;
