//! What OpenGL holds: the mesh and the painted texture, read back through GL itself.

use glow::HasContext as _;
use kernels::Vertex;
use kernels::hatch::Pixel;

use crate::render::{RenderError, check_gl};
use crate::source::{PAINTED_SIZE, Source};

/// Bytes of one read: glow counts in `i32`.
const MOST_BYTES: u64 = i32::MAX as u64;

/// The vertices in a source's buffer. Waits for whoever writes them.
///
/// # Errors
/// When the mesh is beyond 2 GiB, or OpenGL refuses.
pub fn vertices(gl: &glow::Context, source: &dyn Source) -> Result<Vec<Vertex>, RenderError> {
    read(gl, source.vertices(), 0, source.mesh().vertices())
}

/// One vertex of a source's buffer. Waits for whoever writes it.
///
/// # Errors
/// When the vertex is beyond 2 GiB, or OpenGL refuses.
pub fn vertex(gl: &glow::Context, source: &dyn Source, index: u64) -> Result<Vertex, RenderError> {
    Ok(read(gl, source.vertices(), index, 1)?[0])
}

/// Reads `count` vertices from `first` on, by way of a copy: NVIDIA's driver answers a direct read of imported memory with
/// what the first such read saw (seen with driver 580), while its commands, a copy or a draw call, see what is there.
fn read(
    gl: &glow::Context,
    buffer: glow::Buffer,
    first: u64,
    count: u64,
) -> Result<Vec<Vertex>, RenderError> {
    let [offset, bytes] = [first, count].map(|vertices| vertices * size_of::<Vertex>() as u64);
    if offset.max(bytes) > MOST_BYTES {
        return Err(RenderError::ReadTooLarge { bytes: offset.max(bytes) });
    }
    let mut vertices = vec![Vertex::default(); count as usize];
    // SAFETY: the context is current; OpenGL itself refuses to copy or read beyond a buffer.
    unsafe {
        let copy = gl
            .create_buffer()
            .map_err(|reason| RenderError::Create { object: "buffer", reason })?;
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(buffer));
        gl.bind_buffer(glow::COPY_WRITE_BUFFER, Some(copy));
        let (offset, bytes) = (offset as i32, bytes as i32);
        gl.buffer_data_size(glow::COPY_WRITE_BUFFER, bytes, glow::STREAM_READ);
        gl.copy_buffer_sub_data(glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER, offset, 0, bytes);
        gl.get_buffer_sub_data(glow::COPY_WRITE_BUFFER, 0, bytemuck::cast_slice_mut(&mut vertices));
        gl.bind_buffer(glow::COPY_READ_BUFFER, None);
        gl.bind_buffer(glow::COPY_WRITE_BUFFER, None);
        gl.delete_buffer(copy);
    }
    check_gl(gl, "reading the vertex buffer back")?;
    Ok(vertices)
}

/// The pixels of a source's painted texture, row by row. Waits for whoever writes them.
///
/// # Errors
/// When OpenGL refuses.
pub fn painted(gl: &glow::Context, source: &dyn Source) -> Result<Vec<Pixel>, RenderError> {
    let [width, height] = PAINTED_SIZE;
    let mut pixels: Vec<Pixel> = vec![[0.0; 4]; width as usize * height as usize];
    // SAFETY: the context is current; the memory holds every pixel of the texture, which has that size by contract.
    unsafe {
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
        gl.bind_texture(glow::TEXTURE_2D, Some(source.painted()));
        gl.get_tex_image(
            glow::TEXTURE_2D,
            0,
            glow::RGBA,
            glow::FLOAT,
            glow::PixelPackData::Slice(Some(bytemuck::cast_slice_mut(&mut pixels))),
        );
        gl.bind_texture(glow::TEXTURE_2D, None);
    }
    check_gl(gl, "reading the painted texture back")?;
    Ok(pixels)
}
