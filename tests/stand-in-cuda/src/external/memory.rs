//! Imported memory, and buffers and mipmapped arrays in it.

use std::ffi::{c_int, c_uint};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use super::{LAST_TYPE, OPAQUE_FD, file_bytes, memory_start};
use crate::abi::{Array3dDescriptor, Handle, code};
use crate::array::{Array, Shape};
use crate::block::Block;
use crate::call::{entries, write};
use crate::memory::{Allocation, Use};
use crate::state::{State, in_context};

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MemoryHandle {
    kind: u32,
    handle: Descriptor,
    size: u64,
    flags: u32,
    reserved: [u32; 16],
}

/// The handle's union: a file descriptor, or two pointers of other systems.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) union Descriptor {
    pub(super) file: c_int,
    words: [u64; 2],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct BufferPlace {
    offset: u64,
    size: u64,
    flags: u32,
    reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MipmappedPlace {
    offset: u64,
    array: Array3dDescriptor,
    levels: u32,
    reserved: [u32; 16],
}

const _: () = {
    assert!(size_of::<MemoryHandle>() == 104);
    assert!(size_of::<BufferPlace>() == 88);
    assert!(size_of::<MipmappedPlace>() == 120);
};

/// Imported memory.
#[derive(Debug)]
pub(crate) struct ExternalMemory {
    pub(crate) context: Handle,
    file: OwnedFd,
    /// Where in the file the memory begins.
    start: usize,
    bytes: usize,
    /// Addresses of the buffers made of it.
    buffers: Vec<u64>,
}

impl ExternalMemory {
    fn block(&self, offset: usize, len: usize) -> Option<Block> {
        Block::of_file(self.file.as_raw_fd(), self.start + offset, len)
    }
}

/// A mipmapped array in imported memory. The levels follow each other.
#[derive(Debug)]
pub(crate) struct Mipmapped {
    pub(crate) context: Handle,
    levels: Vec<Handle>,
    #[expect(dead_code, reason = "held for its drop")]
    block: Block,
}

entries! {
    fn cuImportExternalMemory(memory: *mut Handle, handle: *const MemoryHandle) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes a description.
        let handle = *unsafe { handle.as_ref() }.ok_or(code::INVALID_VALUE)?;
        if !(1..=LAST_TYPE).contains(&handle.kind) || handle.flags > 1 || handle.size == 0 {
            return Err(code::INVALID_VALUE);
        }
        if handle.kind != OPAQUE_FD {
            return Err(code::NOT_SUPPORTED);
        }
        // SAFETY: this type of handle is a descriptor.
        let file = unsafe { handle.handle.file };
        let bytes = handle.size as usize;
        if file_bytes(file).is_none_or(|there| there < bytes) {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: from here on the import succeeds, and the descriptor is the driver's.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let start = memory_start(file.as_raw_fd(), bytes);
        let new = state.new_handle();
        let buffers = Vec::new();
        state.external_memory.insert(new, ExternalMemory { context, file, start, bytes, buffers });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(memory, new) }
    }

    fn cuExternalMemoryGetMappedBuffer(pointer: *mut u64, memory: Handle, place: *const BufferPlace) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes a description.
        let place = *unsafe { place.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let external = state.external_memory.get(memory)?;
        let (offset, len) = (place.offset as usize, place.size as usize);
        if len == 0 || place.flags != 0 || offset.checked_add(len).is_none_or(|end| end > external.bytes) {
            return Err(code::INVALID_VALUE);
        }
        let block = external.block(offset, len).ok_or(code::UNKNOWN)?;
        let address = block.address();
        state.external_memory.get_mut(memory)?.buffers.push(address);
        state.memory.insert(address, Allocation { context, block, usage: Use::Imported });
        // SAFETY: the caller passes a place for an address.
        unsafe { write(pointer, address) }
    }

    fn cuExternalMemoryGetMappedMipmappedArray(
        mipmapped: *mut Handle, memory: Handle, place: *const MipmappedPlace,
    ) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes a description.
        let place = *unsafe { place.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let shapes = level_shapes(place.array, place.levels)?;
        let len = shapes.iter().map(Shape::bytes).sum();
        let external = state.external_memory.get(memory)?;
        let offset = place.offset as usize;
        if offset.checked_add(len).is_none_or(|end| end > external.bytes) {
            return Err(code::INVALID_VALUE);
        }
        let block = external.block(offset, len).ok_or(code::UNKNOWN)?;
        let new = state.new_handle();
        let mut address = block.address();
        let mut levels = Vec::new();
        for shape in shapes {
            let handle = state.new_handle();
            state.arrays.insert(handle, Array { context, shape, address, own: None, part_of: Some(new) });
            levels.push(handle);
            address += shape.bytes() as u64;
        }
        state.mipmapped.insert(new, Mipmapped { context, levels, block });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(mipmapped, new) }
    }

    fn cuDestroyExternalMemory(memory: Handle) {
        let (mut state, context) = in_context()?;
        state.finish_context(context)?;
        let external = state.external_memory.remove(memory)?;
        if external.buffers.iter().any(|address| state.memory.contains_key(address)) {
            state.violation("cuDestroyExternalMemory before the buffers in it were freed".into());
        }
        Ok(())
    }

    fn cuMipmappedArrayGetLevel(array: *mut Handle, mipmapped: Handle, level: c_uint) {
        let (mut state, _) = in_context()?;
        let handle = state.level_of(mipmapped, level)?;
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(array, handle) }
    }

    fn cuMipmappedArrayDestroy(mipmapped: Handle) {
        let (mut state, context) = in_context()?;
        state.finish_context(context)?;
        state.mipmapped.remove(mipmapped)?;
        state.arrays.retain(|array| array.part_of != Some(mipmapped));
        Ok(())
    }
}

/// The shapes of all levels, each half as large as the one before; code 1 for what cannot be.
fn level_shapes(array: Array3dDescriptor, levels: u32) -> Result<Vec<Shape>, u32> {
    let first = Shape::from(array);
    first.check()?;
    let deepest = if first.is_layered() { 1 } else { first.slices() };
    let most = first.width.max(first.rows()).max(deepest).ilog2() + 1;
    if !(1..=most).contains(&levels) {
        return Err(code::INVALID_VALUE);
    }
    let half = |side: usize, level: u32| if side == 0 { 0 } else { (side >> level).max(1) };
    Ok((0..levels)
        .map(|level| Shape {
            width: half(first.width, level),
            height: half(first.height, level),
            depth: if first.is_layered() { first.depth } else { half(first.depth, level) },
            ..first
        })
        .collect())
}

impl State {
    /// The array of a level of a mipmapped array: of imported memory, or of a mapped image.
    pub(crate) fn level_of(&mut self, mipmapped: Handle, level: c_uint) -> Result<Handle, u32> {
        match self.mipmapped.get(mipmapped) {
            Ok(found) => found.levels.get(level as usize).copied().ok_or(code::INVALID_VALUE),
            Err(_) => self.mapped_level_of(mipmapped, level),
        }
    }
}
