//! The source that registers nothing: CUDA exports memory of its own, and OpenGL draws from it.

use std::sync::Arc;
use std::time::Duration;

use cuda_interop::gl::external::{Handover, HandoverKind, SharedBuffer, Side};
use cuda_interop::gl::{GlContext, pair};
use kernels::Vertex;
use kernels::hatch::Pixel;

use super::engine::{Engine, SharedCuda};

use super::semaphores::hand_over;
use super::shared_painted::SharedPainted;
use super::{PAINTED_SIZE, Path, Source, SourceError};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::{KernelFile, Semaphores};
use crate::render::check_gl;
use crate::timing::{Mark, Timings};

/// The test hook: `gl@N` or `cuda@N` leaves out that side's signal in frame N, counted from 1.
const DROP_SIGNAL: &str = "SIMPLEGL_DROP_SIGNAL";
/// The longest wait of the host, in milliseconds, for the test hook.
const WAIT_LIMIT: &str = "SIMPLEGL_WAIT_LIMIT_MS";

/// Computes with CUDA into memory that CUDA exports and OpenGL imports; semaphores, or the host, order the two.
///
/// The mesh is drawn from where the kernel wrote it. The painted picture goes from the shared buffer into its texture by
/// copies on the GPU.
#[derive(Debug)]
pub struct ExternalSource {
    // Order of destruction: what may be in flight, OpenGL's and CUDA's objects, the CUDA context, the witness.
    handover: Handover,
    vertices: SharedBuffer<Vertex>,
    pixels: SharedBuffer<Pixel>,
    painted: SharedPainted,
    mesh: MeshSize,
    engine: Engine,
    gl: GlContext,
    frame: u64,
    dropped: Option<(Side, u64)>,
}

impl ExternalSource {
    /// A source on the CUDA device that the OpenGL context runs on; `wanted`, if given, must be that device.
    ///
    /// # Errors
    /// When they share no device, CUDA or OpenGL cannot export or import, or the mesh does not fit.
    pub(super) fn new(
        gl: &GlContext,
        wanted: Option<usize>,
        shared: &mut SharedCuda,
        kernel: Option<&KernelFile>,
        semaphores: Semaphores,
        mesh: MeshSize,
    ) -> Result<Self, SourceError> {
        let found = pair(gl)?.device.ordinal();
        if let Some(wanted) = wanted.filter(|&wanted| wanted != found) {
            return Err(SourceError::OtherDevice { wanted, found });
        }
        let engine = Engine::open(shared, found, kernel)?;
        let context = &engine.cuda.context;
        let mut handover = hand_over(gl, context, semaphores)?;
        if let Some(limit) = std::env::var(WAIT_LIMIT).ok().and_then(|text| text.parse().ok()) {
            handover.set_limit(Duration::from_millis(limit));
        }
        let [width, height] = PAINTED_SIZE;
        let pixels = width as usize * height as usize;
        let mut source = Self {
            handover,
            vertices: SharedBuffer::new(gl, context, mesh.vertices() as usize)?,
            pixels: SharedBuffer::new(gl, context, pixels)?,
            painted: SharedPainted::new(gl.glow())?,
            mesh,
            engine,
            gl: gl.clone(),
            frame: 0,
            dropped: std::env::var(DROP_SIGNAL).ok().and_then(|text| parse_dropped(&text)),
        };
        source.restore_painted(&vec![[0.0; 4]; pixels])?;
        Ok(source)
    }

    /// What orders the two sides.
    #[must_use]
    pub fn handover(&self) -> HandoverKind {
        self.handover.kind()
    }

    /// Hands over, launches both kernels, hands back.
    fn compute(&mut self, wave: Wave) -> Result<(), SourceError> {
        let Self { handover, vertices, pixels, mesh, engine, .. } = self;
        let stream = Arc::clone(&engine.cuda.stream);
        engine.timer.mark(Mark::Start, &stream)?;
        let mut mapped = handover.map((vertices, pixels), &stream)?;
        engine.timer.mark(Mark::Mapped, &stream)?;
        {
            let (mut vertices, mut pixels) = mapped.views()?;
            let [width, height] = PAINTED_SIZE;
            let pitch_bytes = u64::from(width) * size_of::<Pixel>() as u64;
            // SAFETY: the buffers hold the whole mesh and the whole picture, in rows without padding; both are CUDA's until
            // they are handed back below, which follows the kernels on the same stream.
            unsafe {
                engine.wave((&mut vertices).into(), *mesh, wave)?;
                let kernels = &engine.cuda.kernels;
                let pixels = (&mut pixels).into();
                kernels.hatch_linear(&stream, pixels, pitch_bytes, width, height, wave.time)?;
            }
        }
        engine.timer.mark(Mark::Computed, &stream)?;
        mapped.unmap()?;
        Ok(engine.timer.mark(Mark::Unmapped, &stream)?)
    }
}

impl Source for ExternalSource {
    fn path(&self) -> Path {
        Path::External
    }

    fn device(&self) -> &str {
        &self.engine.cuda.name
    }

    fn mesh(&self) -> MeshSize {
        self.mesh
    }

    fn vertices(&self) -> glow::Buffer {
        self.vertices.gl_name()
    }

    fn painted(&self) -> glow::Texture {
        self.painted.name()
    }

    fn update(&mut self, wave: Wave, timings: &mut Timings) -> Result<(), SourceError> {
        self.engine.timer.begin(timings)?;
        self.frame += 1;
        if let Some((side, frame)) = self.dropped
            && frame == self.frame
        {
            self.handover.skip_next_signal(side);
        }
        self.compute(wave)?;
        // SAFETY: the context is current, as for all of this; the buffer was made for the whole picture.
        unsafe { self.painted.copy_from(self.pixels.gl_name()) };
        Ok(check_gl(self.gl.glow(), "copying the painted picture into its texture")?)
    }

    fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError> {
        let context = &self.engine.cuda.context;
        // The old buffer stays if the new one fails.
        self.vertices = SharedBuffer::new(&self.gl, context, mesh.vertices() as usize)?;
        self.mesh = mesh;
        Ok(())
    }

    fn restore_painted(&mut self, pixels: &[Pixel]) -> Result<(), SourceError> {
        // Through CUDA, as everything that the kernels continue from.
        let stream = Arc::clone(&self.engine.cuda.stream);
        let mut mapped = self.handover.map(&mut self.pixels, &stream)?;
        mapped.views()?.copy_from_host(pixels)?;
        mapped.unmap()?;
        self.painted.write(pixels);
        Ok(check_gl(self.gl.glow(), "restoring the painted texture")?)
    }

    fn follow_kernel_file(&mut self) -> bool {
        self.engine.follow_file()
    }

    fn kernel_error(&self) -> Option<&str> {
        self.engine.kernel_error()
    }
}

fn parse_dropped(text: &str) -> Option<(Side, u64)> {
    let (side, frame) = text.split_once('@')?;
    let side = match side {
        "gl" => Side::Gl,
        "cuda" => Side::Cuda,
        _ => return None,
    };
    Some((side, frame.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_hook_names_a_side_and_a_frame() {
        assert_eq!(parse_dropped("gl@3"), Some((Side::Gl, 3)));
        assert_eq!(parse_dropped("cuda@10"), Some((Side::Cuda, 10)));
        for text in ["", "gl", "gl@", "gl@x", "vulkan@1"] {
            assert_eq!(parse_dropped(text), None, "{text}");
        }
    }
}
