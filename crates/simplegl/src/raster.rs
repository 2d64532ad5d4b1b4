//! Points rasterised by our own kernels instead of OpenGL: `--draw raster`.
//!
//! A datacenter GPU has few raster units, and 16 million points keep them busy a hundred times longer than the kernel that
//! makes them. So a kernel projects the points itself and finds the nearest one of every pixel, and only the finished
//! picture goes to OpenGL. The picture is that of points of size 1, up to points within rounding of a pixel's border.
//!
//! | file | noun |
//! | --- | --- |
//! | `view.rs` | [`point_view`]: from matrices to the kernels' view; how many rows a thread takes |
//! | `shading.rs` | [`Palette`]: from a scene to the kernels' colours |
//! | `look.rs` | [`Look`]: a scene from one point of view |
//! | `choice.rs` | [`may_raster`], [`pays`]: when `--draw auto` takes pictures |
//! | `cpu.rs` | [`CpuRaster`]: a picture on the CPU |
//! | `cuda.rs`, `host.rs` | pictures in textures: by CUDA, by the CPU |
//! | `source.rs` | [`RasterSource`]: whichever of the two works, frame by frame |

mod choice;
mod cpu;
mod cuda;
mod host;
mod look;
mod shading;
mod source;
mod view;

pub use choice::{may_raster, pays};
pub use cpu::CpuRaster;
pub use look::Look;
pub use shading::{MapTable, Painted, Palette, map_table};
pub use source::{RasterError, RasterSource, RasterVerification};
pub use view::{MAX_VERTICES, point_view, rows_per_thread, wave_mesh};
