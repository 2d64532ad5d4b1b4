//! `wave_height`: the heights of the sine-wave mesh alone, as NVIDIA's simpleVulkan sample keeps them.

use cuda_std::prelude::*;

use crate::grid;
use crate::simple_vbo::{position, vertex, wave_u, wave_v};

/// Writes `heights[y * width + x]`, the second coordinate of what [`simple_vbo`](crate::simple_vbo::simple_vbo()) writes
/// there.
///
/// # Safety
/// `heights` points to `width * height` values of device memory that nobody else uses meanwhile; `width` and `height`
/// are at most [`grid::MAX_SIDE`].
#[kernel]
pub unsafe fn wave_height(
    heights: *mut f32,
    width: u32,
    height: u32,
    time: f32,
    frequency: f32,
    amplitude: f32,
) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for the memory.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let u = position(x, width);
        let sin_u = wave_u(u, time, frequency);
        let stride = grid::row_stride();
        let mut y = grid::first_row();
        while y < height {
            let v = position(y, height);
            let cos_v = wave_v(v, time, frequency);
            let index = y as usize * width as usize + x as usize;
            heights.add(index).write(vertex(u, v, sin_u, cos_v, amplitude).y);
            y += stride;
        }
    }
}
