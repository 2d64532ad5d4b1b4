//! The error bounds of the f32 sine and cosine, against f64.
//!
//! By default a dense subset of the arguments; `SIMPLEGL_EXHAUSTIVE=1` visits every f32 up to `MAX_ARGUMENT`.

use kernels::trig::{self, MAX_ARGUMENT};

const ABSOLUTE: f64 = 1.2e-7;
const ULP: f64 = 2.0;
/// Within this distance of a zero of the exact function only the absolute bound is asked for.
const NEAR_ZERO: f64 = 1e-3;

#[derive(Default, Debug, Clone, Copy)]
struct Worst {
    absolute: (f64, f32),
    ulp: (f64, f32),
}

impl Worst {
    fn see(&mut self, x: f32, got: f32, exact: f64) {
        let error = (f64::from(got) - exact).abs();
        if error.is_nan() || error > self.absolute.0 {
            self.absolute = (if error.is_nan() { f64::INFINITY } else { error }, x);
        }
        if exact.abs() > NEAR_ZERO {
            let ulp = error / ulp_of(exact);
            if ulp > self.ulp.0 {
                self.ulp = (ulp, x);
            }
        }
    }

    fn merge(self, other: Self) -> Self {
        let max = |a: (f64, f32), b: (f64, f32)| if a.0 >= b.0 { a } else { b };
        Self { absolute: max(self.absolute, other.absolute), ulp: max(self.ulp, other.ulp) }
    }
}

/// The distance between neighbouring f32 at the size of `exact`.
fn ulp_of(exact: f64) -> f64 {
    let magnitude = exact.abs() as f32;
    f64::from(f32::from_bits(magnitude.to_bits() + 1)) - f64::from(magnitude)
}

/// Every `step`-th f32 in [0, `MAX_ARGUMENT`], both signs.
fn sweep(step: usize) -> (Worst, Worst) {
    let last = MAX_ARGUMENT.to_bits();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let chunk = last / threads as u32 + 1;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads as u32)
            .map(|i| {
                scope.spawn(move || {
                    let (mut sine, mut cosine) = (Worst::default(), Worst::default());
                    for bits in (i * chunk..=last.min((i + 1) * chunk - 1)).step_by(step) {
                        for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
                            let exact = f64::from(x);
                            sine.see(x, trig::sin(x), exact.sin());
                            cosine.see(x, trig::cos(x), exact.cos());
                        }
                    }
                    (sine, cosine)
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .fold((Worst::default(), Worst::default()), |(sine, cosine), (s, c)| {
                (sine.merge(s), cosine.merge(c))
            })
    })
}

#[test]
fn sine_and_cosine_stay_within_their_bounds() {
    let exhaustive = std::env::var_os("SIMPLEGL_EXHAUSTIVE").is_some_and(|v| v == "1");
    let (sine, cosine) = sweep(if exhaustive { 1 } else { 251 });
    println!("sine {sine:?}\ncosine {cosine:?}");
    for worst in [sine, cosine] {
        assert!(worst.absolute.0 <= ABSOLUTE, "{worst:?}");
        assert!(worst.ulp.0 <= ULP, "{worst:?}");
    }
}

#[test]
fn a_split_angle_keeps_what_one_f32_loses() {
    // 4 u + t needs more than 24 bits here; the exact sum is taken in f64.
    let mut worst = 0.0_f64;
    for i in 0..257 {
        let u = kernels::simple_vbo::position(i, 257);
        for t in [0.0_f32, 1.5, 6.2, 6.25] {
            let exact = 4.0 * f64::from(u) + f64::from(t);
            worst =
                worst.max((f64::from(trig::Angle::affine(4.0, u, t).sin()) - exact.sin()).abs());
        }
    }
    assert!(worst <= ABSOLUTE, "{worst:e}");
}
