//! Commands of a hub to a node. A node executes a command once, however often the request is received, and answers it.

use serde::{Deserialize, Serialize};

use super::schema::{wire_enums, wire_structs};
use super::{ClockDelay, NodeTime, Standing, TimeControl};

/// Maximum time that a clock can show: 9 hours 59 minutes 59 seconds, in ms.
pub const MAX_CLOCK_MS: u32 = 35_999_000;
/// Maximum delay or increment: 99 seconds, in ms.
pub const MAX_DELAY_MS: u32 = 99_000;

wire_enums! {
    /// Order in a command.
    #[derive(Copy, Hash)]
    enum Order {
        /// Clock: stop, and reset to the beginning of this time control, waiting for Black's press.
        SetClock(TimeControl),
        /// Clock: add to the remaining times, or subtract from them. It runs on or stays stopped as it was.
        AdjustClock(ClockAdjustment),
        /// Clock: stop both times.
        PauseClock,
        /// Clock: go on after a pause, or start White's time when it is set.
        ResumeClock,
        /// Hall board: learn the readings of squares without pieces.
        LearnBaseline(Standing),
        /// Clock: another delay from the next ply on, until it is set again. Times and the current ply stay as they are.
        SetDelay(ClockDelay),
    }

    /// Result of a command.
    #[derive(Copy, Hash)]
    enum CommandResult {
        /// Done, or had been done already.
        Done,
        /// The node lacks this function: a board is no clock.
        Unsupported,
        /// A value is out of its range, or would be after an adjustment; nothing was changed.
        OutOfRange,
        /// Another command had this number, or one after it: send it with a greater one. Nothing was changed.
        NumberTaken,
        /// Not now: a board learns nothing while pieces seem to be on squares that should be empty.
        NotNow,
    }
}

impl Order {
    /// Position in the enum, as on the wire.
    pub(super) const fn position(&self) -> u8 {
        match self {
            Order::SetClock(_) => 0,
            Order::AdjustClock(_) => 1,
            Order::PauseClock => 2,
            Order::ResumeClock => 3,
            Order::LearnBaseline(_) => 4,
            Order::SetDelay(_) => 5,
        }
    }
}

wire_structs! {
    /// Command to execute an order once. The node remembers the last number and its result. If the same command is received again, the
    /// node answers again and does not execute it again.
    #[derive(Copy, Hash)]
    struct Command {
        /// Greater than that of every command before it in this boot; [`super::Snapshot::last_request`] is the last one.
        request: u32,
        /// The order.
        order: Order,
    }

    /// A correction by the tournament director.
    #[derive(Copy, Hash)]
    struct ClockAdjustment {
        /// Added to White's time, in ms.
        white_ms: i32,
        /// Added to Black's time, in ms.
        black_ms: i32,
    }

    /// Result of a command. Event; the readings that follow from the command come after it.
    #[derive(Copy)]
    struct Answer {
        /// Node time at which it was done or refused.
        time: NodeTime,
        /// The command's number.
        request: u32,
        /// The command's order: a hub that was restarted may have given another under the same number.
        order: Order,
        /// The result.
        result: CommandResult,
    }
}
