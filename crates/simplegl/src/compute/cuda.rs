//! The kernels on the GPU: the embedded PTX, and one typed launch function per kernel.

use std::sync::Arc;

use cuda_interop::Result;
use cuda_interop::module::{Arg, Function, Module};
use cudarc::driver::{CudaContext, CudaStream};
use kernels::WaveMesh;
use kernels::hatch_frames::HatchFrames;
use kernels::raster::PointView;
use kernels::raster_resolve::Shading;

use super::Wave;
use crate::mesh::MeshSize;

/// The PTX of all kernels, as built by `cargo xtask ptx`.
pub const PTX: &str = include_str!("../../../../kernels/ptx/simplegl.ptx");

/// A kernel parameter's type in PTX, from its type in Rust.
trait Parameter {
    const PTX: &'static str;
}
impl Parameter for u32 {
    const PTX: &'static str = ".u32";
}
impl Parameter for u64 {
    const PTX: &'static str = ".u64";
}
impl Parameter for f32 {
    const PTX: &'static str = ".f32";
}
impl Parameter for WaveMesh {
    const PTX: &'static str = ".b8[20]";
}
impl Parameter for HatchFrames {
    const PTX: &'static str = ".b8[200]";
}
impl Parameter for PointView {
    const PTX: &'static str = ".b8[96]";
}
impl Parameter for Shading {
    const PTX: &'static str = ".b8[72]";
}

/// Declares a launch function and records its signature from the same parameter list, so that a test can hold it against
/// the PTX. A device address, in square brackets, is an [`Arg`]: it borrows what it points into.
macro_rules! kernels {
    ($($(#[$doc:meta])* $module:ident::$name:ident $([$($address:ident),*])? ($($parameter:ident: $type:ty),*) over ($width:expr, $height:expr);)*) => {
        /// The loaded kernels.
        #[derive(Debug, Clone)]
        pub struct Kernels {
            $($name: Function,)*
        }

        impl Kernels {
            /// Loads the embedded PTX into a context and finds every kernel.
            ///
            /// # Errors
            /// The driver's answer, with the log of its compiler.
            pub fn load(context: &Arc<CudaContext>) -> Result<Self> {
                let module = Module::load_ptx(context, PTX)?;
                Ok(Self { $($name: module.function(stringify!($name))?,)* })
            }

            $(
                $(#[$doc])*
                ///
                /// # Safety
                #[doc = concat!("As [`kernels::", stringify!($module), "::", stringify!($name), "`]; until `stream` has passed the launch.")]
                ///
                /// # Errors
                /// The driver's answer.
                #[allow(clippy::too_many_arguments)] // The list is the kernel's.
                pub unsafe fn $name(&self, stream: &CudaStream, $($($address: Arg<'_>,)*)? $($parameter: $type),*) -> Result<()> {
                    let ((grid_x, grid_y), (block_x, block_y)) = kernels::grid::launch_shape($width, $height);
                    let arguments = [$($($address,)*)? $((&$parameter).into()),*];
                    // SAFETY: the parameter list is the kernel's (a test compares it with the PTX); the rest is the caller's.
                    unsafe {
                        self.$name.launch(stream, [grid_x, grid_y, 1], [block_x, block_y, 1], 0, &arguments)
                    }
                }
            )*
        }

        /// Name and PTX parameter types of every kernel.
        pub const SIGNATURES: &[(&str, &[&str])] = &[
            $((stringify!($name), &[$($(kernels!(@address $address),)*)? $(<$type as Parameter>::PTX),*])),*
        ];
    };
    (@address $address:ident) => { ".u64" };
}

kernels! {
    /// Launches `simple_vbo` over a mesh; `pos` is the device address of its vertices.
    simple_vbo::simple_vbo [pos] (width: u32, height: u32, time: f32, frequency: f32, amplitude: f32) over (width, height);
    /// Launches `hatch` over an image; `surface` is a CUDA surface object.
    hatch::hatch(surface: u64, width: u32, height: u32, time: f32) over (width, height);
    /// Launches `hatch_frames` over an image; all surfaces are CUDA surface objects.
    hatch_frames::hatch_frames(from: u64, width: u32, height: u32, frames: HatchFrames) over (width, height);
    /// Launches `hatch_linear` over pitched memory; `pixels` is its device address.
    hatch_linear::hatch_linear [pixels] (pitch_bytes: u64, width: u32, height: u32, time: f32) over (width, height);
    /// Launches `raster_points` over a mesh in memory; `words` and `vertices` are device addresses.
    raster_points::raster_points [words, vertices] (width: u32, height: u32, rows_per_thread: u32, view: PointView)
        over (width, height.div_ceil(rows_per_thread.max(1)));
    /// Launches `wave_rows`; `rows` is a device address.
    raster_wave::wave_rows [rows] (height: u32, time: f32, frequency: f32) over (height, 1);
    /// Launches `raster_wave` over a mesh; `words` and `rows` are device addresses.
    raster_wave::raster_wave [words, rows] (mesh: WaveMesh, rows_per_thread: u32, view: PointView)
        over (mesh.width, mesh.height.div_ceil(rows_per_thread.max(1)));
    /// Launches `raster_resolve` over a picture; `words` is a device address and `surface` a CUDA surface object.
    raster_resolve::raster_resolve [words] (surface: u64, width: u32, height: u32, shading: Shading) over (width, height);
    /// Launches `wave_height` over a mesh; `heights` is a device address.
    wave_height::wave_height [heights] (width: u32, height: u32, time: f32, frequency: f32, amplitude: f32) over (width, height);
    /// Launches `blur_rows` over a picture; `temporary` is a device address and `surface` a CUDA surface object.
    filter::blur_rows [temporary] (surface: u64, width: u32, height: u32, radius: u32) over (width, height);
    /// Launches `blur_columns` over a picture; `temporary` is a device address and `surface` a CUDA surface object.
    filter::blur_columns [temporary] (surface: u64, width: u32, height: u32, radius: u32) over (width, height);
    /// Launches `edges` over a picture; `temporary` is a device address and `surface` a CUDA surface object.
    filter::edges [temporary] (surface: u64, width: u32, height: u32) over (width, height);
}

impl Kernels {
    /// [`Kernels::simple_vbo`] for a mesh and a wave.
    ///
    /// # Safety
    /// As there.
    ///
    /// # Errors
    /// As there.
    pub unsafe fn wave(
        &self,
        stream: &CudaStream,
        pos: Arg<'_>,
        mesh: MeshSize,
        wave: Wave,
    ) -> Result<()> {
        let Wave { time, frequency, amplitude } = wave;
        // SAFETY: the caller's promise.
        unsafe {
            self.simple_vbo(stream, pos, mesh.width(), mesh.height(), time, frequency, amplitude)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `.u64 .ptr .align 1 name` to `.u64`, and `.align 4 .b8 name[20]` to `.b8[20]`.
    fn parameter_type(line: &str) -> Option<String> {
        let mut words =
            line.trim().trim_end_matches(',').strip_prefix(".param ")?.split_whitespace();
        let first = words.next()?;
        if first != ".align" {
            return Some(first.to_owned());
        }
        let (element, name) = (words.nth(1)?, words.next()?);
        Some(format!("{element}{}", &name[name.find('[')?..]))
    }

    /// Entry points of a PTX text with their parameter types.
    fn entries(ptx: &str) -> Vec<(String, Vec<String>)> {
        let entry = |text: &str| {
            let (name, rest) = text.split_once('(').unwrap();
            let parameters = rest.split_once(')').unwrap().0.lines().filter_map(parameter_type);
            (name.to_owned(), parameters.collect())
        };
        ptx.split(".visible .entry ").skip(1).map(entry).collect()
    }

    #[test]
    fn every_kernel_of_the_ptx_has_its_launch_function() {
        let mut in_ptx = entries(PTX);
        let mut here: Vec<_> = SIGNATURES
            .iter()
            .map(|(name, types)| {
                ((*name).to_owned(), types.iter().map(|&t| t.to_owned()).collect())
            })
            .collect();
        in_ptx.sort();
        here.sort();
        assert_eq!(in_ptx, here);
    }

    #[test]
    fn the_ptx_runs_on_every_gpu_since_2014() {
        assert!(PTX.contains("\n.version 6.0\n.target sm_50\n"));
    }
}
