//! A picture of points on the CPU: the kernels' functions over rows of the mesh, in parallel.

use std::sync::atomic::AtomicU64;

use kernels::raster::{CLEAR, Landing, PointView, Run};
use kernels::raster_resolve::{Rgba8, Shading};
use kernels::raster_wave::WaveRow;
use kernels::simple_vbo::{position, vertex, wave_u};
use kernels::{Vertex, WaveMesh};
use rayon::prelude::*;

use crate::mesh::MeshSize;

/// Vertices that are projected at a time: what the compiler turns into vector instructions, small enough for the first cache.
const STRIP: usize = 256;

/// Vertices that one task takes at least.
const TASK_VERTICES: usize = 16 << 10;

/// Rasterises on the CPU. Keeps its memory, so that a picture of the same size allocates nothing.
#[derive(Debug, Default)]
pub struct CpuRaster {
    words: Vec<AtomicU64>,
    /// (u, sine factor) of every column.
    columns: Vec<[f32; 2]>,
}

impl CpuRaster {
    /// An empty picture.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Rasterises vertices from memory, row by row.
    ///
    /// # Panics
    /// If `vertices` is not exactly the mesh's.
    pub fn points(&mut self, vertices: &[Vertex], mesh: MeshSize, view: &PointView) {
        assert_eq!(vertices.len() as u64, mesh.vertices(), "the slice is the mesh");
        self.clear(view);
        let width = mesh.width() as usize;
        self.rows([mesh.width(), mesh.height()], view, |y, strip, landings| {
            let row = &vertices[y as usize * width..][..width];
            for_each(landings, |i| view.project(row[strip + i]));
        });
    }

    /// Rasterises the sine-wave mesh without storing its vertices.
    pub fn wave(&mut self, mesh: WaveMesh, view: &PointView) {
        self.clear(view);
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        columns.extend((0..mesh.width).map(|x| {
            let u = position(x, mesh.width);
            [u, wave_u(u, mesh.time, mesh.frequency)]
        }));
        self.rows([mesh.width, mesh.height], view, |y, strip, landings| {
            let row = WaveRow::new(y, mesh.height, mesh.time, mesh.frequency);
            let columns = &columns[strip..];
            for_each(landings, |i| {
                let [u, sin_u] = columns[i];
                view.project(vertex(u, row.v, sin_u, row.cos_v, mesh.amplitude))
            });
        });
        self.columns = columns;
    }

    /// Colours the picture: `pixels` row by row from the bottom.
    ///
    /// # Safety
    /// The addresses in `shading` are of host memory as its fields describe, for the mesh that was rasterised last.
    ///
    /// # Panics
    /// If `pixels` is not of the picture's size.
    pub unsafe fn resolve(&self, shading: &Shading, pixels: &mut [Rgba8]) {
        assert_eq!(pixels.len(), self.words.len(), "the slice is the picture");
        pixels.par_iter_mut().zip(&self.words).with_min_len(4096).for_each(|(pixel, word)| {
            // SAFETY: the caller's promise; the word was made for this mesh.
            *pixel = unsafe { shading.color(word.load(std::sync::atomic::Ordering::Relaxed)) };
        });
    }

    /// The words of the picture, row by row from the bottom.
    pub fn words(&mut self) -> impl ExactSizeIterator<Item = u64> {
        self.words.iter_mut().map(|word| *word.get_mut())
    }

    fn clear(&mut self, view: &PointView) {
        let pixels = view.width as usize * view.height as usize;
        self.words.iter_mut().for_each(|word| *word.get_mut() = CLEAR);
        self.words.resize_with(pixels, || AtomicU64::new(CLEAR));
    }

    /// Visits the rows in the view's order, in parallel tasks of neighbouring rows. `project(row, first column, landings)`
    /// fills in where a strip of the row lands.
    fn rows(
        &self,
        [width, height]: [u32; 2],
        view: &PointView,
        project: impl Fn(u32, usize, &mut [Landing]) + Sync,
    ) {
        let words = &self.words;
        let rows_per_task = TASK_VERTICES.div_ceil(width as usize);
        (0..height).into_par_iter().with_min_len(rows_per_task).for_each(|i| {
            let y = view.row(i, height);
            let mut landings = [Landing { pixel: 0, depth: 0 }; STRIP];
            // The words are reached through a shared slice of atomics.
            let at = words.as_ptr().cast_mut().cast::<u64>();
            for strip in (0..width as usize).step_by(STRIP) {
                let landings = &mut landings[..STRIP.min(width as usize - strip)];
                project(y, strip, landings);
                let mut run = Run::EMPTY;
                for (i, &landing) in landings.iter().enumerate() {
                    // SAFETY: the words are atomics, as many as the view has pixels, and all tasks use them as such.
                    unsafe { run.add(at, landing, y * width + (strip + i) as u32) };
                }
                // SAFETY: as above.
                unsafe { run.finish(at) };
            }
        });
    }
}

/// Fills in the landings, with FMA instructions where the processor has them; the bits are the same without.
fn for_each(landings: &mut [Landing], project: impl Fn(usize) -> Landing) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has these features.
        return unsafe { for_each_fma(landings, project) };
    }
    for_each_any(landings, project);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn for_each_fma(landings: &mut [Landing], project: impl Fn(usize) -> Landing) {
    for_each_any(landings, project);
}

// Inlined into both callers, so that it is compiled with the features of each.
#[allow(clippy::inline_always)]
#[inline(always)]
fn for_each_any(landings: &mut [Landing], project: impl Fn(usize) -> Landing) {
    for (i, landing) in landings.iter_mut().enumerate() {
        *landing = project(i);
    }
}

#[cfg(test)]
mod tests {
    use kernels::raster::PixelRule;

    use super::*;
    use crate::camera::Camera;
    use crate::compute::{Wave, cpu::Cpu};
    use crate::raster::{Painted, Palette, point_view, wave_mesh};
    use crate::scene::Scene;

    fn view(size: [u32; 2]) -> PointView {
        let camera = Camera { rotate_x_deg: 25.0, rotate_y_deg: 40.0, ..Camera::default() };
        point_view(
            &camera.projection(size[0] as f32 / size[1] as f32),
            &camera.view(),
            size,
            PixelRule::default(),
        )
    }

    /// The kernel's entry point, thread by thread.
    fn by_kernel(vertices: &[Vertex], mesh: MeshSize, view: PointView) -> Vec<u64> {
        let mut words = vec![CLEAR; view.width as usize * view.height as usize];
        let ((gx, gy), (bx, by)) = kernels::grid::launch_shape(mesh.width(), mesh.height());
        let at = words.as_mut_ptr();
        cuda_std::host::launch([gx, gy, 1], [bx, by, 1], || {
            // SAFETY: words and vertices are as many as view and mesh say, and nothing else touches them.
            unsafe {
                kernels::raster_points::raster_points(
                    at,
                    vertices.as_ptr(),
                    mesh.width(),
                    mesh.height(),
                    1,
                    view,
                );
            }
        });
        words
    }

    #[test]
    fn pictures_equal_the_kernel_bit_for_bit() {
        let (mut cpu, mut raster) = (Cpu::new(), CpuRaster::new());
        for (width, height, size) in
            [(1, 1, [3, 3]), (300, 7, [64, 64]), (256, 256, [200, 100]), (9, 3000, [64, 48])]
        {
            let mesh = MeshSize::new(width, height).unwrap();
            let wave = Wave { time: 2.0, frequency: 7.0, amplitude: 0.4 };
            let mut vertices = vec![Vertex::default(); mesh.vertices() as usize];
            cpu.simple_vbo(&mut vertices, mesh, wave);
            let view = view(size);
            let expected = by_kernel(&vertices, mesh, view);
            assert!(expected.iter().any(|&word| word != CLEAR));
            raster.points(&vertices, mesh, &view);
            assert!(raster.words().eq(expected.iter().copied()), "points, {mesh}");
            raster.wave(wave_mesh(mesh, wave), &view);
            assert!(raster.words().eq(expected.iter().copied()), "wave, {mesh}");
        }
    }

    #[test]
    fn the_picture_is_red_where_points_are() {
        let mesh = wave_mesh(MeshSize::default(), Wave::sample(0.0));
        let (mut raster, view) = (CpuRaster::new(), view([64, 64]));
        raster.wave(mesh, &view);
        let shading = Palette::new(&Scene::default()).shading(mesh, 0, 0, Painted::default());
        let mut pixels = vec![0; 64 * 64];
        // SAFETY: a solid colour reads no address.
        unsafe { raster.resolve(&shading, &mut pixels) };
        let red = pixels.iter().filter(|&&pixel| pixel == 0xFF00_00FF).count();
        let black = pixels.iter().filter(|&&pixel| pixel == 0xFF00_0000).count();
        assert_eq!((red + black, red), (64 * 64, raster.words().filter(|&w| w != CLEAR).count()));
        assert!(red > 500);
    }
}
