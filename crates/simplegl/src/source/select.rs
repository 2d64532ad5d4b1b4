//! The choice among the paths: the best one that proves to work, and the next one when it stops working.

use std::fmt::Write as _;
use std::sync::Arc;

use kernels::hatch::Pixel;

use super::{CpuSource, PAINTED_SIZE, Path, Source, SourceError};
use crate::compute::Wave;
use crate::compute::cpu::Cpu;
use crate::mesh::MeshSize;
use crate::options::{Backend, Interop, ViewerOptions};
use crate::timing::Timings;

/// Which paths may be taken.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// Who computes.
    pub backend: Backend,
    /// How CUDA's result gets to OpenGL.
    pub interop: Interop,
    /// Remember every phase, so that the painted texture can be verified and survives a change of path.
    pub remember: bool,
}

impl From<&ViewerOptions> for SourceOptions {
    fn from(options: &ViewerOptions) -> Self {
        let ViewerOptions { backend, interop, verify, .. } = *options;
        Self { backend, interop, remember: verify }
    }
}

impl SourceOptions {
    /// The paths to try, best first. A path that was asked for by name has no successor.
    #[must_use]
    pub fn plan(&self) -> &'static [Path] {
        match (self.backend, self.interop) {
            (Backend::Cpu, _) => &[Path::Cpu],
            (_, Interop::Graphics) => &[Path::Graphics],
            (_, Interop::Copy) => &[Path::Copy],
            (Backend::Cuda, Interop::Auto) => &[Path::Graphics, Path::Copy],
            (Backend::Auto, Interop::Auto) => &[Path::Graphics, Path::Copy, Path::Cpu],
        }
    }
}

/// No path works. `Display` has every path's reason.
#[derive(Debug, thiserror::Error)]
#[error("{}", describe(.0))]
pub struct NoSource(pub Vec<(Path, SourceError)>);

fn describe(reasons: &[(Path, SourceError)]) -> String {
    let reasons: Vec<String> =
        reasons.iter().map(|(path, error)| format!("{path}: {error}")).collect();
    reasons.join("\n")
}

/// The source in use, and those that are left when it fails.
#[derive(Debug)]
pub struct Sources {
    gl: Arc<glow::Context>,
    source: Box<dyn Source>,
    /// Paths that have not been tried yet, best first.
    left: &'static [Path],
    /// The phases of all updates, if they are remembered.
    history: Option<Vec<f32>>,
    last: Option<Wave>,
    notice: String,
}

impl Sources {
    /// Takes the best path that works for a mesh of this size.
    ///
    /// # Errors
    /// When none does.
    pub fn new(
        gl: &Arc<glow::Context>,
        options: &SourceOptions,
        mesh: MeshSize,
    ) -> Result<Self, NoSource> {
        let mut refused = Vec::new();
        let (source, left) = first_that_works(gl, options.plan(), mesh, &mut refused)?;
        let notice = notice(&*source, &refused);
        let history = options.remember.then(Vec::new);
        Ok(Self { gl: Arc::clone(gl), source, left, history, last: None, notice })
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
        let mut refused = Vec::new();
        while let Err(error) = self.source.update(wave, timings) {
            refused.push((self.source.path(), error));
            self.fall_back(&mut refused)?;
        }
        self.last = Some(wave);
        if let Some(history) = &mut self.history {
            history.push(wave.time);
        }
        if refused.is_empty() {
            return Ok(false);
        }
        self.notice = notice(&*self.source, &refused);
        Ok(true)
    }

    /// [`Source::resize`]; nothing happens when the mesh has that size.
    ///
    /// # Errors
    /// When the mesh does not fit; the old one stays.
    pub fn resize(&mut self, mesh: MeshSize) -> Result<(), SourceError> {
        if self.source.mesh() == mesh { Ok(()) } else { self.source.resize(mesh) }
    }

    /// Replaces the source by the next one that works, in the state that the failed one had.
    fn fall_back(&mut self, refused: &mut Vec<(Path, SourceError)>) -> Result<(), NoSource> {
        let mesh = self.source.mesh();
        let painted = self.history.as_deref().map(replay);
        loop {
            let (mut source, left) = first_that_works(&self.gl, self.left, mesh, refused)?;
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

/// The painted texture after updates at these phases, computed on the CPU.
#[must_use]
pub fn replay(history: &[f32]) -> Vec<Pixel> {
    let [width, height] = PAINTED_SIZE;
    let mut pixels = vec![[0.0; 4]; width as usize * height as usize];
    let mut cpu = Cpu::new();
    for &time in history {
        cpu.hatch(&mut pixels, width, height, time);
    }
    pixels
}

/// Tries paths in order. On success: the source, and the paths after it.
fn first_that_works(
    gl: &Arc<glow::Context>,
    plan: &'static [Path],
    mesh: MeshSize,
    refused: &mut Vec<(Path, SourceError)>,
) -> Result<(Box<dyn Source>, &'static [Path]), NoSource> {
    for (i, &path) in plan.iter().enumerate() {
        match open(gl, path, mesh) {
            Ok(source) => return Ok((source, &plan[i + 1..])),
            Err(error) => refused.push((path, error)),
        }
    }
    Err(NoSource(std::mem::take(refused)))
}

fn open(
    gl: &Arc<glow::Context>,
    path: Path,
    mesh: MeshSize,
) -> Result<Box<dyn Source>, SourceError> {
    match path {
        Path::Graphics | Path::Copy => Err(SourceError::NotBuilt),
        Path::Cpu => Ok(Box::new(CpuSource::new(gl, mesh)?)),
    }
}

/// "path on device", and the reasons against the better ones.
fn notice(source: &dyn Source, refused: &[(Path, SourceError)]) -> String {
    let mut text = match source.path() {
        Path::Cpu => source.path().to_string(),
        path => format!("{path} on {}", source.device()),
    };
    for (path, error) in refused {
        let _ = write!(text, "; not {path}: {error}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_asked_for_by_name_has_no_successor() {
        let plan = |backend, interop| SourceOptions { backend, interop, remember: false }.plan();
        assert_eq!(plan(Backend::Auto, Interop::Auto), [Path::Graphics, Path::Copy, Path::Cpu]);
        assert_eq!(plan(Backend::Cuda, Interop::Auto), [Path::Graphics, Path::Copy]);
        assert_eq!(plan(Backend::Auto, Interop::Copy), [Path::Copy]);
        assert_eq!(plan(Backend::Cuda, Interop::Graphics), [Path::Graphics]);
        assert_eq!(plan(Backend::Cpu, Interop::Auto), [Path::Cpu]);
    }

    #[test]
    fn replay_depends_on_the_whole_history() {
        let black = replay(&[]);
        assert!(black.iter().all(|pixel| *pixel == [0.0; 4]));
        assert_ne!(replay(&[0.0, 0.01]), replay(&[0.01]));
    }
}
