//! `raster_points`: rasterises vertices from memory.

use cuda_std::prelude::*;

use crate::raster::{self, PointView, Run};
use crate::{Vertex, grid};

/// Lowers the words of all pixels that the mesh covers.
///
/// A thread takes one column of the mesh and `rows_per_thread` neighbouring rows; more of them leave fewer, longer runs (see
/// [`Run`]), fewer of them more threads. The grid covers `width` columns; groups of rows beyond it are reached by striding.
///
/// # Safety
/// `words` points to one word per pixel of `view`, which other threads of this kernel alone use meanwhile; `vertices` to
/// `width * height` vertices that nobody writes meanwhile; that product is at most 2^32.
#[kernel]
pub unsafe fn raster_points(
    words: *mut u64,
    vertices: *const Vertex,
    width: u32,
    height: u32,
    rows_per_thread: u32,
    view: PointView,
) {
    // SAFETY: a kernel asks for its own indices; each is checked against the size before it is used, and the caller
    // vouches for the memory.
    unsafe {
        let x = grid::column();
        if x >= width {
            return;
        }
        let x = view.column(x, width);
        raster::for_each_group(height, rows_per_thread, |first, end| {
            let mut run = Run::EMPTY;
            for i in first..end {
                let index = view.row(i, height) * width + x;
                run.add(words, view.project(vertices.add(index as usize).read()), index);
            }
            run.finish(words);
        });
    }
}
