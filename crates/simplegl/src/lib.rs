//! simplegl: a CUDA kernel written in Rust animates a mesh inside an OpenGL buffer, and OpenGL draws it without a copy.

pub mod phase;
pub mod scene;
