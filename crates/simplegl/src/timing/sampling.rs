//! Which frames are timed on the GPU.
//!
//! Timing is not free: an event of CUDA's before the map, while OpenGL still draws, makes the GPU switch between its compute
//! and its graphics context once more, and a 256x256 frame in a window took 1.1 ms instead of 0.7 (NVIDIA H200, driver 580).

/// The first frames, which are all timed, so that short runs have numbers too.
const FIRST: u64 = 8;
/// After them, one of so many.
const EVERY: u64 = 128;

/// Counts frames and picks those to time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling {
    frames: u64,
}

impl Sampling {
    /// Counts a frame. True if it is one to time.
    pub fn pick(&mut self) -> bool {
        let picked = self.frames < FIRST || self.frames.is_multiple_of(EVERY);
        self.frames += 1;
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frames_and_then_one_of_many() {
        let mut sampling = Sampling::default();
        let picked: Vec<u64> = (0..300).filter(|_| sampling.pick()).collect();
        assert_eq!(picked, [0, 1, 2, 3, 4, 5, 6, 7, 128, 256]);
    }
}
