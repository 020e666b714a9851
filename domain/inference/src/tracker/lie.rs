//! Orientation of boards and clocks on the table (their *lie*), settled by the plies, and the correction of their readings.
//!
//! ```text
//! evidence(lie) = ln prior(lie) + Σ over segments of the board ln p(segment | all before, lie)
//!               + REANCHORED · positions that no ply explains
//! p(lie)        = exp(evidence(lie)) / Σ over lies on trial
//! settled       if p ≥ SURE, or by the likeliest once readings have waited for long
//! replaced      by another lie with p ≥ REPLACED, or at the end by the likeliest
//! ```
//!
//! The sides that move and press show at nearly every table that everything lies right
//! ([`Placing`](crate::sensing::placing::Placing)). Where it does not, the match is followed on trial
//! under each lie that is left, from its first press on. Meanwhile the readings of the table wait,
//! so that nothing is published that would have to be taken back. Some lies look alike for many
//! plies: a table at which Black began, and one that lies turned with its clock, until a king or a
//! queen moves. Then the likelier is followed and the other is not forgotten: as soon as the plies
//! speak for it, what was published is taken back, and the match is followed as it was played.

use readings::Reading;
use rules::BoardId;

use super::{Tracker, Trial, leaps::LEAP_MAX_US};
use crate::{
    anomaly::{detectors::turned, findings::finding::Finding},
    report::TrackerOutput,
    sensing::placing::{Lie, SURE},
};

/// Maximum number of remembered readings. Beyond it the likeliest lie is settled for good. Bound: on
/// memory and delay.
const MAX_READINGS: usize = 4_096;
/// Maximum work of one trial, nodes and transitions: of its readings together, and of each. Beyond it
/// the lie is refuted. Bound: on work. Measured: wrong lies take more than right ones.
const MAX_WORK: (usize, usize) = (10_000, 100);
/// A lie that was settled is replaced by one of this posterior, 0 to 1. Assumed.
const REPLACED: f64 = 0.9;
/// Natural logarithm of a position that no ply explains. Assumed.
const REANCHORED: f64 = -30.0;

impl Tracker {
    /// Whether readings wait until it is settled how boards and clocks lie.
    pub(super) fn is_holding(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.followed < trial.readings.len())
    }

    /// Takes a reading, or lets it wait.
    pub(super) fn take_or_hold(&mut self, reading: &Reading) {
        let board = reading.board.filter(|board| self.setting.sensed[board.index()]);
        if let Some(board) = board {
            self.placings[board.index()].read(reading.t_us, &reading.kind);
        }
        let is_open = self.placings.iter().any(|placing| placing.is_open());
        let is_soon = reading.t_us.saturating_sub(self.now_us) <= LEAP_MAX_US;
        if is_open && is_soon && !self.is_holding() {
            // Deadlines that the caller's clock has passed come before the reading.
            self.do_what_is_due(reading.t_us);
        }
        if is_open && self.trial.is_none() {
            let (before, readings) = (self.clone(), Vec::new());
            self.trial = Some(Box::new(Trial { before, readings, followed: 0 }));
        }
        let Some(trial) = &mut self.trial else {
            self.take(reading);
            return;
        };
        trial.readings.push(reading.clone());
        let is_full = trial.readings.len() >= MAX_READINGS;
        self.decide(is_full);
        if is_full || !self.placings.iter().any(|placing| placing.is_open()) {
            self.trial = None;
        }
    }

    /// Settles what can be settled, or everything in doubt, and takes the readings that wait for nothing.
    pub(super) fn decide(&mut self, at_once: bool) {
        for board in BoardId::ALL {
            let placing = &self.placings[board.index()];
            let is_open =
                placing.is_open() && (placing.settled().is_some() || placing.is_doubted());
            if placing.is_due() || at_once && is_open {
                self.weigh(board, at_once);
            }
        }
        if at_once || !self.placings.iter().any(|placing| placing.is_doubted()) {
            while let Some(reading) = self.next_waiting() {
                self.take(&reading);
            }
        }
    }

    fn next_waiting(&mut self) -> Option<Reading> {
        let trial = self.trial.as_mut()?;
        let reading = trial.readings.get(trial.followed).cloned()?;
        trial.followed += 1;
        Some(reading)
    }

    /// Follows the match under each lie that is left of this board, and settles or replaces its lie.
    fn weigh(&mut self, board: BoardId, at_once: bool) {
        let at = board.index();
        let known = self.placings[at].settled();
        let Some(trial) = self.trial.take() else { return };
        let mut found: Vec<(Lie, f64, Tracker)> = Vec::new();
        for (lie, prior) in self.placings[at].on_trial() {
            let Some((tracker, evidence)) = self.followed(&trial, board, lie) else { continue };
            found.push((lie, libm::log(prior) + evidence, tracker));
        }
        self.trial = Some(trial);
        let best = found.iter().map(|of| of.1).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = found.iter().map(|of| libm::exp(of.1 - best)).sum();
        let Some((lie, _, tracker)) = found.into_iter().find(|of| of.1 == best) else {
            // The lie stays unknown if so little can be followed.
            let (lie, _) = known.unwrap_or((Lie::default(), 1.0));
            self.placings[at].settle(lie, 1.0);
            return;
        };
        let p = 1.0 / total;
        // The newest reading is followed next.
        let is_behind =
            self.trial.as_ref().is_some_and(|trial| trial.followed + 1 < trial.readings.len());
        match known {
            None if p < SURE && !at_once && !self.placings[at].is_late() => {}
            _ if lie == self.lies[at] && !is_behind => self.placings[at].settle(lie, p),
            Some(_) if p < REPLACED && !at_once => {}
            _ => {
                self.placings[at].settle(lie, p);
                self.replace(tracker);
            }
        }
    }

    /// The match followed from the first reading of the trial on as if a board lay like this, and
    /// how well its segments are explained, as a natural logarithm. None if that takes more than [`MAX_WORK`].
    fn followed(&self, trial: &Trial, board: BoardId, lie: Lie) -> Option<(Tracker, f64)> {
        let mut tracker = trial.before.clone();
        tracker.placings.clone_from(&self.placings);
        tracker.placings[board.index()].settle(lie, 1.0);
        // Reported once it is settled.
        tracker.lies_reported = [true; 2];
        // Plies that were published since are retracted if this lie is followed from now on.
        self.published.retract_all(self.now_us, &mut tracker.out);
        tracker.published.begin_again(self.published.next());
        let known = tracker.register.entries.len();
        tracker.register = self.register.clone();
        tracker.register.end_since(known, self.now_us, &mut tracker.out);
        let (before, retracted) = (tracker.beam.filter.logs.len(), tracker.out.len());
        let (work, most_work) = (tracker.work(), MAX_WORK.0 + MAX_WORK.1 * trial.readings.len());
        for reading in &trial.readings {
            tracker.take(reading);
            if tracker.work() - work > most_work {
                return None;
            }
        }
        let made = tracker.out.split_off(retracted);
        let reanchored = made
            .iter()
            .filter(|of| matches!(of, TrackerOutput::Reanchored { board: of, .. } if *of == board));
        let reanchored = reanchored.count();
        // The way to the plies is of no interest to receivers.
        let of_ply = |of: &TrackerOutput| {
            matches!(of, TrackerOutput::Ply(_) | TrackerOutput::PlyRetracted { .. })
        };
        tracker.out.extend(made.into_iter().filter(|of| !of_ply(of)));
        tracker.published.begin_again(tracker.published.next());
        tracker.publish(0);
        let filter = &tracker.beam.filter;
        let is_of_board =
            |at: &usize| filter.trellis.layer(*at).is_some_and(|layer| layer.board == board);
        let segments = (before..filter.logs.len()).filter(is_of_board);
        let explained: f64 = segments.map(|at| filter.logs[at]).sum();
        let evidence = explained + REANCHORED * reanchored as f64;
        Some((tracker, evidence))
    }

    /// Goes on as a tracker that has followed the readings of the trial under another lie.
    fn replace(&mut self, mut other: Tracker) {
        other.placings.clone_from(&self.placings);
        other.lies_reported =
            self.trial.as_ref().map_or([false; 2], |trial| trial.before.lies_reported);
        other.beam.work = other.beam.work.max(self.beam.work);
        self.out.append(&mut other.out);
        other.out = std::mem::take(&mut self.out);
        other.trial = self.trial.take();
        if let Some(trial) = &mut other.trial {
            trial.followed = trial.readings.len();
        }
        *self = other;
        self.report_lies();
    }

    /// Takes a reading as it would be if board and clock lay right.
    fn take(&mut self, reading: &Reading) {
        self.settle_lies();
        let lie = reading.board.map_or(Lie::default(), |board| self.lies[board.index()]);
        if lie == Lie::default() {
            self.take_right(reading);
        } else {
            let kind = lie.put_right(&reading.kind);
            self.take_right(&Reading { kind, ..reading.clone() });
        }
        self.report_lies();
    }

    /// Puts right what was read of boards before it was settled how they lie.
    fn settle_lies(&mut self) {
        for board in BoardId::ALL {
            let at = board.index();
            let Some((lie, _)) = self.placings[at].settled() else { continue };
            if lie != self.lies[at] {
                self.lies[at] = lie;
                self.inputs[at].put_right(lie);
                self.clock_monitors[at].put_right(lie);
                self.hand_monitor.lies(board, lie);
            }
        }
    }

    /// Reports how boards and clocks lie, once play has begun there.
    fn report_lies(&mut self) {
        for board in BoardId::ALL {
            let started_us = self.clock_monitors[board.index()].started_us;
            if let (Some(t_us), Some((lie, p))) =
                (started_us, self.placings[board.index()].settled())
                && lie != Lie::default()
                && !std::mem::replace(&mut self.lies_reported[board.index()], true)
            {
                let found: Vec<Finding> = turned::turned(board, t_us, lie, p);
                self.report(board, found);
            }
        }
    }
}
