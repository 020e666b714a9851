//! Decoder of a byte stream into frames: incremental, in one fixed buffer, and synchronised again at the next zero.

use super::frame::{MAX_FRAME_BYTES, decode_in_place, decode_request_in_place};
use super::{Frame, FrameError};

/// Finds frames in a stream of bytes.
///
/// Takes bytes one at a time, never panics, and never holds more than [`MAX_FRAME_BYTES`] of them. After an error it is in
/// step again at the next zero byte.
#[derive(Clone, Debug)]
pub struct Decoder {
    buffer: [u8; MAX_FRAME_BYTES],
    length: usize,
    /// Too many bytes came; the rest up to the next zero is skipped.
    skipping: bool,
    frames: u64,
    errors: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// A decoder before the first byte.
    pub const fn new() -> Self {
        Self { buffer: [0; MAX_FRAME_BYTES], length: 0, skipping: false, frames: 0, errors: 0 }
    }

    /// Takes one byte. Returns a frame, or why the bytes before this zero are none; `None` in the midst of a frame.
    pub fn push(&mut self, byte: u8) -> Option<Result<Frame, FrameError>> {
        self.take(byte, decode_in_place)
    }

    /// The same for the node's end, which decodes hubs' messages only. Messages of nodes are [`FrameError::UnknownType`] here;
    /// a microcontroller has no room for messages that it never receives.
    pub fn push_request(&mut self, byte: u8) -> Option<Result<Frame, FrameError>> {
        self.take(byte, decode_request_in_place)
    }

    fn take(
        &mut self,
        byte: u8,
        decode: impl FnOnce(&mut [u8]) -> Result<Frame, FrameError>,
    ) -> Option<Result<Frame, FrameError>> {
        if byte != 0 {
            match self.buffer.get_mut(self.length) {
                Some(place) => {
                    *place = byte;
                    self.length += 1;
                }
                None => self.skipping = true,
            }
            return None;
        }
        let length = core::mem::take(&mut self.length);
        let result = if core::mem::take(&mut self.skipping) {
            Err(FrameError::TooLong)
        } else if length == 0 {
            return None;
        } else {
            decode(&mut self.buffer[..length])
        };
        match result {
            Ok(_) => self.frames += 1,
            Err(_) => self.errors += 1,
        }
        Some(result)
    }

    /// Takes many bytes; calls `deliver` for each frame and each error in their order.
    pub fn push_all(&mut self, bytes: &[u8], mut deliver: impl FnMut(Result<Frame, FrameError>)) {
        for &byte in bytes {
            if let Some(result) = self.push(byte) {
                deliver(result);
            }
        }
    }

    /// Clears a begun frame, for a reopened port. The counters stay.
    pub fn reset(&mut self) {
        self.length = 0;
        self.skipping = false;
    }

    /// Frames decoded so far.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Errors met so far.
    pub const fn errors(&self) -> u64 {
        self.errors
    }
}
