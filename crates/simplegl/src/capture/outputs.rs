//! All that a run writes, in window and headless alike: checked before the first frame, fed every frame, finished after the last.

use std::sync::Arc;

use super::{CaptureError, Recorder, check_export, check_record, check_writable};
use super::{read_framebuffer, write_mesh, write_png};
use crate::options::OutputOptions;
use crate::readback;
use crate::source::Source;

/// Finds out before the first frame whether everything that was asked for can be written.
///
/// # Errors
/// The first that cannot; wrong usage.
pub fn check_outputs(options: &OutputOptions) -> Result<(), CaptureError> {
    if let Some(path) = &options.screenshot {
        check_writable("--screenshot", path)?;
    }
    if let Some(path) = &options.export {
        check_export(path)?;
    }
    options.record.as_deref().map_or(Ok(()), check_record)
}

/// The files of a run.
#[derive(Debug)]
pub struct Outputs {
    gl: Arc<glow::Context>,
    options: OutputOptions,
    recorder: Option<Recorder>,
}

impl Outputs {
    /// Starts the recorder, if a recording was asked for. `frames` is how many are expected.
    ///
    /// # Errors
    /// When OpenGL or the system refuses.
    pub fn start(
        gl: &Arc<glow::Context>,
        options: &OutputOptions,
        frames: Option<u64>,
    ) -> Result<Self, CaptureError> {
        let record = |folder: &std::path::PathBuf| Recorder::start(gl, folder, frames);
        let recorder = options.record.as_ref().map(record).transpose()?;
        Ok(Self { gl: Arc::clone(gl), options: options.clone(), recorder })
    }

    /// Takes the frame that has just been drawn into `framebuffer` (`None`: the window's back buffer, before the swap).
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn frame(
        &mut self,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
    ) -> Result<(), CaptureError> {
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.frame(framebuffer, size))
    }

    /// Writes the last frame and the last mesh, and finishes the recording: once, after the last frame. Returns a line for the user for each file.
    ///
    /// # Errors
    /// The first file that could not be written; the others are still tried.
    pub fn finish(
        &mut self,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
        source: Option<&dyn Source>,
    ) -> Result<Vec<String>, CaptureError> {
        let recorded = self.recorder.take().map(Recorder::finish).transpose();
        let screenshot = self.screenshot(framebuffer, size).transpose();
        let export = source.and_then(|source| self.export(source)).transpose();
        let written = [recorded?, screenshot?, export?];
        Ok(written.into_iter().flatten().collect())
    }

    fn screenshot(
        &self,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
    ) -> Option<Result<String, CaptureError>> {
        let path = self.options.screenshot.as_ref()?;
        let picture = read_framebuffer(&self.gl, framebuffer, size);
        let written = picture.and_then(|picture| write_png(path, &picture));
        Some(written.map(|()| format!("wrote {} ({}x{})", path.display(), size[0], size[1])))
    }

    fn export(&self, source: &dyn Source) -> Option<Result<String, CaptureError>> {
        let path = self.options.export.as_ref()?;
        let mesh = source.mesh();
        let vertices = readback::vertices(&self.gl, source).map_err(CaptureError::from);
        let written = vertices.and_then(|vertices| write_mesh(path, mesh, &vertices));
        Some(written.map(|()| format!("wrote {} ({} vertices)", path.display(), mesh.vertices())))
    }
}
