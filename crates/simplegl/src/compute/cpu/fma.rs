//! Loops over the kernels' functions, compiled twice: for processors with FMA, and for those without, where each fused
//! multiply-add is a call into the C library. Both give the same bits.

use kernels::hatch::{Pixel, pixel};

/// Fills `table` with `f(0) ... f(n - 1)`.
pub(super) fn tabulate<T>(table: &mut Vec<T>, n: u32, f: &impl Fn(u32) -> T) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has these features.
        return unsafe { tabulate_fma(table, n, f) };
    }
    tabulate_any(table, n, f);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn tabulate_fma<T>(table: &mut Vec<T>, n: u32, f: &impl Fn(u32) -> T) {
    tabulate_any(table, n, f);
}

// Inlined into both callers, so that it is compiled with the features of each.
#[allow(clippy::inline_always)]
#[inline(always)]
fn tabulate_any<T>(table: &mut Vec<T>, n: u32, f: &impl Fn(u32) -> T) {
    table.clear();
    table.extend((0..n).map(f));
}

/// Advances one row of the hatch.
pub(super) fn hatch_row(row: &mut [Pixel], stripes_x: &[f32], stripe_y: f32, blue: f32) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has these features.
        return unsafe { hatch_row_fma(row, stripes_x, stripe_y, blue) };
    }
    hatch_row_any(row, stripes_x, stripe_y, blue);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn hatch_row_fma(row: &mut [Pixel], stripes_x: &[f32], stripe_y: f32, blue: f32) {
    hatch_row_any(row, stripes_x, stripe_y, blue);
}

#[allow(clippy::inline_always)]
#[inline(always)]
fn hatch_row_any(row: &mut [Pixel], stripes_x: &[f32], stripe_y: f32, blue: f32) {
    for (at, &stripe_x) in row.iter_mut().zip(stripes_x) {
        *at = pixel(*at, stripe_x, stripe_y, blue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_and_without_fma_the_bits_are_the_same() {
        let wave = |i: u32| kernels::simple_vbo::wave_u(i as f32 * 0.01 - 1.0, 6.2, 31.9).to_bits();
        let (mut fast, mut slow) = (Vec::new(), Vec::new());
        tabulate(&mut fast, 1000, &wave);
        tabulate_any(&mut slow, 1000, &wave);
        assert_eq!(fast, slow);
    }
}
