//! CUDA arrays: images of one mip level, with their layers or slices.

use crate::abi::{Array3dDescriptor, ArrayDescriptor, Handle, array_flag, code, format};
use crate::block::Block;
use crate::call::{entries, write};
use crate::state::in_context;

/// An array. Rows are packed, slices and layers follow each other.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) context: Handle,
    pub(crate) shape: Shape,
    pub(crate) address: u64,
    /// Its memory, unless that is a graphics resource's.
    #[expect(dead_code, reason = "held for its drop")]
    pub(crate) own: Option<Block>,
    /// The mapped graphics resource or the mipmapped array that it is part of.
    pub(crate) part_of: Option<Handle>,
}

/// Size and format of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Slices or layers; 0 in a descriptor means 1.
    pub(crate) depth: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

impl From<Array3dDescriptor> for Shape {
    fn from(descriptor: Array3dDescriptor) -> Self {
        let Array3dDescriptor { width, height, depth, format, channels, flags } = descriptor;
        Self { width, height, depth, format, channels, flags }
    }
}

impl Shape {
    pub(crate) fn pixel_bytes(&self) -> usize {
        format::channel_bytes(self.format).unwrap_or(0) * self.channels as usize
    }

    pub(crate) fn row_bytes(&self) -> usize {
        self.width * self.pixel_bytes()
    }

    pub(crate) fn rows(&self) -> usize {
        self.height.max(1)
    }

    pub(crate) fn slices(&self) -> usize {
        self.depth.max(1)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.row_bytes() * self.rows() * self.slices()
    }

    pub(crate) fn is_layered(&self) -> bool {
        self.flags & array_flag::LAYERED != 0
    }

    pub(crate) fn check(&self) -> Result<(), u32> {
        let known = array_flag::LAYERED
            | array_flag::SURFACE_LDST
            | array_flag::CUBEMAP
            | array_flag::TEXTURE_GATHER
            | array_flag::COLOR_ATTACHMENT;
        let ok = self.width > 0
            && format::channel_bytes(self.format).is_some()
            && matches!(self.channels, 1 | 2 | 4)
            && self.flags & !known == 0;
        if ok { Ok(()) } else { Err(code::INVALID_VALUE) }
    }
}

entries! {
    fn cuArray3DCreate_v2(array: *mut Handle, descriptor: *const Array3dDescriptor) {
        let (mut state, context) = in_context()?;
        if descriptor.is_null() {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: not null, so the caller passes a descriptor.
        let shape = Shape::from(unsafe { *descriptor });
        shape.check()?;
        let block = Block::new(shape.bytes()).ok_or(code::OUT_OF_MEMORY)?;
        let handle = state.new_handle();
        state.arrays.insert(handle, Array { context, shape, address: block.address(), own: Some(block), part_of: None });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(array, handle) }
    }

    fn cuArrayDestroy(array: Handle) {
        let (mut state, context) = in_context()?;
        if state.arrays.get(array)?.part_of.is_some() {
            return Err(code::INVALID_HANDLE);
        }
        state.finish_context(context)?;
        state.arrays.remove(array)?;
        Ok(())
    }

    fn cuArrayGetDescriptor_v2(descriptor: *mut ArrayDescriptor, array: Handle) {
        let (state, _) = in_context()?;
        let Shape { width, height, format, channels, .. } = state.arrays.get(array)?.shape;
        // SAFETY: the caller passes a place for a descriptor.
        unsafe { write(descriptor, ArrayDescriptor { width, height, format, channels }) }
    }

    fn cuArray3DGetDescriptor_v2(descriptor: *mut Array3dDescriptor, array: Handle) {
        let (state, _) = in_context()?;
        let Shape { width, height, depth, format, channels, flags } = state.arrays.get(array)?.shape;
        // SAFETY: the caller passes a place for a descriptor.
        unsafe { write(descriptor, Array3dDescriptor { width, height, depth, format, channels, flags }) }
    }
}
