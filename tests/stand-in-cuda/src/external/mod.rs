//! Memory and semaphores of other APIs, imported by file descriptor, and CUDA's own memory that can be exported so.
//!
//! A memory descriptor is any file that can be mapped (`memfd_create`); CUDA's exports are such files. A binary semaphore is
//! an `eventfd`, a timeline semaphore a file that holds its value in 8 bytes. A descriptor belongs to the driver after a
//! successful import, and to the caller otherwise; real drivers close one that they refuse, as `refused=closed` does here.

mod memory;
mod refused;
mod semaphore;
mod virtual_memory;

pub(crate) use memory::{ExternalMemory, Mipmapped};
pub(crate) use refused::refuse;
pub(crate) use semaphore::Semaphore;
pub(crate) use virtual_memory::{Physical, Reservation};

/// `CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`, and the same of semaphores.
const OPAQUE_FD: u32 = 1;
/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`.
const TIMELINE_FD: u32 = 9;
/// The last handle type of either kind.
const LAST_TYPE: u32 = 10;

/// The size of a file, or `None` for a descriptor that is no file.
fn file_bytes(file: std::ffi::c_int) -> Option<usize> {
    // SAFETY: all zeros is a value of this structure of numbers.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: a place for the answer.
    let answer = unsafe { libc::fstat(file, &raw mut status) };
    (answer == 0).then_some(status.st_size as usize)
}
