//! Sine and cosine in f32, the same bits on every processor.
//!
//! Method: subtract the nearest multiple `k` of pi/2 in three fused steps (Cody and Waite's reduction; pi/2 is the
//! sum of three f32), evaluate a minimax polynomial on [-pi/4, pi/4] for the sine or the cosine, and choose by the
//! quadrant `k mod 4`. The coefficients are Remez fits of (sin r / r - 1) / r^2 and (cos r - 1 + r^2 / 2) / r^4
//! in r^2, with relative errors of 3.6e-9 and 9.6e-11 before rounding.
//!
//! Valid for |x| <= [`MAX_ARGUMENT`]; the absolute error there is below 1.2e-7 and the relative error below 2 ULP away from
//! the zeros (`tests/trig.rs` visits the arguments).

/// Largest argument, in radians, for which the error bounds hold: the largest frequency the application offers
/// (32) at the mesh's edge, plus one period.
pub const MAX_ARGUMENT: f32 = 40.0;

const TWO_OVER_PI: f32 = core::f32::consts::FRAC_2_PI;
/// pi/2 = HIGH + MIDDLE + LOW to 2^-75.
const HALF_PI_HIGH: f32 = core::f32::consts::FRAC_PI_2;
const HALF_PI_MIDDLE: f32 = -4.371_139e-8;
const HALF_PI_LOW: f32 = -1.715_124_5e-15;
/// Adding 1.5 * 2^23 rounds a small f32 to the nearest integer, which then sits in the low mantissa bits.
const ROUND: f32 = 12_582_912.0;

/// `a * b + c` with one rounding.
#[inline(always)]
#[must_use]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        core::f32::math::mul_add(a, b, c)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        a.mul_add(b, c)
    }
}

/// An angle in radians as an unevaluated sum, so that `scale * position + offset` keeps the bits that one f32 loses.
#[derive(Clone, Copy, Debug)]
pub struct Angle {
    high: f32,
    low: f32,
}

impl Angle {
    /// The angle `x`, exactly.
    #[inline(always)]
    #[must_use]
    pub fn new(x: f32) -> Self {
        Self { high: x, low: 0.0 }
    }

    /// `scale * position + offset` to about 48 bits (Dekker's product by FMA, Knuth's two-sum).
    #[inline(always)]
    #[must_use]
    pub fn affine(scale: f32, position: f32, offset: f32) -> Self {
        let product = scale * position;
        let product_error = fma(scale, position, -product);
        let high = product + offset;
        let virtual_offset = high - product;
        let sum_error = (product - (high - virtual_offset)) + (offset - virtual_offset);
        Self { high, low: sum_error + product_error }
    }

    /// Its sine.
    #[inline(always)]
    #[must_use]
    pub fn sin(self) -> f32 {
        let (r, quadrant) = self.reduce();
        in_quadrant(r, quadrant)
    }

    /// Its cosine: the sine a quarter turn on.
    #[inline(always)]
    #[must_use]
    pub fn cos(self) -> f32 {
        let (r, quadrant) = self.reduce();
        in_quadrant(r, quadrant.wrapping_add(1))
    }

    /// The remainder after the nearest multiple of pi/2, and that multiple.
    #[inline(always)]
    fn reduce(self) -> (f32, u32) {
        let rounded = fma(self.high, TWO_OVER_PI, ROUND);
        let k = rounded - ROUND;
        let r = fma(-k, HALF_PI_HIGH, self.high);
        let r = fma(-k, HALF_PI_MIDDLE, r);
        let r = fma(-k, HALF_PI_LOW, r);
        (r + self.low, rounded.to_bits())
    }
}

/// sin(r + quadrant * pi/2) for |r| <= pi/4: an even quadrant takes the sine's polynomial, an odd one the cosine's.
///
/// Both have the form `base + factor * p(r^2)` with `p` of degree 2, so choosing the coefficients leaves no branch.
#[inline(always)]
fn in_quadrant(r: f32, quadrant: u32) -> f32 {
    let odd = quadrant & 1 != 0;
    let z = r * r;
    let (c2, c1, c0) = if odd {
        (2.443_836e-5, -1.388_736_7e-3, 4.166_664_7e-2)
    } else {
        (-1.951_721_6e-4, 8.332_177e-3, -1.666_665_5e-1)
    };
    let (base, factor) = if odd { (fma(z, -0.5, 1.0), z * z) } else { (r, r * z) };
    let value = fma(factor, fma(z, fma(z, c2, c1), c0), base);
    // Quadrants 2 and 3 are negative: flip the sign bit.
    f32::from_bits(value.to_bits() ^ ((quadrant & 2) << 30))
}

/// Sine of `x` radians.
#[inline(always)]
#[must_use]
pub fn sin(x: f32) -> f32 {
    Angle::new(x).sin()
}

/// Cosine of `x` radians.
#[inline(always)]
#[must_use]
pub fn cos(x: f32) -> f32 {
    Angle::new(x).cos()
}
