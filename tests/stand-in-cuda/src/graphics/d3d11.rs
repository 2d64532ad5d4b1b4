//! Direct3D 11, as far as a driver sees it: the resources are structures that the test made, and need no context of theirs.

use std::ffi::{c_int, c_uint};

use super::{Mapping, Object, SURFACE_LDST, TEXTURE_GATHER, WRITE_DISCARD};
use crate::abi::{Handle, array_flag, code};
use crate::array::Shape;
use crate::block::Block;
use crate::call::{entries, write};
use crate::device::check_device;
use crate::memory::{Allocation, Use};
use crate::state::{State, in_context};

/// What a pointer to an `ID3D11Resource` points to. `tests/d3d11.rs` has the same.
#[derive(Debug)]
#[repr(C)]
struct Foreign {
    references: u32,
    /// Zero for a buffer, which then is `width` bytes long.
    is_texture: u32,
    content: *mut u8,
    width: usize,
    height: usize,
    /// `CUarray_format`.
    format: u32,
    channels: u32,
}

/// A registered resource: where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource(usize);

entries! {
    fn cuD3D11GetDevice(device: *mut c_int, adapter: *const c_int) {
        let _state = crate::state::initialised()?;
        // SAFETY: null, or an adapter: here the number of its device.
        let number = *unsafe { adapter.as_ref() }.ok_or(code::INVALID_VALUE)?;
        check_device(number).map_err(|_| code::NOT_FOUND)?;
        // SAFETY: the caller passes a place for a device.
        unsafe { write(device, number) }
    }

    fn cuD3D11GetDevices(
        count: *mut c_uint, devices: *mut c_int, room: c_uint, device: *const c_int, list: c_uint,
    ) {
        let _state = crate::state::initialised()?;
        // SAFETY: null, or a device: here the number of CUDA's.
        let number = *unsafe { device.as_ref() }.ok_or(code::INVALID_VALUE)?;
        if !(1..=3).contains(&list) || room == 0 {
            return Err(code::INVALID_VALUE);
        }
        check_device(number).map_err(|_| code::NO_DEVICE)?;
        // SAFETY: the caller passes a place for the count and at least one for a device.
        unsafe {
            write(count, 1)?;
            write(devices, number)
        }
    }

    fn cuGraphicsD3D11RegisterResource(resource: *mut Handle, foreign: *mut u64, flags: c_uint) {
        let (mut state, context) = in_context()?;
        let foreign = Resource(foreign as usize);
        // Access is set when it is registered; Direct3D's flags are these two.
        if foreign.0 == 0 || flags & !(SURFACE_LDST | TEXTURE_GATHER) != 0 {
            return Err(code::INVALID_VALUE);
        }
        if flags != 0 && foreign.get().is_texture == 0 {
            return Err(code::INVALID_VALUE);
        }
        foreign.get().references += 1;
        let handle = state.add(context, 0, Object::D3d11(foreign), flags);
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(resource, handle) }
    }
}

impl Resource {
    fn get(self) -> &'static mut Foreign {
        // SAFETY: the test keeps a resource alive while it is registered, and is not in it during a driver call.
        unsafe { &mut *(self.0 as *mut Foreign) }
    }

    pub(super) fn release(self) {
        self.get().references -= 1;
    }

    pub(super) fn shape(self, flags: c_uint) -> Shape {
        let Foreign { width, height, format, channels, .. } = *self.get();
        let flags = if flags & SURFACE_LDST == 0 { 0 } else { array_flag::SURFACE_LDST };
        Shape { width, height, depth: 0, format, channels, flags }
    }

    pub(super) fn bytes(self) -> usize {
        match *self.get() {
            Foreign { is_texture: 0, width, .. } => width,
            _ => self.shape(0).bytes(),
        }
    }

    pub(super) fn is_texture(self) -> bool {
        self.get().is_texture != 0
    }

    fn content(self) -> &'static mut [u8] {
        // SAFETY: as `get`; the content is as long as the structure says.
        unsafe { std::slice::from_raw_parts_mut(self.get().content, self.bytes()) }
    }

    /// What Direct3D sees from now on.
    pub(super) fn write(self, content: &[u8]) {
        self.content().copy_from_slice(content);
    }
}

impl State {
    pub(super) fn map_d3d11(&mut self, handle: Handle, foreign: Resource) -> Result<(), u32> {
        let resource = self.resources.get_mut(handle)?;
        let mut block = Block::new(foreign.bytes()).ok_or(code::OUT_OF_MEMORY)?;
        if resource.map_flags != WRITE_DISCARD {
            block.bytes_mut().copy_from_slice(foreign.content());
        }
        let context = resource.context;
        if foreign.is_texture() {
            let levels = vec![block];
            resource.mapped = Some(Mapping::Image {
                levels,
                arrays: std::collections::HashMap::new(),
                mipmapped: None,
            });
            return Ok(());
        }
        let address = block.address();
        resource.mapped = Some(Mapping::Buffer(address));
        self.memory.insert(address, Allocation { context, block, usage: Use::Mapped });
        Ok(())
    }
}
