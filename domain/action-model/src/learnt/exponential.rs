//! ```text
//! exp(x) = 2^k · Σ for n from 0 to 6 of r^n / n!     k = round(x / ln 2),  r = x - k · ln 2
//! ```
//!
//! The exponential function in plain additions and multiplications. The weights of one position take some 250
//! exponentials. This function costs about a nanosecond and calls no library. Each of its steps is exact or rounded
//! as the floating-point standard says, so it gives the same bits on every machine.

/// Largest |x|. Bound: a greater one would tell nothing more.
const MOST: f32 = 40.0;
/// 1.5 · 2²³. Added to a small number, it leaves the nearest whole number in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;
/// The logarithm of 2 as a number with few bits and the rest, so that their products with `k` lose nothing.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// e to the power of `x`, clamped to ±40. The relative error is below 1e-6.
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-MOST, MOST);
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let rest = x - whole * LN_2[0] - whole * LN_2[1];
    // Taylor's series; |rest| is at most half the logarithm of 2.
    let mut sum = 1.0 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + coefficient;
    }
    let power = (shifted.to_bits().wrapping_add(127) << 23) & 0x7f80_0000;
    sum * f32::from_bits(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_exponential_function() {
        for step in -21_000i16..=21_000 {
            let x = f32::from(step) / 500.0;
            let exact = libm::exp(f64::from(x.clamp(-40.0, 40.0)));
            let error = (f64::from(exp(x)) / exact - 1.0).abs();
            assert!(error < 1e-6, "exp({x}) is off by {error}");
        }
        assert_eq!(exp(1e9), exp(40.0));
        assert_eq!(exp(0.0), 1.0);
    }
}
