//! The GL objects of the sources that write from the host: a vertex buffer and the painted texture.

use std::sync::Arc;

use glow::HasContext as _;
use kernels::Vertex;
use kernels::hatch::Pixel;

use super::{PAINTED_SIZE, SourceError};
use crate::mesh::MeshSize;
use crate::render::{RenderError, check_gl};

/// The largest buffer, in bytes: glow counts in `i32`.
const MOST_BYTES: u64 = i32::MAX as u64;

/// A GL buffer of a mesh's vertices.
#[derive(Debug)]
pub(super) struct HostVertices {
    gl: Arc<glow::Context>,
    name: glow::Buffer,
    mesh: MeshSize,
}

impl HostVertices {
    pub(super) fn new(gl: &Arc<glow::Context>, mesh: MeshSize) -> Result<Self, SourceError> {
        if mesh.bytes() > MOST_BYTES {
            return Err(SourceError::MeshTooLarge { mesh, limit_bytes: MOST_BYTES });
        }
        // SAFETY: the context is current; `buffer` owns the name from the line after its creation.
        unsafe {
            let name = gl
                .create_buffer()
                .map_err(|reason| RenderError::Create { object: "buffer", reason })?;
            let buffer = Self { gl: Arc::clone(gl), name, mesh };
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(name));
            gl.buffer_data_size(glow::ARRAY_BUFFER, mesh.bytes() as i32, glow::STREAM_DRAW);
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
            check_gl(gl, "allocating the vertex buffer")?;
            Ok(buffer)
        }
    }

    pub(super) fn name(&self) -> glow::Buffer {
        self.name
    }

    pub(super) fn mesh(&self) -> MeshSize {
        self.mesh
    }

    /// Lets `fill` write all vertices into the buffer's memory. OpenGL hands out fresh memory if it still draws from the old.
    pub(super) fn write(
        &mut self,
        fill: impl FnOnce(&mut [Vertex]) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let gl = &self.gl;
        // SAFETY: the range is the whole buffer; the pointer is checked before it is used.
        let pointer = unsafe {
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.name));
            gl.map_buffer_range(
                glow::ARRAY_BUFFER,
                0,
                self.mesh.bytes() as i32,
                glow::MAP_WRITE_BIT | glow::MAP_INVALIDATE_BUFFER_BIT,
            )
        };
        if pointer.is_null() {
            let error = check_gl(gl, "mapping the vertex buffer");
            return Err(match error {
                Err(error) => SourceError::Map(error),
                Ok(()) => SourceError::Map(RenderError::Gl {
                    doing: "mapping the vertex buffer",
                    code: glow::NO_ERROR,
                }),
            });
        }
        let mapped = Unmap { gl };
        // OpenGL maps buffers at multiples of 64 bytes (GL_MIN_MAP_BUFFER_ALIGNMENT), or at least as malloc does.
        #[allow(clippy::cast_ptr_alignment)]
        let first = pointer.cast::<Vertex>();
        assert!(
            first.is_aligned(),
            "OpenGL mapped a buffer at an address that is not a multiple of 16"
        );
        // SAFETY: an aligned pointer to the whole buffer, which is ours until it is unmapped; every bit pattern is a vertex.
        let vertices =
            unsafe { std::slice::from_raw_parts_mut(first, self.mesh.vertices() as usize) };
        let filled = fill(vertices);
        drop(mapped);
        filled
    }
}

/// Unmaps the bound vertex buffer, also on error and panic.
struct Unmap<'a> {
    gl: &'a glow::Context,
}

impl Drop for Unmap<'_> {
    fn drop(&mut self) {
        // SAFETY: the buffer that is bound was mapped when this was made.
        unsafe {
            self.gl.unmap_buffer(glow::ARRAY_BUFFER);
            self.gl.bind_buffer(glow::ARRAY_BUFFER, None);
        }
    }
}

impl Drop for HostVertices {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_buffer(self.name) }
    }
}

/// The painted texture, RGBA32F, [`PAINTED_SIZE`] pixels, black at first.
#[derive(Debug)]
pub(super) struct HostPainted {
    gl: Arc<glow::Context>,
    name: glow::Texture,
}

impl HostPainted {
    pub(super) fn new(gl: &Arc<glow::Context>) -> Result<Self, SourceError> {
        let [width, height] = PAINTED_SIZE.map(|side| side as i32);
        let black = vec![[0.0_f32; 4]; (width * height) as usize];
        // SAFETY: the context is current; `texture` owns the name from the line after its creation, and the pixels are as
        // many as the size says.
        unsafe {
            let name = gl
                .create_texture()
                .map_err(|reason| RenderError::Create { object: "texture", reason })?;
            let texture = Self { gl: Arc::clone(gl), name };
            gl.bind_texture(glow::TEXTURE_2D, Some(name));
            // Complete without further levels.
            gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, 0);
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                glow::RGBA32F as i32,
                width,
                height,
                0,
                glow::RGBA,
                glow::FLOAT,
                glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(&black))),
            );
            gl.bind_texture(glow::TEXTURE_2D, None);
            check_gl(gl, "allocating the painted texture")?;
            Ok(texture)
        }
    }

    pub(super) fn name(&self) -> glow::Texture {
        self.name
    }

    /// Uploads the whole picture.
    pub(super) fn write(&mut self, pixels: &[Pixel]) {
        upload(&self.gl, self.name, pixels);
    }
}

/// Uploads a whole picture to a texture of [`PAINTED_SIZE`].
pub(super) fn upload(gl: &glow::Context, texture: glow::Texture, pixels: &[Pixel]) {
    let [width, height] = PAINTED_SIZE.map(|side| side as i32);
    assert_eq!(pixels.len(), (width * height) as usize, "the slice is the picture");
    // SAFETY: the context is current, and the pixels are as many as the size says.
    unsafe {
        gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
        gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.tex_sub_image_2d(
            glow::TEXTURE_2D,
            0,
            0,
            0,
            width,
            height,
            glow::RGBA,
            glow::FLOAT,
            glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(pixels))),
        );
        gl.bind_texture(glow::TEXTURE_2D, None);
    }
}

impl Drop for HostPainted {
    fn drop(&mut self) {
        // SAFETY: our own name, of the context that we hold.
        unsafe { self.gl.delete_texture(self.name) }
    }
}
