/// One vertex of the mesh: a position in homogeneous coordinates, 16 bytes, the layout of CUDA's `float4`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Vertex {
    /// Position from left (-1) to right (1).
    pub x: f32,
    /// Height of the wave.
    pub y: f32,
    /// Position from front (-1) to back (1).
    pub z: f32,
    /// Always 1.
    pub w: f32,
}

// SAFETY: four f32, no padding (16 bytes at alignment 16), every bit pattern is a value.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for Vertex {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for Vertex {}
