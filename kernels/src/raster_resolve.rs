//! `raster_resolve`: from the words of a picture to its colours.

use cuda_std::prelude::*;

use crate::hatch::Pixel;
use crate::hatch_linear::AlignedPixel;
use crate::raster::{CLEAR, index_of};
use crate::trig::fma;
use crate::{Vertex, WaveMesh, grid, surface};

/// Colours of a colour map.
pub const MAP_ENTRIES: u32 = 256;

/// [`Shading::mode`]: one colour for all points.
pub const SOLID: u32 = 0;
/// [`Shading::mode`]: by height, through a colour map.
pub const HEIGHT: u32 = 1;
/// [`Shading::mode`]: from the painted image.
pub const PAINTED: u32 = 2;

/// An RGBA8 colour, red in the lowest byte.
pub type Rgba8 = u32;

/// How points are coloured. Addresses are of device memory on the GPU, of host memory on the CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Shading {
    /// Address of the mesh's vertices; 0 to work them out again from `mesh`.
    pub vertices: u64,
    /// Address of the [`MAP_ENTRIES`] RGBA8 colours of the colour map. Needed for [`HEIGHT`].
    pub color_map: u64,
    /// Address of the painted image, 16-byte pixels row by row without gaps. Needed for [`PAINTED`].
    pub painted: u64,
    /// Pixels in a row of the painted image.
    pub painted_width: u32,
    /// Rows of the painted image.
    pub painted_height: u32,
    /// [`SOLID`], [`HEIGHT`] or [`PAINTED`].
    pub mode: u32,
    /// The colour of [`SOLID`].
    pub solid: Rgba8,
    /// The colour where no point is.
    pub background: Rgba8,
    /// 1 / |amplitude|, or 0 if the mesh is flat.
    pub inverse_amplitude: f32,
    /// The mesh; of its wave, nothing counts if `vertices` is not 0.
    pub mesh: WaveMesh,
    /// Fills the last 8 bytes; 0.
    pub padding: u32,
}

// SAFETY: u64, u32 and f32 alone; the 3 * 8 + 12 * 4 = 72 bytes leave no padding; every bit pattern is a value.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for Shading {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for Shading {}

impl Shading {
    /// The colour of the pixel whose word this is.
    ///
    /// # Safety
    /// The addresses are as described, and the word was made for this mesh.
    #[inline(always)]
    #[must_use]
    pub unsafe fn color(&self, word: u64) -> Rgba8 {
        let Some(index) = index_of(word) else {
            return self.background;
        };
        if self.mode == SOLID {
            return self.solid;
        }
        // SAFETY: the caller's promise.
        unsafe {
            if self.mode == HEIGHT { self.mapped_height(index) } else { self.painted_at(index) }
        }
    }

    /// The colour map at the vertex's height, between its two nearest entries.
    #[inline(always)]
    unsafe fn mapped_height(&self, index: u32) -> Rgba8 {
        // SAFETY: the caller's promise: the vertices, if any, are those that the index was made from.
        let height = unsafe { self.height(index) };
        let t = fma(0.5 * height, self.inverse_amplitude, 0.5).clamp(0.0, 1.0);
        let place = t * (MAP_ENTRIES - 1) as f32;
        let low = (place as u32).min(MAP_ENTRIES - 2);
        let map = self.color_map as *const Rgba8;
        // SAFETY: `low` and the entry after it lie in the map.
        let (a, b) = unsafe { (map.add(low as usize).read(), map.add(low as usize + 1).read()) };
        let fraction = place - low as f32;
        let channel = |shift: u32| {
            let (a, b) = ((a >> shift & 255) as f32, (b >> shift & 255) as f32);
            (fma(fraction, b - a, a) + 0.5) as u32
        };
        pack([channel(0), channel(8), channel(16), 255])
    }

    #[inline(always)]
    unsafe fn height(&self, index: u32) -> f32 {
        if self.vertices == 0 {
            self.mesh.vertex(index).y
        } else {
            // SAFETY: the caller's promise.
            unsafe { (*(self.vertices as *const Vertex).add(index as usize)).y }
        }
    }

    /// The painted image at the vertex's place in the mesh, between its four nearest pixels; the edge goes on outside.
    #[inline(always)]
    unsafe fn painted_at(&self, index: u32) -> Rgba8 {
        let (column, row) = self.mesh.cell(index);
        let (x, x_next, along_x) = place(column, self.mesh.width, self.painted_width);
        let (y, y_next, along_y) = place(row, self.mesh.height, self.painted_height);
        let image = self.painted as *const AlignedPixel;
        let at = |x: u32, y: u32| -> Pixel {
            let offset = y as usize * self.painted_width as usize + x as usize;
            // SAFETY: `place` answers indices within the image.
            unsafe { image.add(offset).read().0 }
        };
        let (low, high) = ([at(x, y), at(x_next, y)], [at(x, y_next), at(x_next, y_next)]);
        let channel = |c: usize| {
            let below = fma(along_x, low[1][c] - low[0][c], low[0][c]);
            let above = fma(along_x, high[1][c] - high[0][c], high[0][c]);
            unorm8(fma(along_y, above - below, below))
        };
        pack([channel(0), channel(1), channel(2), 255])
    }
}

/// Where cell `i` of `n` samples an axis of `pixels` pixels: the two nearest, and the way from the first to the second.
#[inline(always)]
fn place(i: u32, n: u32, pixels: u32) -> (u32, u32, f32) {
    let last = if n > 1 { n - 1 } else { 1 };
    let at = fma(i as f32 / last as f32, pixels as f32, -0.5).clamp(0.0, (pixels - 1) as f32);
    let low = at as u32;
    let next = if low + 1 < pixels { low + 1 } else { low };
    (low, next, at - low as f32)
}

/// A colour channel from 0 to 1 in 8 bits, rounded as OpenGL does.
#[inline(always)]
#[must_use]
pub fn unorm8(value: f32) -> u32 {
    fma(value.clamp(0.0, 1.0), 255.0, 0.5) as u32
}

/// Four 8-bit channels as one colour.
#[inline(always)]
#[must_use]
pub fn pack([r, g, b, a]: [u32; 4]) -> Rgba8 {
    r | g << 8 | b << 16 | a << 24
}

/// Colours a picture of `width` x `height` pixels from its words, and clears them for the next frame.
///
/// # Safety
/// `words` points to one word per pixel, made for the mesh that `shading` describes; `surface` is a surface object of a
/// two-dimensional RGBA8 image of at least that size; nobody else uses either meanwhile; `shading` is as its fields say.
#[kernel]
pub unsafe fn raster_resolve(
    words: *mut u64,
    surface: u64,
    width: u32,
    height: u32,
    shading: Shading,
) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for the memory and the surface.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let stride = grid::row_stride();
        let mut y = grid::first_row();
        while y < height {
            let at = words.add(y as usize * width as usize + x as usize);
            surface::store_rgba8(surface, x, y, shading.color(at.read()));
            at.write(CLEAR);
            y += stride;
        }
    }
}
