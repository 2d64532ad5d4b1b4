//! Points to pixels without OpenGL: what the raster kernels share.
//!
//! A frame is one 64-bit word per pixel: depth in the upper half, the index of the vertex in the lower. The least word of a
//! pixel is its nearest vertex, the first of them where depths are equal: OpenGL's depth test `LESS`. Colours are worked out
//! afterwards, once per pixel, from the index ([`raster_resolve`](crate::raster_resolve)), so a vertex costs one projection
//! and, most of the time, not even a memory access: a thread walks along neighbouring vertices, which fall into the same
//! pixel again and again, keeps their least word in a register ([`Run`]) and goes to memory only when the pixel changes.
//!
//! The pixel is the one that OpenGL gives a point of size 1: clip to -w..w, divide by w, scale to the viewport, round to the
//! rasteriser's sub-pixel grid, take the pixel whose centre the unit square around the point contains. For a point exactly
//! between two pixels that is one or the other by the rasteriser's rule, see [`PixelRule`].

use core::sync::atomic::{AtomicU64, Ordering};

use crate::trig::fma;
use crate::{Vertex, grid};

/// A pixel without a point: OpenGL's cleared depth, 1. No vertex at that depth or beyond is less.
pub const CLEAR: u64 = (FAR_DEPTH as u64) << 32;

/// The depth 1 in 24 bits.
const FAR_DEPTH: u32 = 0x00FF_FFFF;

/// The pixel index of a vertex that is out of sight.
const NOWHERE: u32 = u32::MAX;

/// [`PointView::order`]: visit the columns of the mesh from the last to the first.
pub const COLUMNS_REVERSED: u32 = 1;
/// [`PointView::order`]: visit the rows of the mesh from the last to the first.
pub const ROWS_REVERSED: u32 = 2;

/// How a rasteriser rounds points to pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRule {
    /// Bits of a pixel coordinate after the point: OpenGL's `GL_SUBPIXEL_BITS`.
    pub subpixel_bits: u32,
    /// Whether a point exactly between two pixels of a row takes the left one.
    pub left: bool,
    /// Whether a point exactly between two rows takes the lower one.
    pub lower: bool,
}

impl Default for PixelRule {
    /// 8 bits, and the left and the upper pixel: Direct3D's top-left rule.
    fn default() -> Self {
        Self { subpixel_bits: 8, left: true, lower: false }
    }
}

/// From vertices to pixels: the camera, the picture's size, and the order in which to visit the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct PointView {
    /// The rows of projection times view: `clip[0]` gives x, then y, z and w.
    pub clip: [[f32; 4]; 4],
    /// Half the picture's width and height in sub-pixels.
    pub half_extent: [f32; 2],
    /// What the middle of the picture rounds down from, in sub-pixels.
    pub middle: [f32; 2],
    /// Pixels in a row.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// Bits of a pixel coordinate after the point.
    pub subpixel_bits: u32,
    /// [`COLUMNS_REVERSED`] and [`ROWS_REVERSED`]: nearest first saves memory traffic and changes nothing else.
    pub order: u32,
}

// SAFETY: f32 and u32 alone, no padding, every bit pattern is a value.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for PointView {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for PointView {}

/// Where a vertex lands: the index of its pixel (row by row from the bottom), and its depth in 24 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// `y * width + x`; [`u32::MAX`] if it is out of sight.
    pub pixel: u32,
    /// 0 (near) to 2^24 - 1 (far).
    pub depth: u32,
}

impl PointView {
    /// A view through `clip`, the rows of projection times view, onto `width` x `height` pixels. `order` is 0.
    #[must_use]
    pub fn new(clip: [[f32; 4]; 4], width: u32, height: u32, rule: PixelRule) -> Self {
        let subpixel_bits = rule.subpixel_bits.min(16);
        let subpixels = (1u32 << subpixel_bits) as f32;
        let half_extent = [width as f32 * 0.5 * subpixels, height as f32 * 0.5 * subpixels];
        // Half a sub-pixel more, so that rounding down rounds to the nearest; a whole one less, and what lies on a border
        // is before it.
        let rounding = |before: bool| if before { -0.5 } else { 0.5 };
        let middle = [half_extent[0] + rounding(rule.left), half_extent[1] + rounding(rule.lower)];
        Self { clip, half_extent, middle, width, height, subpixel_bits, order: 0 }
    }

    /// Projects a vertex.
    #[inline(always)]
    #[must_use]
    pub fn project(&self, at: Vertex) -> Landing {
        let [x, y, z, w] = self
            .clip
            .map(|row| fma(row[2], at.z, fma(row[1], at.y, fma(row[0], at.x, row[3] * at.w))));
        let inverse_w = 1.0 / w;
        let [half_x, half_y] = self.half_extent;
        let across = fma(x * inverse_w, half_x, self.middle[0]);
        let up = fma(y * inverse_w, half_y, self.middle[1]);
        let far = fma(z * inverse_w, 0.5 * FAR_DEPTH as f32, 0.5 * FAR_DEPTH as f32);
        // Written so that a NaN anywhere is out of sight.
        let seen = w > 0.0
            && z.abs() <= w
            && across >= 0.0
            && across < 2.0 * half_x
            && up >= 0.0
            && up < 2.0 * half_y;
        let zero_unless_seen = |value: f32| if seen { value } else { 0.0 };
        // SAFETY: 0, or from 0 to twice the half extent (below 2^31) by the comparisons, or a depth within 0 to 2^24.
        let (column, row, depth) = unsafe {
            (
                zero_unless_seen(across).to_int_unchecked::<u32>() >> self.subpixel_bits,
                zero_unless_seen(up).to_int_unchecked::<u32>() >> self.subpixel_bits,
                zero_unless_seen(far).to_int_unchecked::<u32>(),
            )
        };
        Landing { pixel: if seen { row * self.width + column } else { NOWHERE }, depth }
    }

    /// The column that is visited as the `i`-th of `n`.
    #[inline(always)]
    #[must_use]
    pub fn column(&self, i: u32, n: u32) -> u32 {
        if self.order & COLUMNS_REVERSED != 0 { n - 1 - i } else { i }
    }

    /// The row that is visited as the `i`-th of `n`.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, i: u32, n: u32) -> u32 {
        if self.order & ROWS_REVERSED != 0 { n - 1 - i } else { i }
    }
}

/// Calls `visit` with the rows of the mesh (counted in the order of visiting) that this thread of a raster kernel takes: groups
/// of `rows_per_thread` rows, one group per row of the grid, the groups beyond the grid by striding.
///
/// # Safety
/// Only inside a kernel.
#[inline(always)]
pub(crate) unsafe fn for_each_group(
    height: u32,
    rows_per_thread: u32,
    mut visit: impl FnMut(u32, u32),
) {
    let rows_per_thread = rows_per_thread.max(1);
    let groups = height.div_ceil(rows_per_thread);
    // SAFETY: inside a kernel, by the caller's promise.
    let (mut group, stride) = unsafe { (grid::first_row(), grid::row_stride()) };
    while group < groups {
        let first = group * rows_per_thread;
        visit(first, first + rows_per_thread.min(height - first));
        group += stride;
    }
}

/// The word of a vertex.
#[inline(always)]
#[must_use]
pub fn word(depth: u32, index: u32) -> u64 {
    (depth as u64) << 32 | index as u64
}

/// The vertex whose word it is; `None` if no vertex hit the pixel.
#[inline(always)]
#[must_use]
pub fn index_of(word: u64) -> Option<u32> {
    if word == CLEAR { None } else { Some(word as u32) }
}

/// Neighbouring vertices in the same pixel, reduced to their least word.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pixel: u32,
    least: u64,
}

impl Run {
    /// A run that has not begun.
    pub const EMPTY: Self = Self { pixel: NOWHERE, least: CLEAR };

    /// Adds a vertex; if it lies in another pixel, the run so far goes to memory and a new one begins.
    ///
    /// # Safety
    /// As [`Run::finish`].
    #[inline(always)]
    pub unsafe fn add(&mut self, words: *mut u64, landing: Landing, index: u32) {
        let word = word(landing.depth, index);
        if landing.pixel == self.pixel {
            self.least = if word < self.least { word } else { self.least };
        } else {
            // SAFETY: the caller's promise.
            unsafe { self.finish(words) };
            *self = Self { pixel: landing.pixel, least: word };
        }
    }

    /// Lowers the pixel's word to the run's. Most runs lose against what is there already, so look before the atomic
    /// operation: a word only ever gets smaller, so a value read too early costs a needless operation and no more.
    ///
    /// # Safety
    /// `words` points to the words of a picture of the size that the landings were made for; all threads use them
    /// through this function alone.
    #[inline(always)]
    pub unsafe fn finish(&self, words: *mut u64) {
        if self.pixel != NOWHERE {
            // SAFETY: the pixel lies in the picture; nobody accesses the words other than atomically.
            let target = unsafe { AtomicU64::from_ptr(words.add(self.pixel as usize)) };
            if self.least < target.load(Ordering::Relaxed) {
                target.fetch_min(self.least, Ordering::Relaxed);
            }
        }
    }
}
