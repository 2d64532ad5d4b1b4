//! OpenGL's functions for the context that is current.

use std::ffi::{CStr, c_char, c_void};

use glow::HasContext as _;

use super::RenderError;

/// Loads OpenGL's functions.
///
/// # Errors
/// When no working context is current (`GL_VERSION` is null, which happens when the EGL or GLX library does not belong to the
/// driver), or its version is below 3.3.
pub fn load_gl(
    mut get_proc_address: impl FnMut(&CStr) -> *const c_void,
) -> Result<glow::Context, RenderError> {
    let get_string = get_proc_address(c"glGetString");
    if get_string.is_null() {
        return Err(RenderError::NoContext);
    }
    // SAFETY: glGetString has this signature wherever OpenGL exists, and the pointer is not null.
    let get_string: unsafe extern "system" fn(u32) -> *const c_char =
        unsafe { std::mem::transmute(get_string) };
    // SAFETY: without a current context it answers null, which glow itself would panic over.
    if unsafe { get_string(glow::VERSION) }.is_null() {
        return Err(RenderError::NoContext);
    }
    // SAFETY: the context is current and answered above.
    let gl = unsafe { glow::Context::from_loader_function_cstr(get_proc_address) };
    let version = gl.version();
    if version.is_embedded || (version.major, version.minor) < (3, 3) {
        // SAFETY: as above.
        let found = unsafe { gl.get_parameter_string(glow::VERSION) };
        return Err(RenderError::TooOld { found });
    }
    Ok(gl)
}
