//! The contents of the slots and hands of all four players, under one hypothesis.

use std::hash::{Hash, Hasher};

use rules::{RESERVE_ROLES, Reserve, Role};
use smallvec::SmallVec;

use crate::{sensing::tray_log::SLOTS, state::interned::Interned};

/// The content of a slot or a hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Content(u8);

impl Content {
    /// Empty.
    pub(crate) const NOTHING: Content = Content(0);
    /// A piece whose capture is not complete yet.
    pub(crate) const OWED: Content = Content(6);
    /// A piece that no capture explains.
    pub(crate) const FOREIGN: Content = Content(7);

    /// A piece of this role. A king is foreign, because no reserve holds one.
    pub(crate) fn of(role: Role) -> Content {
        Reserve::slot(role).map_or(Content::FOREIGN, |slot| Content(slot as u8 + 1))
    }

    /// Whether a piece of unknown role lies there.
    pub(crate) const fn is_unknown(self) -> bool {
        matches!(self, Content::OWED | Content::FOREIGN)
    }
}

/// The place from which a piece in the hand came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// The other board.
    #[default]
    Captured,
    /// A slot of the tray.
    Slot,
}

/// A loose piece: it lies in no slot. By default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Loose {
    pub(crate) content: Content,
    pub(crate) origin: Origin,
    /// Since when, eighths of a second since the trace began. 0 means long ago: hypotheses that
    /// differ only in old times become one.
    pub(crate) eighths: u32,
}

/// An eighth of a second, microseconds. Assumed: finer times would keep equal hypotheses apart.
const EIGHTH_US: u64 = 125_000;

impl Loose {
    pub(crate) fn new(content: Content, origin: Origin, t_us: u64) -> Loose {
        let eighths = u32::try_from(t_us / EIGHTH_US).unwrap_or(u32::MAX).max(1);
        Loose { content, origin, eighths }
    }

    /// Since when, microseconds, to an eighth of a second. None if it is long ago.
    pub(crate) fn since_us(self) -> Option<u64> {
        (self.eighths > 0).then(|| u64::from(self.eighths) * EIGHTH_US)
    }

    /// Whether it came into the hand at most this long before `t_us`.
    pub(crate) fn is_within(self, us: u64, t_us: u64) -> bool {
        self.since_us().is_some_and(|since_us| since_us.saturating_add(us) >= t_us)
    }
}

/// Maximum number of loose pieces of one player. Beyond it the oldest is forgotten. Bound: on memory.
const MAX_LOOSE: usize = 8;

/// One player's tray and hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeatTray {
    /// Four bits for each slot.
    slots: u64,
    /// The loose pieces, oldest first, and after them places for more.
    pub(crate) loose: [Loose; MAX_LOOSE],
}

impl Hash for SeatTray {
    /// Most hands are empty, so only what lies in them is hashed.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.slots.hash(state);
        self.loose().for_each(|loose| loose.hash(state));
    }
}

impl SeatTray {
    pub(crate) fn slot(&self, slot: u8) -> Content {
        Content((self.slots >> (u32::from(slot) * 4) & 0b1111) as u8)
    }

    pub(crate) fn set_slot(&mut self, slot: u8, content: Content) {
        let shift = u32::from(slot) * 4;
        self.slots = self.slots & !(0b1111 << shift) | u64::from(content.0) << shift;
    }

    /// The tray with these slots occupied by the pieces of a reserve. Pieces of the reserve that lie
    /// in no slot have been in the hand for long.
    fn put_right(&self, occupied: u16, held: &Reserve) -> SeatTray {
        let mut right = SeatTray::default();
        let mut left = *held;
        let is_occupied = |slot: &u8| occupied & 1 << slot != 0;
        let known =
            |slot: u8| RESERVE_ROLES.into_iter().find(|&role| Content::of(role) == self.slot(slot));
        let mut unknown: SmallVec<[u8; SLOTS as usize]> = SmallVec::new();
        for slot in (0..SLOTS).filter(is_occupied) {
            match known(slot).filter(|&role| left.count(role) > 0) {
                Some(role) => {
                    left.take(role);
                    right.set_slot(slot, Content::of(role));
                }
                None => unknown.push(slot),
            }
        }
        let rest = || RESERVE_ROLES.into_iter().filter(|&role| left.count(role) > 0);
        let only = rest().next().filter(|_| rest().count() == 1);
        let mut in_hand = left;
        for slot in unknown {
            let content = only.filter(|&role| in_hand.count(role) > 0);
            content.into_iter().for_each(|role| in_hand.take(role));
            right.set_slot(slot, content.map_or(Content::FOREIGN, Content::of));
        }
        if only.is_some() {
            for role in RESERVE_ROLES {
                for _ in 0..in_hand.count(role) {
                    let content = Content::of(role);
                    right.add_loose(Loose { content, origin: Origin::Captured, eighths: 0 });
                }
            }
        }
        right
    }

    /// The lowest slot with this content.
    pub(crate) fn slot_with(&self, content: Content) -> Option<u8> {
        (0..SLOTS).find(|&slot| self.slot(slot) == content)
    }

    /// Number of slots with this content.
    pub(crate) fn count(&self, content: Content) -> usize {
        (0..SLOTS).filter(|&slot| self.slot(slot) == content).count()
    }

    /// The loose pieces, oldest first.
    pub(crate) fn loose(&self) -> impl Iterator<Item = &Loose> {
        self.loose.iter().take_while(|loose| **loose != Loose::default())
    }

    pub(crate) fn add_loose(&mut self, loose: Loose) {
        let count = self.loose().count();
        if count == MAX_LOOSE {
            self.remove_loose(0);
        }
        self.loose[count.min(MAX_LOOSE - 1)] = loose;
    }

    /// Takes away the loose piece with this index.
    pub(crate) fn remove_loose(&mut self, at: usize) -> Loose {
        self.loose[at..].rotate_left(1);
        std::mem::take(&mut self.loose[MAX_LOOSE - 1])
    }
}

/// All four players' trays and hands, in the order of [`Seat::ALL`](rules::Seat::ALL).
pub(crate) type Trays = [SeatTray; 4];

/// The number of the contents of all trays. Empty trays have number 0.
pub(crate) type TraysId = u16;

/// Above so many contents, the ones that no live hypothesis has are forgotten before the next step. Bound: on
/// memory.
pub(crate) const MANY_TRAYS: usize = 2_048;
/// Maximum number of contents: about 2.5 MB with the index. Beyond it a change is not followed. Bound: on memory.
const MAX_KNOWN: usize = 8_192;

/// The contents of all trays by number.
#[derive(Clone, Debug)]
pub(crate) struct TrayBook {
    /// Seats with a tray, in the order of [`Seat::ALL`](rules::Seat::ALL).
    pub(crate) sensed: [bool; 4],
    pub(crate) known: Interned<Trays>,
}

impl TrayBook {
    /// A book with empty trays. `sensed` names the seats with a tray.
    pub(crate) fn new(sensed: [bool; 4]) -> TrayBook {
        let mut known = Interned::new(MAX_KNOWN);
        known.intern(Trays::default());
        TrayBook { sensed, known }
    }

    /// The contents after people have put the trays right: of each seat, these slots are occupied
    /// and the reserve is held. A slot keeps what lay there if the reserve has it. The other slots
    /// get the rest of the reserve if its roles are equal; otherwise their roles are unknown.
    pub(crate) fn put_right(
        &mut self,
        id: TraysId,
        occupied: [u16; 4],
        held: &[Reserve; 4],
    ) -> TraysId {
        let mut trays = *self.known.get(id);
        for (at, tray) in trays.iter_mut().enumerate().filter(|(at, _)| self.sensed[*at]) {
            *tray = tray.put_right(occupied[at], &held[at]);
        }
        self.known.intern(trays).unwrap_or(id)
    }

    /// Whether anybody has a tray.
    pub(crate) fn is_used(&self) -> bool {
        self.sensed.contains(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_slots_keep_what_is_laid_into_them() {
        let mut tray = SeatTray::default();
        tray.set_slot(15, Content::of(Role::Queen));
        tray.set_slot(0, Content::of(Role::Pawn));
        tray.set_slot(15, Content::of(Role::Rook));
        assert_eq!(tray.slot(15), Content::of(Role::Rook));
        assert_eq!(tray.slot_with(Content::of(Role::Pawn)), Some(0));
        assert_eq!(tray.count(Content::NOTHING), 14);
    }

    #[test]
    fn slots_put_right_keep_what_they_held_and_get_the_rest_of_the_reserve() {
        let mut tray = SeatTray::default();
        tray.set_slot(0, Content::of(Role::Knight));
        tray.set_slot(2, Content::of(Role::Queen));
        let held = Reserve::from_counts([1, 1, 0, 0, 0]);
        let right = tray.put_right(0b1011, &held);
        assert_eq!(right.slot(0), Content::of(Role::Knight));
        assert_eq!(right.slot(1), Content::of(Role::Pawn));
        assert_eq!((right.slot(2), right.slot(3)), (Content::NOTHING, Content::FOREIGN));
        let unsure = SeatTray::default().put_right(0b1, &held);
        assert_eq!((unsure.slot(0), unsure.loose().count()), (Content::FOREIGN, 0));
    }

    #[test]
    fn the_oldest_piece_in_a_full_hand_is_forgotten() {
        let mut tray = SeatTray::default();
        for nth in 1..=9 {
            tray.add_loose(Loose::new(Content::of(Role::Pawn), Origin::Captured, nth * 1_000_000));
        }
        let times: Vec<_> = tray.loose().filter_map(|loose| loose.since_us()).collect();
        assert_eq!(times.first(), Some(&2_000_000));
        assert_eq!(times.len(), MAX_LOOSE);
    }
}
