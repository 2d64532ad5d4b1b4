//! What can keep the window from opening or going on.

use crate::capture::CaptureError;
use crate::mesh::MeshSizeError;
use crate::preflight::PreflightError;
use crate::raster::RasterError;
use crate::render::RenderError;
use crate::source::NoSource;
use crate::status::Status;

/// An error of the window. Its text says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// No window system answers.
    #[error(
        "no window system: {reason}\n  Set DISPLAY or WAYLAND_DISPLAY to one that runs, or draw without a window: --headless"
    )]
    NoDisplay {
        /// What was tried, and the answers.
        reason: String,
    },
    /// The window system answers, but no OpenGL context can be had on it.
    #[error(
        "no OpenGL 3.3 core context for a window:\n{}\n  Draw without a window: --headless",
        indented(reasons)
    )]
    NoContext {
        /// One line for each API that was tried.
        reasons: Vec<String>,
    },
    /// winit's event loop.
    #[error("the window system failed: {0}")]
    EventLoop(#[from] winit::error::EventLoopError),
    /// The handlers of SIGINT and SIGTERM.
    #[error("could not watch for SIGINT and SIGTERM: {0}")]
    Signals(#[from] ctrlc::Error),
    /// Presenting a frame.
    #[error("the window's buffers could not be swapped: {0}")]
    Swap(#[source] glutin::error::Error),
    /// Something that could be known before the first frame.
    #[error(transparent)]
    Preflight(#[from] PreflightError),
    /// No path from a kernel to OpenGL at the start.
    #[error(transparent)]
    NoSource(NoSource),
    /// The path in use failed, and no other was left.
    #[error(transparent)]
    Update(NoSource),
    /// A picture of `--draw raster` could not be read back.
    #[error(transparent)]
    Raster(RasterError),
    /// A mesh that cannot be.
    #[error(transparent)]
    Mesh(#[from] MeshSizeError),
    /// Drawing.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Writing a file.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The window system took its leave before the window was there.
    #[error("the window system ended the program before the window opened")]
    EndedEarly,
    /// The control panel's OpenGL objects.
    #[error("the control panel could not be made: {0}")]
    Panel(#[from] egui_glow::PainterError),
}

impl WindowError {
    /// The program's status: no device or context when there is nothing to draw on, a run-time failure later.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::NoDisplay { .. } | Self::NoContext { .. } | Self::NoSource(_) => Status::NoDevice,
            Self::Preflight(_) | Self::Mesh(_) => Status::Usage,
            _ => Status::Runtime,
        }
    }
}

fn indented(reasons: &[String]) -> String {
    reasons.iter().map(|reason| format!("  {reason}")).collect::<Vec<_>>().join("\n")
}
