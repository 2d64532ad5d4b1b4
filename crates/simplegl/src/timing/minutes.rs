//! Frame times minute by minute, for runs of any length in little memory: is the last minute like the first?

use std::time::Duration;

use serde::Serialize;

/// Ratio of two neighbouring buckets' frame times: medians are good to half a per cent.
const RATIO: f64 = 1.005;
/// Buckets, from a microsecond on: the last holds everything beyond half a minute.
const BUCKETS: usize = 3456;
/// Minutes that are kept without an allocation.
const ROOM: usize = 24 * 60;

/// One minute of frames; the last one may be shorter, and one that stood still is longer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Minute {
    /// How long it was, in seconds.
    pub seconds: f64,
    /// Frames in it.
    pub frames: u64,
    /// Median frame time in milliseconds.
    pub median_ms: f64,
    /// The longest frame time in milliseconds.
    pub longest_ms: f64,
}

/// Counts frame times.
#[derive(Clone, Debug)]
pub struct Minutes {
    counts: Box<[u32; BUCKETS]>,
    frames: u64,
    elapsed: Duration,
    longest: Duration,
    whole: Vec<Minute>,
}

impl Default for Minutes {
    fn default() -> Self {
        Self {
            counts: Box::new([0; BUCKETS]),
            frames: 0,
            elapsed: Duration::ZERO,
            longest: Duration::ZERO,
            whole: Vec::with_capacity(ROOM),
        }
    }
}

impl Minutes {
    /// Counts a frame that took `time`.
    pub fn push(&mut self, time: Duration) {
        self.counts[bucket(time)] += 1;
        self.frames += 1;
        self.elapsed += time;
        self.longest = self.longest.max(time);
        if self.elapsed >= Duration::from_mins(1) {
            self.whole.push(self.current());
            self.counts.fill(0);
            (self.frames, self.elapsed, self.longest) = (0, Duration::ZERO, Duration::ZERO);
        }
    }

    /// All minutes, with the one in progress.
    #[must_use]
    pub fn all(&self) -> Vec<Minute> {
        let current = (self.frames > 0).then(|| self.current());
        self.whole.iter().copied().chain(current).collect()
    }

    fn current(&self) -> Minute {
        let mut below = 0;
        let is_middle = |count: &u32| {
            below += u64::from(*count);
            2 * below >= self.frames
        };
        let middle = self.counts.iter().position(is_middle).unwrap_or(0);
        Minute {
            seconds: self.elapsed.as_secs_f64(),
            frames: self.frames,
            median_ms: 1e-3 * RATIO.powf(middle as f64 + 0.5),
            longest_ms: self.longest.as_secs_f64() * 1e3,
        }
    }
}

fn bucket(time: Duration) -> usize {
    let microseconds = (time.as_secs_f64() * 1e6).max(1.0);
    ((microseconds.ln() / RATIO.ln()) as usize).min(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_right_for_every_minute() {
        let mut minutes = Minutes::default();
        for _ in 0..6000 {
            minutes.push(Duration::from_millis(10));
        }
        for i in 0..301 {
            minutes.push(Duration::from_millis(if i % 3 == 0 { 4 } else { 100 }));
        }
        let all = minutes.all();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].frames, all[1].frames), (6000, 301));
        for (minute, median) in all.iter().zip([10.0, 100.0]) {
            assert!((minute.median_ms / median - 1.0).abs() < 0.005, "{minute:?}");
        }
        assert!((all[0].seconds - 60.0).abs() < 1e-6);
        assert_eq!(all[1].longest_ms, 100.0);
    }

    #[test]
    fn every_time_has_a_bucket() {
        for time in
            [Duration::ZERO, Duration::from_nanos(1), Duration::from_hours(1), Duration::MAX]
        {
            let mut minutes = Minutes::default();
            minutes.push(time.min(Duration::from_hours(1)));
            assert_eq!(minutes.all().len(), 1, "{time:?}");
        }
        assert_eq!(bucket(Duration::MAX), BUCKETS - 1);
        assert_eq!(bucket(Duration::from_micros(1)), 0);
    }

    #[test]
    fn nothing_is_no_minute() {
        assert!(Minutes::default().all().is_empty());
    }
}
