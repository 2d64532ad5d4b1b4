//! What can go wrong between CUDA and Vulkan.

use ash::vk;
use thiserror::Error;

use crate::backend::NoCuda;
use crate::capture::CaptureError;
use crate::status::Status;
use crate::window::WindowError;

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
    /// The window system, or the window.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// Vulkan has no surface for the window.
    #[error("Vulkan cannot show anything in this window ({reason}): draw without one, --headless")]
    NoSurface {
        /// What was answered.
        reason: String,
    },
    /// The device cannot show pictures in the window.
    #[error("{device} cannot show pictures in this window: draw without one, --headless")]
    NotShown {
        /// Vulkan's name of the device.
        device: String,
    },
    /// There is no such level.
    #[error("there is no level {shown} to show: give --levels {} or more", shown + 1)]
    NoLevel {
        /// The level.
        shown: u32,
    },
    /// The mesh has no lines.
    #[error("this device cannot draw lines: use --draw points")]
    NoLines,
}

impl VulkanError {
    /// Whether nothing can be drawn any more, as against a request that was refused.
    pub(super) fn is_fatal(&self) -> bool {
        match self {
            Self::Stuck { .. } => true,
            Self::Vulkan { result, .. } => *result == vk::Result::ERROR_DEVICE_LOST,
            Self::Interop(error) => {
                let lost = vk::Result::ERROR_DEVICE_LOST.as_raw();
                matches!(error.kind(), cuda_interop::ErrorKind::Vulkan { code, .. } if *code == lost)
            }
            _ => false,
        }
    }

    /// The program's exit status.
    #[must_use]
    pub fn status(&self) -> Status {
        use cuda_interop::ErrorKind;
        match self {
            Self::NoLevel { .. } => Status::Usage,
            Self::NoCuda(_) | Self::NoLines | Self::NoSurface { .. } | Self::NotShown { .. } => {
                Status::NoDevice
            }
            Self::Window(error) => error.status(),
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
