//! `hatch_frames`: the picture of [`hatch`](crate::hatch) for several frames at once, each on a surface object of its own.

use cuda_std::prelude::*;

use crate::hatch::{background, pixel, stripe};
use crate::{grid, surface};

/// Frames of one launch at most.
pub const MOST_FRAMES: usize = 16;

/// Where each frame's picture goes, and its phase.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct HatchFrames {
    /// Surface objects of RGBA32F images, one a frame.
    pub surfaces: [u64; MOST_FRAMES],
    /// Phases in radians.
    pub times: [f32; MOST_FRAMES],
    /// How many frames there are.
    pub count: u32,
    /// Fills the last 8 bytes; 0.
    pub padding: u32,
}

// SAFETY: u64, f32 and u32 alone; the 16 * 8 + 16 * 4 + 8 = 200 bytes leave no padding; every bit pattern is a value.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for HatchFrames {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for HatchFrames {}

/// Advances the hatch by `frames.count` steps: reads the old picture from `from` and writes one picture per step, bit for bit as
/// so many launches of [`hatch`](crate::hatch::hatch) would leave one behind the other. `from` may be one of the targets.
///
/// # Safety
/// All surface objects are of two-dimensional RGBA32F images of at least `width` x `height` pixels that nobody else uses
/// meanwhile, the targets all different; `count` is at most [`MOST_FRAMES`]; `width` and `height` are at most
/// [`grid::MAX_SIDE`].
#[kernel]
pub unsafe fn hatch_frames(from: u64, width: u32, height: u32, frames: HatchFrames) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for the surfaces.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let stride = grid::row_stride();
        let mut y = grid::first_row();
        while y < height {
            let mut value = surface::load(from, x, y);
            // Written out, because an index that is not a constant would put the parameters into local memory.
            macro_rules! frame {
                ($($i:literal)*) => {$(
                    if $i < frames.count {
                        let time = frames.times[$i];
                        let (across, up) = (stripe(x, width, time), stripe(y, height, time));
                        value = pixel(value, across, up, background(time));
                        surface::store(frames.surfaces[$i], x, y, value);
                    }
                )*};
            }
            frame!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            y += stride;
        }
    }
}
