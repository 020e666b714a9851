//! Comparison of a board's reports with the handling of its pieces, step by step. Pure: changes and times come in, results go out.
//!
//! A step ends when the board reports the squares that it leaves and no more for a moment. It is right if the board reported each change once and
//! in the order in which it was made.

use hub::HubTime;
use rules::Bitboard;
use serde::Serialize;

use super::script::{Change, STEPS, ScriptStep};

/// Squares of the start position.
pub(super) const START: Bitboard = Bitboard(0xffff_0000_0000_ffff);
/// Time without a change after which a step is over, µs: no hand pauses so long between two pieces of one move that has reached its end.
const STEP_SETTLED_US: u64 = 300_000;
/// A change back within this time is a contact that bounced, µs: the node is to have waited for it.
const BOUNCE_US: u64 = 50_000;
/// Changes of one step that are kept: more are a board that chatters.
const CHANGES_MAX: usize = 64;

/// One change as the board reported it.
#[derive(Clone, Copy, Debug)]
struct Reported {
    change: Change,
    made: HubTime,
    arrived: HubTime,
}

/// Result of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct StepResult {
    /// The step's name.
    pub(super) step: &'static str,
    /// The changes that were to be made.
    pub(super) expected: &'static str,
    /// The changes that the board reported.
    pub(super) reported: String,
    /// Whether these are the same.
    pub(super) right: bool,
    /// Longest time from a change, by the board, until its report had arrived, ms; none if nothing was reported.
    pub(super) late_ms: Option<u64>,
    /// Contacts that came and went faster than a hand, and reached the line.
    pub(super) bounces: u32,
}

/// A conformance run of one board.
#[derive(Debug)]
pub(super) struct Judge {
    /// Squares on which the board reports a piece.
    occupied: Bitboard,
    /// Squares that are occupied when this step is over.
    target: Bitboard,
    changes: Vec<Reported>,
    bounces: u32,
    results: Vec<StepResult>,
}

impl Judge {
    /// A run that begins in the start position.
    pub(super) fn new() -> Judge {
        let mut judge = Judge {
            occupied: START,
            target: START,
            changes: Vec::new(),
            bounces: 0,
            results: Vec::new(),
        };
        judge.aim();
        judge
    }

    /// The step that is to be done; none after the last.
    pub(super) fn step(&self) -> Option<&'static ScriptStep> {
        STEPS.get(self.results.len())
    }

    /// Results of the steps that are over.
    pub(super) fn results(&self) -> &[StepResult] {
        &self.results
    }

    /// Takes a reading of a square: made at `made` by the board, and arrived at `arrived`. A reading that repeats the square's state changes nothing.
    pub(super) fn take(&mut self, change: Change, made: HubTime, arrived: HubTime) {
        if self.occupied.contains(change.square) == change.on {
            return;
        }
        self.occupied.toggle(change.square);
        let of_square = self.changes.iter().rposition(|it| it.change.square == change.square);
        if let Some(before) = of_square
            && made.micros_since(self.changes[before].made) < BOUNCE_US
        {
            self.changes.remove(before);
            self.bounces = self.bounces.saturating_add(1);
        } else if self.changes.len() < CHANGES_MAX {
            self.changes.push(Reported { change, made, arrived });
        }
    }

    /// Ends the step if it is over at `now`.
    pub(super) fn advance(&mut self, now: HubTime) -> Option<&StepResult> {
        let step = self.step()?;
        let last = self.changes.last()?;
        let is_still = now.micros_since(last.arrived) >= STEP_SETTLED_US;
        // Where a step leaves the squares as they were, all its changes are waited for.
        let is_back = self.occupied == self.target && self.changes.len() < step.changes().count();
        let is_over = is_still && self.occupied == self.target;
        if !is_over || (is_back && self.leaves_all(step)) {
            return None;
        }
        Some(self.end(step))
    }

    /// Ends the run at a step that the board has not reported to its end.
    pub(super) fn give_up(&mut self) {
        if let Some(step) = self.step() {
            self.end(step);
        }
    }

    /// Whether a step leaves all squares as they were before.
    fn leaves_all(&self, step: &ScriptStep) -> bool {
        let mut after = self.target;
        step.changes().for_each(|change| after.toggle(change.square));
        after == self.target
    }

    fn end(&mut self, step: &'static ScriptStep) -> &StepResult {
        let mut expected: Vec<Change> = step.changes().collect();
        let mut reported: Vec<Change> = self.changes.iter().map(|it| it.change).collect();
        let words: Vec<String> = reported.iter().map(Change::to_string).collect();
        if step.is_any_order {
            expected.sort();
            reported.sort();
        }
        let late_us = self.changes.iter().map(|it| it.arrived.micros_since(it.made)).max();
        let right = expected == reported && self.occupied == self.target;
        let at = self.results.len();
        self.results.push(StepResult {
            step: step.name,
            expected: step.how,
            reported: words.join(", "),
            right,
            late_ms: late_us.map(|us| us / 1_000),
            bounces: self.bounces,
        });
        self.changes.clear();
        self.bounces = 0;
        self.aim();
        &self.results[at]
    }

    /// Sets the squares that the next step leaves occupied.
    fn aim(&mut self) {
        for change in self.step().into_iter().flat_map(ScriptStep::changes) {
            self.target.toggle(change.square);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: HubTime = HubTime::from_micros(1_700_000_000_000_000);

    /// Plays steps at a board that reports `reports` of them, each change 200 ms after the one before and 12 ms late.
    fn run(steps: usize, mut reports: impl FnMut(usize, Vec<Change>) -> Vec<Change>) -> Judge {
        let mut judge = Judge::new();
        let mut at = BEGIN;
        for (number, step) in STEPS.iter().enumerate().take(steps) {
            for change in reports(number, step.changes().collect()) {
                at = at.plus_micros(200_000);
                judge.take(change, at, at.plus_micros(12_000));
                assert_eq!(judge.advance(at.plus_micros(13_000)), None);
            }
            at = at.plus_micros(1_000_000);
            judge.advance(at);
        }
        judge
    }

    #[test]
    fn a_board_that_reports_each_change_is_right_in_every_step() {
        let judge = run(STEPS.len(), |_, changes| changes);
        assert_eq!((judge.results().len(), judge.step().is_none()), (STEPS.len(), true));
        assert!(judge.results().iter().all(|it| it.right && it.late_ms == Some(12)));
    }

    #[test]
    fn a_board_that_turns_two_changes_round_is_named_with_its_order() {
        let judge = run(5, |number, mut changes| {
            if number == 4 {
                changes.swap(1, 2);
            }
            changes
        });
        let last = judge.results().last().expect("a result");
        assert!(!last.right && judge.results()[..4].iter().all(|it| it.right));
        assert_eq!(last.reported, "e5 off, d5 off, d6 on");
    }

    #[test]
    fn a_piece_that_is_adjusted_unseen_ends_no_step() {
        let adjusted = STEPS.iter().position(|step| step.name.contains("adjusted")).expect("one");
        let judge = run(adjusted + 1, |number, changes| match number == adjusted {
            true => Vec::new(),
            false => changes,
        });
        assert_eq!(judge.results().len(), adjusted);
        let half = run(adjusted + 1, |number, changes| match number == adjusted {
            true => changes[..1].to_vec(),
            false => changes,
        });
        assert_eq!(half.results().len(), adjusted);
    }

    #[test]
    fn a_contact_that_bounces_is_counted_and_makes_no_change() {
        let mut judge = Judge::new();
        let changes: Vec<Change> = STEPS[0].changes().collect();
        let mut at = BEGIN;
        for on in [false, true, false] {
            at = at.plus_micros(9_000);
            judge.take(Change { on, ..changes[0] }, at, at);
        }
        judge.take(changes[1], at.plus_micros(300_000), at.plus_micros(301_000));
        let result = judge.advance(at.plus_micros(900_000)).expect("a result");
        assert!(result.right);
        assert_eq!(result.bounces, 1);
    }

    #[test]
    fn a_dead_square_ends_the_run_with_what_was_reported() {
        let mut judge = run(1, |_, changes| changes[..1].to_vec());
        assert_eq!(judge.results(), []);
        judge.give_up();
        let result = &judge.results()[0];
        assert_eq!((result.right, result.reported.as_str()), (false, "e2 off"));
    }
}
