//! `raster_wave`: makes the vertices of the sine-wave mesh and rasterises them at once, so that they never reach memory;
//! and `wave_rows`, which prepares what all columns share.

use cuda_std::prelude::*;

use crate::raster::{self, PointView, Run};
use crate::simple_vbo::{position, vertex, wave_u, wave_v};
use crate::{WaveMesh, grid};

/// What a row of the mesh is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(8))]
pub struct WaveRow {
    /// The position from front (-1) to back (1).
    pub v: f32,
    /// The cosine factor of the height.
    pub cos_v: f32,
}

// SAFETY: two f32, no padding (8 bytes at alignment 8), every bit pattern is a value.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for WaveRow {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for WaveRow {}

impl WaveRow {
    /// Row `y` of `height` at phase `time`, in radians.
    #[inline(always)]
    #[must_use]
    pub fn new(y: u32, height: u32, time: f32, frequency: f32) -> Self {
        let v = position(y, height);
        Self { v, cos_v: wave_v(v, time, frequency) }
    }
}

/// Writes `rows[y]` for all rows of the mesh. Columns of threads are rows of the mesh; the grid covers `height` of them.
///
/// # Safety
/// `rows` points to `height` rows of device memory that nobody else uses meanwhile.
#[kernel]
pub unsafe fn wave_rows(rows: *mut WaveRow, height: u32, time: f32, frequency: f32) {
    // SAFETY: a kernel asks for its own index, which is checked against the size before it is used.
    unsafe {
        let y = grid::column();
        if y < height {
            rows.add(y as usize).write(WaveRow::new(y, height, time, frequency));
        }
    }
}

/// Lowers the words of all pixels that the mesh of [`simple_vbo`](crate::simple_vbo) covers, bit for bit as
/// [`raster_points`](crate::raster_points) does from memory, and with the same distribution over threads.
///
/// # Safety
/// `words` points to one word per pixel of `view`, which other threads of this kernel alone use meanwhile; `rows` to what
/// [`wave_rows`] wrote for the same mesh, phase and frequency; the mesh has at most 2^32 vertices.
#[kernel]
pub unsafe fn raster_wave(
    words: *mut u64,
    rows: *const WaveRow,
    mesh: WaveMesh,
    rows_per_thread: u32,
    view: PointView,
) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for the memory.
    unsafe {
        let x = grid::column();
        if x >= mesh.width {
            return;
        }
        let x = view.column(x, mesh.width);
        let u = position(x, mesh.width);
        let sin_u = wave_u(u, mesh.time, mesh.frequency);
        raster::for_each_group(mesh.height, rows_per_thread, |first, end| {
            let mut run = Run::EMPTY;
            for i in first..end {
                let y = view.row(i, mesh.height);
                let row = rows.add(y as usize).read();
                let landing = view.project(vertex(u, row.v, sin_u, row.cos_v, mesh.amplitude));
                run.add(words, landing, y * mesh.width + x);
            }
            run.finish(words);
        });
    }
}
