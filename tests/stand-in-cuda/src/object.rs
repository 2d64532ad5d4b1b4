//! Surface and texture objects.

use std::ffi::c_void;
use std::ptr::null_mut;

use kernels::surface::HostSurface;

use crate::abi::{
    Handle, ResourceDescriptor, TextureDescriptor, array_flag, code, format, resource_type,
};
use crate::call::{entries, write};
use crate::state::{State, in_context};

/// A surface object. Its handle is the address of `host`, which is what the kernels take on the CPU.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(crate) context: Handle,
    array: Handle,
    pub(crate) pixel_bytes: usize,
    /// What a kernel sees; null pixels and no size once the array is gone.
    pub(crate) host: Box<HostSurface>,
}

/// A texture object.
#[derive(Debug)]
pub(crate) struct Texture {
    pub(crate) context: Handle,
}

/// `CU_TR_ADDRESS_MODE_BORDER`, the last of them.
const LAST_ADDRESS_MODE: u32 = 3;
/// `CU_TR_FILTER_MODE_LINEAR`, the last of them.
const LINEAR_FILTER: u32 = 1;
/// `CU_TRSF_READ_AS_INTEGER`.
const READ_AS_INTEGER: u32 = 1;

entries! {
    fn cuSurfObjectCreate(surface: *mut Handle, resource: *const ResourceDescriptor) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes a descriptor.
        let resource = *unsafe { resource.as_ref() }.ok_or(code::INVALID_VALUE)?;
        if resource.kind != resource_type::ARRAY || resource.flags != 0 {
            return Err(code::INVALID_VALUE);
        }
        let handle = resource.words[0];
        let array = state.arrays.get(handle)?;
        if array.shape.flags & array_flag::SURFACE_LDST == 0 {
            return Err(code::INVALID_VALUE);
        }
        let host = Box::new(HostSurface {
            pixels: array.address as *mut _,
            pitch_bytes: array.shape.row_bytes(),
            width: array.shape.width as u32,
            height: array.shape.rows() as u32,
        });
        let pixel_bytes = array.shape.pixel_bytes();
        let object = &raw const *host as Handle;
        state.surfaces.insert(object, Surface { context, array: handle, pixel_bytes, host });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(surface, object) }
    }

    fn cuSurfObjectDestroy(surface: Handle) {
        let (mut state, context) = in_context()?;
        state.finish_context(context)?;
        state.surfaces.remove(&surface).map(drop).ok_or(code::INVALID_VALUE)
    }

    fn cuTexObjectCreate(
        texture: *mut Handle, resource: *const ResourceDescriptor, sampling: *const TextureDescriptor,
        _view: *const c_void,
    ) {
        let (mut state, context) = in_context()?;
        // SAFETY: the caller passes descriptors.
        let resource = *unsafe { resource.as_ref() }.ok_or(code::INVALID_VALUE)?;
        // SAFETY: as above.
        let sampling = *unsafe { sampling.as_ref() }.ok_or(code::INVALID_VALUE)?;
        let element = state.element_of(&resource)?;
        check_sampling(&sampling, element)?;
        let handle = state.new_handle();
        state.textures.insert(handle, Texture { context });
        // SAFETY: the caller passes a place for a handle.
        unsafe { write(texture, handle) }
    }

    fn cuTexObjectDestroy(texture: Handle) {
        let (mut state, context) = in_context()?;
        state.finish_context(context)?;
        state.textures.remove(texture).map(drop).map_err(|_| code::INVALID_VALUE)
    }
}

fn no_pixels() -> HostSurface {
    HostSurface { pixels: null_mut(), pitch_bytes: 0, width: 0, height: 0 }
}

/// The modes exist, and 32-bit integers are not to be filtered or normalised.
fn check_sampling(sampling: &TextureDescriptor, element: u32) -> Result<(), u32> {
    let integers = matches!(element, format::U32 | format::I32);
    let as_floats = sampling.flags & READ_AS_INTEGER == 0;
    let is_integer = !matches!(element, format::HALF | format::FLOAT);
    let filters_integers =
        sampling.filter_mode == LINEAR_FILTER && is_integer && (integers || !as_floats);
    let ok = sampling.address_modes.iter().all(|mode| *mode <= LAST_ADDRESS_MODE)
        && sampling.filter_mode <= LINEAR_FILTER
        && sampling.mipmap_filter_mode <= LINEAR_FILTER
        && !filters_integers;
    if ok { Ok(()) } else { Err(code::INVALID_VALUE) }
}

impl State {
    /// The element format of what a texture object reads.
    fn element_of(&mut self, resource: &ResourceDescriptor) -> Result<u32, u32> {
        match resource.kind {
            resource_type::ARRAY => Ok(self.arrays.get(resource.words[0])?.shape.format),
            resource_type::MIPMAPPED_ARRAY => {
                let level = self.level_of(resource.words[0], 0)?;
                Ok(self.arrays.get(level)?.shape.format)
            }
            resource_type::LINEAR | resource_type::PITCH2D => {
                self.range(resource.words[0], 1).ok_or(code::INVALID_VALUE)?;
                Ok(resource.words[1] as u32)
            }
            _ => Err(code::INVALID_VALUE),
        }
    }

    /// Takes the pixels from the surfaces of arrays that are going away.
    pub(crate) fn blind_surfaces(&mut self, is_gone: impl Fn(Handle) -> bool) {
        for surface in self.surfaces.values_mut().filter(|surface| is_gone(surface.array)) {
            *surface.host = no_pixels();
        }
    }
}
