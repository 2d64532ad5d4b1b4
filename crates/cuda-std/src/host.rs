//! Running a kernel on the CPU: every block of a grid, every thread of a block, one after another on the calling thread.
//!
//! Good for kernels whose threads do not wait for each other (there is no barrier here).

use std::cell::Cell;

/// Where the current thread of the grid stands; each array is x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Blocks of the grid.
    pub grid_dim: [u32; 3],
    /// Threads of a block.
    pub block_dim: [u32; 3],
    /// Index of the block.
    pub block_idx: [u32; 3],
    /// Index of the thread in its block.
    pub thread_idx: [u32; 3],
}

thread_local! {
    static CURRENT: Cell<Option<Position>> = const { Cell::new(None) };
}

impl Position {
    /// The position that the running kernel sees.
    ///
    /// # Panics
    /// Outside [`launch`]: there is no grid then.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.get().expect("a thread index is only known inside cuda_std::host::launch")
    }
}

/// Clears the position when a launch ends, also by a panic in the kernel.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        CURRENT.set(None);
    }
}

/// Calls `kernel` once for each thread of the grid, in the order of the flattened index.
pub fn launch(grid_dim: [u32; 3], block_dim: [u32; 3], mut kernel: impl FnMut()) {
    let _running = Running;
    for block_idx in indices(grid_dim) {
        for thread_idx in indices(block_dim) {
            CURRENT.set(Some(Position { grid_dim, block_dim, block_idx, thread_idx }));
            kernel();
        }
    }
}

/// All [x, y, z] below `dim`, x fastest.
fn indices(dim: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..dim[2])
        .flat_map(move |z| (0..dim[1]).flat_map(move |y| (0..dim[0]).map(move |x| [x, y, z])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread;

    #[test]
    fn every_thread_runs_once() {
        let mut seen = Vec::new();
        launch([2, 2, 1], [3, 1, 2], || {
            seen.push([
                thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x(),
                thread::block_idx_y(),
                thread::thread_idx_z(),
            ]);
        });
        let total = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!((total, seen.len()), (24, 24));
    }

    #[test]
    fn the_position_ends_with_the_launch() {
        launch([1, 1, 1], [1, 1, 1], || {});
        assert!(std::panic::catch_unwind(thread::thread_idx_x).is_err());
    }
}
