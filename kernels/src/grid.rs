//! Where a GPU thread stands in a two-dimensional grid of elements.

use cuda_std::prelude::*;

/// The column of this thread.
///
/// # Safety
/// Only inside a kernel.
#[inline(always)]
pub(crate) unsafe fn column() -> u32 {
    thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x()
}

/// The first row of this thread.
///
/// # Safety
/// Only inside a kernel.
#[inline(always)]
pub(crate) unsafe fn first_row() -> u32 {
    thread::block_idx_y() * thread::block_dim_y() + thread::thread_idx_y()
}

/// How many rows the whole grid covers: the step from one row of this thread to its next. A grid may be lower than
/// the mesh (CUDA's limit is 65,535 blocks), since every thread strides on.
///
/// # Safety
/// Only inside a kernel.
#[inline(always)]
pub(crate) unsafe fn row_stride() -> u32 {
    thread::grid_dim_y() * thread::block_dim_y()
}

/// Largest width and height of a mesh or image, so that no index in a kernel overflows: 2^31.
pub const MAX_SIDE: u32 = 1 << 31;

/// Threads per block of every launch.
pub const BLOCK_THREADS: u32 = 256;

/// CUDA's limit on the blocks of a grid in y.
pub const MAX_GRID_Y: u32 = 65_535;

/// Rows that each thread computes. What depends on the column alone is then computed half as often, which is the difference
/// between waiting for arithmetic and waiting for memory; more rows leave small meshes too few threads.
const ROWS_PER_THREAD: u32 = 2;

/// The launch shape for `width` x `height` elements: grid and block, each (x, y).
///
/// Blocks are 256 x 1 threads, or narrower and higher where the rows are short, so that a thin mesh does not idle most
/// of its threads. The grid covers half the rows, or what CUDA's limit in y allows; the kernels stride over the rest.
#[must_use]
pub fn launch_shape(width: u32, height: u32) -> ((u32, u32), (u32, u32)) {
    let block_x = width.clamp(8, BLOCK_THREADS).next_power_of_two();
    let block_y = BLOCK_THREADS / block_x;
    let grid_x = width.div_ceil(block_x).max(1);
    let grid_y = height.div_ceil(block_y * ROWS_PER_THREAD).clamp(1, MAX_GRID_Y);
    ((grid_x, grid_y), (block_x, block_y))
}
