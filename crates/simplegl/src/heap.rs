//! The heap: how often it is used, so that "a frame allocates nothing" is a number that the program reports about itself, and
//! what becomes of memory that is freed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// The system's allocator with a counter. A program that wants the numbers makes it its `#[global_allocator]`.
#[derive(Debug)]
pub struct CountingAllocator;

/// Allocations and reallocations of this process so far, on all threads; stays 0 without [`CountingAllocator`].
#[must_use]
pub fn allocations() -> u64 {
    ALLOCATIONS.load(Ordering::Relaxed)
}

// SAFETY: every call is handed on to the system's allocator unchanged; counting touches no memory but an atomic.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are those of this call.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are those of this call.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are those of this call.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are those of this call.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Lets the C library keep the memory that is freed at the heap's end, up to 128 MiB, instead of giving it back to the system
/// at once. For programs, not for libraries; does nothing where the C library is not glibc.
///
/// Mesa's software OpenGL takes and frees some 10 MiB a frame. Where these lie at the heap's end, and that is chance, each frame
/// pays for thousands of page faults: half of its time at 256x256 vertices in a window of 512x512.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the calls set two numbers of the allocator's. A threshold of one's own ends the adjustment of the other, so both
    // are set; 32 MiB is where the adjustment ends.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 20);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
    }
}
