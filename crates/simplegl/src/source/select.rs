//! The choice among the paths: the best one that proves to work, and the next one when it stops working.

use cuda_interop::gl::{GlContext, pair};

use super::engine::SharedCuda;
use super::notice::{notice, reasons};
use super::prove::prove;
use super::replay::replay;
use super::{
    CopySource, CpuSource, ExternalSource, GraphicsSource, Path, RingSource, Source, SourceError,
    SourceOptions,
};
use crate::compute::Wave;
use crate::doctor;
use crate::mesh::MeshSize;
use crate::timing::Timings;

/// No path works. `Display` has every path's reason.
#[derive(Debug, thiserror::Error)]
#[error("nothing can compute the mesh here:{}", describe(.0))]
pub struct NoSource(pub Vec<(Path, SourceError)>);

impl NoSource {
    /// Whether the size of the mesh is all that is wrong.
    #[must_use]
    pub fn is_for_size(&self) -> bool {
        self.0.iter().all(|(_, error)| matches!(error, SourceError::MeshTooLarge { .. }))
    }
}

fn describe(refused: &[(Path, SourceError)]) -> String {
    reasons(refused, "\n  ", " and ")
}

/// The source in use, and those that are left when it fails.
#[derive(Debug)]
pub struct Sources {
    // Dropped first: its registrations need the context.
    source: Box<dyn Source>,
    opener: Opener,
    /// Paths that have not been tried yet, best first.
    left: &'static [Path],
    /// The phases of all updates, if they are remembered.
    history: Option<Vec<f32>>,
    last: Option<Wave>,
    /// The waves of the frames that the source has prepared, and how many of them have been shown.
    prepared: Vec<Wave>,
    shown: usize,
    notice: String,
}

impl Sources {
    /// Takes the best path that works for a mesh of this size.
    ///
    /// # Errors
    /// When none does.
    pub fn new(gl: &GlContext, options: &SourceOptions, mesh: MeshSize) -> Result<Self, NoSource> {
        let shared = SharedCuda::default();
        let mut opener = Opener { gl: gl.clone(), options: options.clone(), shared };
        let mut refused = Vec::new();
        let (source, left) = opener.first_that_works(options.plan(), mesh, &mut refused)?;
        let notice = notice(&*source, &refused);
        let history = options.remember.then(Vec::new);
        Ok(Self {
            source,
            opener,
            left,
            history,
            last: None,
            prepared: Vec::new(),
            shown: 0,
            notice,
        })
    }

    /// The source in use.
    #[must_use]
    pub fn current(&self) -> &dyn Source {
        &*self.source
    }

    /// One line that says which path was taken, and why not a better one.
    #[must_use]
    pub fn notice(&self) -> &str {
        &self.notice
    }

    /// The wave of the last update.
    #[must_use]
    pub fn last_wave(&self) -> Option<Wave> {
        self.last
    }

    /// The phases of all updates, if they are remembered.
    #[must_use]
    pub fn history(&self) -> Option<&[f32]> {
        self.history.as_deref()
    }

    /// Makes room for so many more phases, so that remembering them allocates nothing.
    pub fn reserve_history(&mut self, frames: usize) {
        if let Some(history) = &mut self.history {
            history.reserve(frames);
        }
    }

    /// [`Source::update`] on the path in use. When that fails, the next path takes over; true says that it did, and
    /// [`Sources::notice`] tells why.
    ///
    /// # Errors
    /// When no path is left.
    pub fn update(&mut self, wave: Wave, timings: &mut Timings) -> Result<bool, NoSource> {
        let changed =
            self.prepare(1, &|_| wave, |source, waves| source.update_ahead(waves, timings))?;
        self.show_next();
        Ok(changed)
    }

    /// Shows the next frame: one that is prepared already, or else as many as the path can prepare at once are prepared first.
    /// `upcoming(i)` is the wave of the frame after `i` others. A frame that was prepared for another frequency or amplitude
    /// than it has now is not shown but prepared anew; that it was prepared for another phase is the price of this.
    ///
    /// # Errors
    /// As [`Sources::update`].
    pub fn advance(
        &mut self,
        upcoming: &dyn Fn(usize) -> Wave,
        timings: &mut Timings,
    ) -> Result<bool, NoSource> {
        let now = upcoming(0);
        let fits = |wave: &Wave| (wave.frequency, wave.amplitude) == (now.frequency, now.amplitude);
        let changed = if self.prepared.get(self.shown).is_some_and(fits) {
            false
        } else {
            self.prepare(usize::MAX, upcoming, |source, waves| source.update_ahead(waves, timings))?
        };
        self.show_next();
        Ok(changed)
    }

    /// Prepares the next frame now, where the path can only show the frame that it made last: the GPU has it ready when
    /// [`Sources::advance`] shows it. `wave` is what it will show. True says that the path has changed.
    ///
    /// `present` is called once, in any case. It may present the frame that was drawn before, and nothing else: the GPU's switch
    /// to CUDA then runs beside it.
    ///
    /// Until then what OpenGL holds is ahead of what was shown; [`Sources::settle`] ends that.
    ///
    /// # Errors
    /// As [`Sources::update`].
    pub fn work_ahead(
        &mut self,
        wave: Wave,
        timings: &mut Timings,
        present: impl FnOnce(),
    ) -> Result<bool, NoSource> {
        let mut present = Some(present);
        let mut present_once = || present.take().map_or((), |present| present());
        let is_idle = self.source.frames_ahead() == 1 && self.waiting() == 0;
        let changed = if is_idle && self.source.path() == Path::Graphics {
            self.prepare(1, &|_| wave, |source, waves| {
                source.update_around(waves[0], timings, &mut present_once)
            })
        } else {
            Ok(false)
        };
        // A source that failed early has not come so far.
        present_once();
        changed
    }

    /// Brings what OpenGL holds to `wave` if a frame is prepared and not shown. True says that the path has changed.
    ///
    /// # Errors
    /// As [`Sources::update`].
    pub fn settle(&mut self, wave: Wave, timings: &mut Timings) -> Result<bool, NoSource> {
        if self.source.frames_ahead() > 1 || self.waiting() == 0 {
            return Ok(false);
        }
        self.update(wave, timings)
    }

    /// Forgets the frames that are prepared and not shown. A source that makes one at a time has painted it on the only texture
    /// that it has, so it counts as shown.
    fn discard_prepared(&mut self) {
        if self.source.frames_ahead() == 1 && self.waiting() > 0 {
            self.show_next();
        }
        self.prepared.clear();
    }

    /// How many frames are prepared and not shown yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.prepared.len() - self.shown.min(self.prepared.len())
    }

    /// Prepares as many frames as the path can, at most `most`, by `update`. True says that the path has changed.
    fn prepare(
        &mut self,
        most: usize,
        upcoming: &dyn Fn(usize) -> Wave,
        mut update: impl FnMut(&mut dyn Source, &[Wave]) -> Result<(), SourceError>,
    ) -> Result<bool, NoSource> {
        let mut refused = Vec::new();
        self.discard_prepared();
        loop {
            self.shown = 0;
            self.prepared.clear();
            self.prepared.extend((0..self.source.frames_ahead().min(most)).map(upcoming));
            let Err(error) = update(&mut *self.source, &self.prepared) else { break };
            refused.push((self.source.path(), error));
            self.fall_back(&mut refused)?;
        }
        if refused.is_empty() {
            return Ok(false);
        }
        self.notice = notice(&*self.source, &refused);
        Ok(true)
    }

    fn show_next(&mut self) {
        let wave = self.prepared[self.shown];
        self.source.show(self.shown);
        self.shown += 1;
        self.last = Some(wave);
        if let Some(history) = &mut self.history {
            history.push(wave.time);
        }
    }

    /// [`Source::resize`]; nothing happens when the mesh has that size.
    ///
    /// # Errors
    /// When the mesh does not fit; the old one stays.
    pub fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError> {
        if self.source.mesh() == mesh {
            return Ok(());
        }
        self.source.resize(mesh)?;
        self.discard_prepared();
        Ok(())
    }

    /// [`Source::follow_kernel_file`] on the path in use.
    pub fn follow_kernel_file(&mut self) -> bool {
        let changed = self.source.follow_kernel_file();
        if changed {
            self.discard_prepared();
        }
        changed
    }

    /// Replaces the source by the next one that works, in the state that the failed one had.
    fn fall_back(&mut self, refused: &mut Vec<(Path, SourceError)>) -> Result<(), NoSource> {
        let mesh = self.source.mesh();
        let painted = self.history.as_deref().map(replay);
        loop {
            let (mut source, left) = self.opener.first_that_works(self.left, mesh, refused)?;
            self.left = left;
            match painted.as_deref().map_or(Ok(()), |pixels| source.restore_painted(pixels)) {
                Ok(()) => {
                    self.source = source;
                    return Ok(());
                }
                Err(error) => refused.push((source.path(), error)),
            }
        }
    }
}

/// Makes sources.
#[derive(Debug)]
struct Opener {
    gl: GlContext,
    options: SourceOptions,
    shared: SharedCuda,
}

impl Opener {
    /// Tries paths in order. On success: the source, and the paths after it.
    fn first_that_works(
        &mut self,
        plan: &'static [Path],
        mesh: MeshSize,
        refused: &mut Vec<(Path, SourceError)>,
    ) -> Result<(Box<dyn Source>, &'static [Path]), NoSource> {
        for (i, &path) in plan.iter().enumerate() {
            match self.open(path, mesh) {
                Ok(source) => return Ok((source, &plan[i + 1..])),
                Err(error) => refused.push((path, self.diagnosed(error))),
            }
        }
        Err(NoSource(std::mem::take(refused)))
    }

    /// The error with its likely cause on this machine, if it is a refusal to share memory with OpenGL.
    fn diagnosed(&self, error: SourceError) -> SourceError {
        let SourceError::Cuda(cause) = &error else { return error };
        match doctor::explained(cause, self.gl.owner(), self.options.headless) {
            Some(text) => SourceError::Sharing(text),
            None => error,
        }
    }

    /// Makes a source and proves that it works.
    fn open(&mut self, path: Path, mesh: MeshSize) -> Result<Box<dyn Source>, SourceError> {
        let Self { gl, options, shared } = self;
        let kernel = options.kernel.as_ref();
        let mut source: Box<dyn Source> = match path {
            Path::Graphics if options.frames_per_switch > 1 => {
                let frames = options.frames_per_switch;
                Box::new(RingSource::new(gl, options.device, shared, kernel, mesh, frames)?)
            }
            Path::Graphics => {
                Box::new(GraphicsSource::new(gl, options.device, shared, kernel, mesh)?)
            }
            Path::External => Box::new(ExternalSource::new(
                gl,
                options.device,
                shared,
                kernel,
                options.semaphores,
                mesh,
            )?),
            Path::Copy => {
                // Without a pairing any device will do: the host copies between them.
                let paired = || pair(gl).map_or(0, |pairing| pairing.device.ordinal());
                let ordinal = options.device.unwrap_or_else(paired);
                Box::new(CopySource::new(gl.glow(), ordinal, shared, kernel, mesh)?)
            }
            Path::Cpu => return Ok(Box::new(CpuSource::new(gl.glow(), mesh)?)),
        };
        prove(gl, &mut *source, kernel.is_none())?;
        Ok(source)
    }
}
