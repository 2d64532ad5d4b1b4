//! The kernels on the CPU: rows in parallel, what depends on the column alone computed once.
//!
//! Bit for bit what the GPU computes. The sine of a vertex depends on its column only and the cosine on its row only, so
//! a mesh costs `width + height` evaluations; the rest is writing memory, and large meshes are written past the cache.

use kernels::Vertex;
use kernels::hatch::{self, Pixel};
use kernels::simple_vbo::{position, wave_u, wave_v};
use rayon::prelude::*;

use super::Wave;
use crate::mesh::MeshSize;

mod fma;
mod row;

/// Meshes larger than this are written with streaming stores: past the last-level cache, fetching each line before
/// overwriting it would double the traffic.
const STREAMING_BYTES: usize = 32 << 20;

/// Vertices that one task writes at least, so that small meshes do not drown in scheduling.
const TASK_VERTICES: usize = 16 << 10;

/// Fills meshes on the CPU. Keeps its tables, so that a mesh of the same size allocates nothing.
#[derive(Debug, Default)]
pub struct Cpu {
    columns: Vec<Vertex>,
    rows: Vec<[f32; 2]>,
    stripes_x: Vec<f32>,
    stripes_y: Vec<f32>,
}

impl Cpu {
    /// An empty set of tables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes the mesh of [`kernels::simple_vbo`]: row by row, `mesh.width()` vertices each.
    ///
    /// # Panics
    /// If `vertices` is not exactly the mesh's.
    pub fn simple_vbo(&mut self, vertices: &mut [Vertex], mesh: MeshSize, wave: Wave) {
        assert_eq!(vertices.len() as u64, mesh.vertices(), "the slice is the mesh");
        let Wave { time, frequency, amplitude } = wave;
        let (width, height) = (mesh.width(), mesh.height());
        fma::tabulate(&mut self.columns, width, &|i| {
            let u = position(i, width);
            Vertex { x: u, y: wave_u(u, time, frequency), z: 1.0, w: 1.0 }
        });
        fma::tabulate(&mut self.rows, height, &|i| {
            let v = position(i, height);
            [v, wave_v(v, time, frequency)]
        });
        let streaming = size_of_val(vertices) > STREAMING_BYTES;
        let rows_per_task = TASK_VERTICES.div_ceil(width as usize);
        let (columns, row_table) = (&self.columns, &self.rows);
        vertices.par_chunks_mut(rows_per_task * width as usize).enumerate().for_each(
            |(task, chunk)| {
                let rows = &row_table[task * rows_per_task..];
                for (row, &[v, cos_v]) in chunk.chunks_exact_mut(width as usize).zip(rows) {
                    row::write(row, columns, v, cos_v, amplitude, streaming);
                }
            },
        );
    }

    /// Advances the picture of [`kernels::hatch`]: row by row, `width` pixels each.
    ///
    /// # Panics
    /// If `pixels` is not exactly `width * height`.
    pub fn hatch(&mut self, pixels: &mut [Pixel], width: u32, height: u32, time: f32) {
        assert_eq!(pixels.len(), width as usize * height as usize, "the slice is the image");
        fma::tabulate(&mut self.stripes_x, width, &|i| hatch::stripe(i, width, time));
        fma::tabulate(&mut self.stripes_y, height, &|i| hatch::stripe(i, height, time));
        let blue = hatch::background(time);
        let stripes_x = &self.stripes_x;
        pixels.par_chunks_mut(width as usize).zip(&self.stripes_y).for_each(|(row, &stripe_y)| {
            fma::hatch_row(row, stripes_x, stripe_y, blue);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entry point itself, run thread by thread, is the reference.
    fn by_kernel(mesh: MeshSize, wave: Wave) -> Vec<Vertex> {
        let (width, height) = (mesh.width(), mesh.height());
        let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
        let ((gx, gy), (bx, by)) = kernels::grid::launch_shape(width, height);
        let pos = vertices.as_mut_ptr();
        cuda_std::host::launch([gx, gy, 1], [bx, by, 1], || {
            // SAFETY: `pos` points to the whole mesh, and nothing else touches it meanwhile.
            unsafe {
                kernels::simple_vbo::simple_vbo(
                    pos,
                    width,
                    height,
                    wave.time,
                    wave.frequency,
                    wave.amplitude,
                );
            }
        });
        vertices
    }

    fn bits(vertices: &[Vertex]) -> &[u32] {
        bytemuck::cast_slice(vertices)
    }

    #[test]
    fn meshes_equal_the_kernel_bit_for_bit() {
        let mut cpu = Cpu::new();
        for (width, height) in
            [(1, 1), (1, 5), (7, 5), (10, 257), (255, 256), (257, 257), (3000, 2)]
        {
            for wave in [Wave::sample(0.0), Wave { time: 6.2, frequency: 31.9, amplitude: 0.3 }] {
                let mesh = MeshSize::new(width, height).unwrap();
                let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
                cpu.simple_vbo(&mut vertices, mesh, wave);
                assert!(bits(&vertices) == bits(&by_kernel(mesh, wave)), "{mesh} {wave:?}");
            }
        }
    }

    #[test]
    fn streaming_stores_write_the_same() {
        let mesh = MeshSize::new(1999, 1501).unwrap();
        assert!(mesh.bytes() as usize > STREAMING_BYTES);
        let wave = Wave::sample(1.5);
        let mut streamed = vec![Vertex::default(); mesh.vertices() as usize];
        let mut cpu = Cpu::new();
        cpu.simple_vbo(&mut streamed, mesh, wave);
        let mut cached = vec![Vertex::default(); mesh.vertices() as usize];
        for (row, &[v, cos_v]) in cached.chunks_exact_mut(1999).zip(&cpu.rows) {
            row::write(row, &cpu.columns, v, cos_v, wave.amplitude, false);
        }
        assert!(bits(&streamed) == bits(&cached));
    }

    #[test]
    fn hatch_equals_both_kernels_bit_for_bit() {
        let (width, height) = (37, 21);
        let start = [0.25, 0.75, 0.1, 0.0];
        let mut pixels = vec![start; width as usize * height as usize];
        let mut by_surface = pixels.clone();
        let mut by_memory = vec![kernels::hatch_linear::AlignedPixel(start); pixels.len()];
        let ((gx, gy), (bx, by)) = kernels::grid::launch_shape(width, height);
        let surface = kernels::surface::HostSurface {
            pixels: by_surface.as_mut_ptr(),
            pitch_bytes: width as usize * 16,
            width,
            height,
        };
        let memory = by_memory.as_mut_ptr();
        let mut cpu = Cpu::new();
        for time in [0.0, 0.7, 6.1] {
            cpu.hatch(&mut pixels, width, height, time);
            cuda_std::host::launch([gx, gy, 1], [bx, by, 1], || {
                // SAFETY: surface and memory are images of this size that nothing else touches meanwhile.
                unsafe {
                    kernels::hatch::hatch(&raw const surface as u64, width, height, time);
                    kernels::hatch_linear::hatch_linear(
                        memory,
                        u64::from(width) * 16,
                        width,
                        height,
                        time,
                    );
                }
            });
        }
        let bits =
            |pixels: &[Pixel]| pixels.iter().map(|p| p.map(f32::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&pixels), bits(&by_surface));
        assert_eq!(bits(&pixels), bits(&by_memory.iter().map(|p| p.0).collect::<Vec<_>>()));
    }
}
