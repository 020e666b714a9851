//! Messages of a board: their bodies.

use heapless::Vec;
use serde::{Deserialize, Serialize};

use super::schema::{wire_enums, wire_structs};
use super::{NodeTime, PerSquare, Side, SlotIndex, SquareIndex};

/// Maximum number of changes in one [`SquaresChanged`] or [`TrayChanged`].
pub const MAX_CHANGES: usize = 16;

wire_enums! {
    /// A reading of one sensor.
    #[derive(Copy, Hash)]
    enum SensorReading {
        /// Empty.
        Empty,
        /// Occupied (reed switches, and every tray).
        Occupied,
        /// A white piece (hall, polarity).
        White,
        /// A black piece (hall, polarity).
        Black,
        /// A piece with this strength of field (hall, magnitude), never 0: white pieces above, black ones below it. The
        /// square's reading without a piece is subtracted. 128 levels are the sensor's full swing to one side.
        Level(i8),
    }

    /// Kind of a board's sensors.
    #[derive(Copy, Hash)]
    enum SensorKind {
        /// Reed switches: occupied or not.
        Reed,
        /// Hall sensors that report only the pole: empty, white or black.
        HallPolarity,
        /// Hall sensors that report the strength: a level that hints at the piece's type.
        HallMagnitude,
    }

    /// Occupancy of the squares while a hall board calibrates their empty levels.
    #[derive(Copy, Hash)]
    enum Standing {
        /// No pieces: every square is calibrated.
        Nothing,
        /// The set-up position: ranks 3 to 6 are learnt, the others keep what was learnt before.
        SetUp,
    }
}

wire_structs! {
    /// Equipment of a board node.
    #[derive(Copy, Hash)]
    struct BoardKind {
        /// Kind of its squares' sensors.
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
        /// White's tray, as [`BoardState::white_tray`].
        white_tray: u16,
        /// Black's tray, as [`BoardState::black_tray`].
        black_tray: u16,
    }

    /// The whole state of a board whose squares tell a level.
    #[derive(Copy, Hash, Default)]
    struct MagnitudeState {
        /// Levels as reported last, as in [`SensorReading::Level`]; 0 = empty.
        levels: PerSquare<i8>,
        /// White's tray, as [`BoardState::white_tray`].
        white_tray: u16,
        /// Black's tray, as [`BoardState::black_tray`].
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
        /// New reading.
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
        /// New reading.
        reading: SensorReading,
    }

    /// Health of a board's sensors, sent with every [`super::Health`] of a board.
    #[derive(Copy, Hash, Default)]
    struct BoardHealth {
        /// Node time of this report.
        time: NodeTime,
        /// Sensors whose raw reading changed more often since the last report than a hand can change it.
        chattering: BoardState,
        /// Sensors that seem dead: unchanged since the boot although all their neighbours changed several times, or the only
        /// square that has long differed from the set-up.
        stuck: BoardState,
        /// Sensors that barely work: a contact that bounces long or opens for a moment under a piece, a field close to the
        /// threshold, a drifted empty level.
        weak: BoardState,
        /// Noise of each square. A reed board counts raw changes since the last report, 255 = 255 or more. A hall board reports the
        /// average distance of readings from their mean, in sixteenths of a level.
        noise: PerSquare<u8>,
    }
}
