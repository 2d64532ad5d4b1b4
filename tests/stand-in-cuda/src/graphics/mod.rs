//! GL's and Direct3D's buffers and images shared with CUDA: registered, mapped, unmapped, unregistered.

mod d3d11;
mod mapping;

use std::collections::HashMap;
use std::ffi::{c_int, c_uint};

use crate::abi::{Handle, code};
use crate::block::Block;
use crate::call::{Answer, entries, write};
use crate::gl;
use crate::settings::{MappedSize, settings};
use crate::state::{State, in_context};

/// A registered object.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) context: Handle,
    gl_context: usize,
    object: Object,
    flags: c_uint,
    map_flags: c_uint,
    pub(crate) mapped: Option<Mapping>,
    /// Memory of the last mapping, for the next.
    spare: Option<Block>,
}

#[derive(Debug)]
enum Object {
    Buffer { name: u32, bytes: usize },
    Image(gl::Image),
    D3d11(d3d11::Resource),
}

/// What CUDA holds of a mapped object.
#[derive(Debug)]
pub(crate) enum Mapping {
    /// The address of the memory, which lies in [`State::memory`].
    Buffer(u64),
    Image {
        levels: Vec<Block>,
        /// Arrays given out, by level and layer; no layer for all of them in one array.
        arrays: HashMap<(usize, Option<usize>), Handle>,
        mipmapped: Option<Handle>,
    },
}

const READ_ONLY: c_uint = 1;
const WRITE_DISCARD: c_uint = 2;
const SURFACE_LDST: c_uint = 4;
const TEXTURE_GATHER: c_uint = 8;

entries! {
    fn cuGLGetDevices_v2(count: *mut c_uint, devices: *mut c_int, room: c_uint, list: c_uint) {
        let _state = crate::state::initialised()?;
        gl::current().ok_or(code::INVALID_GRAPHICS_CONTEXT)?;
        if !(1..=3).contains(&list) {
            return Err(code::INVALID_VALUE);
        }
        let found = &settings().gl_devices;
        // SAFETY: the caller passes a place for the count and `room` places for devices.
        unsafe {
            write(count, found.len() as c_uint)?;
            for (i, device) in found.iter().take(room as usize).enumerate() {
                write(devices.wrapping_add(i), *device)?;
            }
        }
        Ok(())
    }

    fn cuGraphicsGLRegisterBuffer(resource: *mut Handle, buffer: c_uint, flags: c_uint) {
        let (mut state, context) = in_context()?;
        // Without a GL context the driver says 1 here, and 219 elsewhere.
        gl::current().ok_or(code::INVALID_VALUE)?;
        if flags > WRITE_DISCARD {
            return Err(code::INVALID_VALUE);
        }
        let (bytes, gl_context) = gl::with(|gl, gl_context| {
            let bytes = gl::Buffer::bind(gl, buffer).ok_or(code::INVALID_HANDLE)?.bytes();
            if bytes == 0 { Err(code::OUT_OF_MEMORY) } else { Ok((bytes, gl_context)) }
        })?;
        let handle = state.add(context, gl_context, Object::Buffer { name: buffer, bytes }, flags);
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(resource, handle) }
    }

    fn cuGraphicsGLRegisterImage(resource: *mut Handle, image: c_uint, target: c_uint, flags: c_uint) {
        let (mut state, context) = in_context()?;
        gl::current().ok_or(code::INVALID_VALUE)?;
        if flags > 15 || flags & 3 == 3 {
            return Err(code::INVALID_VALUE);
        }
        let (image, gl_context) =
            gl::with(|gl, gl_context| Ok((gl::Image::describe(gl, image, target)?, gl_context)))?;
        let handle = state.add(context, gl_context, Object::Image(image), flags);
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(resource, handle) }
    }

    fn cuGraphicsUnregisterResource(resource: Handle) {
        let (mut state, context) = in_context()?;
        state.check_resource(resource, context)?;
        if state.resources.get(resource)?.mapped.is_some() {
            return Err(code::ALREADY_MAPPED);
        }
        state.check_gl(&[resource], "cuGraphicsUnregisterResource")?;
        if let Object::D3d11(foreign) = state.resources.remove(resource)?.object {
            foreign.release();
        }
        Ok(())
    }

    fn cuGraphicsResourceSetMapFlags_v2(resource: Handle, flags: c_uint) {
        let (mut state, context) = in_context()?;
        state.check_resource(resource, context)?;
        let resource = state.resources.get_mut(resource)?;
        if resource.mapped.is_some() {
            return Err(code::ALREADY_MAPPED);
        }
        if flags > WRITE_DISCARD {
            return Err(code::INVALID_VALUE);
        }
        resource.map_flags = flags;
        Ok(())
    }

    fn cuGraphicsMapResources(count: c_uint, resources: *mut Handle, stream: Handle) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        // SAFETY: the caller passes `count` handles.
        let resources = unsafe { handles(count, resources)? };
        state.map(&resources, context, stream)
    }

    fn cuGraphicsUnmapResources(count: c_uint, resources: *mut Handle, stream: Handle) {
        let (mut state, context) = in_context()?;
        let stream = state.stream(stream, context)?;
        // SAFETY: the caller passes `count` handles.
        let resources = unsafe { handles(count, resources)? };
        state.unmap(&resources, context, stream)
    }

    fn cuGraphicsResourceGetMappedPointer_v2(pointer: *mut u64, bytes: *mut usize, resource: Handle) {
        let (state, context) = in_context()?;
        state.check_resource(resource, context)?;
        let resource = state.resources.get(resource)?;
        let honest = match resource.object {
            Object::Buffer { bytes, .. } => bytes,
            Object::D3d11(foreign) if !foreign.is_texture() => foreign.bytes(),
            _ => return Err(code::NOT_MAPPED_AS_POINTER),
        };
        let Some(Mapping::Buffer(address)) = resource.mapped else { return Err(code::NOT_MAPPED) };
        let told = match settings().mapped_size {
            MappedSize::Honest => honest,
            MappedSize::Fixed(bytes) => bytes,
            MappedSize::Less(less) => honest - less,
        };
        // SAFETY: the caller passes places for an address and a size.
        unsafe {
            write(pointer, address)?;
            write(bytes, told)
        }
    }

    fn cuGraphicsSubResourceGetMappedArray(array: *mut Handle, resource: Handle, layer: c_uint, level: c_uint) {
        let (mut state, context) = in_context()?;
        state.check_resource(resource, context)?;
        let handle = state.mapped_array(resource, level as usize, Some(layer as usize))?;
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(array, handle) }
    }

    fn cuGraphicsResourceGetMappedMipmappedArray(mipmapped: *mut Handle, resource: Handle) {
        let (mut state, context) = in_context()?;
        state.check_resource(resource, context)?;
        let new = state.new_handle();
        let found = state.resources.get_mut(resource)?;
        if matches!(found.object, Object::Buffer { .. }) {
            return Err(code::NOT_MAPPED_AS_ARRAY);
        }
        let Some(Mapping::Image { mipmapped: own, .. }) = &mut found.mapped else {
            return Err(code::NOT_MAPPED);
        };
        let handle = *own.get_or_insert(new);
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(mipmapped, handle) }
    }
}

/// # Safety
/// `resources` has `count` handles.
unsafe fn handles(count: c_uint, resources: *const Handle) -> Result<Vec<Handle>, u32> {
    if count == 0 || resources.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: not null; the caller's word.
    let handles = unsafe { std::slice::from_raw_parts(resources, count as usize) }.to_vec();
    for (i, handle) in handles.iter().enumerate() {
        if handles[..i].contains(handle) {
            return Err(code::INVALID_HANDLE);
        }
    }
    Ok(handles)
}

impl State {
    fn add(&mut self, context: Handle, gl_context: usize, object: Object, flags: c_uint) -> Handle {
        let handle = self.new_handle();
        let map_flags = flags & (READ_ONLY | WRITE_DISCARD);
        let resource =
            Resource { context, gl_context, object, flags, map_flags, mapped: None, spare: None };
        self.resources.insert(handle, resource);
        handle
    }

    /// The resource exists and belongs to the current CUDA context.
    fn check_resource(&self, resource: Handle, current: Handle) -> Answer {
        if self.resources.get(resource)?.context == current {
            Ok(())
        } else {
            Err(code::INVALID_HANDLE)
        }
    }

    /// A GL context is current, and it is the one of the registration. With another one real drivers are known to
    /// crash, and so that is written down.
    fn check_gl(&mut self, resources: &[Handle], function: &str) -> Answer {
        for resource in resources {
            if matches!(self.resources.get(*resource)?.object, Object::D3d11(_)) {
                continue;
            }
            let current = gl::current().ok_or(code::INVALID_GRAPHICS_CONTEXT)?.handle();
            if self.resources.get(*resource)?.gl_context != current {
                self.violation(format!(
                    "{function} with another GL context current than the resource's"
                ));
                return Err(code::UNKNOWN);
            }
        }
        Ok(())
    }
}
