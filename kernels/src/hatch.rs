//! `hatch`: a moving red and green hatch on a strobing blue background, the picture of NVIDIA's Direct3D 11 texture
//! sample, on a surface object.

use cuda_std::prelude::*;

use crate::grid;
use crate::surface;
use crate::trig::{Angle, cos, fma};

/// One pixel: red, green, blue, alpha.
pub type Pixel = [f32; 4];

/// The hatch along one axis at position `i` of `n`: `0.5 + 0.5 cos(time + 10 (2 i / n - 1))`, cubed.
#[inline(always)]
#[must_use]
pub fn stripe(i: u32, n: u32, time: f32) -> f32 {
    let position = 2.0 * i as f32 / n as f32 - 1.0;
    let c = fma(0.5, Angle::affine(10.0, position, time).cos(), 0.5);
    c * c * c
}

/// The background: `0.5 + 0.5 cos(time)`.
#[inline(always)]
#[must_use]
pub fn background(time: f32) -> f32 {
    fma(0.5, cos(time), 0.5)
}

/// The new value of a pixel: half the old red and green, half the stripes; blue is the background, alpha 1.
#[inline(always)]
#[must_use]
pub fn pixel(old: Pixel, stripe_x: f32, stripe_y: f32, background: f32) -> Pixel {
    [fma(0.5, old[0], 0.5 * stripe_x), fma(0.5, old[1], 0.5 * stripe_y), background, 1.0]
}

/// Advances the hatch on every pixel of an image: reads the old value, writes the new one.
///
/// `time` is the phase in radians.
///
/// # Safety
/// `surface` is a surface object (`CUsurfObject`) of a two-dimensional RGBA32F image of at least `width` x `height`
/// pixels that nobody else uses meanwhile; `width` and `height` are at most [`grid::MAX_SIDE`].
#[kernel]
pub unsafe fn hatch(surface: u64, width: u32, height: u32, time: f32) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for the surface.
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
            let old = surface::load(surface, x, y);
            surface::store(surface, x, y, pixel(old, stripe_x, stripe(y, height, time), blue));
            y += stride;
        }
    }
}
