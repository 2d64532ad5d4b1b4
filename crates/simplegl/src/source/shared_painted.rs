//! The painted texture of the external path: exported memory of CUDA's is linear, and a texture is not, so every frame copies.

use std::sync::Arc;

use glow::HasContext as _;
use kernels::hatch::Pixel;

use super::gl_objects::{HostPainted, fill};
use super::{PAINTED_SIZE, SourceError};
use crate::render::{RenderError, check_gl};

/// A texture, and a buffer of OpenGL's own on the way to it: NVIDIA's driver fills a texture from imported memory with what the
/// first such copy saw (seen with driver 580), while a copy between buffers sees what is there.
#[derive(Debug)]
pub(super) struct SharedPainted {
    gl: Arc<glow::Context>,
    texture: HostPainted,
    copy: glow::Buffer,
}

impl SharedPainted {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, SourceError> {
        let texture = HostPainted::new(gl)?;
        // SAFETY: the context is current; `painted` owns the name from the line after its creation.
        unsafe {
            let copy = gl
                .create_buffer()
                .map_err(|reason| RenderError::Create { object: "buffer", reason })?;
            let painted = Self { gl: Arc::clone(gl), texture, copy };
            gl.bind_buffer(glow::COPY_WRITE_BUFFER, Some(copy));
            gl.buffer_data_size(glow::COPY_WRITE_BUFFER, bytes(), glow::STREAM_COPY);
            gl.bind_buffer(glow::COPY_WRITE_BUFFER, None);
            check_gl(gl, "allocating the painted picture's copy")?;
            Ok(painted)
        }
    }

    pub(super) fn name(&self) -> glow::Texture {
        self.texture.name()
    }

    /// Uploads the whole picture.
    pub(super) fn write(&mut self, pixels: &[Pixel]) {
        self.texture.write(pixels);
    }

    /// Copies the whole picture from a buffer, on the GPU.
    pub(super) fn copy_from(&mut self, pixels: glow::Buffer) {
        let gl = &self.gl;
        // SAFETY: the context is current, and both buffers hold the whole picture.
        unsafe {
            gl.bind_buffer(glow::COPY_READ_BUFFER, Some(pixels));
            gl.bind_buffer(glow::COPY_WRITE_BUFFER, Some(self.copy));
            gl.copy_buffer_sub_data(glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER, 0, 0, bytes());
            gl.bind_buffer(glow::COPY_READ_BUFFER, None);
            gl.bind_buffer(glow::COPY_WRITE_BUFFER, None);
            let data = glow::PixelUnpackData::BufferOffset(0);
            fill(gl, self.texture.name(), Some(self.copy), data);
        }
    }
}

/// Bytes of the picture.
fn bytes() -> i32 {
    let [width, height] = PAINTED_SIZE;
    (width * height) as i32 * size_of::<Pixel>() as i32
}

impl Drop for SharedPainted {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_buffer(self.copy) }
    }
}
