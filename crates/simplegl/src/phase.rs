//! The animation's time: a phase in radians, kept in `f64` and wrapped at 2 pi before it becomes an `f32`.
//!
//! The wave is `sin(f u + t)` and `cos(f v + t)`, so its period in `t` is 2 pi whatever the frequency. Adding small steps
//! to a large `f32` loses them (0.01 a frame stops for good at 262,144); this clock wraps first, so that its steps are as even
//! after a month as in the first second.

#![deny(unsafe_code)]

use std::f64::consts::TAU;
use std::time::Duration;

/// What a single step adds in wall-clock mode, in radians at the default speed: the sample's step.
pub const SAMPLE_STEP: f64 = 0.01;

/// The phase of the animation, and what advances it.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    frame: u64,
    clock: Clock,
}

#[derive(Clone, Debug, PartialEq)]
enum Clock {
    /// Radians in `0..2 pi`, advanced by elapsed time and speed.
    Wall { radians: f64 },
    /// Radians a frame; the phase is a function of the frame number alone.
    Step { radians_per_frame: f64 },
}

impl Phase {
    /// A clock that advances by elapsed time, started as if it had run for `uptime` at `speed` radians per second.
    #[must_use]
    pub fn wall(uptime: Duration, speed: f64) -> Self {
        let radians = wrapped_product(uptime.as_secs_f64(), speed);
        Self { frame: 0, clock: Clock::Wall { radians } }
    }

    /// A clock that advances by `radians_per_frame` a frame, started at frame number `frame`.
    #[must_use]
    pub fn by_frame(radians_per_frame: f64, frame: u64) -> Self {
        Self { frame, clock: Clock::Step { radians_per_frame } }
    }

    /// The frame number: counts from the start frame.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The phase in radians, in `0..2 pi`.
    #[must_use]
    pub fn radians(&self) -> f64 {
        match self.clock {
            Clock::Wall { radians } => radians,
            Clock::Step { radians_per_frame } => {
                wrapped_product(radians_per_frame, self.frame as f64)
            }
        }
    }

    /// The phase as the kernels take it.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.radians() as f32
    }

    /// Goes on by one frame that took `elapsed`, at `speed` radians per second. By frame, both are ignored.
    pub fn advance(&mut self, elapsed: Duration, speed: f64) {
        self.frame += 1;
        if let Clock::Wall { radians } = &mut self.clock {
            *radians = wrap(*radians + elapsed.as_secs_f64() * speed);
        }
    }

    /// The clock after so many more frames that take `frame_time` each.
    #[must_use]
    pub fn ahead(&self, frames: usize, frame_time: Duration, speed: f64) -> Self {
        let mut later = self.clone();
        for _ in 0..frames {
            later.advance(frame_time, speed);
        }
        later
    }

    /// Goes on by one frame of [`SAMPLE_STEP`] while paused; by frame, by that clock's own step.
    pub fn single_step(&mut self) {
        self.advance(Duration::from_secs(1), SAMPLE_STEP);
    }
}

/// `radians` wrapped into `0..2 pi`.
#[must_use]
pub fn wrap(radians: f64) -> f64 {
    let wrapped = radians.rem_euclid(TAU);
    // A tiny negative number plus 2 pi rounds to 2 pi itself.
    if wrapped < TAU { wrapped } else { 0.0 }
}

/// `a * b` wrapped into `0..2 pi`. The rounding error of the product is added back after the wrap
/// (the remainder itself is exact), so what is left is the error of `TAU` times the turns: 4e-9 at 10^8 radians.
fn wrapped_product(a: f64, b: f64) -> f64 {
    let product = a * b;
    let error = a.mul_add(b, -product);
    wrap(product % TAU + error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance from one phase to the next, across the wrap too.
    fn step_between(from: f64, to: f64) -> f64 {
        wrap(to - from)
    }

    #[test]
    fn by_frame_starts_at_zero_and_adds_the_step() {
        let mut phase = Phase::by_frame(0.01, 0);
        assert_eq!(phase.time(), 0.0);
        phase.advance(Duration::from_secs(5), 100.0);
        assert_eq!(phase.radians(), 0.01, "elapsed time and speed must not matter");
        assert_eq!(phase.frame(), 1);
    }

    #[test]
    fn steps_stay_even_at_frame_ten_to_the_ten() {
        // Also around the frame where an f32 that adds 0.01 stops for good.
        for start in [0, 22_918_660, 10_000_000_000] {
            let mut phase = Phase::by_frame(0.01, start);
            for _ in 0..2_000 {
                let before = phase.radians();
                phase.advance(Duration::ZERO, 0.0);
                let step = step_between(before, phase.radians());
                assert!((step - 0.01).abs() < 1e-8, "step {step} at frame {}", phase.frame());
            }
        }
    }

    #[test]
    fn phase_at_frame_ten_to_the_ten_is_right() {
        // 10^10 times the f64 nearest to 0.01, mod 2 pi with a 60-digit pi.
        let exact = 1.942_695_136_585_682_6;
        let phase = Phase::by_frame(0.01, 10_000_000_000).radians();
        assert!((phase - exact).abs() < 1e-8, "{phase} is not {exact}");
    }

    #[test]
    fn thirty_days_of_uptime_leave_the_steps_even() {
        let month = Duration::from_hours(30 * 24);
        let mut phase = Phase::wall(month, 1.0);
        let exact = wrap(month.as_secs_f64());
        assert!((phase.radians() - exact).abs() < 1e-9);
        for _ in 0..2_000 {
            let before = phase.radians();
            phase.advance(Duration::from_micros(1_390), 1.0);
            assert!((step_between(before, phase.radians()) - 0.001_39).abs() < 1e-12);
        }
    }

    #[test]
    fn negative_speed_wraps_below_zero() {
        let mut phase = Phase::wall(Duration::ZERO, 1.0);
        phase.advance(Duration::from_secs(1), -1.0);
        assert!((phase.radians() - (TAU - 1.0)).abs() < 1e-15);
        assert_eq!(wrap(-1e-300), 0.0);
        assert!((0.0..TAU).contains(&wrap(-TAU)));
    }

    #[test]
    fn single_step_is_the_samples_step() {
        let mut wall = Phase::wall(Duration::ZERO, 3.0);
        wall.single_step();
        assert_eq!(wall.radians(), 0.01);
        let mut frames = Phase::by_frame(0.5, 3);
        frames.single_step();
        assert_eq!(frames.radians(), 2.0);
    }
}
