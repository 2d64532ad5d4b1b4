//! Vulkan's side of external memory and semaphores: a device that is CUDA's own, and what it exports.
//!
//! Only what is shared is made here. A program's other buffers, its pipelines and its windows are its own, made with
//! the handles that [`VulkanDevice`] gives.

mod buffer;
mod choose;
mod device;
mod image;
mod memory;
mod once;
mod semaphore;
mod validation;

pub use buffer::{BufferRequest, VulkanBuffer};
pub use choose::{Candidate, choose};
pub use device::{DeviceRequest, VulkanDevice};
pub use image::{ImageRequest, VulkanImage};
pub use memory::ExportedMemory;
pub use once::Point;
pub use semaphore::VulkanSemaphore;
pub use validation::ValidationLog;

use crate::error::{Error, ErrorKind};

/// Vulkan refused.
pub(crate) fn refused(operation: impl Into<String>, result: ash::vk::Result) -> Error {
    let kind = ErrorKind::Vulkan { code: result.as_raw(), name: format!("{result:?}") };
    Error::new(kind, operation)
}
