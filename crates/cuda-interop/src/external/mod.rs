//! Memory and semaphores shared with another API through operating-system handles.
//!
//! The other half of sharing: not resources of OpenGL's that CUDA registers and maps, but allocations and semaphores
//! that one API exports and the others import. Nothing is mapped and unmapped from frame to frame; semaphores order
//! the two sides on the GPU. It is the only way to Vulkan and Direct3D 12.
//!
//! | what | from | type |
//! | --- | --- | --- |
//! | memory of another API | its handle | [`ExternalMemory`], then [`ExternalBuffer`] and [`ExternalImage`] in it |
//! | CUDA's memory for others | [`ExportableMemory`] | a file descriptor, and [`ExternalBuffer`] |
//! | semaphores of another API | their handle | [`BinarySemaphore`], [`TimelineSemaphore`], [`KeyedMutex`], [`NvSciSync`] |
//!
//! # Who closes what
//!
//! | handle | before the import | after success | after failure |
//! | --- | --- | --- | --- |
//! | file descriptor | its `OwnedFd` | CUDA | its `OwnedFd`, in [`ImportError`], open |
//! | NT handle | the program | the program, at any time | the program |
//! | KMT handle | nobody | nobody; the exporter must outlive the import | nobody |
//! | `NvSci` object | the program | the program, after the import is gone | the program |
//!
//! Drivers have been seen to close a descriptor that they refuse. They only get a duplicate here, which is closed exactly
//! once whatever they do, so that no file of another thread is closed for it.
//!
//! Buffers and images hold their memory, so the order of dropping does not matter: mappings are freed, then the
//! memory is given back, then, in types of this crate that own both sides, the exporter frees its own.
//!
//! # Never run
//!
//! This project has run the descriptors on a GPU. It has never run the Windows kinds or the `NvSci` kinds: they are
//! written from the documentation, type-checked for Windows, and tested on a stand-in of the driver alone. The devices of
//! Direct3D 12 are found by LUID ([`by_adapter`](crate::device::by_adapter)).
//!
//! # What is checked
//!
//! The exporter must be the same device, matched by UUID and never by an order; ranges lie inside the allocation, and
//! its size is the exporter's; timeline values grow; a wait for a binary semaphore needs the signal's
//! [`Signalled`]; waits on the host end in their time ([`wait_within`]).

mod buffer;
#[cfg(unix)]
mod descriptor;
#[cfg(unix)]
mod exportable;
mod extent;
mod foreign_sync;
mod format;
mod handle;
mod image;
mod import_error;
mod link;
mod memory;
mod object;
mod semaphore;
pub(crate) mod sys;
mod wait;

pub use buffer::ExternalBuffer;
#[cfg(unix)]
pub(crate) use descriptor::lend;
#[cfg(unix)]
pub use exportable::ExportableMemory;
pub use extent::{ArrayFlags, ImageDesc, ImageShape};
pub use foreign_sync::{KeyedMutex, NvSciSync};
pub use format::{ChannelFormat, ChannelOrder, ChannelType, Encoding, FormatApi, ImageFormat};
pub use handle::{MemoryHandle, SemaphoreClass, SemaphoreHandle};
pub use image::{ExternalImage, ExternalLevel};
pub use import_error::ImportError;
pub use link::{SemaphoreLink, Signalled};
#[cfg(unix)]
pub(crate) use memory::check_range;
pub use memory::{Allocation, ExternalMemory};
pub use object::{KmtHandle, NtHandle, NvSciObject};
pub use semaphore::{BinarySemaphore, TimelineSemaphore, supports_timeline};
#[cfg(unix)]
pub(crate) use wait::timeout;
pub use wait::wait_within;
