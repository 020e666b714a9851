//! Changes of tray slots. They wait here for the segment that explains them.

use std::collections::VecDeque;

use readings::{SquareReading, TraceHeader};
use rules::{BoardId, Color, Role, Seat, Supply};

/// Slots of one tray. Bound: the slots of a seat are bits of a `u16`.
pub(crate) const SLOTS: u8 = 16;
/// Maximum number of changes that wait. Beyond it the oldest is forgotten: a loose contact made it, and no player.
/// Bound: on memory.
const MAX_WAITING: usize = 256;

/// A slot that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrayEvent {
    pub(crate) t_us: u64,
    /// Seat that may drop from the tray, as an index into [`Seat::ALL`].
    pub(crate) seat: usize,
    pub(crate) slot: u8,
    pub(crate) filled: bool,
    /// The role of the piece that lies there, if the slot can tell.
    pub(crate) role: Option<Role>,
}

/// The slots as they read, and their changes that no segment has taken into account.
#[derive(Clone, Debug)]
pub(crate) struct TrayLog {
    /// Seats with a tray, in the order of [`Seat::ALL`].
    pub(crate) sensed: [bool; 4],
    /// The slots of each seat that read occupied, a bit each.
    pub(crate) occupied: [u16; 4],
    waiting: VecDeque<TrayEvent>,
}

impl TrayLog {
    /// The trays that a header names. They are used only where captures of a sensed partner fill them: in
    /// chess nothing comes into a tray, and the captures of an unseen partner are not read.
    pub(crate) fn new(header: &TraceHeader) -> TrayLog {
        let is_known = header.supply() == Supply::Partner;
        let has_tray = |seat: Seat| header.boards.get(&seat.board).is_some_and(|board| board.trays);
        let sensed = Seat::ALL.map(|seat| is_known && has_tray(seat));
        TrayLog { sensed, occupied: [0; 4], waiting: VecDeque::new() }
    }

    /// Takes a reading and returns the change. None for a slot that does not exist, a seat without a tray,
    /// and a reading that repeats the last one.
    pub(crate) fn read(
        &mut self,
        t_us: u64,
        (board, color): (BoardId, Color),
        slot: u8,
        reading: SquareReading,
    ) -> Option<TrayEvent> {
        let seat = Seat { board, color }.index();
        let filled = reading != SquareReading::Empty;
        let mask = 1u16.checked_shl(u32::from(slot)).filter(|_| slot < SLOTS)?;
        if !self.sensed[seat] || (self.occupied[seat] & mask != 0) == filled {
            return None;
        }
        self.occupied[seat] ^= mask;
        let role = match reading {
            SquareReading::Piece(piece) => Some(piece.role),
            _ => None,
        };
        let event = TrayEvent { t_us, seat, slot, filled, role };
        if self.waiting.len() == MAX_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(event);
        Some(event)
    }

    /// The waiting changes until `t_us`, oldest first.
    pub(crate) fn until(&self, t_us: u64) -> Vec<TrayEvent> {
        self.waiting.iter().copied().take_while(|event| event.t_us <= t_us).collect()
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<TrayEvent>()
    }

    /// Forgets the changes until `t_us`, because a segment has taken them into account.
    pub(crate) fn forget_until(&mut self, t_us: u64) {
        while self.waiting.front().is_some_and(|event| event.t_us <= t_us) {
            self.waiting.pop_front();
        }
    }
}
