//! Vulkan's side of external memory and semaphores: a device that is CUDA's own, and what it exports.
//!
//! Only what is shared is made here. A program's other buffers, its pipelines and its windows are its own, made with
//! the handles that [`VulkanDevice`] gives.
//!
//! # Who owns what
//!
//! | what | made by | gone with |
//! | --- | --- | --- |
//! | a descriptor | [`ExportedMemory::export`], [`VulkanSemaphore::export`]: a new one each time | its `OwnedFd`; the importer's after a successful import |
//! | the memory | [`VulkanBuffer::new`], [`VulkanBuffer::several`], [`VulkanImage::new`] | the last buffer or image in it, and the last import: each is a reference of its own |
//! | the semaphore | [`VulkanSemaphore::binary`], [`VulkanSemaphore::timeline`] | this value and every import |
//! | device and instance | [`VulkanDevice::new`] | the last of what was made of them |
//!
//! A buffer, an image or a semaphore waits for nothing when it is dropped, the semaphore aside, which waits for the device:
//! the program waits for its own commands first, and drops CUDA's mapping before Vulkan's object.
//!
//! # The life of a frame
//!
//! With one height buffer and one picture that CUDA filters in place:
//!
//! ```text
//!   the host                        CUDA's stream                  Vulkan's queue
//!   --------                        -------------                  --------------
//!   waits for the fence of the
//!   frame two before, with a limit
//!                                   write heights  -- 1 --------->  wait 1, draw, signal 2
//!                                   wait 2         <- 2 ----------
//!                                   filter         -- 3 --------->  wait 3, show or copy, fence
//! ```
//!
//! 1, 2 and 3 are values of one timeline semaphore ([`VulkanDevice::submit`] takes them), or three binary ones. CUDA's next
//! frame writes the heights after its own wait for 2. An image stays in the general layout while CUDA may use it.
//!
//! Buffers and images are exclusive to one queue family, and are not handed to `VK_QUEUE_FAMILY_EXTERNAL` and back, which the
//! specification asks for: NVIDIA's samples do not either, CUDA has no part in it, and the contents were found whole.

mod buffer;
mod choose;
mod device;
mod image;
mod keeper;
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
