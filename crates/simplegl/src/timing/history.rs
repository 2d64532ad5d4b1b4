//! The recent past of each stage, in fixed arrays.

use std::time::Duration;

use serde::Serialize;
use serde::ser::SerializeMap as _;

/// A part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The GPU hands the resources from OpenGL to CUDA.
    Map,
    /// The kernels run (or the CPU computes).
    Kernel,
    /// The GPU hands the resources back (or the host copies the result to OpenGL).
    Unmap,
    /// OpenGL draws the mesh.
    Draw,
    /// The host waits in the buffer swap.
    Swap,
    /// From one frame to the next.
    Frame,
}

impl Stage {
    /// All stages in the order of a frame.
    pub const ALL: [Self; 6] =
        [Self::Map, Self::Kernel, Self::Unmap, Self::Draw, Self::Swap, Self::Frame];

    /// The name in the HUD and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Kernel => "kernel",
            Self::Unmap => "unmap",
            Self::Draw => "draw",
            Self::Swap => "swap",
            Self::Frame => "frame",
        }
    }
}

/// How many frames a [`History`] remembers.
const REMEMBERED: usize = 120;

/// The last measurements of one stage in milliseconds, and the count of all.
#[derive(Clone, Debug)]
pub struct History {
    recent: [f32; REMEMBERED],
    count: u64,
}

impl Default for History {
    fn default() -> Self {
        Self { recent: [0.0; REMEMBERED], count: 0 }
    }
}

impl History {
    /// Adds a measurement. What is not a finite number is not one.
    pub fn push(&mut self, milliseconds: f32) {
        if milliseconds.is_finite() {
            self.recent[(self.count % REMEMBERED as u64) as usize] = milliseconds;
            self.count += 1;
        }
    }

    /// The measurements so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The remembered measurements, oldest first.
    #[must_use]
    pub fn recent(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        let len = self.count.min(REMEMBERED as u64);
        (0..len as usize).map(move |offset| {
            let at = self.count - len + offset as u64;
            self.recent[(at % REMEMBERED as u64) as usize]
        })
    }

    /// The middle of the remembered measurements; `None` before the first.
    #[must_use]
    pub fn median(&self) -> Option<f32> {
        let mut sorted = self.recent;
        let sorted = &mut sorted[..self.recent().len()];
        if sorted.is_empty() {
            return None;
        }
        sorted.sort_unstable_by(f32::total_cmp);
        Some(sorted[sorted.len() / 2])
    }

    /// The largest of the remembered measurements; `None` before the first.
    #[must_use]
    pub fn max(&self) -> Option<f32> {
        self.recent().reduce(f32::max)
    }
}

/// A [`History`] for every [`Stage`].
#[derive(Clone, Debug, Default)]
pub struct Timings {
    stages: [History; Stage::ALL.len()],
}

impl Timings {
    /// Adds a measurement in milliseconds.
    pub fn push(&mut self, stage: Stage, milliseconds: f32) {
        self.stages[stage as usize].push(milliseconds);
    }

    /// Adds a measurement.
    pub fn push_duration(&mut self, stage: Stage, duration: Duration) {
        self.push(stage, duration.as_secs_f32() * 1e3);
    }

    /// The history of one stage.
    #[must_use]
    pub fn stage(&self, stage: Stage) -> &History {
        &self.stages[stage as usize]
    }

    /// Forgets everything, as after a change that makes old numbers misleading.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Serialize for Timings {
    /// `{"map": 0.31, ...}`: the median of each measured stage in milliseconds.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for stage in Stage::ALL {
            if let Some(median) = self.stage(stage).median() {
                map.serialize_entry(stage.name(), &median)?;
            }
        }
        map.end()
    }
}

/// Frames per second over windows of half a second. Times are durations since any fixed moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct FpsCounter {
    window: Option<(Duration, u32)>,
    fps: f32,
    has_whole_window: bool,
}

impl FpsCounter {
    const WINDOW: Duration = Duration::from_millis(500);

    /// Counts a frame that was finished at `now`. True when the number has just been renewed.
    pub fn frame(&mut self, now: Duration) -> bool {
        let Some((start, frames)) = &mut self.window else {
            self.window = Some((now, 0));
            return false;
        };
        *frames += 1;
        let elapsed = now.saturating_sub(*start);
        let is_whole = elapsed >= Self::WINDOW;
        if (is_whole || !self.has_whole_window) && !elapsed.is_zero() {
            self.fps = *frames as f32 / elapsed.as_secs_f32();
        }
        if is_whole {
            self.has_whole_window = true;
            self.window = Some((now, 0));
        }
        is_whole
    }

    /// The latest number; that of the frames so far until the first window is full, and 0 before the second frame.
    #[must_use]
    pub fn fps(&self) -> f32 {
        self.fps
    }

    /// Begins a new window, so that a pause does not count as slow frames.
    pub fn restart(&mut self) {
        self.window = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_keeps_the_last_measurements_in_order() {
        let mut history = History::default();
        assert_eq!((history.median(), history.max(), history.recent().len()), (None, None, 0));
        for value in 0..(REMEMBERED + 30) {
            history.push(value as f32);
        }
        history.push(f32::NAN);
        let recent: Vec<f32> = history.recent().collect();
        assert_eq!(recent.len(), REMEMBERED);
        assert_eq!((recent[0], recent[REMEMBERED - 1]), (30.0, (REMEMBERED + 29) as f32));
        assert_eq!(history.median(), Some(90.0));
        assert_eq!(history.max(), Some((REMEMBERED + 29) as f32));
        assert_eq!(history.count(), REMEMBERED as u64 + 30);
    }

    #[test]
    fn json_has_the_measured_stages_only() {
        let mut timings = Timings::default();
        timings.push(Stage::Map, 0.5);
        timings.push_duration(Stage::Frame, Duration::from_millis(16));
        let json = serde_json::to_value(&timings).unwrap();
        assert_eq!(json, serde_json::json!({"map": 0.5, "frame": 16.0}));
    }

    #[test]
    fn fps_counts_whole_windows_and_survives_a_pause() {
        let mut counter = FpsCounter::default();
        let mut renewed = 0;
        for frame in 0..=100u64 {
            renewed += u32::from(counter.frame(Duration::from_millis(frame * 10)));
            let fps = if frame == 0 { 0.0 } else { 100.0 };
            assert!((counter.fps() - fps).abs() < 0.01, "{} after frame {frame}", counter.fps());
        }
        assert_eq!(renewed, 2);
        assert!((counter.fps() - 100.0).abs() < 0.01, "{}", counter.fps());
        counter.restart();
        assert!(!counter.frame(Duration::from_secs(100)));
        assert!((counter.fps() - 100.0).abs() < 0.01, "the pause counted: {}", counter.fps());
    }
}
