//! One frame: how a message becomes bytes between two zeros, and the errors of the way back.

use core::fmt;

use heapless::String;
use serde::Deserialize;
use thiserror::Error;

use super::release::is_earlier;
use super::value::CRC;
use super::{LINK_VERSION, MAX_FIRMWARE_BYTES, Message, MessageType, NodeId, SCHEMA_HASH};

/// Longest postcard body in bytes.
pub const MAX_BODY_BYTES: usize = 192;
/// Version, type, boot id, sequence.
pub(super) const HEADER_BYTES: usize = 1 + 1 + 4 + 4;
/// The checksum behind the body.
pub(super) const CRC_BYTES: usize = 4;
/// Longest frame before COBS in bytes.
pub(super) const MAX_RAW_BYTES: usize = HEADER_BYTES + MAX_BODY_BYTES + CRC_BYTES;
/// Longest frame on the wire in bytes, both zeros included (COBS adds one byte to every 254 begun).
pub const MAX_FRAME_BYTES: usize = 1 + MAX_RAW_BYTES + MAX_RAW_BYTES.div_ceil(254) + 1;

/// A message with its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Names one run of the node from power-up to power-down; chosen by the node, different at every start. From the
    /// hub: the boot the frame is meant for, 0 for whichever it is.
    pub boot_id: u32,
    /// Sequence: of an event its own, consecutive from 1 within a boot. Of another message of the node: that of the last event
    /// before it, 0 for none. Of `Ack`: the last committed event; of `RequestResend`: the last one received; of other messages
    /// of the hub: 0.
    pub sequence: u32,
    /// The message.
    pub message: Message,
}

/// A version of the link and the hash of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaId {
    /// The frame's version byte.
    pub version: u8,
    /// The schema hash of HELLO.
    pub hash: u32,
}

impl SchemaId {
    /// The schema of this build.
    pub const OURS: Self = Self { version: LINK_VERSION, hash: SCHEMA_HASH };
}

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "link version {} (schema {:08x})", self.version, self.hash)
    }
}

/// A node was built from another schema than this program: its messages may have another meaning.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "node {node_id} (firmware {firmware}) speaks {theirs}, this program speaks {ours}: \
     install firmware and hub software of the same release"
)]
pub struct SchemaMismatch {
    /// The node.
    pub node_id: NodeId,
    /// Its firmware's version.
    pub firmware: String<MAX_FIRMWARE_BYTES>,
    /// Its schema.
    pub theirs: SchemaId,
    /// The schema of this build.
    pub ours: SchemaId,
}

/// Bytes between two zeros that are not a frame.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// More bytes without a zero than the longest frame has.
    #[error("more than {MAX_FRAME_BYTES} bytes without an end of frame")]
    TooLong,
    /// Fewer bytes than a header and a checksum have.
    #[error("{0} bytes are too few for a frame")]
    TooShort(usize),
    /// Not COBS.
    #[error("the frame's byte stuffing is broken")]
    Cobs,
    /// Damaged on the way.
    #[error("checksum {found:08x} instead of {computed:08x}: the frame was damaged on the way")]
    Checksum {
        /// In the frame.
        found: u32,
        /// Checksum of the received bytes.
        computed: u32,
    },
    /// Another version of the link; only HELLO can be read then.
    #[error("frame of link version {theirs}, this program speaks version {ours}")]
    Version {
        /// Version of the frame.
        theirs: u8,
        /// Version of this build.
        ours: u8,
    },
    /// HELLO of a node that was built from another schema.
    #[error(transparent)]
    Schema(SchemaMismatch),
    /// No message has this number.
    #[error("there is no message of number {0:#04x}")]
    UnknownType(u8),
    /// The body is not what its type promises.
    #[error("the body of {0:?} cannot be read")]
    Body(MessageType),
}

/// The message's body is longer than [`MAX_BODY_BYTES`]: cannot happen with the messages of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the body of {0:?} is longer than {MAX_BODY_BYTES} bytes")]
pub struct EncodeError(pub MessageType);

/// Turns messages into frames, one at a time. Holds the last frame until the line has taken it.
#[derive(Clone, Debug)]
pub struct Encoder {
    raw: [u8; MAX_RAW_BYTES],
    wire: [u8; MAX_FRAME_BYTES],
    length: usize,
    drained: usize,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// An encoder.
    pub const fn new() -> Self {
        Self { raw: [0; MAX_RAW_BYTES], wire: [0; MAX_FRAME_BYTES], length: 0, drained: 0 }
    }

    /// The bytes of `frame` as they go on the wire, both zeros included.
    ///
    /// # Errors
    /// If the body is too long, which no message of this version can be.
    pub fn encode(&mut self, frame: &Frame) -> Result<&[u8], EncodeError> {
        let kind = frame.message.message_type();
        let body = &mut self.raw[HEADER_BYTES..HEADER_BYTES + MAX_BODY_BYTES];
        let body_bytes = frame.message.write_body(body).map_err(|_| EncodeError(kind))?;
        Ok(self.finish(kind, frame.boot_id, frame.sequence, body_bytes))
    }

    /// The bytes of a frame whose body was encoded before (by [`encode_body`]).
    ///
    /// # Errors
    /// If the body is longer than [`MAX_BODY_BYTES`].
    pub fn encode_stored(
        &mut self,
        kind: MessageType,
        boot_id: u32,
        sequence: u32,
        body: &[u8],
    ) -> Result<&[u8], EncodeError> {
        let place = self.raw[..HEADER_BYTES + MAX_BODY_BYTES]
            .get_mut(HEADER_BYTES..HEADER_BYTES + body.len())
            .ok_or(EncodeError(kind))?;
        place.copy_from_slice(body);
        Ok(self.finish(kind, boot_id, sequence, body.len()))
    }

    fn finish(
        &mut self,
        kind: MessageType,
        boot_id: u32,
        sequence: u32,
        body_bytes: usize,
    ) -> &[u8] {
        self.raw[0] = LINK_VERSION;
        self.raw[1] = kind.number();
        self.raw[2..6].copy_from_slice(&boot_id.to_le_bytes());
        self.raw[6..10].copy_from_slice(&sequence.to_le_bytes());
        let covered = HEADER_BYTES + body_bytes;
        let checksum = CRC.checksum(&self.raw[..covered]);
        self.raw[covered..covered + CRC_BYTES].copy_from_slice(&checksum.to_le_bytes());
        self.wire[0] = 0;
        let stuffed = cobs::encode(&self.raw[..covered + CRC_BYTES], &mut self.wire[1..]);
        self.wire[1 + stuffed] = 0;
        self.length = stuffed + 2;
        self.drained = 0;
        &self.wire[..self.length]
    }

    /// Moves as much of the last frame as fits into `out`; returns the number of bytes moved.
    pub fn drain_into(&mut self, out: &mut [u8]) -> usize {
        let rest = &self.wire[self.drained..self.length];
        let moved = rest.len().min(out.len());
        out[..moved].copy_from_slice(&rest[..moved]);
        self.drained += moved;
        moved
    }

    /// Whether the last frame was moved out entirely by [`Self::drain_into`].
    pub const fn is_drained(&self) -> bool {
        self.drained == self.length
    }

    /// Clears the rest of the last frame, for a reopened port.
    pub const fn reset(&mut self) {
        self.length = 0;
        self.drained = 0;
    }
}

/// Writes the postcard body of `message` into `out`, for a node that keeps events until they are acknowledged.
///
/// # Errors
/// If `out` is too short; [`MAX_BODY_BYTES`] always suffice.
pub fn encode_body(message: &Message, out: &mut [u8]) -> Result<usize, EncodeError> {
    message.write_body(out).map_err(|_| EncodeError(message.message_type()))
}

/// The part of HELLO that every version understands.
#[derive(Deserialize)]
struct HelloStart {
    schema_hash: u32,
    node_id: NodeId,
    firmware: String<MAX_FIRMWARE_BYTES>,
}

/// Reads the bytes between two zeros; undoes their byte stuffing in place.
pub(super) fn decode_in_place(stuffed: &mut [u8]) -> Result<Frame, FrameError> {
    let raw = unstuff(stuffed)?;
    let (version, number, body) = (raw[0], raw[1], &raw[HEADER_BYTES..]);
    if number == MessageType::Hello.number() {
        check_schema(version, body)?;
    } else if version != LINK_VERSION {
        return Err(FrameError::Version { theirs: version, ours: LINK_VERSION });
    }
    let kind = MessageType::from_number(number).ok_or(FrameError::UnknownType(number))?;
    frame(raw, kind, Message::read_body(kind, body))
}

/// The same for requests, which is all that a node has to read.
pub(super) fn decode_request_in_place(stuffed: &mut [u8]) -> Result<Frame, FrameError> {
    let raw = unstuff(stuffed)?;
    let (version, number, body) = (raw[0], raw[1], &raw[HEADER_BYTES..]);
    if version != LINK_VERSION {
        return Err(FrameError::Version { theirs: version, ours: LINK_VERSION });
    }
    let kind = MessageType::from_number(number).filter(|kind| !kind.is_from_node());
    let kind = kind.ok_or(FrameError::UnknownType(number))?;
    frame(raw, kind, Message::read_request(kind, body))
}

/// Header and body of an undamaged frame.
fn unstuff(stuffed: &mut [u8]) -> Result<&[u8], FrameError> {
    let length = cobs::decode_in_place(stuffed).map_err(|_| FrameError::Cobs)?;
    let raw = stuffed.get(..length).ok_or(FrameError::Cobs)?;
    let covered = raw.len().checked_sub(CRC_BYTES).filter(|&n| n >= HEADER_BYTES);
    let covered = covered.ok_or(FrameError::TooShort(raw.len()))?;
    let found = read_u32(raw, covered);
    let raw = &raw[..covered];
    let computed = CRC.checksum(raw);
    if found == computed { Ok(raw) } else { Err(FrameError::Checksum { found, computed }) }
}

fn frame(
    raw: &[u8],
    kind: MessageType,
    body: postcard::Result<(Message, &[u8])>,
) -> Result<Frame, FrameError> {
    match body {
        Ok((message, [])) => {
            Ok(Frame { boot_id: read_u32(raw, 2), sequence: read_u32(raw, 6), message })
        }
        _ => Err(FrameError::Body(kind)),
    }
}

fn check_schema(version: u8, body: &[u8]) -> Result<(), FrameError> {
    let (introduction, _) = postcard::take_from_bytes::<HelloStart>(body)
        .map_err(|_| FrameError::Body(MessageType::Hello))?;
    // It is written into logs as it is.
    if introduction.firmware.chars().any(char::is_control) {
        return Err(FrameError::Body(MessageType::Hello));
    }
    let theirs = SchemaId { version, hash: introduction.schema_hash };
    if theirs == SchemaId::OURS || version == LINK_VERSION && is_earlier(theirs.hash) {
        return Ok(());
    }
    Err(FrameError::Schema(SchemaMismatch {
        node_id: introduction.node_id,
        firmware: introduction.firmware,
        theirs,
        ours: SchemaId::OURS,
    }))
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}
