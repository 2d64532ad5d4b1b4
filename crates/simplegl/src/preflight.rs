//! What can be known to fail before the first frame, in a window and headless alike: files that cannot be written or read, and
//! wishes that exclude each other. All of it is wrong usage.

use thiserror::Error;

use crate::capture::{CaptureError, check_outputs};
use crate::options::{Backend, ViewerOptions};
use crate::render::PointsWay;
use crate::scene::DrawMode;
use crate::source::{KernelError, check_kernel};

/// Why a run would fail.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PreflightError {
    /// An output cannot be written.
    #[error(transparent)]
    Output(#[from] CaptureError),
    /// The user's kernel cannot be used.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A kernel and the CPU.
    #[error("--kernel is PTX, which needs CUDA: leave out --backend cpu")]
    KernelOnCpu,
    /// Pictures and a mesh.
    #[error("--draw raster has no mesh in OpenGL that --export could write: choose another --draw")]
    RasterExported,
    /// Pictures and large points.
    #[error(
        "--draw raster draws points of one pixel: leave out --point-size, or choose another --draw"
    )]
    RasterPointSize,
    /// One colour is all that the compute shader knows.
    #[error(
        "--draw compute draws points of one pixel in one colour: leave out --point-size and --color, or choose another --draw"
    )]
    ComputeLook,
    /// A kernel and a comparison.
    #[error(
        "--verify compares with the CPU's version of the built-in kernel, and there is none of --kernel: leave one of them out"
    )]
    KernelVerified,
}

/// Checks a run without opening a device, a context or a window.
///
/// # Errors
/// The first thing that would fail.
pub fn check(options: &ViewerOptions) -> Result<(), PreflightError> {
    if let Some(kernel) = &options.kernel {
        if options.backend == Backend::Cpu {
            return Err(PreflightError::KernelOnCpu);
        }
        if options.verify {
            return Err(PreflightError::KernelVerified);
        }
        check_kernel(kernel)?;
    }
    if options.headless && options.scene.draw == DrawMode::Raster && options.output.export.is_some()
    {
        return Err(PreflightError::RasterExported);
    }
    if options.scene.draw == DrawMode::Raster && options.scene.point_size != 1.0 {
        return Err(PreflightError::RasterPointSize);
    }
    if options.scene.draw == DrawMode::Compute && !PointsWay::is_free(&options.scene) {
        return Err(PreflightError::ComputeLook);
    }
    Ok(check_outputs(&options.output)?)
}
