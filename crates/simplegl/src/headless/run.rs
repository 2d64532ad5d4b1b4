//! The headless viewer: the window's frames without a window.

use std::time::{Duration, Instant};

use glow::HasContext as _;
use thiserror::Error;

use super::in_flight::InFlight;
use super::maker::{Maker, look};
use super::{HeadlessContext, HeadlessError, HeadlessReport, Wanted};
use crate::backend;
use crate::capture::{CaptureError, Outputs};
use crate::compute::Wave;
use crate::heap;
use crate::mesh::{MeshSize, MeshSizeError};
use crate::options::{Backend, Interop, ViewerOptions};
use crate::phase::Phase;
use crate::preflight::{self, PreflightError};
use crate::raster::{Look, RasterError};
use crate::render::{RenderError, Renderer, Target};
use crate::signals::Interrupt;
use crate::source::NoSource;
use crate::status::Status;
use crate::timing::{Minutes, Stage, Timings, startup};
use crate::window::HeapReport;

/// What ended the headless viewer before its time.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// What was asked for cannot be done.
    #[error(transparent)]
    Preflight(#[from] PreflightError),
    /// No OpenGL context.
    #[error(transparent)]
    Context(#[from] HeadlessError),
    /// No path from a kernel to OpenGL at the start.
    #[error(transparent)]
    NoSource(NoSource),
    /// The path in use failed, and no other was left.
    #[error(transparent)]
    Update(NoSource),
    /// No way to rasterise at the start.
    #[error(transparent)]
    NoRaster(RasterError),
    /// Rasterising failed, and no other way was left.
    #[error(transparent)]
    Raster(RasterError),
    /// Drawing failed.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A file cannot be written.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A mesh that cannot be.
    #[error(transparent)]
    Mesh(#[from] MeshSizeError),
}

impl RunError {
    /// The exit status that it means.
    #[must_use]
    pub fn status(&self) -> Status {
        match self {
            Self::NoSource(none) if none.is_for_size() => Status::Usage,
            Self::Context(_) | Self::NoSource(_) | Self::NoRaster(_) => Status::NoDevice,
            Self::Preflight(_) | Self::Mesh(_) => Status::Usage,
            Self::Update(_) | Self::Raster(_) | Self::Render(_) | Self::Capture(_) => {
                Status::Runtime
            }
        }
    }
}

/// Frames in which caches fill, the queues of a GPU too, and functions of the driver are looked up at their first use; their
/// heap allocations are not counted.
const WARM_UP: u64 = 16;

/// What the frames of a run share. Order of destruction: what needs OpenGL first, its context last.
struct Studio<'a> {
    options: &'a ViewerOptions,
    look: Look<'a>,
    maker: Maker,
    renderer: Renderer,
    target: Target,
    outputs: Outputs,
    timings: Timings,
    minutes: Minutes,
    phase: Phase,
    /// The mean so far: how far apart frames that are computed ahead will be.
    frame_time: Duration,
    size: [u32; 2],
    heap: HeapReport,
    in_flight: InFlight,
    context: HeadlessContext,
}

/// Draws `options.frames` frames (one, if not said) off-screen, or fewer if a signal asks for the end, and writes what was asked
/// for. `say` gets a line for the user now and then.
///
/// # Errors
/// See [`RunError`].
pub fn run(options: &ViewerOptions, say: &mut dyn FnMut(&str)) -> Result<HeadlessReport, RunError> {
    preflight::check(options)?;
    // CUDA's context is made while OpenGL's is.
    let _early = backend::open_early(options);
    let mut studio = Studio::new(options)?;
    startup::mark("source, shaders and targets");
    say(studio.maker.notice());
    if let Some(note) = studio.renderer.note(&options.scene) {
        say(&note);
    }
    let frames = options.frames.unwrap_or(1);
    studio.maker.reserve_history(usize::try_from(frames).unwrap_or(0).min(1 << 24));

    // A second watcher in one process is refused; its signals then end the program as usual.
    let interrupt = Interrupt::watch(|| {}).unwrap_or_default();

    let start = Instant::now();
    let mut last = start;
    let mut phase = 0.0;
    let mut drawn = 0;
    while drawn < frames && !interrupt.is_requested() {
        let before = heap::allocations();
        phase = studio.phase.radians();
        if let Some(news) = studio.maker.kernel_news() {
            say(&news);
        }
        if studio.frame()? {
            say(studio.maker.notice());
        }
        let now = Instant::now();
        studio.timings.push_duration(Stage::Frame, now - last);
        studio.minutes.push(now - last);
        studio.phase.advance(now - last, options.scene.speed);
        studio.frame_time = (now - start) / u32::try_from(drawn + 1).unwrap_or(u32::MAX);
        last = now;
        drawn += 1;
        if drawn > WARM_UP {
            studio.heap.frames += 1;
            studio.heap.allocations += heap::allocations() - before;
        }
    }
    // SAFETY: waits for a current context.
    unsafe { studio.context.gl().glow().finish() }
    let seconds = start.elapsed().as_secs_f64();
    startup::mark("frames");
    studio.finish(drawn, phase, seconds, say)
}

impl<'a> Studio<'a> {
    fn new(options: &'a ViewerOptions) -> Result<Self, RunError> {
        let context = HeadlessContext::new(wanted(options))?;
        startup::mark("OpenGL context");
        let gl = context.gl().glow();
        let mesh = MeshSize::new(options.scene.mesh_width, options.scene.mesh_height)?;
        let look = look(options, mesh);
        let size = [options.size.width(), options.size.height()];
        let mut renderer = Renderer::new(gl)?;
        let target = Target::new(gl, size, 0)?;
        let maker = Maker::new(&context, options, &look, &mut renderer, &target)?;
        Ok(Self {
            options,
            look,
            maker,
            renderer,
            target,
            outputs: Outputs::start(gl, &options.output, options.frames)?,
            timings: Timings::default(),
            minutes: Minutes::default(),
            phase: options.clock.phase(options.scene.speed),
            frame_time: Duration::ZERO,
            size,
            heap: HeapReport::default(),
            in_flight: InFlight::new(gl),
            context,
        })
    }

    /// Computes, draws and records one frame. True says that the path has changed.
    fn frame(&mut self) -> Result<bool, RunError> {
        let Self {
            options,
            look,
            maker,
            renderer,
            target,
            outputs,
            timings,
            phase,
            frame_time,
            size,
            in_flight,
            context,
            ..
        } = self;
        let scene = &options.scene;
        let upcoming = |frames| Wave {
            time: phase.ahead(frames, *frame_time, scene.speed).time(),
            frequency: scene.frequency,
            amplitude: scene.amplitude,
        };
        let changed = maker.frame(look, &upcoming, renderer, target, timings)?;
        let framebuffer = Some(target.framebuffer());
        outputs.frame(framebuffer, *size)?;
        if let Some(milliseconds) = renderer.draw_ms() {
            timings.push(Stage::Draw, milliseconds);
        }
        if maker.waiting() == 0 {
            // Nothing is swapped here, so nothing else would send the commands on their way before the next hand-over.
            // SAFETY: the context is current.
            unsafe { context.gl().glow().flush() }
        }
        if maker.is_on_cpu() {
            in_flight.add()?;
        }
        Ok(changed)
    }

    /// Writes and compares. The parts are dropped in the order of the fields after that.
    fn finish(
        mut self,
        frames: u64,
        phase: f64,
        seconds: f64,
        say: &mut dyn FnMut(&str),
    ) -> Result<HeadlessReport, RunError> {
        let framebuffer = Some(self.target.framebuffer());
        for line in self.outputs.finish(framebuffer, self.size, self.maker.source())? {
            say(&line);
        }
        let gl = self.context.gl();
        let (verification, picture_verification) = if self.options.verify {
            self.maker.verify(&self.context, &self.look)?
        } else {
            (None, None)
        };
        if let Some(verification) = &verification {
            say(&verification.to_string());
        }
        if let Some(verification) = &picture_verification {
            say(&verification.to_string());
        }
        Ok(HeadlessReport {
            frames,
            path: self.maker.path(),
            reason: self.maker.notice().to_owned(),
            device: self.maker.device().to_owned(),
            gl: gl.owner().to_string(),
            egl_device: self.context.device().to_string(),
            points: self.renderer.way(),
            view: self.options.camera.to_string(),
            camera: self.options.camera.clone(),
            scene: self.options.scene.clone(),
            phase,
            size: self.size,
            seconds,
            fps: frames as f64 / seconds,
            timings_ms: self.timings.clone(),
            minutes: self.minutes.all(),
            heap: self.heap,
            verification,
            picture_verification,
        })
    }
}

/// The EGL device to ask for: the CUDA device's, if CUDA is to be used.
fn wanted(options: &ViewerOptions) -> Wanted {
    match (options.backend, options.device) {
        (Backend::Cpu, _) | (_, None) => Wanted::Any,
        (_, Some(ordinal)) if options.interop == Interop::Graphics => Wanted::Only(ordinal),
        // By a host copy the device can be another one than OpenGL's.
        (_, Some(ordinal)) => Wanted::Prefer(ordinal),
    }
}
