//! Squares of a board, for any kind of sensor: they turn raw readings into changes.

use proto::link::{
    BoardHealth, CommandResult, NodeState, NodeTime, SensorKind, SensorReading, Standing,
};

use crate::debounce::{Change, Debouncer};

/// Squares of a board.
pub(crate) const SQUARES: usize = 64;

/// A square's reading that has come to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareChanged {
    /// Time at which the reading began.
    pub time: NodeTime,
    /// The square, 0 to 63.
    pub square: u8,
    /// The reading.
    pub reading: SensorReading,
}

/// Sixty-four sensors of one kind. A reading counts once it has held for the debounce time; the change then carries the time at which
/// the reading began. All squares have the same debounce time, so changes come out in the order of their times.
pub trait Squares {
    /// Readings of all squares at one instant.
    type Raw;

    /// Returns the kind of sensor.
    fn kind(&self) -> SensorKind;

    /// Processes the readings at `now`, which are assumed to hold until the next call. Calls `changed` for every reading that counts
    /// since then, oldest first.
    fn observe(&mut self, now: NodeTime, raw: &Self::Raw, changed: impl FnMut(SquareChanged));

    /// Lets time pass to `now` with the readings unchanged.
    fn advance(&mut self, now: NodeTime, changed: impl FnMut(SquareChanged));

    /// Returns the time at which the next reading comes to count if none changes.
    fn next_due(&self) -> Option<NodeTime>;

    /// Whether the first readings are complete, which are no change.
    fn is_started(&self) -> bool;

    /// Returns the time for which a reading must hold, in µs.
    fn debounce_us(&self) -> u32;

    /// Squares that are occupied.
    fn occupied(&self) -> u64;

    /// The readings that count.
    fn state(&self, white_tray: u16, black_tray: u16) -> NodeState;

    /// Squares that chattered since the last report.
    fn chattering(&self) -> u64;

    /// Adds how the sensors were since this was last asked.
    fn report(&mut self, health: &mut BoardHealth);

    /// Learns what the squares read without pieces.
    fn learn(&mut self, standing: Standing) -> CommandResult;
}

/// Reed switches: a bitboard of closed ones.
#[derive(Clone, Debug)]
pub struct ReedSquares(Debouncer<SQUARES>);

impl ReedSquares {
    /// Switches before their first reading.
    pub const fn new(debounce_us: u32) -> Self {
        Self(Debouncer::new(debounce_us))
    }
}

fn reed_change(change: Change) -> SquareChanged {
    let reading = if change.on { SensorReading::Occupied } else { SensorReading::Empty };
    SquareChanged { time: change.time, square: change.channel, reading }
}

impl Squares for ReedSquares {
    type Raw = u64;

    fn kind(&self) -> SensorKind {
        SensorKind::Reed
    }

    fn observe(&mut self, now: NodeTime, raw: &u64, mut changed: impl FnMut(SquareChanged)) {
        self.0.observe(now, *raw, |change| changed(reed_change(change)));
    }

    fn advance(&mut self, now: NodeTime, mut changed: impl FnMut(SquareChanged)) {
        self.0.advance(now, |change| changed(reed_change(change)));
    }

    fn next_due(&self) -> Option<NodeTime> {
        self.0.next_due()
    }

    fn is_started(&self) -> bool {
        self.0.is_started()
    }

    fn debounce_us(&self) -> u32 {
        self.0.debounce_us()
    }

    fn occupied(&self) -> u64 {
        self.0.settled()
    }

    fn state(&self, white_tray: u16, black_tray: u16) -> NodeState {
        let occupied = self.0.settled();
        NodeState::Board(proto::link::BoardState { occupied, white_tray, black_tray })
    }

    fn chattering(&self) -> u64 {
        self.0.quality().chattering()
    }

    fn report(&mut self, health: &mut BoardHealth) {
        let quality = self.0.quality();
        health.chattering.occupied = quality.chattering();
        health.weak.occupied = quality.weak();
        health.stuck.occupied = quality.stuck(8, true);
        health.noise.0 = *quality.edges();
        self.0.begin_report();
    }

    fn learn(&mut self, _: Standing) -> CommandResult {
        CommandResult::Unsupported
    }
}
