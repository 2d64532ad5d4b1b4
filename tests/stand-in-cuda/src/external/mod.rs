//! Memory and semaphores of other APIs, imported by file descriptor, and CUDA's own memory that can be exported so.
//!
//! A memory descriptor is any file that can be mapped (`memfd_create`); CUDA's exports are such files, and so are those of
//! Mesa's lavapipe, which begin with a header. A binary semaphore is
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

/// Where in an exported file the memory begins: after the header of Mesa's software drivers, which is the file's size and
/// that place, if there is one; else at its start.
fn memory_start(file: std::ffi::c_int, memory_bytes: usize) -> usize {
    let mut header = [0_u64; 2];
    let len = size_of_val(&header);
    // SAFETY: a place for as many bytes.
    let read = unsafe { libc::pread(file, header.as_mut_ptr().cast(), len, 0) };
    let [size, start] = header.map(|number| number as usize);
    let fits = start.checked_add(memory_bytes).is_some_and(|end| end <= size);
    let is_header = read == len as isize && Some(size) == file_bytes(file) && start >= len && fits;
    if is_header { start } else { 0 }
}
