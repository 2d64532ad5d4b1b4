//! The kernels on the GPU, without OpenGL.

use std::time::Duration;

use cuda_interop::device::Device;
use cuda_interop::event::Event;
use cuda_interop::memory::DeviceBuffer;
use kernels::Vertex;
use kernels::raster::{CLEAR, PixelRule, PointView};
use kernels::raster_wave::WaveRow;

use super::cpu::{WAVE, check_vertices};
use super::measure::{Measurement, measure};
use super::run::{Bench, PICTURE};
use super::{BenchError, Group, Row, Variant};
use crate::backend::{self, Cuda};
use crate::camera::Camera;
use crate::mesh::MeshSize;
use crate::raster::{CpuRaster, point_view, rows_per_thread, wave_mesh};

/// Rows per thread that are tried for the raster kernels, besides the choice of [`rows_per_thread`].
const ROWS_PER_THREAD: [u32; 7] = [1, 4, 8, 16, 32, 64, 128];

/// Measures the kernels, if there is a GPU, and says which CUDA device is in use.
pub(super) fn run(bench: &mut Bench<'_>, ordinal: usize) -> Result<Option<Device>, BenchError> {
    let cuda = match backend::open(ordinal) {
        Ok(cuda) => cuda,
        Err(reason) => {
            if bench.args.wants(Group::Kernel) {
                bench.leave_out(Group::Kernel, &reason.to_string());
            }
            return Ok(None);
        }
    };
    let device = Device::of(&cuda.context);
    if bench.args.wants(Group::Kernel) {
        let sides: &[u32] =
            if bench.quick() { &[256, 1024] } else { &[256, 512, 1024, 2048, 4096, 8192] };
        for &side in sides {
            let mesh = MeshSize::new(side, side).expect("a side of the table");
            let free = cuda_interop::device::memory_info(&cuda.context)?.0;
            if mesh.bytes() * 5 / 4 > free as u64 {
                bench.leave_out(Group::Kernel, &format!("{mesh} does not fit into free memory"));
                continue;
            }
            let gpu = Gpu {
                cuda: &cuda,
                start: Event::new(&cuda.context)?,
                end: Event::new(&cuda.context)?,
            };
            gpu.simple_vbo(bench, mesh)?;
            gpu.raster(bench, mesh)?;
        }
    }
    Ok(Some(device))
}

/// A device, and events to time it with.
struct Gpu<'a> {
    cuda: &'a Cuda,
    start: Event,
    end: Event,
}

impl Gpu<'_> {
    /// How long the stream takes for what `work` puts on it.
    fn time(
        &self,
        work: impl FnOnce() -> cuda_interop::Result<()>,
    ) -> cuda_interop::Result<Duration> {
        self.start.record(&self.cuda.stream)?;
        work()?;
        self.end.record(&self.cuda.stream)?;
        self.end.synchronize()?;
        let milliseconds = self.end.elapsed_ms_since(&self.start)?.unwrap_or(f32::INFINITY);
        Ok(Duration::from_secs_f64(f64::from(milliseconds) / 1e3))
    }

    /// Many launches one after another: the mean hides neither the launch nor the end of a kernel.
    fn launches(
        &self,
        bench: &Bench<'_>,
        mut launch: impl FnMut() -> cuda_interop::Result<()>,
    ) -> cuda_interop::Result<Measurement> {
        measure(bench.budget(), |iterations| {
            self.time(|| (0..iterations).try_for_each(|_| launch()))
        })
    }

    fn simple_vbo(&self, bench: &mut Bench<'_>, mesh: MeshSize) -> Result<(), BenchError> {
        bench.say(&format!("kernel: simple_vbo, {mesh}"));
        let Cuda { stream, kernels, .. } = self.cuda;
        let mut vertices = DeviceBuffer::<Vertex>::zeroed(stream, mesh.vertices() as usize)?;
        // SAFETY: the buffer holds the whole mesh; all work on it is on one stream.
        unsafe { kernels.wave(stream, (&mut vertices).into(), mesh, WAVE) }?;
        let checked =
            check_vertices(&vertices.to_vec()?, wave_mesh(mesh, WAVE), "kernel: simple_vbo")?;
        let measured = self.launches(bench, || {
            // SAFETY: as above.
            unsafe { kernels.wave(stream, (&mut vertices).into(), mesh, WAVE) }
        })?;
        let memset = self.launches(bench, || vertices.fill_bytes(0))?;
        let row = |name: &str, measured| Row {
            group: Group::Kernel,
            name: name.to_owned(),
            variant: Variant { mesh: Some([mesh.width(), mesh.height()]), ..Variant::default() },
            measured,
            bytes: Some(mesh.bytes()),
            of_memset: None,
            checked: "not needed".to_owned(),
        };
        bench.add(row("memset", memset));
        bench.add(Row {
            of_memset: Some(memset.median_us / measured.median_us),
            checked,
            ..row("simple_vbo", measured)
        });
        Ok(())
    }

    fn raster(&self, bench: &mut Bench<'_>, mesh: MeshSize) -> Result<(), BenchError> {
        let picture = Picture::new(PICTURE, mesh);
        let stream = &self.cuda.stream;
        let pixels = (picture.view.width * picture.view.height) as usize;
        let mut words = DeviceBuffer::<u64>::zeroed(stream, pixels)?;
        let mut rows = DeviceBuffer::<WaveRow>::zeroed(stream, mesh.height() as usize)?;
        let chosen = rows_per_thread(mesh);
        let mut wave = |words: &mut DeviceBuffer<u64>, rows_per_thread| {
            // SAFETY: there are as many words as pixels and as many rows as the mesh has; all work is on one stream.
            unsafe {
                let (mesh, kernels) = (wave_mesh(mesh, WAVE), &self.cuda.kernels);
                kernels.wave_rows(
                    stream,
                    (&mut rows).into(),
                    mesh.height,
                    mesh.time,
                    mesh.frequency,
                )?;
                kernels.raster_wave(
                    stream,
                    words.into(),
                    (&rows).into(),
                    mesh,
                    rows_per_thread,
                    picture.view,
                )
            }
        };
        self.raster_row(bench, "raster_wave", mesh, None, &mut words, &picture, |words| {
            wave(words, chosen)
        })?;
        if !bench.quick() && mesh.vertices() >= 1 << 24 {
            for rows in ROWS_PER_THREAD {
                self.raster_row(
                    bench,
                    "raster_wave",
                    mesh,
                    Some(rows),
                    &mut words,
                    &picture,
                    |words| wave(words, rows),
                )?;
            }
        }
        let mut vertices = DeviceBuffer::<Vertex>::zeroed(stream, mesh.vertices() as usize)?;
        // SAFETY: the buffer holds the whole mesh; all work on it is on one stream.
        unsafe { self.cuda.kernels.wave(stream, (&mut vertices).into(), mesh, WAVE) }?;
        self.raster_row(bench, "raster_points", mesh, None, &mut words, &picture, |words| {
            // SAFETY: as above, and there are as many words as pixels.
            unsafe {
                self.cuda.kernels.raster_points(
                    stream,
                    words.into(),
                    (&vertices).into(),
                    mesh.width(),
                    mesh.height(),
                    chosen,
                    picture.view,
                )
            }
        })
    }

    /// Checks and times one way to rasterise.
    #[allow(clippy::too_many_arguments)] // One row of the table.
    fn raster_row(
        &self,
        bench: &mut Bench<'_>,
        name: &str,
        mesh: MeshSize,
        rows_per_thread: Option<u32>,
        words: &mut DeviceBuffer<u64>,
        picture: &Picture,
        mut raster: impl FnMut(&mut DeviceBuffer<u64>) -> cuda_interop::Result<()>,
    ) -> Result<(), BenchError> {
        let mut row = Row {
            group: Group::Kernel,
            name: name.to_owned(),
            variant: Variant {
                mesh: Some([mesh.width(), mesh.height()]),
                rows_per_thread,
                ..Variant::default()
            },
            measured: Measurement::of(vec![0.0], 0),
            bytes: None,
            of_memset: None,
            checked: String::new(),
        };
        bench.say(&row.id());
        words.fill_bytes(0xFF)?;
        raster(words)?;
        row.checked = picture.check(&words.to_vec()?, &row)?;
        row.measured = measure(bench.budget(), |iterations| {
            // A picture that is finished already would be drawn in no time, so each one starts from nothing. Clearing is
            // not timed: in a frame the resolve pass does it on the way.
            (0..iterations).try_fold(Duration::ZERO, |sum, _| {
                words.fill_bytes(0xFF)?;
                Ok::<_, cuda_interop::Error>(sum + self.time(|| raster(words))?)
            })
        })?;
        bench.add(row);
        Ok(())
    }
}

/// A view of a mesh, and what the CPU makes of it.
struct Picture {
    view: PointView,
    expected: Vec<u64>,
}

impl Picture {
    fn new(size: [u32; 2], mesh: MeshSize) -> Self {
        let camera = Camera::default();
        let aspect = size[0] as f32 / size[1] as f32;
        let view =
            point_view(&camera.projection(aspect), &camera.view(), size, PixelRule::default());
        let mut raster = CpuRaster::new();
        raster.wave(wave_mesh(mesh, WAVE), &view);
        Self { view, expected: raster.words().collect() }
    }

    /// Compares a picture that started from all ones.
    fn check(&self, words: &[u64], row: &Row) -> Result<String, BenchError> {
        let wrong = words.iter().zip(&self.expected).filter(|&(&found, &expected)| {
            (if found == u64::MAX { CLEAR } else { found }) != expected
        });
        match wrong.count() {
            0 => Ok(format!("{} pixels bit for bit with the CPU's", words.len())),
            wrong => Err(BenchError::Wrong {
                row: row.id(),
                difference: format!("{wrong} of {} pixels differ from the CPU's", words.len()),
            }),
        }
    }
}
