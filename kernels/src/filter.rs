//! Filters of RGBA8 pictures: a box blur and an edge filter, in integers, so that both processors give the same bits.
//!
//! A filter works in place on a surface by two kernels with linear memory of one word a pixel between them:
//! [`blur_rows`] then [`blur_columns`], or [`blur_rows`] with radius 0, which copies, then [`edges`]. A pixel is one
//! word, red in the lowest byte.

use core::num::NonZero;

use cuda_std::prelude::*;

use crate::grid;
use crate::surface;

/// The largest radius of a blur: sums of 255 for each pixel of a box's side stay far below 2^32.
pub const MAX_RADIUS: u32 = 1 << 16;

/// Channel `index` of a pixel, 0 to 255.
#[inline(always)]
#[must_use]
pub fn channel(pixel: u32, index: u32) -> u32 {
    (pixel >> (8 * index)) & 255
}

/// The mean of `count` pixels from the sums of their channels, rounded to the nearest.
#[inline(always)]
#[must_use]
pub fn mean(sums: [u32; 4], count: NonZero<u32>) -> u32 {
    let round = |sum: u32| (sum + count.get() / 2) / count;
    round(sums[0]) | (round(sums[1]) << 8) | (round(sums[2]) << 16) | (round(sums[3]) << 24)
}

/// The mean of the pixels within `radius` of `at` on a line of `len`, which `pixel` gives; pixels beyond the ends do not
/// count.
#[inline(always)]
pub fn box_mean(at: u32, len: u32, radius: u32, mut pixel: impl FnMut(u32) -> u32) -> u32 {
    let first = at.saturating_sub(radius);
    let last = (at + radius).min(len - 1);
    let mut sums = [0; 4];
    let mut i = first;
    while i <= last {
        let word = pixel(i);
        sums[0] += channel(word, 0);
        sums[1] += channel(word, 1);
        sums[2] += channel(word, 2);
        sums[3] += channel(word, 3);
        i += 1;
    }
    mean(sums, NonZero::<u32>::MIN.saturating_add(last - first))
}

/// The brightness of a pixel, 0 to 255: Rec. 709's weights in 256ths.
#[inline(always)]
#[must_use]
pub fn brightness(pixel: u32) -> i32 {
    ((54 * channel(pixel, 0) + 183 * channel(pixel, 1) + 19 * channel(pixel, 2)) >> 8) as i32
}

/// The edge at the middle of nine brightnesses, row by row: Sobel's two slopes, the sum of their sizes, at most 255.
#[inline(always)]
#[must_use]
pub fn sobel(b: [i32; 9]) -> u32 {
    let across = (b[2] + 2 * b[5] + b[8]) - (b[0] + 2 * b[3] + b[6]);
    let down = (b[6] + 2 * b[7] + b[8]) - (b[0] + 2 * b[1] + b[2]);
    let size = across.unsigned_abs() + down.unsigned_abs();
    if size > 255 { 255 } else { size }
}

/// The edge at (x, y) of a picture, whose brightness beyond the edge is that at it.
#[inline(always)]
pub fn edge_at(
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    mut pixel: impl FnMut(u32, u32) -> u32,
) -> u32 {
    let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
    let (up, down) = (y.saturating_sub(1), (y + 1).min(height - 1));
    let mut at = |x, y| brightness(pixel(x, y));
    let edge = sobel([
        at(left, up),
        at(x, up),
        at(right, up),
        at(left, y),
        at(x, y),
        at(right, y),
        at(left, down),
        at(x, down),
        at(right, down),
    ]);
    edge | (edge << 8) | (edge << 16) | (255 << 24)
}

/// Writes the surface, blurred along its rows, into `temporary`.
///
/// # Safety
/// `surface` is a live surface object of a `width` x `height` RGBA8 image; `temporary` points to as many words of device
/// memory that nobody else uses meanwhile; `radius` is at most [`MAX_RADIUS`].
#[kernel]
pub unsafe fn blur_rows(temporary: *mut u32, surface: u64, width: u32, height: u32, radius: u32) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for surface and memory.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let stride = grid::row_stride();
        let mut y = grid::first_row();
        while y < height {
            let pixel = box_mean(x, width, radius, |x| surface::load_rgba8(surface, x, y));
            temporary.add(y as usize * width as usize + x as usize).write(pixel);
            y += stride;
        }
    }
}

/// Writes `temporary`, blurred along its columns, into the surface.
///
/// # Safety
/// As [`blur_rows`]; nobody writes `temporary` meanwhile.
#[kernel]
pub unsafe fn blur_columns(
    temporary: *mut u32,
    surface: u64,
    width: u32,
    height: u32,
    radius: u32,
) {
    // SAFETY: as in `blur_rows`.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let stride = grid::row_stride();
        let mut y = grid::first_row();
        while y < height {
            let pixel = box_mean(y, height, radius, |y| {
                temporary.add(y as usize * width as usize + x as usize).read()
            });
            surface::store_rgba8(surface, x, y, pixel);
            y += stride;
        }
    }
}

/// Writes the edges of `temporary` into the surface.
///
/// # Safety
/// As [`blur_columns`].
#[kernel]
pub unsafe fn edges(temporary: *mut u32, surface: u64, width: u32, height: u32) {
    // SAFETY: as in `blur_rows`.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let stride = grid::row_stride();
        let mut y = grid::first_row();
        while y < height {
            let pixel = edge_at(x, y, width, height, |x, y| {
                temporary.add(y as usize * width as usize + x as usize).read()
            });
            surface::store_rgba8(surface, x, y, pixel);
            y += stride;
        }
    }
}
