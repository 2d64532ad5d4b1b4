//! What can go wrong in a benchmark.

use std::path::PathBuf;

use thiserror::Error;

use crate::capture::CaptureError;
use crate::headless::HeadlessError;
use crate::raster::RasterError;
use crate::render::RenderError;
use crate::source::{NoSource, SourceError};
use crate::status::Status;

/// An error that ends a benchmark.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A row makes something else than the CPU.
    #[error("{row} is wrong, so it was not measured: {difference}")]
    Wrong {
        /// Which row.
        row: String,
        /// How it differs.
        difference: String,
    },
    /// The file to compare with.
    #[error("cannot compare with {}: {reason}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file to plot into.
    #[error("cannot plot into {}: {reason}", path.display())]
    Plot {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// CUDA failed in mid-run.
    #[error(transparent)]
    Cuda(#[from] cuda_interop::Error),
    /// OpenGL failed in mid-run.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Reading a picture back failed.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A path failed in mid-run.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The raster path failed.
    #[error(transparent)]
    Raster(#[from] RasterError),
    /// No path works.
    #[error(transparent)]
    NoSource(#[from] NoSource),
    /// No OpenGL at all.
    #[error(transparent)]
    Context(#[from] HeadlessError),
    /// The program could not be started once more to time its start.
    #[error("cannot time the start of {}: {reason}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What happened.
        reason: String,
    },
    /// A pool of threads could not be made.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
}

impl BenchError {
    /// The exit status that it means.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::Wrong { .. } => Status::Mismatch,
            Self::Other { .. } | Self::Plot { .. } => Status::Usage,
            Self::NoSource(_) | Self::Context(_) => Status::NoDevice,
            _ => Status::Runtime,
        }
    }
}
