//! OpenGL's side of a buffer: creating it, its size.

use std::ffi::c_void;

use glow::HasContext as _;

use super::context::Shared;
use super::leftover::GlObject;
use crate::error::{Error, ErrorKind, GlError, Result};

/// A buffer target that no drawing state depends on. Its binding is put back after use.
const TARGET: u32 = glow::COPY_WRITE_BUFFER;
/// `GL_COPY_WRITE_BUFFER_BINDING`, which OpenGL gives the target's own number.
const TARGET_BINDING: u32 = glow::COPY_WRITE_BUFFER;

type BufferData = unsafe extern "system" fn(u32, isize, *const c_void, u32);
type GetBufferParameter64 = unsafe extern "system" fn(u32, u32, *mut i64);

/// What a new buffer holds.
pub(super) enum Contents<'a> {
    /// This many bytes of no particular value.
    Unspecified(usize),
    Bytes(&'a [u8]),
}

/// Creates a buffer with storage. The context is current and has no error pending.
pub(super) fn create_buffer(
    shared: &Shared,
    contents: &Contents<'_>,
    operation: &str,
) -> Result<glow::Buffer> {
    let gl = shared.gl();
    // SAFETY: the context is current.
    let name = unsafe { gl.create_buffer() }
        .map_err(|text| Error::new(ErrorKind::NoStorage, operation).detail(text))?;
    let allocated = with_bound(gl, name, || allocate(shared, contents, operation))
        .and_then(|()| shared.check_gl(operation));
    if let Err(error) = allocated {
        GlObject::Buffer(name).delete(gl);
        return Err(match error.kind() {
            ErrorKind::Gl(GlError(glow::OUT_OF_MEMORY)) => {
                error.hint("use a smaller buffer, or free GPU memory held by other programs")
            }
            _ => error,
        });
    }
    Ok(name)
}

fn allocate(shared: &Shared, contents: &Contents<'_>, operation: &str) -> Result<()> {
    let gl = shared.gl();
    match contents {
        // SAFETY: the context is current and the target bound; OpenGL copies the bytes.
        Contents::Bytes(bytes) => unsafe {
            gl.buffer_data_u8_slice(TARGET, bytes, glow::DYNAMIC_DRAW);
        },
        Contents::Unspecified(bytes) => allocate_unspecified(shared, *bytes, operation)?,
    }
    Ok(())
}

fn allocate_unspecified(shared: &Shared, bytes: usize, operation: &str) -> Result<()> {
    if let Ok(bytes) = i32::try_from(bytes) {
        // SAFETY: the context is current and the target bound.
        unsafe { shared.gl().buffer_data_size(TARGET, bytes, glow::DYNAMIC_DRAW) };
        return Ok(());
    }
    // glow counts in 32 bits.
    let address = shared.identity().interface.proc_address(c"glBufferData");
    if address.is_null() {
        return Err(Error::new(ErrorKind::InvalidArgument, operation)
            .detail("this system's OpenGL takes no buffer beyond 2 GiB"));
    }
    // SAFETY: this is the function's type.
    let buffer_data: BufferData = unsafe { std::mem::transmute(address) };
    // SAFETY: the context is current and the target bound; a null pointer leaves the contents open.
    unsafe { buffer_data(TARGET, bytes as isize, std::ptr::null(), glow::DYNAMIC_DRAW) };
    Ok(())
}

/// The size of a buffer's storage in bytes; 0 if it has none. The context is current.
pub(super) fn buffer_size(shared: &Shared, name: glow::Buffer) -> usize {
    let gl = shared.gl();
    with_bound(gl, name, || {
        let address = shared.identity().interface.proc_address(c"glGetBufferParameteri64v");
        let mut bytes = 0;
        if address.is_null() {
            // SAFETY: the context is current and the target bound.
            bytes = i64::from(unsafe { gl.get_buffer_parameter_i32(TARGET, glow::BUFFER_SIZE) });
        } else {
            // SAFETY: this is the function's type.
            let get: GetBufferParameter64 = unsafe { std::mem::transmute(address) };
            // SAFETY: the context is current and the target bound; one integer is written.
            unsafe { get(TARGET, glow::BUFFER_SIZE, &raw mut bytes) };
        }
        usize::try_from(bytes).unwrap_or(0)
    })
}

/// Runs `body` with `name` bound to the target, and puts the former binding back.
pub(super) fn with_bound<R>(gl: &glow::Context, name: glow::Buffer, body: impl FnOnce() -> R) -> R {
    // SAFETY: the callers have the context current, and `name` is a buffer of it.
    unsafe {
        let before = gl.get_parameter_buffer(TARGET_BINDING);
        gl.bind_buffer(TARGET, Some(name));
        let value = body();
        gl.bind_buffer(TARGET, before);
        value
    }
}

/// Reads a buffer back through OpenGL. The context is current, and the buffer holds at least `data.len()` bytes.
pub(super) fn read_buffer(shared: &Shared, name: glow::Buffer, data: &mut [u8]) {
    let gl = shared.gl();
    // SAFETY: the context is current and the target bound; the slice bounds the write.
    with_bound(gl, name, || unsafe { gl.get_buffer_sub_data(TARGET, 0, data) });
}
