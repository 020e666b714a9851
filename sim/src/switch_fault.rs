//! Broken switches: what a board's contacts read when some of them are dead, stuck or chatter. Pure: a decorator over the
//! timeline of contacts that the hands make.
//!
//! Stated assumptions, for want of recordings: a chattering contact is quiet while nothing is on it, and under a piece it is
//! closed for 5 to 60 ms and open for 1 to 25 ms in turn, which outlasts the node's debounce often enough to be told.

use proto::link::Side;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Bitboard, Square};

use crate::device::{Stimulus, Timed};

/// Time for which a chattering contact stays closed, µs.
const CLOSED_US: std::ops::RangeInclusive<u64> = 5_000..=60_000;
/// Time for which it stays open, µs.
const OPEN_US: std::ops::RangeInclusive<u64> = 1_000..=25_000;

/// Fault of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchFault {
    /// The switch never closes.
    Dead,
    /// The switch never opens.
    Stuck,
    /// The switch opens again and again while it should be closed.
    Chattering,
}

/// A switch of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Under a square.
    Square(Square),
    /// Under a slot of the tray from which this side drops.
    Slot(Side, u8),
}

/// A switch and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlantedFault {
    /// The switch.
    pub switch: Switch,
    /// The fault.
    pub fault: SwitchFault,
}

/// The contacts as broken switches tell them, to `until_us`: those that are closed at the beginning, and their changes in order of
/// time. Equal seeds give equal timelines.
pub(crate) fn plant(
    initial: Bitboard,
    timeline: Vec<Timed>,
    faults: &[PlantedFault],
    until_us: u64,
    seed: u64,
) -> (Bitboard, Vec<Timed>) {
    let (mut squares, mut told) = (initial, timeline);
    for (number, PlantedFault { switch, fault }) in faults.iter().enumerate() {
        let edges = take(&mut told, *switch);
        let starts_closed = match switch {
            Switch::Square(square) => initial.contains(*square),
            Switch::Slot(..) => false,
        };
        let (closed, edges) = match fault {
            SwitchFault::Dead => (false, Vec::new()),
            SwitchFault::Stuck => (true, Vec::new()),
            SwitchFault::Chattering => {
                let rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(number as u64));
                (starts_closed, chatter(starts_closed, &edges, until_us, rng))
            }
        };
        match switch {
            Switch::Square(square) if closed => squares.0 |= 1 << usize::from(*square),
            Switch::Square(square) => squares.0 &= !(1 << usize::from(*square)),
            // Slots begin open: a stuck one closes at once.
            Switch::Slot(..) if closed => told.push((0, stimulus(*switch, true))),
            Switch::Slot(..) => {}
        }
        told.extend(edges.into_iter().map(|(t_us, closed)| (t_us, stimulus(*switch, closed))));
    }
    told.sort_by_key(|&(t_us, _)| t_us);
    (squares, told)
}

fn stimulus(switch: Switch, closed: bool) -> Stimulus {
    match switch {
        Switch::Square(square) => Stimulus::Contact(square, closed),
        Switch::Slot(side, slot) => Stimulus::Slot(side, slot, closed),
    }
}

/// Removes a switch's changes from the timeline and returns them.
fn take(timeline: &mut Vec<Timed>, switch: Switch) -> Vec<(u64, bool)> {
    let mut edges = Vec::new();
    timeline.retain(|&(t_us, what)| {
        let closed = match what {
            Stimulus::Contact(_, closed) | Stimulus::Slot(_, _, closed) => closed,
            _ => return true,
        };
        let is_its = what == stimulus(switch, closed);
        if is_its {
            edges.push((t_us, closed));
        }
        !is_its
    });
    edges
}

/// The contact's changes with its rattling between them.
fn chatter(
    starts_closed: bool,
    edges: &[(u64, bool)],
    until_us: u64,
    mut rng: ChaCha8Rng,
) -> Vec<(u64, bool)> {
    let mut told = Vec::new();
    let phases = std::iter::once((0, starts_closed)).chain(edges.iter().copied());
    for (number, (from_us, closed)) in phases.enumerate() {
        if number > 0 {
            told.push((from_us, closed));
        }
        let to_us = edges.get(number).map_or(until_us, |&(t_us, _)| t_us);
        if !closed {
            continue;
        }
        let mut t_us = from_us;
        loop {
            let opens_us = t_us + rng.random_range(CLOSED_US);
            let closes_us = opens_us + rng.random_range(OPEN_US);
            if closes_us >= to_us {
                break;
            }
            told.extend([(opens_us, false), (closes_us, true)]);
            t_us = closes_us;
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTIL_US: u64 = 10_000_000;
    const START: Bitboard = Bitboard(0xffff_0000_0000_ffff);

    fn lift_and_put(square: Square) -> Vec<Timed> {
        vec![
            (1_000_000, Stimulus::Contact(square, false)),
            (2_000_000, Stimulus::Contact(square, true)),
        ]
    }

    fn planted(square: Square, fault: SwitchFault) -> (Bitboard, Vec<Timed>) {
        let faults = [PlantedFault { switch: Switch::Square(square), fault }];
        plant(START, lift_and_put(Square::E2), &faults, UNTIL_US, 1)
    }

    #[test]
    fn a_dead_switch_is_open_for_ever_and_a_stuck_one_closed() {
        let (squares, told) = planted(Square::E2, SwitchFault::Dead);
        assert!(!squares.contains(Square::E2) && told.is_empty());
        let (squares, told) = planted(Square::E2, SwitchFault::Stuck);
        assert!(squares.contains(Square::E2) && told.is_empty());
        let (squares, told) = planted(Square::E5, SwitchFault::Stuck);
        assert!(squares.contains(Square::E5));
        assert_eq!(told, lift_and_put(Square::E2), "the others are as they were");
    }

    #[test]
    fn a_chattering_switch_rattles_under_a_piece_and_is_quiet_without() {
        let (squares, told) = planted(Square::E2, SwitchFault::Chattering);
        assert!(squares.contains(Square::E2));
        let edges: Vec<u64> = told.iter().map(|&(t_us, _)| t_us).collect();
        assert!(told.len() > 200, "{} changes", told.len());
        assert!(!edges.iter().any(|t_us| (1_000_001..2_000_000).contains(t_us)));
        assert!(edges.is_sorted());
        let states: Vec<bool> =
            told.iter().map(|&(_, what)| matches!(what, Stimulus::Contact(_, true))).collect();
        assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "it opens and closes in turn");
        assert_eq!(planted(Square::E2, SwitchFault::Chattering).1, told, "the same seed");
    }

    #[test]
    fn a_stuck_slot_closes_at_once() {
        let switch = Switch::Slot(Side::Black, 3);
        let faults = [PlantedFault { switch, fault: SwitchFault::Stuck }];
        let (_, told) = plant(START, Vec::new(), &faults, UNTIL_US, 1);
        assert_eq!(told, [(0, Stimulus::Slot(Side::Black, 3, true))]);
    }
}
