//! Vulkan's side of external memory and semaphores: a device that is CUDA's own, and what it exports.
//!
//! Only what is shared is made here. A program's other buffers, its pipelines and its windows are its own, made with
//! the handles that [`VulkanDevice`] gives.

mod choose;
mod device;
mod memory;
mod once;
mod semaphore;
mod validation;

pub use choose::{Candidate, choose};
pub use device::{DeviceRequest, VulkanDevice};
pub use memory::{BufferRequest, ExportedMemory, ImageRequest, VulkanBuffer, VulkanImage};
pub use once::Point;
pub use semaphore::VulkanSemaphore;

use crate::error::{Error, ErrorKind};

/// Vulkan refused.
pub(crate) fn refused(operation: impl Into<String>, result: ash::vk::Result) -> Error {
    let kind = ErrorKind::Vulkan { code: result.as_raw(), name: format!("{result:?}") };
    Error::new(kind, operation)
}
