//! A thread that writes numbered PNGs, and the queue to it. A full queue makes the renderer wait: no frame is lost.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use indicatif::ProgressBar;

use super::{CaptureError, Picture, write_png};

/// Frames that may wait for the disk.
const QUEUE: usize = 8;

/// A frame for the writer.
#[derive(Debug)]
struct Job {
    frame: u64,
    picture: Picture,
}

/// The writer's thread and the way to it.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Option<SyncSender<Job>>,
    /// Pictures that have been written come back, so that their memory is used again.
    empties: Receiver<Picture>,
    thread: Option<JoinHandle<Result<u64, CaptureError>>>,
}

impl Writer {
    /// Starts a thread that writes into `folder`.
    pub(super) fn start(folder: &Path, progress: &ProgressBar) -> Result<Self, CaptureError> {
        let (jobs, queue) = sync_channel::<Job>(QUEUE);
        let (give_back, empties) = sync_channel(QUEUE + 2);
        let owned: PathBuf = folder.to_owned();
        let progress = progress.clone();
        let thread = std::thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || {
                let mut written = 0;
                for Job { frame, picture } in queue {
                    write_png(&frame_path(&owned, frame), &picture)?;
                    written += 1;
                    progress.inc(1);
                    // Full or closed: the memory is just freed.
                    let _ = give_back.try_send(picture);
                }
                Ok(written)
            })
            .map_err(|error| CaptureError::Write {
                path: folder.to_owned(),
                reason: format!("no thread for it: {error}"),
            })?;
        Ok(Self { jobs: Some(jobs), empties, thread: Some(thread) })
    }

    /// Queues a frame as OpenGL gave it. Waits while the queue is full.
    ///
    /// # Errors
    /// The writer's, if it has given up.
    pub(super) fn queue(
        &mut self,
        frame: u64,
        size: [u32; 2],
        rgba: &[u8],
    ) -> Result<(), CaptureError> {
        let mut picture =
            self.empties.try_recv().unwrap_or_else(|_| Picture { size, rgb: Vec::new() });
        picture.copy_from_gl(size, rgba);
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(Job { frame, picture }).is_ok());
        if sent { Ok(()) } else { self.join().map(drop) }
    }

    /// Waits until every queued frame is on disk, and returns how many were written.
    ///
    /// # Errors
    /// The first frame that could not be written.
    pub(super) fn join(&mut self) -> Result<u64, CaptureError> {
        self.jobs = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(CaptureError::WriterDied),
            None => Ok(0),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Frames that are queued still reach the disk; an error was reported or is beyond help by now.
        let _ = self.join();
    }
}

/// The name of a frame's file.
pub(super) fn frame_path(folder: &Path, frame: u64) -> PathBuf {
    folder.join(format!("frame_{frame:06}.png"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_all_written_under_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::start(folder.path(), &ProgressBar::hidden()).unwrap();
        for frame in 0..3 * QUEUE as u64 {
            writer.queue(frame, [1, 1], &[frame as u8, 0, 0, 255]).unwrap();
        }
        assert_eq!(writer.join().unwrap(), 3 * QUEUE as u64);
        for frame in 0..3 * QUEUE as u64 {
            let picture = image::open(frame_path(folder.path(), frame)).unwrap().to_rgb8();
            assert_eq!(u64::from(picture.get_pixel(0, 0).0[0]), frame);
        }
    }

    #[test]
    fn a_frame_that_cannot_be_written_is_an_error_not_a_gap() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer =
            Writer::start(&folder.path().join("gone"), &ProgressBar::hidden()).unwrap();
        let failed =
            (0..3 * QUEUE as u64).any(|frame| writer.queue(frame, [1, 1], &[0; 4]).is_err());
        assert!(failed || writer.join().is_err());
    }
}
