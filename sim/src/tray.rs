//! Reserve trays: captured pieces on their way from slot to slot, as openings and closings of contacts.
//!
//! A tray has 16 slots, each with a reed contact, whatever the board senses with. Which piece lies in
//! which slot is decided here, from when each captured piece came into the partner's hands and when
//! it was dropped.

use rand::{RngExt, seq::IndexedRandom};
use rules::{Color, Seat};

use crate::{
    chance::{Chance, Topic, between_ms},
    players::Players,
    profile::{Behaviour, Profile},
};

/// Slots of one tray.
pub(crate) const SLOTS: u8 = 16;
/// An ideal player lays a piece into a slot this long after it was handed over.
const IDEAL_LAY_US: u64 = 300_000;
/// Probability that a piece goes into the lowest free slot, and not into any free one.
const LOWEST_FREE: f64 = 0.8;
/// A tray is rearranged from … to … milliseconds after an arrival …
const REARRANGE_AFTER_MS: (u64, u64) = (400, 2_000);
/// … and a piece is out of its slot from … to … milliseconds.
const REARRANGE_MS: (u64, u64) = (200, 600);
/// Least time between a rearrangement and anything else that happens in the tray.
const UNDISTURBED_US: u64 = 200_000;
/// A piece lies in its slot at least this long before a hand takes it out.
const GRASPED_AFTER_US: u64 = 100_000;

/// A captured piece on its way to a drop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    /// Player who may drop it.
    pub(crate) owner: Seat,
    /// Time at which its capture was complete.
    pub(crate) captured_us: u64,
    /// Time since which the owner has it in the hand.
    pub(crate) since_us: u64,
    /// Time at which the owner lays it into a slot; none if never.
    pub(crate) laid_us: Option<u64>,
    /// Time at which the owner takes it to drop it; none if never.
    pub(crate) taken_us: Option<u64>,
    /// Time at which it lands on the board; none if never.
    pub(crate) dropped_us: Option<u64>,
    /// Names its random streams: the key of the ply that captured it.
    pub(crate) key: usize,
}

impl Passed {
    /// Time from which the piece is available for a drop, if it lies in a slot before.
    pub(crate) fn at_hand_us(&self) -> Option<u64> {
        self.laid_us.map(|laid_us| laid_us + GRASPED_AFTER_US)
    }
}

/// Time at which a piece that its owner holds since `since_us` gets into a slot; none if never.
pub(crate) fn laid_us(
    players: &Players,
    chance: &Chance,
    owner: Seat,
    key: usize,
    since_us: u64,
) -> Option<u64> {
    let held_back = players.rate(Behaviour::HeldBack);
    if held_back > 0.0 && chance.draw(owner.board, key, Behaviour::HeldBack) < held_back {
        return None;
    }
    let lay_us = match players.profile {
        Profile::Ideal => IDEAL_LAY_US,
        _ => {
            let mut rng = chance.topic(owner.board, key, Topic::Tray);
            players.hands.lay.draw(&mut rng)
        }
    };
    Some(since_us + lay_us)
}

/// A change of a slot's contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotEdge {
    /// Time, microseconds since the trace began.
    pub t_us: u64,
    /// The player who may drop from the tray.
    pub side: Color,
    /// Slot 0 to 15.
    pub slot: u8,
    /// Whether a piece lies there from now on.
    pub closed: bool,
}

/// Events in one seat's tray, in time order, and the moments at which it was rearranged.
pub(crate) fn edges(
    passed: &[Passed],
    owner: Seat,
    players: &Players,
    chance: &Chance,
) -> (Vec<SlotEdge>, Vec<u64>) {
    let mut tray = Tray { owner, slots: [None; SLOTS as usize], edges: Vec::new() };
    let mut moments: Vec<(u64, Moment)> = Vec::new();
    for (index, piece) in passed.iter().enumerate().filter(|(_, piece)| piece.owner == owner) {
        if let Some(laid_us) = piece.laid_us {
            moments.push((laid_us, Moment::Laid(index)));
            moments.extend(piece.taken_us.map(|taken_us| (taken_us, Moment::Taken(index))));
        }
    }
    moments.sort_by_key(|&(t_us, _)| t_us);
    let mut rearranged = Vec::new();
    for (at, &(t_us, moment)) in moments.iter().enumerate() {
        match moment {
            Moment::Laid(index) => {
                let next_us = moments.get(at + 1).map_or(u64::MAX, |&(next_us, _)| next_us);
                let key = passed[index].key;
                tray.lay(t_us, index, chance, key);
                let rate = players.rate(Behaviour::Rearranged);
                if rate > 0.0 && chance.draw(owner.board, key, Behaviour::Rearranged) < rate {
                    rearranged.extend(tray.rearrange(t_us, next_us, chance, key));
                }
            }
            Moment::Taken(index) => tray.take(t_us, index),
        }
    }
    (tray.edges, rearranged)
}

#[derive(Clone, Copy)]
enum Moment {
    Laid(usize),
    Taken(usize),
}

struct Tray {
    owner: Seat,
    /// Content of each slot, by its place among the pieces passed.
    slots: [Option<usize>; SLOTS as usize],
    edges: Vec<SlotEdge>,
}

impl Tray {
    fn free(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&slot| self.slots[slot].is_none()).collect()
    }

    fn set(&mut self, t_us: u64, slot: usize, piece: Option<usize>) {
        self.slots[slot] = piece;
        let (side, closed) = (self.owner.color, piece.is_some());
        self.edges.push(SlotEdge { t_us, side, slot: slot as u8, closed });
    }

    /// Lays a piece into a free slot; beside the tray if there is none.
    fn lay(&mut self, t_us: u64, piece: usize, chance: &Chance, key: usize) {
        let mut rng = chance.form(self.owner.board, key, Behaviour::HeldBack);
        let free = self.free();
        let lowest = rng.random_bool(LOWEST_FREE);
        let slot = if lowest { free.first() } else { free.choose(&mut rng) };
        if let Some(&slot) = slot {
            self.set(t_us, slot, Some(piece));
        }
    }

    fn take(&mut self, t_us: u64, piece: usize) {
        if let Some(slot) = self.slots.iter().position(|&held| held == Some(piece)) {
            self.set(t_us, slot, None);
        }
    }

    /// Moves a piece to another slot if there is time for it before the next thing happens here; when.
    fn rearrange(
        &mut self,
        laid_us: u64,
        next_us: u64,
        chance: &Chance,
        key: usize,
    ) -> Option<u64> {
        let mut rng = chance.form(self.owner.board, key, Behaviour::Rearranged);
        let from_us = laid_us + between_ms(&mut rng, REARRANGE_AFTER_MS.0, REARRANGE_AFTER_MS.1);
        let to_us = from_us + between_ms(&mut rng, REARRANGE_MS.0, REARRANGE_MS.1);
        if to_us.saturating_add(UNDISTURBED_US) > next_us {
            return None;
        }
        let full: Vec<usize> =
            (0..self.slots.len()).filter(|&slot| self.slots[slot].is_some()).collect();
        let from = *full.choose(&mut rng)?;
        let to = *self.free().choose(&mut rng)?;
        let piece = self.slots[from];
        self.set(from_us, from, None);
        self.set(to_us, to, piece);
        Some(from_us)
    }
}

#[cfg(test)]
mod tests {
    use rules::BoardId;

    use super::*;

    const OWNER: Seat = Seat { board: BoardId::B, color: Color::Black };

    fn passed(key: usize, laid_us: u64, taken_us: Option<u64>) -> Passed {
        Passed {
            owner: OWNER,
            captured_us: laid_us,
            since_us: laid_us,
            laid_us: Some(laid_us),
            taken_us,
            dropped_us: taken_us,
            key,
        }
    }

    fn occupied(edges: &[SlotEdge]) -> usize {
        let mut slots = [false; SLOTS as usize];
        for edge in edges {
            let slot = &mut slots[usize::from(edge.slot)];
            assert_ne!(*slot, edge.closed, "a slot changes or there is no edge");
            *slot = edge.closed;
        }
        slots.into_iter().filter(|&occupied| occupied).count()
    }

    #[test]
    fn what_was_laid_and_not_taken_lies_in_the_tray() {
        let chance = Chance::new(1, "tray", Profile::Ideal);
        let pieces = [passed(1, 100, Some(900)), passed(2, 200, None), passed(3, 1_000, None)];
        let (edges, rearranged) = edges(&pieces, OWNER, &Profile::Ideal.into(), &chance);
        assert_eq!((edges.len(), rearranged.len()), (4, 0));
        assert_eq!(occupied(&edges), 2);
    }

    #[test]
    fn a_full_tray_takes_no_more_and_nothing_is_lost_by_it() {
        let chance = Chance::new(1, "tray", Profile::Ideal);
        let pieces: Vec<Passed> = (0..20).map(|key| passed(key, key as u64, Some(1_000))).collect();
        let (edges, _) = edges(&pieces, OWNER, &Profile::Ideal.into(), &chance);
        assert_eq!(edges.len(), 32);
        assert_eq!(occupied(&edges), 0);
    }

    #[test]
    fn rearranging_moves_a_piece_and_keeps_their_number() {
        let pieces: Vec<Passed> =
            (0..12).map(|key| passed(key, key as u64 * 5_000_000, None)).collect();
        let mut moved = 0;
        for seed in 0..20 {
            let chance = Chance::new(seed, "tray", Profile::Scholastic);
            let (edges, rearranged) = edges(&pieces, OWNER, &Profile::Scholastic.into(), &chance);
            assert!(edges.windows(2).all(|pair| pair[0].t_us <= pair[1].t_us));
            assert_eq!(occupied(&edges), 12);
            moved += rearranged.len();
        }
        // 240 arrivals, 10 %: 24 expected.
        assert!((10..=40).contains(&moved), "{moved}");
    }
}
