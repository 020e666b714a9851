//! Messages of every node: its identity, health, and whole state.

use heapless::String;
use serde::{Deserialize, Serialize};

use super::schema::{wire_enums, wire_structs};
use super::{
    BoardKind, BoardState, ClockKind, ClockState, MagnitudeState, NodeId, NodeTime, PolarityState,
};

/// Longest firmware version in bytes.
pub const MAX_FIRMWARE_BYTES: usize = 24;
/// Longest text about a start in bytes.
pub const MAX_START_TEXT_BYTES: usize = 48;

wire_enums! {
    /// Kind of a node.
    #[derive(Copy, Hash)]
    enum NodeKind {
        /// A board.
        Board(BoardKind),
        /// A clock.
        Clock(ClockKind),
    }

    /// The whole state of a node.
    #[derive(Copy)]
    enum NodeState {
        /// State of a reed board.
        Board(BoardState),
        /// State of a clock.
        Clock(ClockState),
        /// State of a board whose squares sense the piece's colour.
        PolarityBoard(PolarityState),
        /// State of a board whose squares sense a level.
        MagnitudeBoard(MagnitudeState),
    }

    /// Reason of a start.
    #[derive(Copy, Hash)]
    enum StartReason {
        /// Power was switched on, or reset was pressed.
        PowerOn,
        /// The main loop stalled, and the watchdog restarted the node.
        Watchdog,
        /// The firmware panicked, reported it, and restarted.
        Panic,
        /// The supply had dipped.
        Brownout,
        /// The chip does not tell.
        Unknown,
    }
}

wire_structs! {
    /// "I am here": the first message of every boot, and the answer to [`Message::RequestHello`]. The first three fields
    /// and the frame around them are the same in every version, so that versions can always name each other.
    struct Hello {
        /// [`SCHEMA_HASH`] of the sender.
        schema_hash: u32,
        /// The node's name.
        node_id: NodeId,
        /// Version of the node's firmware, free text.
        firmware: String<MAX_FIRMWARE_BYTES>,
        /// Node time of this message.
        time: NodeTime,
        /// Greatest sequence of this boot that was ever acknowledged, 0 for none.
        acknowledged: u32,
        /// The number of the request that this answers, 0 if it answers none.
        answers: u32,
        /// Kind of the node. Last, because its enums may grow.
        kind: NodeKind,
    }

    /// The whole state of the node, after the event whose sequence is in the frame's header.
    #[derive(Copy)]
    struct Snapshot {
        /// Node time of this state. Every event before it is older, every event after it younger.
        time: NodeTime,
        /// The state.
        state: NodeState,
        /// Greatest number of a [`super::Command`] done or refused in this boot, 0 for none.
        last_request: u32,
        /// Node time from `time` to the making of this message, in µs: a board's readings are settled before they count.
        age_us: u32,
        /// The number of the request that this snapshot answers, 0 if it answers none.
        answers: u32,
    }

    /// Health of the node, since its boot unless noted otherwise.
    #[derive(Copy)]
    struct Health {
        /// Node time of this report.
        time: NodeTime,
        /// Events in the ring buffer.
        buffered_events: u16,
        /// Events discarded because the buffer was full.
        lost_events: u32,
        /// Event frames sent more than once.
        resent_events: u32,
        /// Frames received that were not understood.
        rejected_frames: u32,
        /// Longest time between two scans since the last report, in µs.
        longest_scan_gap_us: u32,
        /// Channels that flickered since the last report (raw reading changed more often than a hand can): of a board
        /// its squares as a bitboard, of a clock bit 0 = White's press, 1 = Black's press, 2 = tilt, 3 and 4 = hands, 5 to 8 = keys (mode, minus, plus, pause), 9 and 10 = hands away from the board.
        flickering: u64,
    }

    /// Events that were never acknowledged and had to be discarded: they will not come.
    #[derive(Copy)]
    struct Lost {
        /// Sequence of the first lost event.
        first: u32,
        /// Sequence of the last lost event, at least `first`.
        last: u32,
    }

    /// Show yourself (a light, a sound), so that a person finds the node.
    #[derive(Copy)]
    struct Identify {
        /// For how many seconds; 0 = stop.
        seconds: u8,
    }

    /// Reason of this boot, sent after every [`Hello`], so that a node that restarts again and again is noticed.
    struct Started {
        /// Reason.
        reason: StartReason,
        /// More about it, free text: where a panic happened.
        detail: String<MAX_START_TEXT_BYTES>,
    }
}
