//! The serial link between a node and its hub: this page is its specification.
//!
//! The link carries what sensors read, over a UART or USB serial line (8 data bits, no parity, any speed) that may lose, double
//! or garble bytes, be unplugged, or start in the middle of a frame. No reading of a node is lost while its buffer holds, and
//! losses beyond are reported.
//!
//! # Frame
//!
//! `0x00`, COBS(contents), `0x00`. One zero may serve as end and as beginning; empty frames are ignored. Contents, at most
//! 206 bytes:
//!
//! | bytes | field | encoding |
//! |---|---|---|
//! | 1 | link version, [`LINK_VERSION`] | |
//! | 1 | message number | table below |
//! | 4 | boot id | little-endian; names one run of the node; chosen by the node, not 0, different at every start |
//! | 4 | sequence | little-endian; see below |
//! | 0–192 | body | postcard: integers above 8 bits as varints, enums by position, `Option` as 0/1, strings and lists with their length first |
//! | 4 | checksum | CRC-32C (polynomial 0x1EDC6F41, reflected) of all bytes before it, little-endian |
//!
//! # Messages
//!
//! | number | message | kind | header's sequence | body, in order |
//! |---|---|---|---|---|
//! | 0x01 | [`Hello`] | state | last event's | `schema_hash` u32 · `node_id` text, 1–32 bytes · `firmware` text, 0–24 bytes · `time` · `acknowledged` u32 · `answers` u32 · `kind` |
//! | 0x02 | [`Snapshot`] | state | last event's | `time` · `state` · `last_request` u32 · `age_us` u32 · `answers` u32 |
//! | 0x03 | [`SquaresChanged`] | event | its own | `time` · list of 1–16 changes: `offset_us` u32, `square` 0–63, `reading` |
//! | 0x04 | [`Press`] | event | its own | `time` · `by` side |
//! | 0x05 | [`ClockReading`] | event | its own | `time` · `white_ms` u32 · `black_ms` u32 · `delay_left_ms` u32 · `running` optional side · `first_flag` optional side |
//! | 0x06 | [`TrayChanged`] | event | its own | `time` · list of 1–16 changes: `offset_us` u32, `tray` side, `slot` 0–15, `reading` |
//! | 0x07 | [`Tilt`] | event | its own | `time` · `on` bool |
//! | 0x08 | [`Hand`] | event | its own | `time` · `side` · `near` bool |
//! | 0x09 | [`Health`] | state | last event's | `time` · `buffered_events` u16 · `lost_events` u32 · `resent_events` u32 · `rejected_frames` u32 · `longest_scan_gap_us` u32 · `flickering` u64 |
//! | 0x0a | [`Lost`] | state | last event's | `first` u32 · `last` u32 |
//! | 0x0b | [`BoardHealth`] | state | last event's | `time` · `chattering`, `stuck`, `weak`: each a set of sensors (u64, u16, u16 as in board state) · `noise` 64 × u8 |
//! | 0x0c | [`Started`] | state | last event's | `reason` · `detail` text, 0–48 bytes |
//! | 0x0d | [`Answer`] | event | its own | `time` · `request` u32 · `order` · `result` |
//! | 0x0e | [`UpdateReport`] | state | last event's | `image` text, 0–32 bytes · `stage` |
//! | 0x0f | [`HandFrom`] | event | its own | `time` · `side` · `near` bool · `from` |
//! | 0x40 | `Ack` | request | last committed event's | – |
//! | 0x41 | `RequestSnapshot` | request | any number | – |
//! | 0x42 | `RequestHello` | request | any number | – |
//! | 0x43 | [`Identify`] | request | 0 | `seconds` u8 |
//! | 0x44 | `RequestResend` | request | last received event's | – |
//! | 0x45 | [`Command`] | request | 0 | `request` u32 · `order` |
//! | 0x46 | `RequestUpdate` | request | 0 | – |
//! | 0x47 | [`UpdateBegin`] | request | 0 | `image` · `sector_sums` list of 1–32 u32 |
//! | 0x48 | [`UpdateChunk`] | request | 0 | `image` · `offset` u32 · `bytes` list of 1–128 bytes |
//! | 0x49 | [`UpdateStart`](UpdateImage) | request | 0 | `bytes` u32 · `checksum` u32 |
//! | 0x4a | `UpdateKeep` | request | 0 | – |
//!
//! Below 0x40 from node to hub, from 0x40 on from hub to node. `time` is [`NodeTime`]: u64 microseconds since the node
//! started. Single bytes (u8, i8) as they are; 64 of them, one for each square, without a length. Enums by position, frozen,
//! append only:
//!
//! | enum | 0, 1, 2 … |
//! |---|---|
//! | [`Side`] | white · black |
//! | [`SensorReading`] | empty · occupied · white · black · level: i8 |
//! | [`SensorKind`] | reed · hall polarity · hall magnitude |
//! | [`PressKind`] | lever · buttons |
//! | [`NodeKind`] | board: `sensor`, `trays` bool · clock: `press`, `hand_sensor` bool |
//! | [`NodeState`] | board: `occupied` u64, trays · clock: see below · polarity board: `white` u64, `black` u64, trays · magnitude board: `levels` 64 × i8, trays |
//! | [`HandOrigin`] | board · away |
//! | [`DelayKind`] | delay · Bronstein · increment |
//! | [`StartReason`] | power on · watchdog · panic · brownout · unknown |
//! | [`Order`] | set clock: control · adjust clock: `white_ms` i32, `black_ms` i32 · pause clock · resume clock · learn baseline: standing · set delay: `delay_ms` u32, `delay_kind` |
//! | [`Standing`] | nothing · set-up position |
//! | [`CommandResult`] | done · unsupported · out of range · number taken · not now |
//! | [`UpdateStage`] | idle · receiving: next offset u32 · complete · restarting · trial · refused: refusal |
//! | [`UpdateRefusal`] | in use · too large · wrong image · damaged · flash failed · on trial |
//!
//! Trays: `white_tray` u16, `black_tray` u16. State of a clock: `display` (as `ClockReading` without time), `pressed` optional
//! side, `tilted`, `white_hand`, `black_hand` bool, `control`, `paused` optional side. Control: `white_ms` u32, `black_ms` u32,
//! `delay_ms` u32, `delay_kind`.
//!
//! A board's readings are those of its kind: a reed board reports empty and occupied, a polarity board empty, white and black, a
//! magnitude board empty and levels. Trays report empty and occupied on every board.
//!
//! # Sequences, acknowledgement, loss
//!
//! * Events of one boot have consecutive sequences from 1. The node keeps each until it is acknowledged. After a time without progress
//!   it sends them again, from the oldest on (go back N). The hub accepts only the next expected one.
//! * `Ack` is cumulative, and sent only when the hub has committed the events to its journal.
//! * A full buffer discards its oldest events. Then the node sends [`Lost`] with their sequences before the next event, until
//!   something after them is acknowledged, and a snapshot.
//! * [`Hello`] comes first in every boot and on request. The hub requests it after an unknown boot id. A new boot id means that the
//!   node restarted; undelivered events are lost. Frames may be late, and a boot that has ended must not come back. So a HELLO of
//!   another boot than the present one counts only if its `answers` repeats a request. That is the header's sequence of a
//!   `RequestHello` that was sent since the present boot was met. Until then the hub requests it again.
//! * [`Started`] comes after every HELLO, [`BoardHealth`] after every [`Health`] of a board.
//! * [`Snapshot`] comes after HELLO, after a loss, on request, and once a second. It holds after the event its header names, so the hub
//!   may compare it with the state that follows from the events.
//! * No sequence or time ever wraps: 2³² events are thirteen years at ten a second.
//!
//! # Commands
//!
//! * The hub numbers them upwards within a boot of the node, from the `last_request` of its snapshot on. It has one pending at a time,
//!   and sends it again until it receives the [`Answer`].
//! * The node executes a command whose number is above the last one. If it receives the last command again (number and order), it
//!   answers again and does not execute it again. Any other number is refused as taken.
//! * The answer is an event, so it is not lost either. A command's effect on a clock is shown by the `ClockReading` after it.
//!
//! # Updates of the firmware
//!
//! * A node that can be updated answers each of these requests with an [`UpdateReport`]. Others ignore them.
//! * `UpdateBegin` names an image by length and CRC-32C, and has the CRC-32C of each of its sectors of [`UPDATE_SECTOR_BYTES`]. The node
//!   compares what its second slot holds, and reports the first offset that it lacks: so a transfer goes on after a cut.
//! * `UpdateChunk` is accepted at the reported offset only. The next one is sent after the report of the one before.
//! * `UpdateStart` lets the node check the whole image, and that it is of its own name (processor and wiring). Then it restarts. The
//!   image runs on trial: it counts after `UpdateKeep`, which the hub sends when HELLO has the new version. Without it the node
//!   returns to the image before after [`UPDATE_TRIAL_US`], or at its next start.
//! * A node that is in use refuses to begin, to receive and to start.
//!
//! # Time
//!
//! * [`Hello`] and [`Health`] carry the node time of their making; a snapshot was made `age_us` after its `time`, because a
//!   board's readings count only when they have held. The node takes the time when it scans: it is at most
//!   [`STAMP_AGE_MAX_US`] old.
//! * A snapshot's `answers` repeats the header's sequence of the last `RequestSnapshot` since the snapshot before it, 0 if there
//!   was none. The hub numbers its requests: an answer was made after the request of its number and before it arrived. That
//!   bounds the difference of the two clocks from both sides, whatever the line does. It asks again and again
//!   when it has met a node, less and less often, until it is every [`EXCHANGE_INTERVAL_US`].
//!
//! # Versions
//!
//! The header, the checksum and the first three fields of HELLO are the same in every version, so that two versions can name each
//! other: [`SchemaMismatch`] contains both. A hub works with nodes of its own schema and of the two before
//! ([`EARLIER_SCHEMAS`]). Messages and enums are only appended to. A hub sends a node nothing that its schema lacks ([`knows`],
//! [`knows_order`]).
//!
//! # Both ends as state machines
//!
//! [`Encoder`] and [`Decoder`] are the codec. [`HostSession`] is the hub's end: its events are in order and without duplicates,
//! and gaps are reported. The node's end is `node_firmware::LinkSession`.

mod board;
mod clock;
mod command;
mod decoder;
mod frame;
mod host;
mod image;
mod message;
mod node;
mod release;
mod schema;
mod side;
mod time;
mod update;
mod value;

pub use board::{
    BoardHealth, BoardKind, BoardState, MAX_CHANGES, MagnitudeState, PolarityState, SensorKind,
    SensorReading, SlotChange, SquareChange, SquaresChanged, Standing, TrayChanged,
};
pub use clock::{
    ClockDelay, ClockDisplay, ClockKind, ClockReading, ClockState, DelayKind, Hand, HandFrom,
    HandOrigin, Press, PressKind, Tilt, TimeControl,
};
pub use command::{
    Answer, ClockAdjustment, Command, CommandResult, MAX_CLOCK_MS, MAX_DELAY_MS, Order,
};
pub use decoder::Decoder;
pub use frame::{
    EncodeError, Encoder, Frame, FrameError, MAX_BODY_BYTES, MAX_FRAME_BYTES, SchemaId,
    SchemaMismatch, encode_body,
};
pub use host::{
    COMMAND_AGE_MAX_US, COMMAND_ATTEMPTS, COMMAND_INTERVAL_US, COMMAND_PATIENCE_US, CommandName,
    CommandOutcome, EXCHANGE_INTERVAL_US, FrameTiming, Given, HostEvent, HostSession, MAX_COMMANDS,
    REQUEST_INTERVAL_US, REQUEST_SNAPSHOT_BYTES, RejectedFrame, ResumePoint, STAMP_AGE_MAX_US,
    TooManyCommands,
};
pub use image::{IMAGE_ADDRESS, IMAGE_HEADER_BYTES, IMAGE_HEADER_OFFSET, ImageHeader};
pub use message::{LINK_VERSION, Message, MessageType, SCHEMA_HASH, schema};
pub use node::{
    Health, Hello, Identify, Lost, MAX_FIRMWARE_BYTES, MAX_START_TEXT_BYTES, NodeKind, NodeState,
    Snapshot, StartReason, Started,
};
pub use release::{EARLIER_SCHEMAS, EarlierSchema, knows, knows_order};
pub use side::Side;
pub use time::{HubTime, NodeTime};
pub use update::{
    ImageChecksum, MAX_IMAGE_NAME_BYTES, UPDATE_CHUNK_BYTES, UPDATE_IMAGE_BYTES_MAX,
    UPDATE_SECTOR_BYTES, UPDATE_SECTORS, UPDATE_TRIAL_US, UpdateBegin, UpdateChunk, UpdateImage,
    UpdateRefusal, UpdateReport, UpdateStage,
};
pub use value::{
    MAX_NODE_ID_BYTES, NodeId, PerSquare, SQUARES, SlotIndex, SquareIndex, TRAY_SLOTS, ValueError,
};
