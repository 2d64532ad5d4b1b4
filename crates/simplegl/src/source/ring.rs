//! Many frames for one hand-over: a ring of vertex buffers and textures that CUDA fills in one map and unmap.
//!
//! On a GPU that switches between its compute and its graphics context the switch costs more than kernels and drawing of a
//! small frame together, so K frames per switch are up to K times as many frames per second. The price is K times the
//! memory, and that the last of them is computed K - 1 frames before it is shown.

use std::sync::Arc;

use cuda_interop::gl::{
    Access, GlBuffer, GlContext, GlImage, ImageDesc, ImageUsage, Surface, map_all, pair,
};
use kernels::Vertex;
use kernels::hatch::Pixel;
use kernels::hatch_frames::{HatchFrames, MOST_FRAMES};

use super::engine::{Engine, SharedCuda};
use super::gl_objects::upload;
use super::{PAINTED_SIZE, Path, Source, SourceError};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::KernelFile;
use crate::render::check_gl;
use crate::timing::{Mark, Timings};

/// Computes with CUDA into OpenGL's memory, several frames at a time. Pictures are those of
/// [`GraphicsSource`](super::GraphicsSource), frame by frame.
#[derive(Debug)]
pub struct RingSource {
    // Order of destruction: the registrations, then the CUDA context, then the witness of the OpenGL context.
    vertices: Vec<GlBuffer<Vertex>>,
    painted: Vec<GlImage>,
    /// The textures' names, which cannot be asked for while they are mapped, and do not change.
    painted_names: Vec<glow::Texture>,
    /// Which frame of the ring is shown. Its texture is what the next hatch continues from.
    shown: usize,
    mesh: MeshSize,
    engine: Engine,
    gl: GlContext,
}

impl RingSource {
    /// A ring of `frames` (at least 1) on the CUDA device that the OpenGL context runs on; `wanted`, if given, must be that
    /// device.
    ///
    /// # Errors
    /// When they share no device, CUDA does not work, or so many meshes do not fit.
    pub(super) fn new(
        gl: &GlContext,
        wanted: Option<usize>,
        shared: &mut SharedCuda,
        kernel: Option<&KernelFile>,
        mesh: MeshSize,
        frames: u32,
    ) -> Result<Self, SourceError> {
        let found = pair(gl)?.device.ordinal();
        if let Some(wanted) = wanted.filter(|&wanted| wanted != found) {
            return Err(SourceError::OtherDevice { wanted, found });
        }
        let engine = Engine::open(shared, found, kernel)?;
        let vertices = buffers(gl, &engine, mesh, frames.max(1))?;
        let [width, height] = PAINTED_SIZE;
        let (mut painted, mut painted_names) = (Vec::new(), Vec::new());
        for _ in 0..frames.max(1) {
            let desc = ImageDesc::texture_2d(glow::RGBA32F, width, height);
            let context = &engine.cuda.context;
            let usage = ImageUsage::SURFACE_LOAD_STORE;
            let image = GlImage::new(gl, context, desc, Access::ReadWrite, usage)?;
            let name = image.gl_texture().ok_or(SourceError::NoTexture)?;
            painted.push(image);
            painted_names.push(name);
        }
        let gl = gl.clone();
        let mut ring = Self { vertices, painted, painted_names, shown: 0, mesh, engine, gl };
        ring.restore_painted(&vec![[0.0; 4]; width as usize * height as usize])?;
        Ok(ring)
    }

    /// Maps, launches the kernels of all frames, unmaps.
    fn compute(&mut self, waves: &[Wave]) -> Result<(), SourceError> {
        let Self { vertices, painted, shown, mesh, engine, .. } = self;
        let stream = Arc::clone(&engine.cuda.stream);
        engine.timer.mark(Mark::Start, &stream)?;
        let mut set = map_all((&mut vertices[..waves.len()], &mut painted[..]), &stream)?;
        engine.timer.mark(Mark::Mapped, &stream)?;
        {
            let (mut vertices, painted) = set.views();
            for (wave, vertices) in waves.iter().zip(&mut vertices) {
                // SAFETY: the mapped buffer holds the whole mesh and is CUDA's until the unmap below, which follows the
                // kernels on the same stream.
                unsafe { engine.wave(vertices.into(), *mesh, *wave) }?;
            }
            let surfaces = painted.iter().map(|image| image.surface(0, 0));
            let surfaces: Vec<Surface<'_>> = surfaces.collect::<Result<_, _>>()?;
            let mut from = surfaces[*shown].object();
            for (waves, targets) in waves.chunks(MOST_FRAMES).zip(surfaces.chunks(MOST_FRAMES)) {
                let frames = hatch_frames(waves, targets);
                let [width, height] = PAINTED_SIZE;
                let kernels = &engine.cuda.kernels;
                // SAFETY: every surface is of the whole picture, and CUDA's until the unmap below.
                unsafe { kernels.hatch_frames(&stream, from, width, height, frames) }?;
                from = targets[waves.len() - 1].object();
            }
        }
        engine.timer.mark(Mark::Computed, &stream)?;
        set.unmap()?;
        Ok(engine.timer.mark(Mark::Unmapped, &stream)?)
    }
}

/// What the hatch kernel takes for these frames.
fn hatch_frames(waves: &[Wave], targets: &[Surface<'_>]) -> HatchFrames {
    let mut frames = HatchFrames {
        surfaces: [0; MOST_FRAMES],
        times: [0.0; MOST_FRAMES],
        count: waves.len() as u32,
        padding: 0,
    };
    for (i, (wave, target)) in waves.iter().zip(targets).enumerate() {
        (frames.surfaces[i], frames.times[i]) = (target.object(), wave.time);
    }
    frames
}

/// A registered buffer for the mesh of each frame.
fn buffers(
    gl: &GlContext,
    engine: &Engine,
    mesh: MeshSize,
    frames: u32,
) -> Result<Vec<GlBuffer<Vertex>>, SourceError> {
    let len = mesh.vertices() as usize;
    let new = |_| GlBuffer::new(gl, &engine.cuda.context, len, Access::WriteDiscard);
    Ok((0..frames).map(new).collect::<Result<_, _>>()?)
}

impl Source for RingSource {
    fn path(&self) -> Path {
        Path::Graphics
    }

    fn device(&self) -> &str {
        &self.engine.cuda.name
    }

    fn mesh(&self) -> MeshSize {
        self.mesh
    }

    fn vertices(&self) -> glow::Buffer {
        self.vertices[self.shown].gl_name()
    }

    fn painted(&self) -> glow::Texture {
        self.painted_names[self.shown]
    }

    fn update(&mut self, wave: Wave, timings: &mut Timings) -> Result<(), SourceError> {
        self.update_ahead(&[wave], timings)?;
        self.show(0);
        Ok(())
    }

    fn frames_ahead(&self) -> usize {
        self.vertices.len()
    }

    fn update_ahead(&mut self, waves: &[Wave], timings: &mut Timings) -> Result<(), SourceError> {
        self.engine.timer.begin(timings)?;
        self.compute(&waves[..waves.len().min(self.vertices.len())])
    }

    fn show(&mut self, frame: usize) {
        self.shown = frame;
    }

    fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError> {
        // The old buffers stay if the new ones fail.
        self.vertices = buffers(&self.gl, &self.engine, mesh, self.vertices.len() as u32)?;
        self.mesh = mesh;
        Ok(())
    }

    fn restore_painted(&mut self, pixels: &[Pixel]) -> Result<(), SourceError> {
        upload(self.gl.glow(), self.painted_names[self.shown], pixels);
        Ok(check_gl(self.gl.glow(), "restoring the painted texture")?)
    }

    fn follow_kernel_file(&mut self) -> bool {
        self.engine.follow_file()
    }

    fn kernel_error(&self) -> Option<&str> {
        self.engine.kernel_error()
    }
}
