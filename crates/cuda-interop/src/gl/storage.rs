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

/// As [`read_buffer`] for a buffer in imported memory, by way of a buffer of OpenGL's own: NVIDIA's driver answers a direct
/// read of imported memory with what the first such read saw (seen with driver 580), while its commands see what is there.
pub(super) fn read_imported_buffer(
    shared: &Shared,
    name: glow::Buffer,
    data: &mut [u8],
) -> std::result::Result<(), String> {
    let (gl, len) = (shared.gl(), copied_len(data.len())?);
    // SAFETY: see `with_copy`; `name` holds `len` bytes, and the copy is as long.
    with_copy(gl, |copy| unsafe {
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(name));
        gl.bind_buffer(glow::COPY_WRITE_BUFFER, Some(copy));
        gl.buffer_data_size(glow::COPY_WRITE_BUFFER, len, glow::STREAM_READ);
        gl.copy_buffer_sub_data(glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER, 0, 0, len);
        gl.get_buffer_sub_data(glow::COPY_WRITE_BUFFER, 0, data);
    })
}

/// Writes a buffer in imported memory, by way of a buffer of OpenGL's own, for the same reason. It holds `data.len()` bytes.
pub(super) fn write_imported_buffer(
    shared: &Shared,
    name: glow::Buffer,
    data: &[u8],
) -> std::result::Result<(), String> {
    let (gl, len) = (shared.gl(), copied_len(data.len())?);
    // SAFETY: see `with_copy`; `name` holds as many bytes as the copy.
    with_copy(gl, |copy| unsafe {
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(copy));
        gl.bind_buffer(glow::COPY_WRITE_BUFFER, Some(name));
        gl.buffer_data_u8_slice(glow::COPY_READ_BUFFER, data, glow::STREAM_COPY);
        gl.copy_buffer_sub_data(glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER, 0, 0, len);
    })
}

/// Bytes as glow counts them.
fn copied_len(bytes: usize) -> std::result::Result<i32, String> {
    i32::try_from(bytes).map_err(|_| format!("{bytes} bytes are more than 2 GiB in one copy"))
}

/// Runs `body` with a buffer of its own, and puts the bindings for copying back. The context is current.
fn with_copy(
    gl: &glow::Context,
    body: impl FnOnce(glow::Buffer),
) -> std::result::Result<(), String> {
    // SAFETY: the callers have the context current.
    unsafe {
        let copy = gl.create_buffer()?;
        let before = [glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER]
            .map(|target| (target, gl.get_parameter_buffer(target)));
        body(copy);
        for (target, name) in before {
            gl.bind_buffer(target, name);
        }
        gl.delete_buffer(copy);
    }
    Ok(())
}
