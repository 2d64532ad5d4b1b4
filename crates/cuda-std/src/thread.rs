//! Where this thread stands: the special registers of PTX, as functions.

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::Position;

/// Reads one special register; on the CPU, the field of the current [`Position`].
macro_rules! register {
    ($(#[$doc:meta] $name:ident => $intrinsic:ident, $field:ident [$axis:literal];)*) => {$(
        #[$doc]
        #[inline(always)]
        #[must_use]
        pub fn $name() -> u32 {
            #[cfg(target_arch = "nvptx64")]
            {
                // SAFETY: reads a special register, which has no precondition.
                unsafe { core::arch::nvptx::$intrinsic() as u32 }
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                Position::current().$field[$axis]
            }
        }
    )*};
}

register! {
    #[doc = "Index of this thread in its block, in x."]
    thread_idx_x => _thread_idx_x, thread_idx [0];
    #[doc = "Index of this thread in its block, in y."]
    thread_idx_y => _thread_idx_y, thread_idx [1];
    #[doc = "Index of this thread in its block, in z."]
    thread_idx_z => _thread_idx_z, thread_idx [2];
    #[doc = "Index of this block in the grid, in x."]
    block_idx_x => _block_idx_x, block_idx [0];
    #[doc = "Index of this block in the grid, in y."]
    block_idx_y => _block_idx_y, block_idx [1];
    #[doc = "Index of this block in the grid, in z."]
    block_idx_z => _block_idx_z, block_idx [2];
    #[doc = "Threads of a block, in x."]
    block_dim_x => _block_dim_x, block_dim [0];
    #[doc = "Threads of a block, in y."]
    block_dim_y => _block_dim_y, block_dim [1];
    #[doc = "Threads of a block, in z."]
    block_dim_z => _block_dim_z, block_dim [2];
    #[doc = "Blocks of the grid, in x."]
    grid_dim_x => _grid_dim_x, grid_dim [0];
    #[doc = "Blocks of the grid, in y."]
    grid_dim_y => _grid_dim_y, grid_dim [1];
    #[doc = "Blocks of the grid, in z."]
    grid_dim_z => _grid_dim_z, grid_dim [2];
}
