//! Reading and writing buffers in imported memory by way of a buffer of OpenGL's own.
//!
//! NVIDIA's driver answers a direct read of imported memory with what the first such read saw (seen with driver 580), while
//! its commands see what is there. Writes take the same way, so that what the driver remembers plays no part.

use glow::HasContext as _;

use crate::gl::context::Shared;

/// Reads the buffer from its start. The context is current, and the buffer holds at least `data.len()` bytes.
pub(super) fn read(shared: &Shared, name: glow::Buffer, data: &mut [u8]) -> Result<(), String> {
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

/// Writes the buffer from its start. The context is current, and the buffer holds at least `data.len()` bytes.
pub(super) fn write(shared: &Shared, name: glow::Buffer, data: &[u8]) -> Result<(), String> {
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
fn copied_len(bytes: usize) -> Result<i32, String> {
    i32::try_from(bytes).map_err(|_| format!("{bytes} bytes are more than 2 GiB in one copy"))
}

/// Runs `body` with a buffer of its own, and puts the bindings for copying back. The context is current.
fn with_copy(gl: &glow::Context, body: impl FnOnce(glow::Buffer)) -> Result<(), String> {
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
