//! How long a player takes from setting a piece down to pressing the clock, learnt while playing.
//!
//! Hands differ by more than the ways they go: who is fast is fast all match long. What is unusual is
//! judged against the player's own habit, so that nobody is flagged for being quick or slow. Intervals
//! are taken as log-normal, the usual shape of movement times; a hand's way to the clock takes about
//! half a second (Fitts 1954).

/// The habit of a player of whom nothing is known: logarithm of the interval in milliseconds.
const MEAN_LN_MS: f64 = 6.1;
/// Its spread.
const SPREAD_LN: f64 = 0.4;
/// How many intervals that is worth.
const PRIOR_COUNT: f64 = 4.0;
/// Intervals after which old ones fade: habits change when time gets short.
const MEMORY: f64 = 24.0;
/// Shortest and longest interval that is taken for a way to the clock, milliseconds.
const RANGE_MS: (u64, u64) = (60, 3_000);
/// So many spreads from the mean an interval counts no further: it was no way to the clock.
const OUTLIER: f64 = 2.5;
/// Nobody is steadier than this.
const LEAST_SPREAD_LN: f64 = 0.2;

/// One player's habit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rhythm {
    count: f64,
    mean_ln: f64,
    /// Sum of squared deviations.
    deviation: f64,
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        Rhythm {
            count: PRIOR_COUNT,
            mean_ln: MEAN_LN_MS,
            deviation: PRIOR_COUNT * SPREAD_LN * SPREAD_LN,
        }
    }
}

impl Rhythm {
    /// Takes one interval into account, microseconds.
    pub(crate) fn note(&mut self, interval_us: u64) {
        let ms = interval_us / 1_000;
        if ms < RANGE_MS.0 || ms > RANGE_MS.1 {
            return;
        }
        let bound = OUTLIER * self.spread_ln();
        let off = (libm::log(ms as f64) - self.mean_ln).clamp(-bound, bound);
        if self.count >= MEMORY {
            self.deviation *= (MEMORY - 1.0) / MEMORY;
            self.count = MEMORY - 1.0;
        }
        self.count += 1.0;
        self.mean_ln += off / self.count;
        self.deviation += off * off * (self.count - 1.0) / self.count;
    }

    fn spread_ln(&self) -> f64 {
        libm::sqrt(self.deviation / self.count).max(LEAST_SPREAD_LN)
    }

    /// Density of an interval, per unit of its logarithm.
    pub(crate) fn density(&self, interval_us: u64) -> f64 {
        log_normal(interval_us, self.mean_ln, self.spread_ln())
    }
}

/// Density of a log-normal interval per unit of its logarithm; `mean_ln` is of milliseconds.
pub(crate) fn log_normal(interval_us: u64, mean_ln: f64, spread_ln: f64) -> f64 {
    const ROOT_OF_TWO_PI: f64 = 2.506_628_274_631_000_5;
    let ms = (interval_us as f64 / 1_000.0).max(1.0);
    let off = (libm::log(ms) - mean_ln) / spread_ln;
    libm::exp(-0.5 * off * off) / (spread_ln * ROOT_OF_TWO_PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_for_one_player_is_not_for_another() {
        let (mut quick, mut slow) = (Rhythm::default(), Rhythm::default());
        for _ in 0..20 {
            quick.note(250_000);
            slow.note(900_000);
        }
        assert!(slow.density(900_000) > 10.0 * quick.density(900_000));
        assert!(quick.density(250_000) > 10.0 * slow.density(250_000));
    }

    #[test]
    fn one_long_thought_does_not_change_a_habit() {
        let mut rhythm = Rhythm::default();
        for _ in 0..20 {
            rhythm.note(400_000);
        }
        let before = rhythm.density(400_000);
        rhythm.note(2_900_000);
        rhythm.note(60_000_000);
        assert!(rhythm.density(400_000) > 0.7 * before);
    }
}
