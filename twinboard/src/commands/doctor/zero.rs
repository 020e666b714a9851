//! The zero test of a table's clocks: a person presses both at the same moment, and the times of the two presses are compared. It shows an error of a
//! line or a node's time that is constant, which nothing else at a table can. Pure.

use hub::HubTime;
use serde::Serialize;

use super::devices::Key;

/// Number of presses of both clocks.
pub(super) const PRESSES_TOGETHER: usize = 4;
/// Presses of two clocks within this time are one press of both, if there is none closer, µs.
const TOGETHER_US: u64 = 500_000;
/// Maximum number of presses of a clock that are remembered: more are not compared.
const PRESSES_MAX: usize = 64;
/// Maximum difference in the middle of the presses, µs: two hands of one person are some 20 ms apart at most, a line a few ms.
const MIDDLE_MAX_US: i64 = 30_000;

/// Result of a zero test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ZeroResult {
    /// Times of the second clock after the first, ms: one for each press of both.
    pub(super) differences_ms: Vec<i64>,
    /// Difference in the middle of them, ms.
    pub(super) middle_ms: Option<i64>,
    /// Whether there are enough presses and the clocks agree.
    pub(super) well: bool,
}

/// A zero test under way.
#[derive(Clone, Debug)]
pub(super) struct ZeroTest {
    clocks: [Key; 2],
    /// Times of each clock's presses. A port may be late with its readings: they are paired by their times, not as they arrive.
    presses_us: [Vec<u64>; 2],
}

impl ZeroTest {
    /// A test of two clocks.
    pub(super) fn new(clocks: [Key; 2]) -> ZeroTest {
        ZeroTest { clocks, presses_us: Default::default() }
    }

    /// The two clocks.
    pub(super) fn clocks(&self) -> [Key; 2] {
        self.clocks
    }

    /// Takes a press of a clock.
    pub(super) fn take(&mut self, clock: Key, at: HubTime) {
        let presses = self.clocks.iter().position(|it| *it == clock);
        let presses = presses.and_then(|index| self.presses_us.get_mut(index));
        if let Some(presses) = presses.filter(|it| it.len() < PRESSES_MAX) {
            presses.push(at.as_micros());
        }
    }

    /// Times of the second clock after the first, of presses that are each other's closest.
    fn differences_us(&self) -> Vec<i64> {
        let closest =
            |to: u64, among: &[u64]| among.iter().copied().min_by_key(|it| it.abs_diff(to));
        let [first, second] = &self.presses_us;
        let pairs = first.iter().filter_map(|&one| {
            let other = closest(one, second)?;
            let is_pair = other.abs_diff(one) <= TOGETHER_US && closest(other, first) == Some(one);
            is_pair.then(|| other.wrapping_sub(one).cast_signed())
        });
        pairs.collect()
    }

    /// Whether both clocks were pressed together often enough.
    pub(super) fn is_done(&self) -> bool {
        self.differences_us().len() >= PRESSES_TOGETHER
    }

    /// Request to the person.
    pub(super) fn prompt(&self) -> String {
        format!(
            "both clocks together {} of {PRESSES_TOGETHER}: Press both clocks at the same moment, a hand at each: Black's sides, then White's, and again.",
            self.differences_us().len()
        )
    }

    /// The result by now.
    pub(super) fn result(&self) -> ZeroResult {
        let differences_us = self.differences_us();
        let mut sorted = differences_us.clone();
        sorted.sort_unstable();
        let middle_us = (!sorted.is_empty())
            .then(|| (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2);
        ZeroResult {
            differences_ms: differences_us.iter().map(|us| us / 1_000).collect(),
            middle_ms: middle_us.map(|us| us / 1_000),
            well: self.is_done() && middle_us.is_some_and(|us| us.abs() <= MIDDLE_MAX_US),
        }
    }
}

impl ZeroResult {
    /// The result as people read it.
    pub(super) fn text(&self, [first, second]: &[String; 2]) -> String {
        let count = self.differences_ms.len();
        let extremes = self.differences_ms.iter().min().zip(self.differences_ms.iter().max());
        let Some((middle, (least, most))) = self.middle_ms.zip(extremes) else {
            return "zero test of the clocks: not done\n  → press both clocks at the same moment\n"
                .to_owned();
        };
        let verdict = match (self.well, count >= PRESSES_TOGETHER) {
            (true, _) => "they agree",
            (false, true) => "they disagree",
            (false, false) => "too few presses",
        };
        let mut text = format!(
            "zero test of the clocks: {verdict}\n  {second} after {first}: {middle:+} ms in the middle of {count} presses, from {least:+} to {most:+} ms\n"
        );
        if !self.well {
            text += "  → test again. Then exchange the cables of the two clocks: an error that moves with a cable is the cable's or its hub's, \
                one that stays is the clock's\n";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use hub::drivers::Unit;

    use super::*;

    const CLOCKS: [Key; 2] = [(0, Unit::ONLY), (1, Unit::ONLY)];

    fn tested(presses: &[(usize, u64)]) -> ZeroTest {
        let mut test = ZeroTest::new(CLOCKS);
        for &(clock, ms) in presses {
            test.take((clock, Unit::ONLY), HubTime::from_micros(1_000_000 + ms * 1_000));
        }
        test
    }

    #[test]
    fn clocks_that_are_pressed_together_agree_whichever_reports_first() {
        // The second clock's port is late with two of them.
        let test = tested(&[
            (0, 0),
            (0, 1_002),
            (1, 12),
            (1, 1_000),
            (0, 2_000),
            (1, 2_004),
            (1, 3_009),
            (0, 3_000),
        ]);
        assert!(test.is_done());
        let result = test.result();
        assert_eq!(result.differences_ms, [12, -2, 4, 9]);
        assert_eq!((result.middle_ms, result.well), (Some(6), true));
        let text = result.text(&["clock-1".to_owned(), "clock-2".to_owned()]);
        assert!(
            text.contains(
                "clock-2 after clock-1: +6 ms in the middle of 4 presses, from -2 to +12 ms"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_clock_whose_line_is_late_by_a_constant_is_found() {
        let presses: Vec<_> =
            (0..4).flat_map(|n| [(0, n * 1_000), (1, n * 1_000 + 45 + n)]).collect();
        let result = tested(&presses).result();
        assert_eq!((result.middle_ms, result.well), (Some(46), false));
        assert!(result.text(&["a".to_owned(), "b".to_owned()]).contains("they disagree"));
    }

    #[test]
    fn presses_one_by_one_are_no_test() {
        let test = tested(&[(0, 0), (0, 600), (1, 1_200), (2, 1_300), (0, 2_000)]);
        assert!(test.result().differences_ms.is_empty() && !test.result().well);
        assert!(test.result().text(&Default::default()).contains("not done"));
    }
}
