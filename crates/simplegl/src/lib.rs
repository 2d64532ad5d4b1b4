//! simplegl: a CUDA kernel written in Rust animates a mesh inside an OpenGL buffer, and OpenGL draws it without a copy.

pub mod backend;
pub mod camera;
pub mod cli;
pub mod compute;
pub mod input;
pub mod mesh;
pub mod options;
pub mod phase;
pub mod reference;
pub mod scene;
pub mod status;
pub mod timing;
