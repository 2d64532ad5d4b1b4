//! Finished pictures of points, frame by frame, from CUDA or the CPU.

use std::fmt;

use cuda_interop::gl::GlContext;
use glow::HasContext as _;
use kernels::raster::PixelRule;
use kernels::raster_resolve::Rgba8;
use serde::Serialize;

use super::Look;
use super::cuda::CudaRaster;
use super::host::{HostPicture, HostRaster};
use crate::compute::Wave;
use crate::options::{Backend, Interop};
use crate::render::pixel_rule;
use crate::render::{RenderError, check_gl};
use crate::source::{Path, SourceError, SourceOptions, replay};
use crate::timing::{Stage, Timings};

/// Why there are no pictures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// The processor cannot do it.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// OpenGL refused: to show how it rounds points, or to give the picture back.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A kernel of the user's own runs on a GPU only, and the host copy has no pictures.
    #[error("--draw raster needs graphics interop or the CPU: {0}")]
    NoPath(&'static str),
}

/// The result of comparing a picture with the CPU's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RasterVerification {
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Vertices of the mesh, columns by rows.
    pub mesh: [u32; 2],
    /// How many pictures were drawn.
    pub pictures: usize,
    /// The phase of the last one, in radians.
    pub phase: f32,
    /// Pixels that differ.
    pub differing: usize,
}

impl RasterVerification {
    /// Whether every pixel is equal.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.differing == 0
    }
}

impl fmt::Display for RasterVerification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size: [width, height], mesh: [columns, rows], pictures, phase, differing } =
            self;
        let result = if self.passed() { "passed" } else { "FAILED" };
        write!(
            f,
            "verify: {result}: {differing} of {width}x{height} pixels, read back through OpenGL at phase {phase} after {pictures} \
             pictures of {columns}x{rows} points, differ from the CPU's"
        )
    }
}

/// Makes pictures of the mesh as points of size 1 and holds them in textures.
#[derive(Debug)]
pub struct RasterSource {
    processor: Processor,
    options: SourceOptions,
    gl: GlContext,
    size: [u32; 2],
    rule: PixelRule,
    /// The waves of the pictures that are drawn, and how many of them have been shown.
    drawn: Vec<Wave>,
    shown: usize,
    /// The phases of all pictures shown that painted, if they are remembered.
    history: Option<Vec<f32>>,
    notice: String,
}

#[derive(Debug)]
enum Processor {
    Cuda(Box<CudaRaster>),
    Cpu(Box<HostRaster>),
}

impl RasterSource {
    /// Pictures of `size` pixels, by the best processor of `options` that works.
    ///
    /// # Errors
    /// When none does.
    pub fn new(
        gl: &GlContext,
        options: &SourceOptions,
        size: [u32; 2],
    ) -> Result<Self, RasterError> {
        let rule = pixel_rule(gl.glow())?;
        let (processor, notice) = open(gl, options, size, rule)?;
        let (options, gl) = (options.clone(), gl.clone());
        let (drawn, history) = (Vec::new(), options.remember.then(Vec::new));
        Ok(Self { processor, options, gl, size, rule, drawn, shown: 0, history, notice })
    }

    /// Which path the pictures take.
    #[must_use]
    pub fn path(&self) -> Path {
        match self.processor {
            Processor::Cuda(_) => Path::Graphics,
            Processor::Cpu(_) => Path::Cpu,
        }
    }

    /// The name of the device that rasterises.
    #[must_use]
    pub fn device(&self) -> &str {
        match &self.processor {
            Processor::Cuda(cuda) => cuda.device(),
            Processor::Cpu(_) => "CPU",
        }
    }

    /// One line that says which path was taken, and why not a better one.
    #[must_use]
    pub fn notice(&self) -> &str {
        &self.notice
    }

    /// The picture that is shown: RGBA8, of this source's size.
    #[must_use]
    pub fn texture(&self) -> glow::Texture {
        match &self.processor {
            Processor::Cuda(cuda) => cuda.texture(self.shown.saturating_sub(1)),
            Processor::Cpu(cpu) => cpu.texture(),
        }
    }

    /// How many pictures are drawn and not shown yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.drawn.len() - self.shown.min(self.drawn.len())
    }

    /// The wave of the picture that is shown.
    #[must_use]
    pub fn last_wave(&self) -> Option<Wave> {
        self.shown.checked_sub(1).map(|at| self.drawn[at])
    }

    /// Shows the next picture: one that is drawn already, or else as many as fit one hand-over are drawn first.
    /// `upcoming(i)` is the wave of the frame after `i` others. Pictures that are drawn already keep their look, so with more
    /// than one frame per switch a new look shows when they have been.
    ///
    /// # Errors
    /// When drawing fails and no other processor is left.
    pub fn advance(
        &mut self,
        look: &Look<'_>,
        upcoming: &dyn Fn(usize) -> Wave,
        timings: &mut Timings,
    ) -> Result<bool, RasterError> {
        let mut changed = false;
        if self.shown >= self.drawn.len() {
            while let Err(error) = self.draw(look, upcoming, timings) {
                self.fall_back(error)?;
                changed = true;
            }
            self.shown = 0;
        }
        if let Some(history) = self.history.as_mut().filter(|_| look.paints) {
            history.push(self.drawn[self.shown].time);
        }
        self.shown += 1;
        Ok(changed)
    }

    fn draw(
        &mut self,
        look: &Look<'_>,
        upcoming: &dyn Fn(usize) -> Wave,
        timings: &mut Timings,
    ) -> Result<(), SourceError> {
        self.drawn.clear();
        match &mut self.processor {
            Processor::Cuda(cuda) => {
                self.drawn.extend((0..cuda.frames()).map(upcoming));
                cuda.draw(look, &self.drawn, timings)
            }
            Processor::Cpu(cpu) => {
                self.drawn.push(upcoming(0));
                let start = std::time::Instant::now();
                cpu.draw(look, self.drawn[0])?;
                timings.push_duration(Stage::Kernel, start.elapsed());
                Ok(())
            }
        }
    }

    /// Goes on with the CPU after CUDA has failed, if that is allowed.
    fn fall_back(&mut self, error: SourceError) -> Result<(), RasterError> {
        let on_cuda = matches!(self.processor, Processor::Cuda(_));
        if !on_cuda || self.options.backend == Backend::Cuda || self.options.kernel.is_some() {
            return Err(error.into());
        }
        let painted = replay(self.history.as_deref().unwrap_or_default());
        let cpu = HostRaster::new(self.gl.glow(), self.size, self.rule, painted)?;
        self.processor = Processor::Cpu(Box::new(cpu));
        self.notice = format!("raster on the CPU; not CUDA by graphics interop: {error}");
        Ok(())
    }

    /// Gives the pictures another size; nothing happens when they have it.
    ///
    /// # Errors
    /// When they do not fit; the old ones stay.
    pub fn resize(&mut self, size: [u32; 2]) -> Result<(), RasterError> {
        if size == self.size || size.contains(&0) {
            return Ok(());
        }
        match &mut self.processor {
            Processor::Cuda(cuda) => cuda.resize(size)?,
            Processor::Cpu(cpu) => cpu.resize(size),
        }
        self.size = size;
        self.drawn.clear();
        self.shown = 0;
        Ok(())
    }

    /// Makes room for so many more phases, so that remembering them allocates nothing.
    pub fn reserve_history(&mut self, frames: usize) {
        if let Some(history) = &mut self.history {
            history.reserve(frames);
        }
    }

    /// Loads the user's own kernel anew if its file has changed. True if anything about it changed.
    pub fn follow_kernel_file(&mut self) -> bool {
        match &mut self.processor {
            Processor::Cuda(cuda) => cuda.follow_kernel_file(),
            Processor::Cpu(_) => false,
        }
    }

    /// Why the newest version of the user's own kernel is not the one that runs.
    #[must_use]
    pub fn kernel_error(&self) -> Option<&str> {
        match &self.processor {
            Processor::Cuda(cuda) => cuda.kernel_error(),
            Processor::Cpu(_) => None,
        }
    }

    /// Reads the shown picture back through OpenGL and compares it with the CPU's, bit for bit. `None` before the first
    /// picture, or if the phases were not remembered. The painted image depends on every phase so far: the CPU replays them.
    ///
    /// # Errors
    /// When OpenGL does not give the data.
    pub fn verify(&self, look: &Look<'_>) -> Result<Option<RasterVerification>, RasterError> {
        let (Some(wave), Some(history)) = (self.last_wave(), self.history.as_deref()) else {
            return Ok(None);
        };
        let mut expected = HostPicture::new(replay(history));
        expected.draw(&Look { paints: false, ..*look }, wave, self.size, self.rule);
        let found = self.read_back()?;
        let pairs = found.iter().zip(&expected.pixels);
        Ok(Some(RasterVerification {
            size: self.size,
            mesh: [look.mesh.width(), look.mesh.height()],
            pictures: history.len(),
            phase: wave.time,
            differing: pairs.filter(|(found, expected)| found != expected).count(),
        }))
    }

    fn read_back(&self) -> Result<Vec<Rgba8>, RenderError> {
        let gl = self.gl.glow();
        let mut pixels = vec![0_u32; self.size[0] as usize * self.size[1] as usize];
        // SAFETY: the context is current, and there are four bytes for every pixel of the texture.
        unsafe {
            gl.bind_texture(glow::TEXTURE_2D, Some(self.texture()));
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
            let data = glow::PixelPackData::Slice(Some(bytemuck::cast_slice_mut(&mut pixels)));
            gl.get_tex_image(glow::TEXTURE_2D, 0, glow::RGBA, glow::UNSIGNED_BYTE, data);
            gl.bind_texture(glow::TEXTURE_2D, None);
        }
        check_gl(gl, "reading the picture back")?;
        Ok(pixels)
    }
}

/// The best processor that works, and the line that says which.
fn open(
    gl: &GlContext,
    options: &SourceOptions,
    size: [u32; 2],
    rule: PixelRule,
) -> Result<(Processor, String), RasterError> {
    let on_cpu = || {
        HostRaster::new(gl.glow(), size, rule, replay(&[])).map(|cpu| Processor::Cpu(Box::new(cpu)))
    };
    if options.backend == Backend::Cpu {
        if options.kernel.is_some() {
            return Err(RasterError::NoPath("a kernel of your own needs a GPU"));
        }
        return Ok((on_cpu()?, "raster on the CPU".to_owned()));
    }
    if !matches!(options.interop, Interop::Auto | Interop::Graphics) {
        return Err(RasterError::NoPath("leave --interop out, or choose graphics"));
    }
    match CudaRaster::new(gl, options, size, rule) {
        Ok(cuda) => {
            let notice = format!("raster by CUDA with graphics interop on {}", cuda.device());
            Ok((Processor::Cuda(Box::new(cuda)), notice))
        }
        Err(error)
            if options.backend == Backend::Cuda
                || options.interop == Interop::Graphics
                || options.kernel.is_some() =>
        {
            Err(error.into())
        }
        Err(error) => {
            Ok((on_cpu()?, format!("raster on the CPU; not CUDA by graphics interop: {error}")))
        }
    }
}
