//! The UUIDs that OpenGL tells of its devices (`GL_EXT_memory_object`).

use std::ffi::c_uint;

use glow::HasContext as _;

use super::current::Interface;
use crate::device::Uuid;

const GL_NUM_DEVICE_UUIDS_EXT: u32 = 0x9596;
const GL_DEVICE_UUID_EXT: u32 = 0x9597;

type GetUnsignedBytesIndexed = unsafe extern "system" fn(c_uint, c_uint, *mut u8);

/// The UUIDs of the current context's devices; empty if OpenGL cannot tell.
pub(super) fn of_current_context(gl: &glow::Context, interface: &Interface) -> Vec<Uuid> {
    if !gl.supported_extensions().contains("GL_EXT_memory_object") {
        return Vec::new();
    }
    let address = interface.proc_address(c"glGetUnsignedBytei_vEXT");
    if address.is_null() {
        return Vec::new();
    }
    // SAFETY: the extension is there, so this is the function, and this is its type.
    let get: GetUnsignedBytesIndexed = unsafe { std::mem::transmute(address) };
    // SAFETY: the context is current, and the extension defines this parameter.
    let count = unsafe { gl.get_parameter_i32(GL_NUM_DEVICE_UUIDS_EXT) };
    (0..u32::try_from(count).unwrap_or(0))
        .map(|index| {
            let mut bytes = [0; 16];
            // SAFETY: the function writes GL_UUID_SIZE_EXT bytes, which is 16.
            unsafe { get(GL_DEVICE_UUID_EXT, index, bytes.as_mut_ptr()) };
            Uuid(bytes)
        })
        .collect()
}
