//! Buffer objects.

use std::num::NonZeroU32;

use glow::{COPY_READ_BUFFER, COPY_WRITE_BUFFER, HasContext, NativeBuffer};

/// A buffer object by its name, bound for reading while this lives.
pub(crate) struct Buffer<'a> {
    gl: &'a glow::Context,
    before: Option<NativeBuffer>,
}

const COPY_READ_BUFFER_BINDING: u32 = 0x8F36;
const COPY_WRITE_BUFFER_BINDING: u32 = 0x8F37;
const BUFFER_SIZE: u32 = 0x8764;

impl<'a> Buffer<'a> {
    /// `None` if there is no such buffer in the current context.
    pub(crate) fn bind(gl: &'a glow::Context, name: u32) -> Option<Self> {
        let buffer = NativeBuffer(NonZeroU32::new(name)?);
        // SAFETY: the context of `gl` is current; binding is put back by `drop`.
        unsafe {
            if !gl.is_buffer(buffer) {
                return None;
            }
            let before = gl.get_parameter_buffer(COPY_READ_BUFFER_BINDING);
            gl.bind_buffer(COPY_READ_BUFFER, Some(buffer));
            Some(Self { gl, before })
        }
    }

    /// The size of its storage, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // SAFETY: the buffer is bound.
        unsafe { self.gl.get_buffer_parameter_i32(COPY_READ_BUFFER, BUFFER_SIZE) as usize }
    }

    /// Reads all of it.
    pub(crate) fn read(&self, to: &mut [u8]) {
        // SAFETY: the buffer is bound and has at least that size, as the caller has asked.
        unsafe { self.gl.get_buffer_sub_data(COPY_READ_BUFFER, 0, to) };
    }

    /// Writes all of it, through a copy from another buffer: that is allowed whatever the storage's flags are.
    pub(crate) fn write(&self, from: &[u8]) {
        // SAFETY: the buffer is bound and has that size; the temporary binding is put back.
        unsafe {
            let before = self.gl.get_parameter_buffer(COPY_WRITE_BUFFER_BINDING);
            let Ok(source) = self.gl.create_buffer() else { return };
            self.gl.bind_buffer(COPY_WRITE_BUFFER, Some(source));
            self.gl.buffer_data_u8_slice(COPY_WRITE_BUFFER, from, glow::STREAM_COPY);
            self.gl.copy_buffer_sub_data(
                COPY_WRITE_BUFFER,
                COPY_READ_BUFFER,
                0,
                0,
                from.len() as i32,
            );
            self.gl.bind_buffer(COPY_WRITE_BUFFER, before);
            self.gl.delete_buffer(source);
        }
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: this buffer was bound before, or none.
        unsafe { self.gl.bind_buffer(COPY_READ_BUFFER, self.before) };
    }
}
