//! simplegl's GPU kernels, one file per kernel.
//!
//! The arithmetic is plain functions with no GPU in them; an entry point only finds its index, checks bounds and
//! stores. So the same source serves both processors: `cargo xtask ptx` compiles it to PTX for the GPU, and the
//! CPU backend calls the functions over rows. All arithmetic is f32 with every rounding and every fused
//! multiply-add written out, which makes the results of both equal to the bit.
//!
//! | entry point | file | writes |
//! | --- | --- | --- |
//! | [`simple_vbo::simple_vbo`] | `simple_vbo.rs` | the sine-wave mesh, one [`Vertex`] per grid point |
//! | [`hatch::hatch`] | `hatch.rs` | the moving hatch, into a surface object of an RGBA32F image |
//! | [`hatch_frames::hatch_frames`] | `hatch_frames.rs` | the same for several frames, each into a surface object of its own |
//! | [`hatch_linear::hatch_linear`] | `hatch_linear.rs` | the same, into pitched linear memory |
//! | [`raster_points::raster_points`] | `raster_points.rs` | the nearest vertex of every pixel, from vertices in memory |
//! | [`raster_wave::wave_rows`], [`raster_wave::raster_wave`] | `raster_wave.rs` | the same, from vertices made on the way |
//! | [`raster_resolve::raster_resolve`] | `raster_resolve.rs` | the colours of those pixels, into a surface object of an RGBA8 image |
//! | [`wave_height::wave_height`] | `wave_height.rs` | the heights of the mesh alone |
//! | [`filter::blur_rows`], [`filter::blur_columns`], [`filter::edges`] | `filter.rs` | a surface of RGBA8, blurred or its edges |

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch, core_float_math))]
#![warn(missing_docs)]
// The arithmetic must melt into its callers: into each entry point, and into loops compiled for FMA.
#![allow(clippy::inline_always)]

pub mod filter;
pub mod grid;
pub mod hatch;
pub mod hatch_frames;
pub mod hatch_linear;
pub mod raster;
pub mod raster_points;
pub mod raster_resolve;
pub mod raster_wave;
pub mod simple_vbo;
pub mod surface;
pub mod trig;
mod vertex;
pub mod wave_height;
mod wave_mesh;

pub use vertex::Vertex;
pub use wave_mesh::WaveMesh;
