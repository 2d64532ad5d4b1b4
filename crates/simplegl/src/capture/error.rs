//! What can go wrong while writing files.

use std::path::PathBuf;

use thiserror::Error;

use crate::render::RenderError;

/// An error of a screenshot, a recording or an export.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// A file cannot be written.
    #[error("{flag} {}: {reason}", path.display())]
    Unwritable {
        /// The flag at fault.
        flag: &'static str,
        /// Its value.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Writing failed half-way.
    #[error("writing {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The writer's thread panicked.
    #[error("the thread that writes the recording died")]
    WriterDied,
    /// Not every frame reached the disk.
    #[error("{recorded} frames were recorded, but only {written} were written")]
    Lost {
        /// Frames drawn.
        recorded: u64,
        /// Files written.
        written: u64,
    },
    /// OpenGL refused to give the pixels.
    #[error("{0}")]
    Gl(#[from] RenderError),
}
