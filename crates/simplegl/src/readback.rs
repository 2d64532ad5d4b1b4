//! What OpenGL holds: the mesh and the painted texture, read back through GL itself.

use glow::HasContext as _;
use kernels::Vertex;
use kernels::hatch::Pixel;

use crate::mesh::MeshSize;
use crate::render::{RenderError, check_gl};
use crate::source::{PAINTED_SIZE, Source};

/// Bytes of one read: glow counts in `i32`.
const MOST_BYTES: u64 = i32::MAX as u64;

/// The vertices in a source's buffer. Waits for whoever writes them.
///
/// # Errors
/// When the mesh is beyond 2 GiB, or OpenGL refuses.
pub fn vertices(gl: &glow::Context, source: &dyn Source) -> Result<Vec<Vertex>, RenderError> {
    read_buffer(gl, source.vertices(), source.mesh())
}

fn read_buffer(
    gl: &glow::Context,
    buffer: glow::Buffer,
    mesh: MeshSize,
) -> Result<Vec<Vertex>, RenderError> {
    if mesh.bytes() > MOST_BYTES {
        return Err(RenderError::ReadTooLarge { bytes: mesh.bytes() });
    }
    let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
    // SAFETY: the context is current; OpenGL itself refuses to read beyond the buffer.
    unsafe {
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(buffer));
        gl.get_buffer_sub_data(glow::COPY_READ_BUFFER, 0, bytemuck::cast_slice_mut(&mut vertices));
        gl.bind_buffer(glow::COPY_READ_BUFFER, None);
    }
    check_gl(gl, "reading the vertex buffer back")?;
    Ok(vertices)
}

/// One vertex of a source's buffer. Waits for whoever writes it.
///
/// # Errors
/// When the vertex is beyond 2 GiB, or OpenGL refuses.
pub fn vertex(gl: &glow::Context, source: &dyn Source, index: u64) -> Result<Vertex, RenderError> {
    let offset = index * size_of::<Vertex>() as u64;
    if offset > MOST_BYTES {
        return Err(RenderError::ReadTooLarge { bytes: offset });
    }
    let mut vertex = [Vertex::default()];
    // SAFETY: as in `read_buffer`.
    unsafe {
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(source.vertices()));
        let bytes = bytemuck::cast_slice_mut(&mut vertex);
        gl.get_buffer_sub_data(glow::COPY_READ_BUFFER, offset as i32, bytes);
        gl.bind_buffer(glow::COPY_READ_BUFFER, None);
    }
    check_gl(gl, "reading a vertex back")?;
    Ok(vertex[0])
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
