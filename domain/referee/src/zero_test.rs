//! Zero test: what presses of both clocks at once say about the offset of the two nodes' times.
//!
//! Two hands never press at exactly the same time, so one pair says little. The offset is the median of all means of two pairs
//! (Hodges and Lehmann), and its interval is that of Wilcoxon's signed ranks: neither minds a press that slipped.

/// Coverage that an interval has at least.
const COVERAGE: f64 = 0.95;
/// Number of pairs below which no interval has that coverage.
const PAIRS_MIN: usize = 6;
/// Maximum number of pairs that are used.
const PAIRS_MAX: usize = 64;
/// Offset that an agreeing test may leave open beyond the errors that the nodes state, microseconds.
const TOLERANCE_US: i64 = 15_000;

/// Offset of the times of board B's clock against those of board A's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// Number of pairs of presses.
    pub pairs: usize,
    /// Estimate, microseconds; positive if board B's times are later.
    pub middle_us: i64,
    /// Lower end of the 95 % interval.
    pub low_us: i64,
    /// Upper end of the interval.
    pub high_us: i64,
}

/// What a zero test found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroFinding {
    /// The two clocks' times agree.
    Agree,
    /// They differ by more than the nodes' errors.
    Differ,
    /// The presses were too far apart to tell.
    Unclear,
}

impl Offset {
    /// Offset from the differences of the pairs, board B minus board A, microseconds; none of too few pairs.
    #[must_use]
    pub fn of(differences_us: &[i32]) -> Option<Offset> {
        let pairs = differences_us.len().min(PAIRS_MAX);
        if pairs < PAIRS_MIN {
            return None;
        }
        let used = &differences_us[..pairs];
        let mut sums_us: Vec<i64> = Vec::with_capacity(pairs * (pairs + 1) / 2);
        for (index, &one) in used.iter().enumerate() {
            sums_us.extend(used[index..].iter().map(|&other| i64::from(one) + i64::from(other)));
        }
        sums_us.sort_unstable();
        let last = sums_us.len() - 1;
        let skipped = skipped_of_each_end(pairs).min(last / 2);
        let half = |us: i64| us / 2;
        Some(Offset {
            pairs,
            middle_us: half((sums_us[last / 2] + sums_us[last.div_ceil(2)]) / 2),
            low_us: half(sums_us[skipped]),
            high_us: half(sums_us[last - skipped]),
        })
    }

    /// What it says, where the errors of both nodes together are `error_us`.
    #[must_use]
    pub fn finding(&self, error_us: u64) -> ZeroFinding {
        let error_us = i64::try_from(error_us).unwrap_or(i64::MAX);
        let tolerated_us = error_us.saturating_add(TOLERANCE_US);
        if self.low_us > error_us || self.high_us < -error_us {
            ZeroFinding::Differ
        } else if self.low_us >= -tolerated_us && self.high_us <= tolerated_us {
            ZeroFinding::Agree
        } else {
            ZeroFinding::Unclear
        }
    }

    /// Largest offset that the interval allows, microseconds.
    #[must_use]
    pub fn largest_us(&self) -> u64 {
        self.low_us.unsigned_abs().max(self.high_us.unsigned_abs())
    }
}

/// Number of means that are left out at each end: the most with which the interval still has its coverage. The signed-rank sum of `pairs`
/// numbers is at most that with half of what the coverage leaves.
fn skipped_of_each_end(pairs: usize) -> usize {
    // Share of all choices of signs with each sum of ranks.
    let mut share = vec![1.0_f64];
    for rank in 1..=pairs {
        let mut next = vec![0.0; share.len() + rank];
        for (sum, part) in share.iter().enumerate() {
            next[sum] += part / 2.0;
            next[sum + rank] += part / 2.0;
        }
        share = next;
    }
    let mut below = 0.0;
    let is_left_out = |part: &&f64| {
        below += **part;
        below <= (1.0 - COVERAGE) / 2.0
    };
    share.iter().take_while(is_left_out).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_interval_is_that_of_the_published_tables() {
        // Critical values of Wilcoxon's signed ranks, two-sided 5 %: a sum up to 0, 2, 3, 5, 8 is significant.
        let critical = [(6, 1), (7, 3), (8, 4), (9, 6), (10, 9), (20, 53)];
        for (pairs, skipped) in critical {
            assert_eq!(skipped_of_each_end(pairs), skipped, "{pairs}");
        }
    }

    #[test]
    fn an_offset_is_found_through_hands_that_scatter_and_one_that_slipped() {
        let hands = [-9, 4, 12, -3, 7, -12, 1, 90].map(|ms| (ms + 20) * 1_000);
        let offset = Offset::of(&hands).expect("eight pairs");
        assert!((10_000..35_000).contains(&offset.middle_us), "{offset:?}");
        assert_eq!(offset.finding(4_000), ZeroFinding::Differ, "{offset:?}");
        let fair = Offset::of(&[-9, 4, 12, -3, 7, -12, 1, 3].map(|ms| ms * 1_000)).expect("pairs");
        assert_eq!(fair.finding(4_000), ZeroFinding::Agree, "{fair:?}");
        let wild = Offset::of(&[-90, 40, 120, -30, 70, -120, 1, 3].map(|ms| ms * 1_000));
        assert_eq!(wild.expect("pairs").finding(4_000), ZeroFinding::Unclear);
        assert_eq!(Offset::of(&[0; 5]), None);
    }

    /// Scattering hands: the difference of two presses, microseconds.
    fn hands(pairs: usize, largest_us: i32) -> impl Strategy<Value = Vec<i32>> {
        prop::collection::vec(-largest_us..=largest_us, pairs)
    }

    proptest! {
        #[test]
        fn the_middle_lies_in_its_interval_and_the_interval_within_the_presses(
            pairs in prop::collection::vec(any::<i32>(), 0..80),
        ) {
            let Some(offset) = Offset::of(&pairs) else { return Ok(()) };
            prop_assert!(offset.low_us <= offset.middle_us && offset.middle_us <= offset.high_us);
            let (least, most) = (pairs.iter().min().unwrap(), pairs.iter().max().unwrap());
            prop_assert!(offset.low_us >= i64::from(*least) - 1 && offset.high_us <= i64::from(*most) + 1);
        }

        #[test]
        fn a_planted_offset_of_twenty_milliseconds_never_agrees_with_hands_within_fifteen(
            pairs in hands(8, 15_000),
        ) {
            let planted: Vec<i32> = pairs.iter().map(|us| us + 20_000).collect();
            let offset = Offset::of(&planted).expect("eight pairs");
            prop_assert_eq!(offset.finding(4_000), ZeroFinding::Differ, "{:?}", offset);
        }
    }
}
