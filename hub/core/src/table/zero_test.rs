//! A zero test: both clocks of a table are pressed together some eight times before play, and the differences of the two nodes' times
//! are published. What is pressed meanwhile reaches no session, so it begins no match.

use std::collections::VecDeque;
use std::time::Duration;

use proto::link::HubTime;
use proto::mqtt::message::{OrderOutcome, ZeroTested};
use proto::mqtt::{MAX_ZERO_PAIRS, message::row::Event};
use readings::ReadingKind;
use rules::BoardId;

use crate::time::{after, span};

/// Number of pairs after which a test ends as soon as nobody presses any more.
const PAIRS_WANTED: usize = 8;
/// Number of pairs below which a test says nothing.
const PAIRS_MIN: usize = 6;
/// Presses of two boards that lie further apart are no pair, microseconds.
const PAIR_MAX_US: i64 = 300_000;
/// Time without a press after which nobody presses any more, in wall time.
const QUIET: Duration = Duration::from_secs(2);
/// Longest test, in wall time.
const TEST_MAX: Duration = Duration::from_secs(45);
/// Longest time for which running clocks are withheld from the session after a test, in wall time.
const STOP_MAX: Duration = Duration::from_secs(60);

/// Result of a test: rows for the adjudicator, with the order's outcome and its words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ended {
    pub(super) order_id: u64,
    pub(super) tested: Option<Event>,
    pub(super) outcome: OrderOutcome,
    pub(super) words: String,
}

/// The zero test of a table, if there is one.
#[derive(Debug)]
pub(super) struct ZeroTest {
    rate: f64,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    order_id: u64,
    match_id: String,
    /// Times of the presses at each board.
    presses: [VecDeque<HubTime>; 2],
    /// Boards whose clock runs.
    runs: [bool; 2],
    last: Option<HubTime>,
    /// End of the test, or of the wait for both clocks to stop once it has ended.
    until: HubTime,
    has_ended: bool,
}

impl ZeroTest {
    pub(super) fn new(rate: f64) -> ZeroTest {
        ZeroTest { rate, running: None }
    }

    /// Begins a test. False: one is running.
    pub(super) fn begin(&mut self, now: HubTime, order_id: u64, match_id: String) -> bool {
        if self.running.as_ref().is_some_and(|test| !test.has_ended) {
            return false;
        }
        self.running = Some(Running {
            order_id,
            match_id,
            presses: Default::default(),
            runs: [false; 2],
            last: None,
            until: after(now, span(TEST_MAX, self.rate)),
            has_ended: false,
        });
        true
    }

    /// Whether a reading belongs to the test, and not to the session.
    pub(super) fn takes(&mut self, board: BoardId, made: HubTime, kind: &ReadingKind) -> bool {
        let Some(test) = &mut self.running else { return false };
        match kind {
            ReadingKind::Press { .. } => {
                let presses = &mut test.presses[board.index()];
                if presses.len() < MAX_ZERO_PAIRS {
                    presses.push_back(made);
                }
                test.last = test.last.max(Some(made));
                true
            }
            // A clock that has stopped begins nothing: the session is to know its times.
            ReadingKind::Clock { running, .. } => {
                test.runs[board.index()] = running.is_some();
                running.is_some()
            }
            _ => false,
        }
    }

    /// Time at which [`Self::poll`] has something to do.
    pub(super) fn next_due(&self) -> Option<HubTime> {
        let test = self.running.as_ref()?;
        Some(self.quiet_at(test).map_or(test.until, |at| at.min(test.until)))
    }

    /// Time at which the test has enough, and nobody presses any more.
    fn quiet_at(&self, test: &Running) -> Option<HubTime> {
        let has_enough = !test.has_ended && test.pairs().len() >= PAIRS_WANTED;
        test.last.filter(|_| has_enough).map(|last| after(last, span(QUIET, self.rate)))
    }

    /// The end of the test, if it ends now.
    pub(super) fn poll(&mut self, now: HubTime) -> Option<Ended> {
        let due = self.next_due()?;
        let stop_at = after(now, span(STOP_MAX, self.rate));
        let test = self.running.as_mut()?;
        if test.has_ended {
            if now >= test.until || test.runs == [false; 2] {
                self.running = None;
            }
            return None;
        }
        if now < due {
            return None;
        }
        let ended = test.ended();
        (test.has_ended, test.until) = (true, stop_at);
        if test.runs == [false; 2] {
            self.running = None;
        }
        Some(ended)
    }
}

impl Running {
    /// Difference of each pair of presses, board B's time minus board A's, microseconds.
    fn pairs(&self) -> Vec<i32> {
        let [mut at_a, mut at_b] =
            [self.presses[0].iter(), self.presses[1].iter()].map(Iterator::peekable);
        let mut pairs = Vec::new();
        while let (Some(a), Some(b)) = (at_a.peek(), at_b.peek()) {
            let difference_us = signed(b.as_micros()) - signed(a.as_micros());
            if difference_us.abs() <= PAIR_MAX_US {
                pairs.extend(i32::try_from(difference_us));
                at_a.next();
                at_b.next();
            } else if difference_us > 0 {
                at_a.next();
            } else {
                at_b.next();
            }
        }
        pairs
    }

    fn ended(&self) -> Ended {
        let differences_us = self.pairs();
        let (order_id, match_id) = (self.order_id, self.match_id.clone());
        if differences_us.len() < PAIRS_MIN {
            let [at_a, at_b] = [&self.presses[0], &self.presses[1]].map(VecDeque::len);
            let words = format!(
                "{} pairs of presses came ({at_a} at board A, {at_b} at board B), and {PAIRS_MIN} are needed: begin again, and press both \
                 clocks together eight times",
                differences_us.len()
            );
            return Ended { order_id, tested: None, outcome: OrderOutcome::Refused, words };
        }
        let tested = Some(Event::ZeroTested(ZeroTested { match_id, order_id, differences_us }));
        Ended { order_id, tested, outcome: OrderOutcome::Done, words: String::new() }
    }
}

fn signed(us: u64) -> i64 {
    i64::try_from(us).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use rules::Color;

    use super::*;

    fn at(ms: u64) -> HubTime {
        HubTime::from_micros(1_800_000_000_000_000 + ms * 1_000)
    }

    fn press(test: &mut ZeroTest, board: BoardId, ms: u64) {
        assert!(test.takes(board, at(ms), &ReadingKind::Press { by: Color::White }));
    }

    fn clock(running: Option<Color>) -> ReadingKind {
        ReadingKind::Clock { white_ms: 1, black_ms: 1, running }
    }

    fn begun() -> ZeroTest {
        let mut test = ZeroTest::new(1.0);
        assert!(test.begin(at(0), 7, "m".to_owned()));
        test
    }

    #[test]
    fn eight_pairs_give_their_differences_once_nobody_presses_any_more() {
        let mut test = begun();
        // One press at board B is missed, and one at board A is alone.
        for n in 1..=9 {
            press(&mut test, BoardId::A, n * 1_000);
            if n != 4 {
                press(&mut test, BoardId::B, n * 1_000 + 20);
            }
        }
        assert_eq!(test.next_due(), Some(at(11_020)));
        assert_eq!(test.poll(at(11_000)), None);
        let ended = test.poll(at(11_020)).expect("enough");
        let differences_us = vec![20_000; 8];
        let tested = ZeroTested { match_id: "m".to_owned(), order_id: 7, differences_us };
        assert_eq!(
            (ended.tested, ended.outcome),
            (Some(Event::ZeroTested(tested)), OrderOutcome::Done)
        );
        assert!(!test.takes(BoardId::A, at(12_000), &clock(Some(Color::White))), "it is over");
    }

    #[test]
    fn a_test_with_too_few_presses_ends_in_words() {
        let mut test = begun();
        press(&mut test, BoardId::A, 1_000);
        assert!(!test.begin(at(2_000), 8, "m".to_owned()), "one at a time");
        assert_eq!(test.poll(at(44_999)), None);
        let ended = test.poll(at(45_000)).expect("too long");
        assert_eq!((ended.tested, ended.outcome), (None, OrderOutcome::Refused));
        assert!(ended.words.contains("1 at board A, 0 at board B"), "{}", ended.words);
    }

    #[test]
    fn clocks_that_run_after_a_test_are_withheld_until_they_are_stopped() {
        let mut test = begun();
        assert!(test.takes(BoardId::A, at(10), &clock(Some(Color::Black))));
        assert!(test.poll(at(45_000)).is_some());
        assert!(test.takes(BoardId::A, at(45_500), &clock(Some(Color::Black))));
        assert!(!test.takes(BoardId::A, at(46_000), &clock(None)), "the session is to know it");
        assert_eq!(test.poll(at(46_000)), None);
        assert!(!test.takes(BoardId::A, at(47_000), &ReadingKind::Press { by: Color::White }));
    }
}
