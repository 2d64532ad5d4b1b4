//! simplegl: a CUDA kernel written in Rust animates a mesh inside an OpenGL buffer, and OpenGL draws it without a copy.
