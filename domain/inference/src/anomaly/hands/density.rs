//! Densities of the times that hands take.
//!
//! ```text
//! even_of_any_hands(x) = ∫ uniform(x; f·least, f·most) d(ln f) / ln(FACTOR.1 / FACTOR.0),  f from FACTOR.0 to FACTOR.1
//!                      = (1/a − 1/b) / ((most − least) · ln(FACTOR.1 / FACTOR.0)),
//!                        a = max(x / most, FACTOR.0), b = min(x / least, FACTOR.1); 0 if a ≥ b
//! skewed_ms(x)         = 2 · exp(−z² / 2) / ((σ₋ + σ₊) · √(2π) · x),
//!                        z = ln(x / median) / (σ₋ below the median, σ₊ above it)
//! ```
//!
//! Windows of times are known for average hands only. The factor f of the hands of one match is unknown and
//! integrated out.

/// Density per millisecond of a time that no habit explains: somebody else pressed, a piece was
/// touched twice. Assumed.
pub(crate) const UNUSUAL: f64 = 2e-6;

/// The square root of 2π.
const ROOT_OF_TWO_PI: f64 = 2.506_628_274_631_000_5;

/// Density of a normal distribution at `x`.
pub(crate) fn normal(x: f64, mean: f64, deviation: f64) -> f64 {
    let off = (x - mean) / deviation;
    libm::exp(-0.5 * off * off) / (deviation * ROOT_OF_TWO_PI)
}

/// Probability that a normally distributed number lies below `x`.
pub(crate) fn below(x: f64, mean: f64, deviation: f64) -> f64 {
    0.5 * libm::erfc((mean - x) / (deviation * std::f64::consts::SQRT_2))
}

/// Density at `x` of an exponential distribution that begins at 0.
pub(crate) fn exponential(x: f64, mean: f64) -> f64 {
    if x < 0.0 { 0.0 } else { libm::exp(-x / mean) / mean }
}

/// Density at `x` of a uniform distribution between two bounds.
pub(crate) fn even(x: f64, (least, most): (f64, f64)) -> f64 {
    if (least..=most).contains(&x) { 1.0 / (most - least) } else { 0.0 }
}

/// Density at `x` of a uniform distribution whose bounds, above 0, hold for average hands. Both
/// bounds are scaled by one factor, whose logarithm is uniform between those of `FACTOR.0` and
/// `FACTOR.1`.
pub(crate) fn even_of_any_hands(x: f64, (least, most): (f64, f64)) -> f64 {
    let from = (x / most).max(FACTOR.0);
    let to = (x / least).min(FACTOR.1);
    let of_factors = libm::log(FACTOR.1 / FACTOR.0);
    if from < to { (1.0 / from - 1.0 / to) / ((most - least) * of_factors) } else { 0.0 }
}

/// Smallest and largest ratio of the durations of one match's hands to those of average hands.
/// Assumed: the range in which the simulator draws hands (decision 0023).
pub(crate) const FACTOR: (f64, f64) = (0.3, 3.0);

/// Density per millisecond of a time whose logarithm has one spread below the median and another
/// above it. 0 for times up to 0.
pub(crate) fn skewed_ms(ms: f64, median_ms: f64, (below_ln, above_ln): (f64, f64)) -> f64 {
    if ms <= 0.0 {
        return 0.0;
    }
    let off = libm::log(ms / median_ms);
    let off = off / if off < 0.0 { below_ln } else { above_ln };
    libm::exp(-0.5 * off * off) * 2.0 / ((below_ln + above_ln) * ROOT_OF_TWO_PI * ms)
}

/// Density of a log-normal time, per unit of its natural logarithm. `mean_ln`: mean of the
/// logarithm of milliseconds.
pub(crate) fn log_normal(interval_us: u64, mean_ln: f64, spread_ln: f64) -> f64 {
    let ms = (interval_us as f64 / 1_000.0).max(1.0);
    normal(libm::log(ms), mean_ln, spread_ln)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over a density in steps of a millisecond.
    fn mass(density: impl Fn(f64) -> f64) -> f64 {
        (-5_000..200_000).map(|ms| density(f64::from(ms) + 0.5)).sum()
    }

    #[test]
    fn every_density_sums_to_one() {
        let sums = [
            mass(|ms| normal(ms, 500.0, 120.0)),
            mass(|ms| exponential(ms, 700.0)),
            mass(|ms| even(ms, (20.0, 250.0))),
            mass(|ms| even_of_any_hands(ms, (20.0, 250.0))),
            mass(|ms| skewed_ms(ms, 2_000.0, (0.35, 0.6))),
            mass(|ms| log_normal((ms.max(0.0) * 1_000.0) as u64, 6.1, 0.4) / ms.abs().max(1.0)),
        ];
        for sum in sums {
            assert!((sum - 1.0).abs() < 0.01, "{sums:?}");
        }
    }

    #[test]
    fn the_part_below_the_mean_is_one_half() {
        assert!((below(500.0, 500.0, 120.0) - 0.5).abs() < 1e-12);
        assert!((below(620.0, 500.0, 120.0) - 0.841_3).abs() < 1e-4);
    }
}
