//! Blocks of host memory that play device memory.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_int;
use std::ptr::{NonNull, null_mut};

/// Alignment of every allocated block, in bytes: what CUDA gives.
const ALIGNMENT: usize = 512;
/// Fresh memory holds this, not zeros, so that reading what nobody wrote shows.
const JUNK: u8 = 0xa5;

/// A block of memory.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    len: usize,
    origin: Origin,
}

/// Where it came from, and so how it goes.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Allocated,
    /// A mapped file: how far before `start` the mapping begins.
    File {
        before: usize,
    },
    /// Somebody else's address range.
    Borrowed,
}

impl Block {
    /// `None` if there is no memory.
    pub(crate) fn new(len: usize) -> Option<Self> {
        let layout = Layout::from_size_align(len.max(1), ALIGNMENT).ok()?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        // SAFETY: freshly allocated with this size.
        unsafe { start.write_bytes(JUNK, len.max(1)) };
        Some(Self { start, len, origin: Origin::Allocated })
    }

    /// `len` bytes of a file, shared with all who map it. `None` if the system refuses.
    pub(crate) fn of_file(file: c_int, offset: usize, len: usize) -> Option<Self> {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let before = offset % page;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let from = (offset - before) as libc::off_t;
        // SAFETY: a new mapping, at an address of the system's choice.
        let base =
            unsafe { libc::mmap(null_mut(), before + len, access, libc::MAP_SHARED, file, from) };
        if base == libc::MAP_FAILED {
            return None;
        }
        let start = NonNull::new(base.cast::<u8>().wrapping_add(before))?;
        Some(Self { start, len, origin: Origin::File { before } })
    }

    /// An address range that others look after; they keep it readable and writable while this lives.
    pub(crate) fn borrowed(address: u64, len: usize) -> Option<Self> {
        Some(Self { start: NonNull::new(address as *mut u8)?, len, origin: Origin::Borrowed })
    }

    pub(crate) fn address(&self) -> u64 {
        self.start.as_ptr() as u64
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `len` bytes long, initialised at creation.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `len` bytes long, initialised at creation.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match self.origin {
            Origin::Allocated => {
                let layout = Layout::from_size_align(self.len.max(1), ALIGNMENT);
                // SAFETY: allocated with this layout.
                unsafe { dealloc(self.start.as_ptr(), layout.expect("as at creation")) };
            }
            Origin::File { before } => {
                let base = self.start.as_ptr().wrapping_sub(before);
                // SAFETY: mapped with this address and length.
                unsafe { libc::munmap(base.cast(), before + self.len) };
            }
            Origin::Borrowed => {}
        }
    }
}
