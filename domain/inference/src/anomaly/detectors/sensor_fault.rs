//! `sensor-fault`: the readings of a board cannot be trusted.
//!
//! ```text
//! confidence = LOST   readings were lost
//!            = WRONG  a contact chatters, or a reading's time leaps hours ahead
//! ```
//!
//! A contact chatters if it changes CHATTER_CHANGES times within CHATTER_US and never rests for
//! RESTS_US between. A contact that sticks or a magnet that is too weak is not reported: believed
//! plies explain what it reads, and the beam goes on from there (decision 0023). No topic of the
//! books asks for it. It serves the record: a director sees which board to check.

use rules::Square;

use crate::anomaly::findings::finding::prelude::*;

/// Changes of one square within CHATTER_US from which the contact chatters. Assumed: a piece set
/// down off centre flickers less.
const CHATTER_CHANGES: u32 = 20;
/// Window of these changes, microseconds. Assumed.
const CHATTER_US: u64 = 2_000_000;
/// Rest after which further changes are another piece's, microseconds. Assumed: a piece settles in
/// half a second, and two pieces that flicker one after the other are no broken contact.
const RESTS_US: u64 = 500_000;

/// Confidence that readings were lost, 0 to 1. Assumed: their numbers show it.
const LOST: f64 = 0.99;
/// Confidence that a contact or a time is wrong, 0 to 1. Assumed: a player may toy with a piece,
/// and a clock may have been put right.
const WRONG: f64 = 0.95;

/// A finding for readings that did not arrive.
pub(crate) fn readings_lost(board: BoardId, t_us: u64, lost: u64) -> Option<Finding> {
    (lost > 0).then(|| {
        let evidence = format!("{lost} readings of board {board} were lost on their way.");
        Finding::new(AnomalyCode::SensorFault, t_us, LOST, evidence)
    })
}

/// Number of recent changes of one square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Time at which the changes began, microseconds.
    since_us: u64,
    last_us: u64,
    count: u32,
}

impl Changes {
    /// Takes a change. Whether the contact is found to chatter with this change.
    pub(crate) fn note(&mut self, t_us: u64) -> bool {
        let rested = t_us.saturating_sub(self.last_us) > RESTS_US;
        let slow = self.count < CHATTER_CHANGES && t_us.saturating_sub(self.since_us) > CHATTER_US;
        if rested || slow {
            *self = Changes { since_us: t_us, last_us: t_us, count: 0 };
        }
        self.last_us = t_us;
        self.count = self.count.saturating_add(1);
        self.count == CHATTER_CHANGES
    }
}

/// A finding for a contact that chatters.
pub(crate) fn contact_chatters(board: BoardId, square: Square, changes: Changes) -> Finding {
    let evidence = format!(
        "Square {square} of board {board} changed {CHATTER_CHANGES} times within {} s.",
        words::seconds(CHATTER_US)
    );
    Finding::new(AnomalyCode::SensorFault, changes.since_us, WRONG, evidence)
}

/// A finding for a reading whose time lies hours ahead of the readings before and after it.
pub(crate) fn time_leaps(board: BoardId, t_us: u64) -> Finding {
    let evidence = format!(
        "A reading of board {board} claims to be made hours later than those before and after it. It is taken as made when the one before was made."
    );
    Finding::new(AnomalyCode::SensorFault, t_us, WRONG, evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_readings_are_a_fault_and_none_lost_are_not() {
        assert!(readings_lost(BoardId::A, 4, 2).is_some());
        assert_eq!(readings_lost(BoardId::A, 4, 0), None);
    }

    #[test]
    fn a_chattering_contact_is_found_once_and_a_flickering_piece_is_not() {
        let mut chatter = Changes::default();
        let found: usize = (0..60).map(|n| usize::from(chatter.note(5_000_000 + n * 30_000))).sum();
        assert_eq!(found, 1);
        let mut twice = Changes::default();
        let set_down = |from_us: u64| (0..12).map(move |n| from_us + n * 50_000);
        let mut changes = set_down(5_000_000).chain(set_down(6_300_000));
        assert!(changes.all(|t_us| !twice.note(t_us)), "two pieces set down one after the other");
        let mut flicker = Changes::default();
        assert!((0..10).all(|n| !flicker.note(5_000_000 + n * 80_000)));
    }
}
