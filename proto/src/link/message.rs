//! The table of the messages, and the hash of the schema.
//!
//! Order of fields and of enum variants is frozen, because postcard writes them by position: append only, never
//! reorder, never remove. The snapshot test in `tests/link/pinned.rs` pins every byte.

use super::schema::{Described, FNV_OFFSET, fnv1a};
use super::{
    Answer, BoardHealth, BoardKind, BoardState, ClockAdjustment, ClockDelay, ClockDisplay,
    ClockKind, ClockReading, ClockState, Command, CommandResult, DelayKind, Hand, HandFrom,
    HandOrigin, Health, Hello, Identify, Lost, MagnitudeState, NodeKind, NodeState, NodeTime,
    Order, PolarityState, Press, PressKind, SensorKind, SensorReading, Side, SlotChange, Snapshot,
    SquareChange, SquaresChanged, Standing, StartReason, Started, Tilt, TimeControl, TrayChanged,
    UpdateBegin, UpdateChunk, UpdateImage, UpdateRefusal, UpdateReport, UpdateStage,
};

/// The number of the format: layout of frames and meaning of messages. Frames carry it in their first byte.
pub const LINK_VERSION: u8 = 1;

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
    /// Node → hub, state: how a board's sensors are.
    0x0b BoardHealth(BoardHealth),
    /// Node → hub, state: why this boot began.
    0x0c Started(Started),
    /// Node → hub, event: what became of a command.
    0x0d Answer(Answer),
    /// Node → hub, state: which image runs, and how far an update is.
    0x0e UpdateReport(UpdateReport),
    /// Node → hub, event: a hand on one side of the clock.
    0x0f HandFrom(HandFrom),
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
    /// Hub → node: do something once, and answer.
    0x45 Command(Command),
    /// Hub → node: report your image and how far an update is.
    0x46 RequestUpdate,
    /// Hub → node: accept this image, unless you have it already.
    0x47 UpdateBegin(UpdateBegin),
    /// Hub → node: a piece of the image.
    0x48 UpdateChunk(UpdateChunk),
    /// Hub → node: check the image and start it on trial.
    0x49 UpdateStart(UpdateImage),
    /// Hub → node: keep the image that runs on trial.
    0x4a UpdateKeep,
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
                | Self::HandFrom
                | Self::Answer
        )
    }

    /// Whether nodes send it (and hubs receive it).
    pub const fn is_from_node(self) -> bool {
        self.number() < 0x40
    }
}

impl Message {
    /// Reads the postcard body of a request; returns what is left of `bytes`. Written out, so that a program which reads
    /// nothing else does not carry the rest.
    pub(super) fn read_request(kind: MessageType, bytes: &[u8]) -> postcard::Result<(Self, &[u8])> {
        match kind {
            MessageType::Ack => Ok((Self::Ack, bytes)),
            MessageType::RequestSnapshot => Ok((Self::RequestSnapshot, bytes)),
            MessageType::RequestHello => Ok((Self::RequestHello, bytes)),
            MessageType::RequestResend => Ok((Self::RequestResend, bytes)),
            MessageType::Identify => {
                postcard::take_from_bytes(bytes).map(|(body, rest)| (Self::Identify(body), rest))
            }
            MessageType::Command => {
                postcard::take_from_bytes(bytes).map(|(body, rest)| (Self::Command(body), rest))
            }
            MessageType::RequestUpdate => Ok((Self::RequestUpdate, bytes)),
            MessageType::UpdateBegin => {
                postcard::take_from_bytes(bytes).map(|(body, rest)| (Self::UpdateBegin(body), rest))
            }
            MessageType::UpdateChunk => {
                postcard::take_from_bytes(bytes).map(|(body, rest)| (Self::UpdateChunk(body), rest))
            }
            MessageType::UpdateStart => {
                postcard::take_from_bytes(bytes).map(|(body, rest)| (Self::UpdateStart(body), rest))
            }
            MessageType::UpdateKeep => Ok((Self::UpdateKeep, bytes)),
            _ => Err(postcard::Error::SerdeDeCustom),
        }
    }

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
            Self::HandFrom(body) => Some(body.time),
            Self::Health(body) => Some(body.time),
            Self::BoardHealth(body) => Some(body.time),
            Self::Answer(body) => Some(body.time),
            Self::Lost(_)
            | Self::Started(_)
            | Self::Ack
            | Self::RequestSnapshot
            | Self::RequestHello
            | Self::Identify(_)
            | Self::RequestResend
            | Self::Command(_)
            | Self::UpdateReport(_)
            | Self::RequestUpdate
            | Self::UpdateBegin(_)
            | Self::UpdateChunk(_)
            | Self::UpdateStart(_)
            | Self::UpdateKeep => None,
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
    Standing::SCHEMA,
    PolarityState::SCHEMA,
    MagnitudeState::SCHEMA,
    BoardHealth::SCHEMA,
    DelayKind::SCHEMA,
    TimeControl::SCHEMA,
    StartReason::SCHEMA,
    Started::SCHEMA,
    Order::SCHEMA,
    CommandResult::SCHEMA,
    Command::SCHEMA,
    ClockAdjustment::SCHEMA,
    Answer::SCHEMA,
    ClockDelay::SCHEMA,
    UpdateReport::SCHEMA,
    UpdateStage::SCHEMA,
    UpdateRefusal::SCHEMA,
    UpdateImage::SCHEMA,
    UpdateBegin::SCHEMA,
    UpdateChunk::SCHEMA,
    HandFrom::SCHEMA,
    HandOrigin::SCHEMA,
];

/// Tells two schemas apart: FNV-1a over [`LINK_VERSION`], the message table and every definition.
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
