use crate::Vertex;
use crate::simple_vbo::{position, vertex, wave_u, wave_v};

/// The sine-wave mesh at one moment: all that its vertices are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct WaveMesh {
    /// Vertices in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Phase, in radians.
    pub time: f32,
    /// Frequency, in radians per unit of u and v.
    pub frequency: f32,
    /// Amplitude, in units of the mesh.
    pub amplitude: f32,
}

// SAFETY: u32 and f32 alone, no padding, every bit pattern is a value.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for WaveMesh {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for WaveMesh {}

impl WaveMesh {
    /// The column and the row of the vertex `index`.
    #[inline(always)]
    #[must_use]
    pub fn cell(&self, index: u32) -> (u32, u32) {
        // Not 0 in any mesh that has an index; said here so that no check for it is compiled.
        let width = self.width.max(1);
        (index % width, index / width)
    }

    /// The vertex `index`, bit for bit as [`simple_vbo`](crate::simple_vbo::simple_vbo) writes it.
    #[inline(always)]
    #[must_use]
    pub fn vertex(&self, index: u32) -> Vertex {
        let (x, y) = self.cell(index);
        let (u, v) = (position(x, self.width), position(y, self.height));
        let (sin_u, cos_v) =
            (wave_u(u, self.time, self.frequency), wave_v(v, self.time, self.frequency));
        vertex(u, v, sin_u, cos_v, self.amplitude)
    }
}
