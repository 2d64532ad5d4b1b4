//! `--record DIR`: every frame as a numbered PNG.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};

use super::pixel_ring::PixelRing;
use super::writer::Writer;
use super::{CaptureError, png};

/// Records frames: pixel buffers on the render thread, PNGs on another.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    ring: PixelRing,
    writer: Writer,
    progress: ProgressBar,
    recorded: u64,
}

/// Makes the folder of a recording if it is not there, and finds out whether frames can be written into it.
///
/// # Errors
/// When it cannot be made or written, or already holds frames: a shorter recording would end with those of a longer one.
pub fn check_record(folder: &Path) -> Result<(), CaptureError> {
    let refused = |reason: String| CaptureError::Unwritable {
        flag: "--record",
        path: folder.to_owned(),
        reason,
    };
    fs::create_dir_all(folder).map_err(|error| refused(error.to_string()))?;
    png::check_folder(folder).map_err(refused)?;
    let entries = fs::read_dir(folder).map_err(|error| refused(error.to_string()))?;
    let is_frame = |path: PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("frame_"))
            && path.extension().is_some_and(|extension| extension == "png")
    };
    if entries.flatten().any(|entry| is_frame(entry.path())) {
        return Err(refused(
            "it already holds frames; remove them or give another folder".to_owned(),
        ));
    }
    Ok(())
}

impl Recorder {
    /// Starts to record into a folder that [`check_record`] found good. `frames` is how many are expected, for the progress
    /// bar, which is drawn on stderr if that is a terminal.
    ///
    /// # Errors
    /// When OpenGL or the system refuses.
    pub fn start(
        gl: &Arc<glow::Context>,
        folder: &Path,
        frames: Option<u64>,
    ) -> Result<Self, CaptureError> {
        let progress = progress_bar(frames);
        let writer = Writer::start(folder, &progress)?;
        let ring = PixelRing::new(gl)?;
        Ok(Self { folder: folder.to_owned(), ring, writer, progress, recorded: 0 })
    }

    /// Records the frame that has just been drawn into `framebuffer` (`None`: the window's back buffer, before the swap).
    ///
    /// # Errors
    /// When OpenGL does not give the pixels, or an earlier frame could not be written.
    pub fn frame(
        &mut self,
        framebuffer: Option<glow::Framebuffer>,
        size: [u32; 2],
    ) -> Result<(), CaptureError> {
        let writer = &mut self.writer;
        self.ring.push(framebuffer, size, self.recorded, &mut |frame, size, rgba| {
            writer.queue(frame, size, rgba)
        })?;
        self.recorded += 1;
        Ok(())
    }

    /// Writes what is on its way, and says how to make a video of it.
    ///
    /// # Errors
    /// When a frame could not be written: none is lost in silence.
    pub fn finish(mut self) -> Result<String, CaptureError> {
        let writer = &mut self.writer;
        self.ring.drain(&mut |frame, size, rgba| writer.queue(frame, size, rgba))?;
        let written = self.writer.join()?;
        self.progress.finish_and_clear();
        if written != self.recorded {
            return Err(CaptureError::Lost { recorded: self.recorded, written });
        }
        Ok(format!("recorded {written} frames; to make a video: {}", video_command(&self.folder)))
    }
}

/// The command that makes a video of a recording. H.264 wants even sides, hence the padding.
#[must_use]
pub fn video_command(folder: &Path) -> String {
    let frames = folder.join("frame_%06d.png").display().to_string().replace('\'', r"'\''");
    let video = folder.with_extension("mp4").display().to_string().replace('\'', r"'\''");
    format!(
        "ffmpeg -framerate 60 -i '{frames}' -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -c:v libx264 -crf 18 -pix_fmt yuv420p '{video}'"
    )
}

fn progress_bar(frames: Option<u64>) -> ProgressBar {
    let (bar, template) = match frames {
        Some(frames) => {
            (ProgressBar::new(frames), "recording {wide_bar} {pos}/{len} frames, {eta} left")
        }
        None => (ProgressBar::new_spinner(), "recording {spinner} {pos} frames"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_and_one_with_frames_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new/frames");
        check_record(&folder).unwrap();
        check_record(&folder).unwrap();
        fs::write(folder.join("frame_000000.png"), "").unwrap();
        let text = check_record(&folder).unwrap_err().to_string();
        assert!(text.starts_with("--record ") && text.contains("already holds frames"), "{text}");
    }

    #[test]
    fn a_file_is_not_a_folder() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(check_record(&file).is_err());
    }

    #[test]
    fn the_video_command_is_safe_to_paste() {
        let command = video_command(Path::new("it's here/frames"));
        assert!(command.contains(r"-i 'it'\''s here/frames/frame_%06d.png'"), "{command}");
        assert!(command.ends_with(r"'it'\''s here/frames.mp4'"), "{command}");
    }
}
