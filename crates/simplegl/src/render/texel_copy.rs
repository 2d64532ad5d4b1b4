//! Texels from a buffer into a texture, bit for bit, by a compute shader.
//!
//! One pass over memory that something else than OpenGL writes. NVIDIA's driver (seen with 580) fills a texture from imported
//! memory with what the first such copy saw; by way of a buffer of OpenGL's own it is right, and a tenth slower than this.

use std::sync::Arc;

use glow::HasContext as _;

use super::RenderError;
use super::program::Program;

const SOURCE: &str = include_str!("shaders/texels.comp");
/// Invocations in a group, as in the shader.
const GROUP: u32 = 64;

/// Copies RGBA32F texels.
#[derive(Debug)]
pub(crate) struct TexelCopy {
    gl: Arc<glow::Context>,
    program: Program,
}

impl TexelCopy {
    /// # Errors
    /// When OpenGL has no compute shaders, and when OpenGL refuses this one.
    pub(crate) fn new(gl: &Arc<glow::Context>) -> Result<Self, RenderError> {
        Ok(Self { gl: Arc::clone(gl), program: Program::link_compute(gl, "texels", SOURCE)? })
    }

    /// Fills a texture of `width` by `height` texels from a buffer, row by row.
    ///
    /// # Safety
    /// The context is current, the buffer holds so many texels of 16 bytes, and the texture is RGBA32F, of that size and
    /// complete.
    pub(crate) unsafe fn copy(
        &self,
        buffer: glow::Buffer,
        texture: glow::Texture,
        [width, height]: [u32; 2],
    ) {
        let gl = &self.gl;
        self.program.bind();
        // SAFETY: the caller's promise; the shader reads so many texels and writes inside the texture. The barrier is for those
        // who sample the texture, and for those who read or write it through OpenGL.
        unsafe {
            gl.bind_buffer_base(glow::SHADER_STORAGE_BUFFER, 0, Some(buffer));
            gl.bind_image_texture(0, Some(texture), 0, false, 0, glow::WRITE_ONLY, glow::RGBA32UI);
            gl.dispatch_compute((width * height).div_ceil(GROUP), 1, 1);
            gl.memory_barrier(glow::TEXTURE_FETCH_BARRIER_BIT | glow::TEXTURE_UPDATE_BARRIER_BIT);
            gl.bind_image_texture(0, None, 0, false, 0, glow::WRITE_ONLY, glow::RGBA32UI);
            gl.bind_buffer_base(glow::SHADER_STORAGE_BUFFER, 0, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless::{HeadlessContext, Wanted};

    /// Width and height; more texels than whole groups.
    const SIZE: [u32; 2] = [13, 31];

    #[test]
    fn every_bit_arrives_also_of_what_is_no_number() {
        let context = HeadlessContext::new(Wanted::Any).unwrap();
        let gl = context.gl().glow();
        let copy = TexelCopy::new(gl).unwrap();
        let odd = [1, 0x8000_0001, 0x007f_ffff, 0x7fc0_1234, 0x7f80_0000, 0x8000_0000, 0x3f80_0000];
        let values = 4 * (SIZE[0] * SIZE[1]) as usize;
        let words: Vec<u32> = odd.into_iter().cycle().take(values).collect();
        let [width, height] = SIZE.map(|side| side as i32);
        let mut found = vec![0_u32; values];
        // SAFETY: the context is current; buffer and texture are of so many texels, and the texture is complete.
        unsafe {
            let (buffer, texture) = (gl.create_buffer().unwrap(), gl.create_texture().unwrap());
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            let bytes = bytemuck::cast_slice(&words);
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytes, glow::STREAM_DRAW);
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA32F, width, height);
            copy.copy(buffer, texture, SIZE);
            let data = glow::PixelPackData::Slice(Some(bytemuck::cast_slice_mut(&mut found)));
            gl.get_tex_image(glow::TEXTURE_2D, 0, glow::RGBA, glow::FLOAT, data);
            assert_eq!(gl.get_error(), glow::NO_ERROR);
            gl.delete_texture(texture);
            gl.delete_buffer(buffer);
        }
        assert_eq!(found, words);
    }
}
