//! What is said over the serial link: the bodies of the messages and the table of their numbers.
//!
//! Order of fields and of enum variants is frozen, because postcard writes them by position: append only, never
//! reorder, never remove. The snapshot test in `tests/link_wire.rs` pins every byte.

use heapless::{String, Vec};
use serde::{Deserialize, Serialize};

use super::schema::{Described, FNV_OFFSET, fnv1a, wire_enums, wire_structs};
use super::{NodeId, NodeTime, SlotIndex, SquareIndex};

/// The number of the format: layout of frames and meaning of messages. Frames carry it in their first byte.
pub const LINK_VERSION: u8 = 1;
/// Most changes in one [`SquaresChanged`] or [`TrayChanged`].
pub const MAX_CHANGES: usize = 16;
/// Longest firmware version in bytes.
pub const MAX_FIRMWARE_BYTES: usize = 24;

wire_enums! {
    /// A player's side.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    enum Side {
        /// White.
        White,
        /// Black.
        Black,
    }

    /// What one sensor reads.
    #[derive(Copy, Hash)]
    enum SensorReading {
        /// Nothing there.
        Empty,
        /// Something there.
        Occupied,
    }

    /// What a board's sensors can tell.
    #[derive(Copy, Hash)]
    enum SensorKind {
        /// Reed switches: occupied or not.
        Reed,
    }

    /// How a clock is pressed.
    #[derive(Copy, Hash)]
    enum PressKind {
        /// A lever: a press on the side that is already down cannot be seen.
        Lever,
        /// Two buttons: every press is seen.
        Buttons,
    }

    /// What a node is.
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
        /// Of a board.
        Board(BoardState),
        /// Of a clock.
        Clock(ClockState),
    }
}

impl Side {
    /// The opponent's side.
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
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

    /// What a clock node has.
    #[derive(Copy, Hash)]
    struct ClockKind {
        /// How it is pressed.
        press: PressKind,
        /// Whether it can tell a hand near it.
        hand_sensor: bool,
    }

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
        /// What the node is. Last, because its enums may grow.
        kind: NodeKind,
    }

    /// The whole state of the node, after the event whose sequence stands in the frame's header.
    #[derive(Copy)]
    struct Snapshot {
        /// Node time of this state. Every event before it is older, every event after it younger.
        time: NodeTime,
        /// The state.
        state: NodeState,
    }

    /// The whole state of a board.
    #[derive(Copy)]
    struct BoardState {
        /// Occupied squares: bit 0 = a1, bit 7 = h1, bit 63 = h8.
        occupied: u64,
        /// Occupied slots of the tray White drops from: bit 0 = slot 0. 0 without trays.
        white_tray: u16,
        /// Occupied slots of the tray Black drops from. 0 without trays.
        black_tray: u16,
    }

    /// The whole state of a clock.
    #[derive(Copy)]
    struct ClockState {
        /// What the displays show.
        display: ClockDisplay,
        /// Side that pressed last: a lever's lower side. `None`: not known (buttons, before the first press).
        pressed: Option<Side>,
        /// Whether the clock stands tilted.
        tilted: bool,
        /// Whether a hand is near White's side.
        white_hand: bool,
        /// Whether a hand is near Black's side.
        black_hand: bool,
    }

    /// What a clock shows, exact to the millisecond.
    #[derive(Copy)]
    struct ClockDisplay {
        /// White's remaining time in ms, rounded up; 0 = flag fallen.
        white_ms: u32,
        /// Black's remaining time in ms, rounded up; 0 = flag fallen.
        black_ms: u32,
        /// What is left of the running side's delay before its time begins to count, in ms.
        delay_left_ms: u32,
        /// Side whose time runs; `None` = stopped.
        running: Option<Side>,
        /// Side whose flag fell first.
        first_flag: Option<Side>,
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

    /// A player pressed the clock. Event.
    #[derive(Copy)]
    struct Press {
        /// Node time of the press.
        time: NodeTime,
        /// The player who pressed, which starts the opponent's clock.
        by: Side,
    }

    /// What the clock showed: on every press, start, stop, setting and flag, and once a second while a side runs. Event.
    #[derive(Copy)]
    struct ClockReading {
        /// Node time of the reading.
        time: NodeTime,
        /// What the displays showed then.
        display: ClockDisplay,
    }

    /// The clock was tilted, or stands upright again. Event.
    #[derive(Copy)]
    struct Tilt {
        /// Node time of the change.
        time: NodeTime,
        /// Whether it is tilted now.
        on: bool,
    }

    /// A hand came near the clock, or left it. Event.
    #[derive(Copy)]
    struct Hand {
        /// Node time of the change.
        time: NodeTime,
        /// Whose side of the clock.
        side: Side,
        /// Whether it is near now.
        near: bool,
    }

    /// How the node is, since its boot unless said otherwise.
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
        /// its squares as a bitboard, of a clock bit 0 = White's press, 1 = Black's press, 2 = tilt, 3 and 4 = hands.
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
}

/// The table of messages: number, name, body. Makes the enums, the codec and the schema's text from the one table.
macro_rules! messages {
    ($( $(#[$meta:meta])* $number:literal $name:ident $(($body:ty))?, )*) => {
        /// A message's number: the frame's second byte.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum MessageType { $( $(#[$meta])* $name = $number, )* }

        impl MessageType {
            /// Every message, in the order of the table.
            pub const ALL: &'static [Self] = &[ $( Self::$name, )* ];

            /// The message of this number, if there is one.
            pub const fn from_number(number: u8) -> Option<Self> {
                match number { $( $number => Some(Self::$name), )* _ => None }
            }

            /// The number on the wire.
            pub const fn number(self) -> u8 {
                self as u8
            }
        }

        /// A message of either direction.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Message { $( $(#[$meta])* $name $(($body))?, )* }

        impl Message {
            /// The message's number and name.
            pub const fn message_type(&self) -> MessageType {
                match self { $( messages!(@ignore self_body $name $(($body))?) => MessageType::$name, )* }
            }

            /// Writes the postcard body into `out` and returns its length in bytes.
            pub(super) fn write_body(&self, out: &mut [u8]) -> postcard::Result<usize> {
                match self { $( messages!(@bind body $name $(($body))?) => {
                    messages!(@write body out $(($body))?)
                } )* }
            }

            /// Reads the postcard body of a message; returns what is left of `bytes`.
            pub(super) fn read_body(kind: MessageType, bytes: &[u8]) -> postcard::Result<(Self, &[u8])> {
                match kind { $( MessageType::$name => messages!(@read bytes $name $(($body))?), )* }
            }
        }

        const MESSAGE_TABLE: &str =
            concat!($( stringify!($number), "=", stringify!($name), $("(", stringify!($body), ")",)? ";", )*);
    };
    (@ignore $unused:ident $name:ident) => { Self::$name };
    (@ignore $unused:ident $name:ident ($body:ty)) => { Self::$name(_) };
    (@bind $var:ident $name:ident) => { Self::$name };
    (@bind $var:ident $name:ident ($body:ty)) => { Self::$name($var) };
    (@write $var:ident $out:ident) => { Ok(0) };
    (@write $var:ident $out:ident ($body:ty)) => { postcard::to_slice($var, $out).map(|used| used.len()) };
    (@read $bytes:ident $name:ident) => { Ok((Self::$name, $bytes)) };
    (@read $bytes:ident $name:ident ($body:ty)) => {
        postcard::take_from_bytes::<$body>($bytes).map(|(body, rest)| (Self::$name(body), rest))
    };
}

messages! {
    /// Node → hub, state: who the node is.
    0x01 Hello(Hello),
    /// Node → hub, state: everything the node reads.
    0x02 Snapshot(Snapshot),
    /// Node → hub, event: squares changed.
    0x03 SquaresChanged(SquaresChanged),
    /// Node → hub, event: the clock was pressed.
    0x04 Press(Press),
    /// Node → hub, event: what the clock showed.
    0x05 ClockReading(ClockReading),
    /// Node → hub, event: tray slots changed.
    0x06 TrayChanged(TrayChanged),
    /// Node → hub, event: the clock was tilted.
    0x07 Tilt(Tilt),
    /// Node → hub, event: a hand near the clock.
    0x08 Hand(Hand),
    /// Node → hub, state: how the node is.
    0x09 Health(Health),
    /// Node → hub, state: events that will not come.
    0x0a Lost(Lost),
    /// Hub → node: everything of this boot up to the header's sequence is committed.
    0x40 Ack,
    /// Hub → node: send a snapshot.
    0x41 RequestSnapshot,
    /// Hub → node: send HELLO, then every event that is not acknowledged, then a snapshot.
    0x42 RequestHello,
    /// Hub → node: show yourself.
    0x43 Identify(Identify),
    /// Hub → node: send every event after the header's sequence again.
    0x44 RequestResend,
}

impl MessageType {
    /// Whether the message is an event: it has a sequence of its own, is kept until acknowledged and is delivered once.
    pub const fn is_event(self) -> bool {
        matches!(
            self,
            Self::SquaresChanged
                | Self::Press
                | Self::ClockReading
                | Self::TrayChanged
                | Self::Tilt
                | Self::Hand
        )
    }

    /// Whether nodes send it (and hubs receive it).
    pub const fn is_from_node(self) -> bool {
        self.number() < 0x40
    }
}

impl Message {
    /// Node time the message carries, if it carries one.
    pub fn time(&self) -> Option<NodeTime> {
        match self {
            Self::Hello(body) => Some(body.time),
            Self::Snapshot(body) => Some(body.time),
            Self::SquaresChanged(body) => Some(body.time),
            Self::Press(body) => Some(body.time),
            Self::ClockReading(body) => Some(body.time),
            Self::TrayChanged(body) => Some(body.time),
            Self::Tilt(body) => Some(body.time),
            Self::Hand(body) => Some(body.time),
            Self::Health(body) => Some(body.time),
            Self::Lost(_)
            | Self::Ack
            | Self::RequestSnapshot
            | Self::RequestHello
            | Self::Identify(_)
            | Self::RequestResend => None,
        }
    }
}

/// The definitions the hash is taken over, in a fixed order.
const DEFINITIONS: &[&str] = &[
    MESSAGE_TABLE,
    Side::SCHEMA,
    SensorReading::SCHEMA,
    SensorKind::SCHEMA,
    PressKind::SCHEMA,
    NodeKind::SCHEMA,
    NodeState::SCHEMA,
    BoardKind::SCHEMA,
    ClockKind::SCHEMA,
    Hello::SCHEMA,
    Snapshot::SCHEMA,
    BoardState::SCHEMA,
    ClockState::SCHEMA,
    ClockDisplay::SCHEMA,
    SquaresChanged::SCHEMA,
    SquareChange::SCHEMA,
    TrayChanged::SCHEMA,
    SlotChange::SCHEMA,
    Press::SCHEMA,
    ClockReading::SCHEMA,
    Tilt::SCHEMA,
    Hand::SCHEMA,
    Health::SCHEMA,
    Lost::SCHEMA,
    Identify::SCHEMA,
];

/// Tells two schemas apart: FNV-1a over [`LINK_VERSION`], the message table and every definition. Node and hub work
/// together only when theirs are equal.
pub const SCHEMA_HASH: u32 = {
    let mut hash = FNV_OFFSET ^ LINK_VERSION as u32;
    let mut i = 0;
    while i < DEFINITIONS.len() {
        hash = fnv1a(hash, DEFINITIONS[i]);
        i += 1;
    }
    hash
};

/// The text of the schema, one definition at a time, for people and for the test that pins it.
pub fn schema() -> impl Iterator<Item = &'static str> {
    DEFINITIONS.iter().copied()
}
