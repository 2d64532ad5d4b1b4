//! Memory: blocks of host memory whose ranges are checked at every use.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::NonNull;

use crate::abi::{Handle, code};
use crate::block::Block;
use crate::call::{Answer, entries, write};
use crate::settings::settings;
use crate::state::{State, in_context};

/// Rows of pitched memory start at multiples of this many bytes.
const PITCH: usize = 512;
/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Device,
    PinnedHost,
    /// A mapped graphics buffer.
    Mapped,
    /// A buffer in imported memory.
    Imported,
    /// Memory that was created apart from its address range.
    Virtual,
}

/// A block, and who it belongs to.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) context: Handle,
    pub(crate) block: Block,
    pub(crate) usage: Use,
}

impl State {
    /// Allocates memory in `context`.
    fn allocate(&mut self, context: Handle, len: usize, usage: Use) -> Result<u64, u32> {
        if len == 0 {
            return Err(code::INVALID_VALUE);
        }
        if len > self.free_bytes() {
            return Err(code::OUT_OF_MEMORY);
        }
        let block = Block::new(len).ok_or(code::OUT_OF_MEMORY)?;
        let address = block.address();
        self.memory.insert(address, Allocation { context, block, usage });
        Ok(address)
    }

    /// Device memory that nobody has allocated, in bytes.
    fn free_bytes(&self) -> usize {
        let used: usize = self
            .memory
            .values()
            .filter(|allocation| allocation.usage == Use::Device)
            .map(|allocation| allocation.block.len())
            .sum();
        settings().memory_bytes.saturating_sub(used)
    }

    /// The allocation that holds `address`, and the offset in it.
    pub(crate) fn allocation_at(&self, address: u64) -> Option<(&Allocation, usize)> {
        let (start, allocation) = self.memory.range(..=address).next_back()?;
        let offset = (address - start) as usize;
        (offset < allocation.block.len()).then_some((allocation, offset))
    }

    /// `len` bytes at `address`, if one allocation holds them all.
    pub(crate) fn range(&self, address: u64, len: usize) -> Option<*mut u8> {
        if len == 0 {
            return Some(NonNull::dangling().as_ptr());
        }
        let (allocation, offset) = self.allocation_at(address)?;
        (len <= allocation.block.len() - offset).then_some(address as *mut u8)
    }

    pub(crate) fn is_pinned(&self, address: u64) -> bool {
        self.allocation_at(address)
            .is_some_and(|(allocation, _)| allocation.usage == Use::PinnedHost)
    }

    fn free(&mut self, address: u64, usages: &[Use]) -> Answer {
        match self.memory.get(&address) {
            Some(allocation) if usages.contains(&allocation.usage) => {
                self.memory.remove(&address);
                Ok(())
            }
            _ => Err(code::INVALID_VALUE),
        }
    }
}

entries! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let (state, _) = in_context()?;
        // SAFETY: the caller passes places for two sizes.
        unsafe {
            write(free, state.free_bytes())?;
            write(total, settings().memory_bytes)
        }
    }

    fn cuMemAlloc_v2(pointer: *mut u64, bytes: usize) {
        let (mut state, context) = in_context()?;
        let address = state.allocate(context, bytes, Use::Device)?;
        // SAFETY: the caller passes a place for an address.
        unsafe { write(pointer, address) }
    }

    fn cuMemAllocAsync(pointer: *mut u64, bytes: usize, stream: Handle) {
        let (mut state, context) = in_context()?;
        state.stream(stream, context)?;
        let address = state.allocate(context, bytes, Use::Device)?;
        // SAFETY: the caller passes a place for an address.
        unsafe { write(pointer, address) }
    }

    fn cuMemAllocPitch_v2(pointer: *mut u64, pitch: *mut usize, width_bytes: usize, height: usize, element_bytes: c_uint) {
        let (mut state, context) = in_context()?;
        if ![4, 8, 16].contains(&element_bytes) {
            return Err(code::INVALID_VALUE);
        }
        let row = width_bytes.checked_next_multiple_of(PITCH).ok_or(code::OUT_OF_MEMORY)?;
        let bytes = row.checked_mul(height).ok_or(code::OUT_OF_MEMORY)?;
        let address = state.allocate(context, bytes, Use::Device)?;
        // SAFETY: the caller passes places for an address and a size.
        unsafe {
            write(pointer, address)?;
            write(pitch, row)
        }
    }

    fn cuMemFree_v2(pointer: u64) {
        let (mut state, context) = in_context()?;
        if pointer == 0 {
            return Ok(());
        }
        // The driver waits for work that may use the memory.
        state.finish_context(context)?;
        state.free(pointer, &[Use::Device, Use::Imported])
    }

    fn cuMemFreeAsync(pointer: u64, stream: Handle) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        if state.memory.get(&pointer).is_none_or(|allocation| allocation.usage != Use::Device) {
            return Err(code::INVALID_VALUE);
        }
        state.submit(stream, None, move |state| state.free(pointer, &[Use::Device]))
    }

    fn cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, _flags: c_uint) {
        let (mut state, context) = in_context()?;
        let address = state.allocate(context, bytes, Use::PinnedHost)?;
        // SAFETY: the caller passes a place for a pointer.
        unsafe { write(pointer, address as *mut c_void) }
    }

    fn cuMemFreeHost(pointer: *mut c_void) {
        let (mut state, context) = in_context()?;
        state.finish_context(context)?;
        state.free(pointer as u64, &[Use::PinnedHost])
    }

    fn cuPointerGetAttribute(data: *mut c_void, attribute: c_int, pointer: u64) {
        let state = crate::state::initialised()?;
        let (allocation, _) = state.allocation_at(pointer).ok_or(code::INVALID_VALUE)?;
        // SAFETY: the caller passes a place for the attribute's type.
        unsafe {
            match attribute {
                1 => write(data.cast(), allocation.context),
                2 => write(data.cast(), if allocation.usage == Use::PinnedHost { 1u32 } else { 2 }),
                9 => write(data.cast(), state.contexts.get(allocation.context)?.device),
                11 => write(data.cast(), allocation.block.address()),
                12 => write(data.cast(), allocation.block.len()),
                _ => Err(code::INVALID_VALUE),
            }
        }
    }
}
