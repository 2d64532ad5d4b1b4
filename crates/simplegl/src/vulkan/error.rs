//! What can go wrong between CUDA and Vulkan.

use ash::vk;
use thiserror::Error;

use crate::backend::NoCuda;
use crate::capture::CaptureError;
use crate::status::Status;

/// An error of `simplegl vulkan`.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VulkanError {
    /// CUDA or Vulkan refused, or they do not share.
    #[error("{0}")]
    Interop(#[from] cuda_interop::Error),
    /// No usable CUDA device.
    #[error("{0}")]
    NoCuda(#[from] NoCuda),
    /// A file could not be written.
    #[error("{0}")]
    Capture(#[from] CaptureError),
    /// Vulkan refused.
    #[error("{doing}: Vulkan answered {result:?}")]
    Vulkan {
        /// What was being done.
        doing: &'static str,
        /// The answer.
        result: vk::Result,
    },
    /// The picture is not drawn.
    #[error(
        "frame {frame} was not drawn within {limit_ms} ms: a signal between CUDA and Vulkan is missing"
    )]
    Stuck {
        /// The frame, counted from 1.
        frame: u64,
        /// How long was waited.
        limit_ms: u128,
    },
    /// There is no window yet.
    #[error(
        "`simplegl vulkan` draws without a window: add --headless, and --screenshot FILE to see the picture"
    )]
    NeedsHeadless,
    /// The host cannot take the semaphores' place here.
    #[error(
        "`simplegl vulkan` orders CUDA and Vulkan by semaphores: use --semaphores timeline or binary"
    )]
    NeedsSemaphores,
    /// The mesh has no lines.
    #[error("this device cannot draw lines: use --draw points")]
    NoLines,
}

impl VulkanError {
    /// The program's exit status.
    #[must_use]
    pub fn status(&self) -> Status {
        use cuda_interop::ErrorKind;
        match self {
            Self::NeedsHeadless | Self::NeedsSemaphores => Status::Usage,
            Self::NoCuda(_) | Self::NoLines => Status::NoDevice,
            Self::Interop(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Unsupported(_)
                        | ErrorKind::OtherDevice { .. }
                        | ErrorKind::DriverNotFound
                ) =>
            {
                Status::NoDevice
            }
            _ => Status::Runtime,
        }
    }
}

/// `map_err` for a call of Vulkan's.
pub(super) fn vulkan(doing: &'static str) -> impl FnOnce(vk::Result) -> VulkanError {
    move |result| VulkanError::Vulkan { doing, result }
}
