//! How a row is timed: warm-up, then batches; the median of their means, with quartiles.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// A batch takes at least this long, so that the clock and the wait at its end do not count.
const BATCH: Duration = Duration::from_millis(10);

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Time of the batches of one row.
    pub(super) time: Duration,
    /// Batches at least, even if they take longer.
    pub(super) batches: usize,
}

impl Budget {
    /// For a table to keep.
    pub(super) const FULL: Self = Self { time: Duration::from_millis(1500), batches: 9 };
    /// For a first look.
    pub(super) const QUICK: Self = Self { time: Duration::from_millis(250), batches: 5 };
}

/// Time per iteration, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Half of the batches were faster.
    pub median_us: f64,
    /// A quarter of the batches was faster.
    pub lower_quartile_us: f64,
    /// A quarter of the batches was slower.
    pub upper_quartile_us: f64,
    /// Batches.
    pub batches: usize,
    /// Iterations in a batch.
    pub iterations: u32,
}

impl Measurement {
    /// From the mean of each batch in microseconds.
    ///
    /// # Panics
    /// Without a batch.
    #[must_use]
    pub fn of(mut means_us: Vec<f64>, iterations: u32) -> Self {
        means_us.sort_unstable_by(f64::total_cmp);
        Self {
            median_us: quantile(&means_us, 0.5),
            lower_quartile_us: quantile(&means_us, 0.25),
            upper_quartile_us: quantile(&means_us, 0.75),
            batches: means_us.len(),
            iterations,
        }
    }
}

/// The value below which a share of the sorted values lies, between its two neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// Times `batch`, which does so many iterations, waits for them, and says how long they took.
///
/// The warm-up doubles the iterations until a batch is long enough; it also fills caches and lets clocks rise.
pub(super) fn measure<E>(
    budget: Budget,
    mut batch: impl FnMut(u32) -> Result<Duration, E>,
) -> Result<Measurement, E> {
    let mut iterations = 1;
    // The first is not representative, so it must not decide.
    batch(1)?;
    loop {
        let took = batch(iterations)?;
        if took >= BATCH || iterations >= 1 << 20 {
            break;
        }
        let wanted = BATCH.as_secs_f64() / took.as_secs_f64().max(1e-9) * 1.2;
        iterations = (f64::from(iterations) * wanted.clamp(1.5, 16.0)).ceil() as u32;
    }
    let start = Instant::now();
    let mut means_us = Vec::new();
    while means_us.len() < budget.batches || start.elapsed() < budget.time {
        means_us.push(batch(iterations)?.as_secs_f64() * 1e6 / f64::from(iterations));
    }
    Ok(Measurement::of(means_us, iterations))
}

/// [`measure`] for work that is done when it returns.
pub(super) fn measure_calls<E>(
    budget: Budget,
    mut call: impl FnMut() -> Result<(), E>,
) -> Result<Measurement, E> {
    measure(budget, |iterations| {
        let start = Instant::now();
        for _ in 0..iterations {
            call()?;
        }
        Ok(start.elapsed())
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn quartiles_lie_between_values() {
        let measured = Measurement::of(vec![4.0, 1.0, 2.0, 3.0], 7);
        assert_eq!(
            (measured.lower_quartile_us, measured.median_us, measured.upper_quartile_us),
            (1.75, 2.5, 3.25)
        );
        assert_eq!((measured.batches, measured.iterations), (4, 7));
        assert_eq!(Measurement::of(vec![5.0], 1).median_us, 5.0);
    }

    #[test]
    fn iterations_grow_until_a_batch_is_long_enough() {
        let budget = Budget { time: Duration::ZERO, batches: 3 };
        // 100 microseconds an iteration, by a clock that does not tick.
        let measured = measure(budget, |iterations| {
            Ok::<_, Infallible>(Duration::from_micros(100) * iterations)
        });
        let Ok(measured) = measured;
        assert!(measured.iterations >= 100 && measured.iterations < 200, "{measured:?}");
        assert!((measured.median_us - 100.0).abs() < 1e-6);
        assert_eq!(measured.batches, 3);
    }

    #[test]
    fn an_error_ends_it() {
        let budget = Budget::QUICK;
        assert_eq!(measure_calls(budget, || Err("broken")), Err("broken"));
    }
}
