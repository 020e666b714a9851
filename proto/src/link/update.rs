//! Messages that update a node's firmware over its line. The hub sends one chunk at a time, and the node reports after each how far it
//! is, so that neither end must remember more than an offset.

use crc::Digest;
use heapless::{String, Vec};
use serde::{Deserialize, Serialize};

use super::schema::{wire_enums, wire_structs};
use super::value::CRC;

/// Bytes of a sector: the smallest piece of flash that can be erased.
pub const UPDATE_SECTOR_BYTES: u32 = 4_096;
/// Sectors of the largest image.
pub const UPDATE_SECTORS: usize = 32;
/// Size of the largest image in bytes.
pub const UPDATE_IMAGE_BYTES_MAX: u32 = UPDATE_SECTOR_BYTES * UPDATE_SECTORS as u32;
/// Maximum number of bytes of a chunk.
pub const UPDATE_CHUNK_BYTES: usize = 128;
/// Maximum length of an image's name in bytes.
pub const MAX_IMAGE_NAME_BYTES: usize = 32;
/// Time for which an image runs on trial, in µs: a computer finds a USB device again, and its hub asks who it is.
pub const UPDATE_TRIAL_US: u64 = 60_000_000;

/// CRC-32C of an image or of one of its sectors, piece by piece.
pub struct ImageChecksum(Digest<'static, u32>);

impl ImageChecksum {
    /// The checksum of no bytes.
    pub fn new() -> Self {
        Self(CRC.digest())
    }

    /// Adds the bytes that follow.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of all bytes.
    pub fn finish(self) -> u32 {
        self.0.finalize()
    }

    /// The checksum of these bytes.
    pub fn of(bytes: &[u8]) -> u32 {
        CRC.checksum(bytes)
    }
}

impl Default for ImageChecksum {
    fn default() -> Self {
        Self::new()
    }
}

wire_enums! {
    /// Progress of an update.
    #[derive(Copy, Hash)]
    enum UpdateStage {
        /// No update is under way.
        Idle,
        /// The node waits for the chunk at this offset.
        Receiving(u32),
        /// The node has the whole image.
        Complete,
        /// The image was checked, and the node restarts into it.
        Restarting,
        /// The image that runs is on trial: [`super::Message::UpdateKeep`] keeps it.
        Trial,
        /// The request was refused, and nothing was changed.
        Refused(UpdateRefusal),
    }

    /// Reason why a node refuses a request of an update.
    #[derive(Copy, Hash)]
    enum UpdateRefusal {
        /// A match is played at this node, or was a moment ago.
        InUse,
        /// The image is larger than a slot, or empty.
        TooLarge,
        /// The image is for another processor or wiring, or is none of this project.
        WrongImage,
        /// The checksum is not that of the image: send it again.
        Damaged,
        /// The flash chip did not keep what was written.
        FlashFailed,
        /// The image that runs is on trial, and the slot holds the one before.
        OnTrial,
    }
}

wire_structs! {
    /// The image that runs, and the progress of an update. State.
    #[derive(Hash)]
    struct UpdateReport {
        /// Name of the image that runs: processor and wiring.
        image: String<MAX_IMAGE_NAME_BYTES>,
        /// The progress.
        stage: UpdateStage,
    }

    /// An image, named by its contents.
    #[derive(Copy, Hash)]
    struct UpdateImage {
        /// Length in bytes.
        bytes: u32,
        /// CRC-32C of all of them.
        checksum: u32,
    }

    /// Request to accept an image.
    struct UpdateBegin {
        /// The image.
        image: UpdateImage,
        /// CRC-32C of each of its sectors; the last one may be shorter than a sector.
        sector_sums: Vec<u32, UPDATE_SECTORS>,
    }

    /// Piece of an image.
    struct UpdateChunk {
        /// The image.
        image: UpdateImage,
        /// Place of the first byte in the image.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8, UPDATE_CHUNK_BYTES>,
    }
}
