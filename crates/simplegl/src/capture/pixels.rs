//! A picture in the host's memory, and how to get one from OpenGL.

use glow::HasContext as _;

use super::CaptureError;
use crate::render::check_gl;

/// An RGB picture, 8 bits a channel, row 0 at the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").field("size", &self.size).finish_non_exhaustive()
    }
}

impl Picture {
    /// From OpenGL's layout: RGBA, row 0 at the bottom. The alpha is dropped: the window's is not defined.
    #[must_use]
    pub fn from_gl(size: [u32; 2], rgba: &[u8]) -> Self {
        let mut picture = Self { size, rgb: Vec::new() };
        picture.copy_from_gl(size, rgba);
        picture
    }

    /// [`Picture::from_gl`] into the memory that this picture already has.
    ///
    /// # Panics
    /// If there are not four bytes for every pixel.
    pub fn copy_from_gl(&mut self, size: [u32; 2], rgba: &[u8]) {
        let row_bytes = size[0] as usize * 4;
        assert_eq!(rgba.len(), row_bytes * size[1] as usize, "four bytes a pixel");
        self.size = size;
        self.rgb.clear();
        for row in rgba.chunks_exact(row_bytes.max(1)).rev() {
            self.rgb.extend(row.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]));
        }
    }
}

/// Reads the colours of a framebuffer (`None`: the window's back buffer). Waits for the drawing to finish.
///
/// # Errors
/// When OpenGL refuses.
pub fn read_framebuffer(
    gl: &glow::Context,
    framebuffer: Option<glow::Framebuffer>,
    size: [u32; 2],
) -> Result<Picture, CaptureError> {
    let mut rgba = vec![0; size[0] as usize * size[1] as usize * 4];
    // SAFETY: the context is current; the memory holds four bytes for every pixel, in rows without padding.
    unsafe {
        gl.bind_framebuffer(glow::READ_FRAMEBUFFER, framebuffer);
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
        gl.read_pixels(
            0,
            0,
            size[0] as i32,
            size[1] as i32,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelPackData::Slice(Some(&mut rgba)),
        );
    }
    check_gl(gl, "reading the picture back")?;
    Ok(Picture::from_gl(size, &rgba))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_turned_over_and_alpha_dropped() {
        let rgba = [1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 0];
        let picture = Picture::from_gl([2, 2], &rgba);
        assert_eq!(picture.rgb, [7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6]);
    }
}
