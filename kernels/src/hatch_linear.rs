//! `hatch_linear`: the picture of [`hatch`](crate::hatch) on pitched linear memory.

use cuda_std::prelude::*;

use crate::grid;
use crate::hatch::{background, pixel, stripe};

/// One pixel of pitched memory, 16-byte aligned so that a pixel is one load and one store.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct AlignedPixel(pub crate::hatch::Pixel);

// SAFETY: four f32, no padding (16 bytes at alignment 16), every bit pattern is a value.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for AlignedPixel {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for AlignedPixel {}

/// Advances the hatch on every pixel of an image in linear memory whose rows start `pitch_bytes` apart.
///
/// `time` is the phase in radians.
///
/// # Safety
/// `pixels` points to `height` rows of `pitch_bytes` of device memory that nobody else uses meanwhile; `pitch_bytes` is
/// at least `width * 16` and a multiple of 16; `width` and `height` are at most [`grid::MAX_SIDE`].
#[kernel]
pub unsafe fn hatch_linear(
    pixels: *mut AlignedPixel,
    pitch_bytes: u64,
    width: u32,
    height: u32,
    time: f32,
) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for the memory.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let stripe_x = stripe(x, width, time);
        let blue = background(time);
        let stride = grid::row_stride();
        let mut y = grid::first_row();
        while y < height {
            let at = pixels.byte_add(y as usize * pitch_bytes as usize).add(x as usize);
            at.write(AlignedPixel(pixel(at.read().0, stripe_x, stripe(y, height, time), blue)));
            y += stride;
        }
    }
}
