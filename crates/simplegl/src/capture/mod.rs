//! What leaves the program: screenshots, recordings and meshes.
//!
//! | file | noun |
//! | --- | --- |
//! | `outputs.rs` | [`Outputs`]: everything that a run writes |
//! | `recorder.rs`, `pixel_ring.rs`, `writer.rs` | [`Recorder`]: frames as numbered PNGs, off the render thread |
//! | `export.rs` | the mesh as PLY, OBJ or bare floats |
//! | `pixels.rs`, `png.rs` | pictures, and how they become files |

mod error;
mod export;
mod outputs;
mod pixel_ring;
mod pixels;
mod png;
mod recorder;
mod writer;

pub use error::CaptureError;
pub use export::{MeshFormat, check_export, write_mesh};
pub use outputs::{Outputs, check_outputs};
pub use pixels::{Picture, read_framebuffer};
pub use png::{check_writable, write_png};
pub use recorder::{Recorder, check_record, video_command};
