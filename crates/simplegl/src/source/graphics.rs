//! The source that this program is about: kernels write OpenGL's own buffer and texture.

use std::sync::Arc;

use cuda_interop::gl::{
    Access, GlBuffer, GlContext, GlImage, ImageDesc, ImageUsage, map_all, pair,
};
use kernels::Vertex;
use kernels::hatch::Pixel;

use super::engine::{Engine, SharedCuda};
use super::gl_objects::upload;
use super::{PAINTED_SIZE, Path, Source, SourceError};
use crate::compute::Wave;
use crate::mesh::MeshSize;
use crate::options::KernelFile;
use crate::render::check_gl;
use crate::timing::{Mark, Timings};

/// Computes with CUDA into OpenGL's memory. Buffer and texture are handed over in one map and one unmap a frame, because each
/// costs the GPU a switch between its compute and its graphics context; the host never waits.
#[derive(Debug)]
pub struct GraphicsSource {
    // Order of destruction: the registrations, then the CUDA context, then the witness of the OpenGL context.
    vertices: GlBuffer<Vertex>,
    painted: GlImage,
    /// The texture's name, which cannot be asked for while it is mapped, and does not change.
    painted_name: glow::Texture,
    mesh: MeshSize,
    engine: Engine,
    gl: GlContext,
}

impl GraphicsSource {
    /// A source on the CUDA device that the OpenGL context runs on; `wanted`, if given, must be that device.
    ///
    /// # Errors
    /// When they share no device, CUDA does not work, or the mesh does not fit.
    pub(super) fn new(
        gl: &GlContext,
        wanted: Option<usize>,
        shared: &mut SharedCuda,
        kernel: Option<&KernelFile>,
        mesh: MeshSize,
    ) -> Result<Self, SourceError> {
        let found = pair(gl)?.device.ordinal();
        if let Some(wanted) = wanted.filter(|&wanted| wanted != found) {
            return Err(SourceError::OtherDevice { wanted, found });
        }
        let engine = Engine::open(shared, found, kernel)?;
        let context = &engine.cuda.context;
        let len = mesh.vertices() as usize;
        let vertices = GlBuffer::new(gl, context, len, Access::WriteDiscard)?;
        let [width, height] = PAINTED_SIZE;
        let desc = ImageDesc::texture_2d(glow::RGBA32F, width, height);
        let usage = ImageUsage::SURFACE_LOAD_STORE;
        // Read as well as written: the hatch fades from its last picture.
        let painted = GlImage::new(gl, context, desc, Access::ReadWrite, usage)?;
        let painted_name = painted.gl_texture().ok_or(SourceError::NoTexture)?;
        let mut source = Self { vertices, painted, painted_name, mesh, engine, gl: gl.clone() };
        source.restore_painted(&vec![[0.0; 4]; width as usize * height as usize])?;
        Ok(source)
    }

    /// Maps, launches both kernels, unmaps; calls `meanwhile` before the unmap, or before all of it in a frame that is timed.
    fn compute(&mut self, wave: Wave, meanwhile: &mut dyn FnMut()) -> Result<(), SourceError> {
        let Self { vertices, painted, mesh, engine, .. } = self;
        let stream = Arc::clone(&engine.cuda.stream);
        let is_timing = engine.timer.is_timing();
        if is_timing {
            meanwhile();
        }
        engine.timer.mark(Mark::Start, &stream)?;
        let mut set = map_all((vertices, painted), &stream)?;
        engine.timer.mark(Mark::Mapped, &stream)?;
        {
            let (mut vertices, painted) = set.views();
            let surface = painted.surface(0, 0)?;
            let [width, height] = PAINTED_SIZE;
            // SAFETY: the mapped buffer holds the whole mesh and the surface the whole picture, both are CUDA's until the
            // unmap below, which follows the kernels on the same stream.
            unsafe {
                engine.wave((&mut vertices).into(), *mesh, wave)?;
                let kernels = &engine.cuda.kernels;
                kernels.hatch(&stream, surface.object(), width, height, wave.time)?;
            }
        }
        engine.timer.mark(Mark::Computed, &stream)?;
        if !is_timing {
            meanwhile();
        }
        set.unmap()?;
        Ok(engine.timer.mark(Mark::Unmapped, &stream)?)
    }
}

impl Source for GraphicsSource {
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
        self.vertices.gl_name()
    }

    fn painted(&self) -> glow::Texture {
        self.painted_name
    }

    fn update(&mut self, wave: Wave, timings: &mut Timings) -> Result<(), SourceError> {
        self.update_around(wave, timings, &mut || ())
    }

    fn update_around(
        &mut self,
        wave: Wave,
        timings: &mut Timings,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), SourceError> {
        self.engine.timer.begin(timings)?;
        self.compute(wave, meanwhile)
    }

    fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError> {
        self.vertices.resize(mesh.vertices() as usize)?;
        self.mesh = mesh;
        Ok(())
    }

    fn restore_painted(&mut self, pixels: &[Pixel]) -> Result<(), SourceError> {
        upload(self.gl.glow(), self.painted_name, pixels);
        Ok(check_gl(self.gl.glow(), "restoring the painted texture")?)
    }

    fn follow_kernel_file(&mut self) -> bool {
        self.engine.follow_file()
    }

    fn kernel_error(&self) -> Option<&str> {
        self.engine.kernel_error()
    }
}
