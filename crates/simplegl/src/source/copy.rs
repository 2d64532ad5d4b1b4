//! The source for a GPU that does not share memory with OpenGL: CUDA computes, the host carries the result over.

use std::sync::Arc;
use std::time::Instant;

use cuda_interop::memory::{DeviceBuffer, PinnedBuffer};
use kernels::Vertex;
use kernels::hatch::Pixel;

use super::engine::{Engine, SharedCuda};
use super::gl_objects::{HostPainted, HostVertices};
use super::{PAINTED_SIZE, Path, Source, SourceError};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::KernelFile;
use crate::timing::{Mark, Stage, Timings};

/// Computes with CUDA and copies through page-locked host memory. The host waits for the kernels in every frame: that, and
/// the two copies, are the price of this path.
#[derive(Debug)]
pub struct CopySource {
    gl: Arc<glow::Context>,
    vertices: HostVertices,
    painted: HostPainted,
    mesh: MeshBuffers,
    pixels: DeviceBuffer<Pixel>,
    pinned_pixels: PinnedBuffer<Pixel>,
    /// What the CUDA events say, of which only the kernels' time is of use here.
    events: Timings,
    engine: Engine,
}

/// The mesh on its way: device memory, then page-locked memory.
#[derive(Debug)]
struct MeshBuffers {
    device: DeviceBuffer<Vertex>,
    pinned: PinnedBuffer<Vertex>,
}

impl MeshBuffers {
    fn new(engine: &Engine, mesh: MeshSize) -> Result<Self, SourceError> {
        let len = mesh.vertices() as usize;
        Ok(Self {
            device: DeviceBuffer::zeroed(&engine.cuda.stream, len)?,
            pinned: PinnedBuffer::zeroed(&engine.cuda.context, len)?,
        })
    }
}

impl CopySource {
    /// A source on CUDA device `ordinal`.
    ///
    /// # Errors
    /// When CUDA does not work, or the mesh does not fit.
    pub(super) fn new(
        gl: &Arc<glow::Context>,
        ordinal: usize,
        shared: &mut SharedCuda,
        kernel: Option<&KernelFile>,
        mesh: MeshSize,
    ) -> Result<Self, SourceError> {
        let vertices = HostVertices::new(gl, mesh)?;
        let engine = Engine::open(shared, ordinal, kernel)?;
        let [width, height] = PAINTED_SIZE;
        let len = width as usize * height as usize;
        Ok(Self {
            gl: Arc::clone(gl),
            vertices,
            painted: HostPainted::new(gl)?,
            mesh: MeshBuffers::new(&engine, mesh)?,
            pixels: DeviceBuffer::zeroed(&engine.cuda.stream, len)?,
            pinned_pixels: PinnedBuffer::zeroed(&engine.cuda.context, len)?,
            events: Timings::default(),
            engine,
        })
    }

    /// Launches both kernels.
    fn compute(&mut self, wave: Wave) -> Result<(), SourceError> {
        let Self { engine, mesh, pixels, vertices, .. } = self;
        let stream = Arc::clone(&engine.cuda.stream);
        let [width, height] = PAINTED_SIZE;
        engine.timer.mark(Mark::Start, &stream)?;
        engine.timer.mark(Mark::Mapped, &stream)?;
        // SAFETY: the buffers hold the whole mesh and the whole picture, in rows without padding; what reads them next waits
        // for the stream.
        unsafe {
            engine.wave((&mut mesh.device).into(), vertices.mesh(), wave)?;
            let pitch_bytes = u64::from(width) * size_of::<Pixel>() as u64;
            let kernels = &engine.cuda.kernels;
            kernels.hatch_linear(&stream, pixels.into(), pitch_bytes, width, height, wave.time)?;
        }
        engine.timer.mark(Mark::Computed, &stream)?;
        Ok(engine.timer.mark(Mark::Unmapped, &stream)?)
    }

    /// Begins a frame; the kernels' time of an earlier one, once its events are ready.
    fn begin(&mut self, timings: &mut Timings) -> Result<(), SourceError> {
        let before = self.events.stage(Stage::Kernel).count();
        self.engine.timer.begin(&mut self.events)?;
        let kernel = self.events.stage(Stage::Kernel);
        if kernel.count() > before
            && let Some(latest) = kernel.recent().last()
        {
            timings.push(Stage::Kernel, latest);
        }
        Ok(())
    }
}

impl Source for CopySource {
    fn path(&self) -> Path {
        Path::Copy
    }

    fn device(&self) -> &str {
        &self.engine.cuda.name
    }

    fn mesh(&self) -> MeshSize {
        self.vertices.mesh()
    }

    fn vertices(&self) -> glow::Buffer {
        self.vertices.name()
    }

    fn painted(&self) -> glow::Texture {
        self.painted.name()
    }

    fn update(&mut self, wave: Wave, timings: &mut Timings) -> Result<(), SourceError> {
        self.begin(timings)?;
        self.compute(wave)?;
        let start = Instant::now();
        let MeshBuffers { device, pinned } = &mut self.mesh;
        device.copy_to_host(pinned)?;
        self.pixels.copy_to_host(&mut self.pinned_pixels)?;
        self.vertices.write(|vertices| {
            vertices.copy_from_slice(pinned);
            Ok(())
        })?;
        self.painted.write(&self.pinned_pixels);
        timings.push_duration(Stage::Unmap, start.elapsed());
        Ok(())
    }

    fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError> {
        let vertices = HostVertices::new(&self.gl, mesh)?;
        self.mesh = MeshBuffers::new(&self.engine, mesh)?;
        self.vertices = vertices;
        Ok(())
    }

    fn restore_painted(&mut self, pixels: &[Pixel]) -> Result<(), SourceError> {
        self.pixels.copy_from_host(pixels)?;
        self.painted.write(pixels);
        Ok(())
    }

    fn follow_kernel_file(&mut self) -> bool {
        self.engine.follow_file()
    }

    fn kernel_error(&self) -> Option<&str> {
        self.engine.kernel_error()
    }
}
