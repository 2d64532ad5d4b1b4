//! What leaves the program: pictures, recordings and meshes.

mod error;
mod pixels;
mod png;

pub use error::CaptureError;
pub use pixels::{Picture, read_framebuffer};
pub use png::{check_writable, write_png};
