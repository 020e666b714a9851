//! The contents of the slots and hands of all four players, under one hypothesis.

use std::hash::{BuildHasher as _, Hash, Hasher};

use hashbrown::HashTable;
use rules::{RESERVE_ROLES, Role};
use rustc_hash::FxBuildHasher;

use crate::sensing::tray_log::SLOTS;

/// The content of a slot or a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Content(u8);

impl Content {
    /// Nothing.
    pub(crate) const NONE: Content = Content(0);
    /// A piece whose capture is not complete yet.
    pub(crate) const OWED: Content = Content(6);
    /// A piece that no capture explains.
    pub(crate) const FOREIGN: Content = Content(7);

    /// A piece of this role. A king is foreign, because no reserve holds one.
    pub(crate) fn of(role: Role) -> Content {
        let place = RESERVE_ROLES.iter().position(|&held| held == role);
        place.map_or(Content::FOREIGN, |place| Content(place as u8 + 1))
    }

    /// Whether a piece of unknown role lies there.
    pub(crate) const fn is_unknown(self) -> bool {
        self.0 == Content::OWED.0 || self.0 == Content::FOREIGN.0
    }
}

/// The place from which a piece in the hand came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The other board.
    Captured,
    /// A slot of the tray.
    Slot,
}

/// A loose piece: it lies in no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Loose {
    pub(crate) content: Content,
    pub(crate) origin: Origin,
    /// Since when, eighths of a second since the trace began. 0 means long ago: hypotheses that differ only in
    /// old times become one.
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

    /// The same piece, long ago.
    pub(crate) const fn aged(self) -> Loose {
        Loose { eighths: 0, ..self }
    }
}

/// Most loose pieces of one player. Beyond it the oldest is forgotten. Bound: on memory.
const MAX_LOOSE: usize = 8;

/// One player's tray and hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeatTray {
    /// Four bits for each slot.
    slots: u64,
    loose: [Option<Loose>; MAX_LOOSE],
}

impl Hash for SeatTray {
    /// Most hands are empty, so only what lies in them is hashed.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.slots.hash(state);
        self.loose().for_each(|(_, loose)| loose.hash(state));
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

    /// The lowest slot with this content.
    pub(crate) fn slot_with(&self, content: Content) -> Option<u8> {
        (0..SLOTS).find(|&slot| self.slot(slot) == content)
    }

    /// Number of slots with this content.
    pub(crate) fn count(&self, content: Content) -> usize {
        (0..SLOTS).filter(|&slot| self.slot(slot) == content).count()
    }

    /// The loose pieces with their indices, oldest first.
    pub(crate) fn loose(&self) -> impl DoubleEndedIterator<Item = (usize, Loose)> + '_ {
        self.loose.iter().enumerate().filter_map(|(at, loose)| Some((at, (*loose)?)))
    }

    pub(crate) fn add_loose(&mut self, loose: Loose) {
        if self.loose.iter().all(Option::is_some) {
            self.remove_loose(0);
        }
        if let Some(free) = self.loose.iter_mut().find(|place| place.is_none()) {
            *free = Some(loose);
        }
    }

    pub(crate) fn remove_loose(&mut self, at: usize) {
        self.loose[at..].rotate_left(1);
        self.loose[MAX_LOOSE - 1] = None;
    }

    pub(crate) fn replace_loose(&mut self, at: usize, loose: Loose) {
        self.loose[at] = Some(loose);
    }
}

/// All four players' trays and hands, in the order of [`Seat::ALL`](rules::Seat::ALL).
pub(crate) type Trays = [SeatTray; 4];

/// The number of the contents of all trays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct TraysId(pub(crate) u16);

/// Above so many contents, the ones that no live hypothesis has are forgotten before the next step. Bound: on
/// memory.
const MANY: usize = 2_048;
/// Most contents: about 2.5 MB with the index. Beyond it a change is not followed. Bound: on memory.
const MAX_KNOWN: usize = 8_192;

/// The contents of all trays by number. A hypothesis names them in two bytes.
#[derive(Clone, Debug)]
pub(crate) struct TrayBook {
    pub(crate) sensed: [bool; 4],
    /// With their hashes: an index that grows asks for each anew.
    known: Vec<(u64, Trays)>,
    /// The numbers, found by contents.
    ids: HashTable<TraysId>,
}

impl TrayBook {
    /// A book with empty trays, number 0. `sensed` names the seats with a tray.
    pub(crate) fn new(sensed: [bool; 4]) -> TrayBook {
        let mut book = TrayBook { sensed, known: Vec::new(), ids: HashTable::new() };
        book.intern(Trays::default(), TraysId(0));
        book
    }

    /// Whether anybody has a tray.
    pub(crate) fn is_used(&self) -> bool {
        self.sensed.contains(&true)
    }

    /// Whether the book should be [compacted](Self::compact) before the next step.
    pub(crate) fn is_long(&self) -> bool {
        self.known.len() > MANY
    }

    pub(crate) fn get(&self, id: TraysId) -> &Trays {
        &self.known[usize::from(id.0)].1
    }

    /// The number of `trays`, or `otherwise` if there is no room for a new number.
    pub(crate) fn intern(&mut self, trays: Trays, otherwise: TraysId) -> TraysId {
        let hash = FxBuildHasher.hash_one(trays);
        if let Some(&id) = self.ids.find(hash, |&id| *self.get(id) == trays) {
            return id;
        }
        if self.known.len() >= MAX_KNOWN {
            return otherwise;
        }
        let id = TraysId(self.known.len() as u16);
        self.known.push((hash, trays));
        self.ids.insert_unique(hash, id, |id| self.known[usize::from(id.0)].0);
        id
    }

    /// Keeps only the contents that `used` names, and renumbers them.
    pub(crate) fn compact<'a>(&mut self, used: impl Iterator<Item = &'a mut TraysId>) {
        let mut kept = TrayBook::new(self.sensed);
        let mut renumbered: Vec<Option<TraysId>> = vec![None; self.known.len()];
        for id in used {
            let slot = &mut renumbered[usize::from(id.0)];
            let new = *slot.get_or_insert_with(|| kept.intern(*self.get(*id), TraysId::default()));
            *id = new;
        }
        *self = kept;
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.capacity() * size_of::<(u64, Trays)>()
            + self.ids.capacity() * (size_of::<TraysId>() + 1)
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
        assert_eq!(tray.count(Content::NONE), 14);
    }

    #[test]
    fn the_oldest_piece_in_a_full_hand_is_forgotten() {
        let mut tray = SeatTray::default();
        for nth in 1..=9 {
            tray.add_loose(Loose::new(Content::of(Role::Pawn), Origin::Captured, nth * 1_000_000));
        }
        let times: Vec<_> = tray.loose().filter_map(|(_, loose)| loose.since_us()).collect();
        assert_eq!(times.first(), Some(&2_000_000));
        assert_eq!(times.len(), MAX_LOOSE);
    }

    #[test]
    fn forgetting_keeps_what_is_used_under_new_numbers() {
        let mut book = TrayBook::new([true; 4]);
        let mut trays = Trays::default();
        trays[2].set_slot(3, Content::of(Role::Knight));
        let mut unused = trays;
        unused[0].set_slot(0, Content::OWED);
        book.intern(unused, TraysId(0));
        let mut used = book.intern(trays, TraysId(0));
        assert_eq!(used, TraysId(2));
        book.compact([&mut used].into_iter());
        assert_eq!(used, TraysId(1));
        assert_eq!(*book.get(used), trays);
    }
}
