//! Frames that are kept. They are drawn off-screen first: what a window that is hidden or covered holds is up to the system.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::WindowError;
use crate::capture::{CaptureError, Outputs, read_framebuffer, write_png};
use crate::options::OutputOptions;
use crate::render::{RenderError, Target};
use crate::source::Source;

/// The most screenshots that find a free name in one folder.
const MOST_SCREENSHOTS: u32 = 9999;

/// What is written while the viewer runs and when it ends.
#[derive(Debug)]
pub(super) struct Shots {
    gl: Arc<glow::Context>,
    /// `None` once they are finished.
    outputs: Option<Outputs>,
    is_recording: bool,
    keeps_last: bool,
    /// Where the next frame goes.
    screenshot: Option<PathBuf>,
    /// Made when first needed.
    target: Option<Target>,
}

impl Shots {
    pub(super) fn start(
        gl: &Arc<glow::Context>,
        options: &OutputOptions,
        frames: Option<u64>,
    ) -> Result<Self, CaptureError> {
        Ok(Self {
            gl: Arc::clone(gl),
            outputs: Some(Outputs::start(gl, options, frames)?),
            is_recording: options.record.is_some(),
            keeps_last: options.screenshot.is_some(),
            screenshot: None,
            target: None,
        })
    }

    /// Asks for the next frame as `simplegl-NNNN.png` in the current folder. False if there is no free name.
    pub(super) fn want_screenshot(&mut self) -> bool {
        self.screenshot = free_name(Path::new(""));
        self.screenshot.is_some()
    }

    /// Whether the next frame is to be kept.
    pub(super) fn want_frame(&self) -> bool {
        self.is_recording || self.screenshot.is_some()
    }

    /// Whether the last frame is to be kept.
    pub(super) fn want_last_frame(&self) -> bool {
        self.keeps_last
    }

    /// Where a frame that is to be kept is drawn.
    pub(super) fn target(&mut self, size: [u32; 2]) -> Result<&Target, RenderError> {
        match &mut self.target {
            Some(target) => {
                target.resize(size, 0)?;
                Ok(target)
            }
            slot => Ok(slot.insert(Target::new(&self.gl, size, 0)?)),
        }
    }

    /// Keeps what was drawn into [`Shots::target`], and shows it in the window. A text for the user, if there is one.
    pub(super) fn keep(&mut self) -> Result<Option<String>, WindowError> {
        let Some(target) = &self.target else { return Ok(None) };
        let (framebuffer, size) = (Some(target.framebuffer()), target.size());
        if let Some(outputs) = &mut self.outputs {
            outputs.frame(framebuffer, size)?;
        }
        let said = self.screenshot.take().map(|path| {
            let picture = read_framebuffer(&self.gl, framebuffer, size);
            match picture.and_then(|picture| write_png(&path, &picture)) {
                Ok(()) => format!("Saved {}", path.display()),
                Err(error) => error.to_string(),
            }
        });
        target.resolve_into(None);
        Ok(said)
    }

    /// Writes what is due at the end, with the last frame in [`Shots::target`]. Lines for the user.
    pub(super) fn finish(&mut self, source: &dyn Source) -> Result<Vec<String>, CaptureError> {
        let Some(mut outputs) = self.outputs.take() else { return Ok(Vec::new()) };
        let framebuffer = self.target.as_ref().map(Target::framebuffer);
        let size = self.target.as_ref().map_or([0; 2], Target::size);
        outputs.finish(framebuffer, size, Some(source))
    }
}

/// The first of `simplegl-0001.png`, `simplegl-0002.png`, ... that is not there yet.
pub(crate) fn free_name(folder: &Path) -> Option<PathBuf> {
    (1..=MOST_SCREENSHOTS)
        .map(|number| folder.join(format!("simplegl-{number:04}.png")))
        .find(|path| !path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screenshots_never_overwrite_one_another() {
        let folder = tempfile::tempdir().unwrap();
        for number in ["0001", "0002"] {
            let path = free_name(folder.path()).unwrap();
            assert!(path.ends_with(format!("simplegl-{number}.png")));
            std::fs::write(path, "").unwrap();
        }
    }
}
