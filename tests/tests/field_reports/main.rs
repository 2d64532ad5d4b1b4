//! What went wrong for others with CUDA and OpenGL, and what this library does instead: each test is named after the
//! behaviour. They run with the stand-in driver and OpenGL on the processor.

mod contexts;
mod driver;
mod images;
mod mapping;
mod registration;
