//! What a board says: the bodies of its messages.

use heapless::Vec;
use serde::{Deserialize, Serialize};

use super::schema::{wire_enums, wire_structs};
use super::{NodeTime, PerSquare, Side, SlotIndex, SquareIndex};

/// Most changes in one [`SquaresChanged`] or [`TrayChanged`].
pub const MAX_CHANGES: usize = 16;

wire_enums! {
    /// What one sensor reads.
    #[derive(Copy, Hash)]
    enum SensorReading {
        /// Nothing there.
        Empty,
        /// Something there (reed switches, and every tray).
        Occupied,
        /// A white piece (hall, polarity).
        White,
        /// A black piece (hall, polarity).
        Black,
        /// A piece with this strength of field (hall, magnitude), never 0: white pieces above, black ones below it. What the
        /// square reads without a piece is subtracted. 128 levels are what the sensor can swing to one side.
        Level(i8),
    }

    /// What a board's sensors can tell.
    #[derive(Copy, Hash)]
    enum SensorKind {
        /// Reed switches: occupied or not.
        Reed,
        /// Hall sensors of which only the pole is told: empty, white or black.
        HallPolarity,
        /// Hall sensors of which the strength is told: a level that hints at the piece's type.
        HallMagnitude,
    }

    /// What stands on the squares while a hall board learns what they read without pieces.
    #[derive(Copy, Hash)]
    enum Standing {
        /// Nothing: every square is learnt.
        Nothing,
        /// The set-up position: ranks 3 to 6 are learnt, the others keep what was learnt before.
        SetUp,
    }
}

wire_structs! {
    /// What a board node has.
    #[derive(Copy, Hash)]
    struct BoardKind {
        /// What its squares can tell.
        sensor: SensorKind,
        /// Whether it has two reserve trays.
        trays: bool,
    }

    /// The whole state of a board whose squares tell occupied from empty. As a set of sensors: those whose bits are set.
    #[derive(Copy, Hash, Default)]
    struct BoardState {
        /// Occupied squares: bit 0 = a1, bit 7 = h1, bit 63 = h8.
        occupied: u64,
        /// Occupied slots of the tray White drops from: bit 0 = slot 0. 0 without trays.
        white_tray: u16,
        /// Occupied slots of the tray Black drops from. 0 without trays.
        black_tray: u16,
    }

    /// The whole state of a board whose squares tell the piece's colour.
    #[derive(Copy, Hash, Default)]
    struct PolarityState {
        /// Squares with white pieces, as in [`BoardState::occupied`].
        white: u64,
        /// Squares with black pieces.
        black: u64,
        /// As in [`BoardState::white_tray`].
        white_tray: u16,
        /// As in [`BoardState::black_tray`].
        black_tray: u16,
    }

    /// The whole state of a board whose squares tell a level.
    #[derive(Copy, Hash, Default)]
    struct MagnitudeState {
        /// Levels as told last, as in [`SensorReading::Level`]; 0 = empty.
        levels: PerSquare<i8>,
        /// As in [`BoardState::white_tray`].
        white_tray: u16,
        /// As in [`BoardState::black_tray`].
        black_tray: u16,
    }

    /// Squares changed. Event.
    struct SquaresChanged {
        /// Node time of the first change.
        time: NodeTime,
        /// The changes, oldest first.
        changes: Vec<SquareChange, MAX_CHANGES>,
    }

    /// One change of one square.
    #[derive(Copy)]
    struct SquareChange {
        /// Microseconds after the message's time.
        offset_us: u32,
        /// The square.
        square: SquareIndex,
        /// What it reads now.
        reading: SensorReading,
    }

    /// Tray slots changed. Event.
    struct TrayChanged {
        /// Node time of the first change.
        time: NodeTime,
        /// The changes, oldest first.
        changes: Vec<SlotChange, MAX_CHANGES>,
    }

    /// One change of one tray slot.
    #[derive(Copy)]
    struct SlotChange {
        /// Microseconds after the message's time.
        offset_us: u32,
        /// The player who may drop from this tray.
        tray: Side,
        /// The slot.
        slot: SlotIndex,
        /// What it reads now.
        reading: SensorReading,
    }

    /// How a board's sensors are: comes with every [`super::Health`] of a board.
    #[derive(Copy, Hash, Default)]
    struct BoardHealth {
        /// Node time of this report.
        time: NodeTime,
        /// Sensors whose raw reading changed more often since the last report than a hand can change it.
        chattering: BoardState,
        /// Sensors that look dead: since the boot they have not changed although all their neighbours have, several
        /// times; or the board has long stood as set up but for this one.
        stuck: BoardState,
        /// Sensors that work, but barely: a contact that bounces long or opens for a moment under a piece; a field close
        /// to the threshold, or a square whose empty level has wandered.
        weak: BoardState,
        /// Of a reed board: raw changes since the last report, 255 = so many or more. Of a hall board: how far a reading
        /// strays from the mean on average, in sixteenths of a level.
        noise: PerSquare<u8>,
    }
}
