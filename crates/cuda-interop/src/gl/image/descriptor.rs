//! What the driver says an array is. Its format is kept as a number: the driver's list is longer than any enum.

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArrayDescriptor {
    /// Width in texels.
    pub width: usize,
    /// Height in texels; 0 for a 1D array.
    pub height: usize,
    /// Depth in texels or layers; 0 for a 2D array.
    pub depth: usize,
    /// `CUarray_format`.
    pub format: u32,
    /// Channels in a texel.
    pub channels: u32,
    /// `CUDA_ARRAY3D_...` flags.
    pub flags: u32,
}
