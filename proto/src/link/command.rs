//! What a hub can ask a node to do, so that it is done once however often the request comes, and answered.

use serde::{Deserialize, Serialize};

use super::schema::{wire_enums, wire_structs};
use super::{ClockDelay, NodeTime, Standing, TimeControl};

/// Most that a clock can show: 9 hours 59 minutes 59 seconds, in ms.
pub const MAX_CLOCK_MS: u32 = 35_999_000;
/// Longest delay or increment: 99 seconds, in ms.
pub const MAX_DELAY_MS: u32 = 99_000;

wire_enums! {
    /// What is to be done.
    #[derive(Copy, Hash)]
    enum Order {
        /// Of a clock: stop, and stand at the beginning of this time control, waiting for Black's press.
        SetClock(TimeControl),
        /// Of a clock: add to what is left, or take from it. It runs on or stays stopped as it was.
        AdjustClock(ClockAdjustment),
        /// Of a clock: stop both times.
        PauseClock,
        /// Of a clock: go on after a pause, or start White's time when it is set.
        ResumeClock,
        /// Of a hall board: learn what the squares read without pieces.
        LearnBaseline(Standing),
        /// Of a clock: another delay from the next ply on, until it is set again. Times and the ply under way stay as they are.
        SetDelay(ClockDelay),
    }

    /// What became of a command.
    #[derive(Copy, Hash)]
    enum CommandResult {
        /// It is done, or was so already.
        Done,
        /// The node cannot do such a thing: a board is no clock.
        Unsupported,
        /// A value is out of its range, or would be after an adjustment; nothing was changed.
        OutOfRange,
        /// Another command had this number, or one after it: send it with a greater one. Nothing was changed.
        NumberTaken,
        /// Not now: a board on which pieces seem to stand where none should learns nothing.
        NotNow,
    }
}

wire_structs! {
    /// Do something once. The node remembers the last number and what came of it: the same command again is answered again and
    /// not done again.
    #[derive(Copy, Hash)]
    struct Command {
        /// Greater than that of every command before it in this boot; [`super::Snapshot::last_request`] tells the last.
        request: u32,
        /// What to do.
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

    /// What became of a command. Event; the readings that follow from the command come after it.
    #[derive(Copy)]
    struct Answer {
        /// Node time at which it was done or refused.
        time: NodeTime,
        /// The command's number.
        request: u32,
        /// The command's order: a hub that was restarted may have given another under the same number.
        order: Order,
        /// What became of it.
        result: CommandResult,
    }
}
