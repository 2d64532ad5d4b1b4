//! Which frames are timed on the GPU.
//!
//! Timing is not free: an event of CUDA's before the map, while OpenGL still draws, makes the GPU switch between its compute
//! and its graphics context once more, and a 256x256 frame in a window took 1.1 ms instead of 0.7 (NVIDIA H200, driver 580).

use std::time::{Duration, Instant};

/// The first frames, which are all timed, so that short runs have numbers too.
const FIRST: u64 = 8;
/// After them, one frame in so much time: as often as the numbers on the screen change.
const INTERVAL: Duration = Duration::from_millis(100);

/// Counts frames and picks those to time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling {
    frames: u64,
    last: Option<Instant>,
}

impl Sampling {
    /// Counts a frame at `now`. True if it is one to time.
    pub fn pick(&mut self, now: Instant) -> bool {
        let is_due = self.last.is_none_or(|last| now.duration_since(last) >= INTERVAL);
        let picked = self.frames < FIRST || is_due;
        self.frames += 1;
        if picked {
            self.last = Some(now);
        }
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frames_and_then_one_in_a_while() {
        let (mut sampling, start) = (Sampling::default(), Instant::now());
        let at = |frame| start + Duration::from_millis(10 * frame);
        let picked: Vec<u64> = (0..40).filter(|&frame| sampling.pick(at(frame))).collect();
        assert_eq!(picked, [0, 1, 2, 3, 4, 5, 6, 7, 17, 27, 37]);
    }

    #[test]
    fn slow_frames_are_all_timed() {
        let (mut sampling, start) = (Sampling::default(), Instant::now());
        assert!((0..40).all(|second| sampling.pick(start + Duration::from_secs(second))));
    }
}
