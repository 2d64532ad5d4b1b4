//! `simple_vbo`: the sine-wave mesh of NVIDIA's simpleGL sample.

use cuda_std::prelude::*;

use crate::Vertex;
use crate::grid;
use crate::trig::Angle;

/// The sample's frequency, in radians per unit of u and v.
pub const FREQUENCY: f32 = 4.0;
/// The largest frequency at which the sine's error bounds hold ([`trig::MAX_ARGUMENT`](crate::trig::MAX_ARGUMENT)).
pub const MAX_FREQUENCY: f32 = 32.0;
/// The sample's amplitude, in units of the mesh.
pub const AMPLITUDE: f32 = 0.5;

/// Position of grid point `i` of `n` on an axis: `i / n * 2 - 1`, so from -1 to just below 1.
#[inline(always)]
#[must_use]
pub fn position(i: u32, n: u32) -> f32 {
    i as f32 / n as f32 * 2.0 - 1.0
}

/// The sine factor of the height, which depends on the column only.
#[inline(always)]
#[must_use]
pub fn wave_u(u: f32, time: f32, frequency: f32) -> f32 {
    Angle::affine(frequency, u, time).sin()
}

/// The cosine factor of the height, which depends on the row only.
#[inline(always)]
#[must_use]
pub fn wave_v(v: f32, time: f32, frequency: f32) -> f32 {
    Angle::affine(frequency, v, time).cos()
}

/// The vertex at (u, v) from its two factors: (u, sin * cos * amplitude, v, 1).
#[inline(always)]
#[must_use]
pub fn vertex(u: f32, v: f32, sin_u: f32, cos_v: f32, amplitude: f32) -> Vertex {
    Vertex { x: u, y: sin_u * cos_v * amplitude, z: v, w: 1.0 }
}

/// Writes the mesh: `pos[y * width + x] = (u, sin(frequency u + time) cos(frequency v + time) amplitude, v, 1)`.
///
/// `time` is the phase in radians; the sample's `frequency` is 4 and its `amplitude` 0.5. Any grid of any block shape
/// does as long as it covers every column; rows beyond the grid are reached by striding.
///
/// # Safety
/// `pos` points to `width * height` vertices of device memory, 16-byte aligned, that nobody else uses meanwhile;
/// `width` and `height` are at most [`grid::MAX_SIDE`].
#[kernel]
pub unsafe fn simple_vbo(
    pos: *mut Vertex,
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
            pos.add(index).write(vertex(u, v, sin_u, cos_v, amplitude));
            y += stride;
        }
    }
}
