//! The ring buffer of events that the hub has not acknowledged yet: encoded, so that it holds as many as its bytes allow.

use proto::link::{MAX_BODY_BYTES, MessageType};

/// Bytes of the event buffer unless chosen otherwise: some 250 events, more than a minute of furious play.
pub const DEFAULT_BUFFER_BYTES: usize = 4096;
/// Type and length before each body.
const RECORD_HEADER_BYTES: usize = 2;

/// An event taken out of the buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) kind: MessageType,
    pub(crate) body: [u8; MAX_BODY_BYTES],
    pub(crate) body_bytes: usize,
}

impl Record {
    pub(crate) fn body(&self) -> &[u8] {
        &self.body[..self.body_bytes]
    }

    pub(crate) const fn stored_bytes(&self) -> usize {
        RECORD_HEADER_BYTES + self.body_bytes
    }
}

/// Events, oldest first, in `BYTES` bytes.
#[derive(Clone, Debug)]
pub(crate) struct EventBuffer<const BYTES: usize> {
    bytes: [u8; BYTES],
    start: usize,
    used: usize,
    events: usize,
}

impl<const BYTES: usize> EventBuffer<BYTES> {
    pub(crate) const fn new() -> Self {
        const { assert!(BYTES >= RECORD_HEADER_BYTES + MAX_BODY_BYTES) };
        Self { bytes: [0; BYTES], start: 0, used: 0, events: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.events
    }

    /// Adds an event (a body of at most [`MAX_BODY_BYTES`]) at the end; discards the oldest ones for it if need be.
    /// `discarded` hears the stored length of each.
    pub(crate) fn push(
        &mut self,
        kind: MessageType,
        body: &[u8],
        mut discarded: impl FnMut(usize),
    ) {
        let body = &body[..body.len().min(MAX_BODY_BYTES)];
        while self.used + RECORD_HEADER_BYTES + body.len() > BYTES {
            discarded(self.pop());
        }
        // MAX_BODY_BYTES is below 256.
        let header = [kind.number(), body.len() as u8];
        for &byte in header.iter().chain(body) {
            let place = (self.start + self.used) % BYTES;
            self.bytes[place] = byte;
            self.used += 1;
        }
        self.events += 1;
    }

    /// Removes the oldest event; returns its stored length, 0 if there was none.
    pub(crate) fn pop(&mut self) -> usize {
        let Some(record) = self.get(0) else { return 0 };
        let stored = record.stored_bytes();
        self.start = (self.start + stored) % BYTES;
        self.used -= stored;
        self.events -= 1;
        stored
    }

    /// The event that begins `offset` bytes after the oldest one.
    pub(crate) fn get(&self, offset: usize) -> Option<Record> {
        if offset + RECORD_HEADER_BYTES > self.used {
            return None;
        }
        let at = |index: usize| self.bytes[(self.start + offset + index) % BYTES];
        let kind = MessageType::from_number(at(0))?;
        let body_bytes = usize::from(at(1));
        let mut body = [0; MAX_BODY_BYTES];
        for (index, place) in body.iter_mut().take(body_bytes).enumerate() {
            *place = at(RECORD_HEADER_BYTES + index);
        }
        Some(Record { kind, body, body_bytes })
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    const BYTES: usize = RECORD_HEADER_BYTES + MAX_BODY_BYTES;

    fn bodies(buffer: &EventBuffer<BYTES>) -> Vec<Vec<u8>> {
        let mut offset = 0;
        let mut bodies = Vec::new();
        while let Some(record) = buffer.get(offset) {
            offset += record.stored_bytes();
            bodies.push(record.body().to_vec());
        }
        bodies
    }

    #[test]
    fn the_oldest_events_make_room_for_the_newest() {
        let mut buffer = EventBuffer::<BYTES>::new();
        let mut kept: Vec<Vec<u8>> = Vec::new();
        for number in 0..200_u8 {
            let body = std::vec![number; usize::from(number) % 40];
            let mut gone = 0;
            buffer.push(MessageType::Press, &body, |_| gone += 1);
            kept.push(body);
            kept.drain(..gone);
            assert_eq!(bodies(&buffer), kept);
            assert_eq!(buffer.len(), kept.len());
        }
    }

    #[test]
    fn the_largest_event_fits_alone() {
        let mut buffer = EventBuffer::<BYTES>::new();
        buffer.push(MessageType::Tilt, &[1], |_| {});
        let mut discarded = Vec::new();
        buffer.push(MessageType::Press, &[7; MAX_BODY_BYTES], |stored| discarded.push(stored));
        assert_eq!(discarded, [3]);
        assert_eq!(bodies(&buffer), [[7; MAX_BODY_BYTES]]);
    }

    #[test]
    fn an_empty_buffer_has_nothing_to_give() {
        let mut buffer = EventBuffer::<BYTES>::new();
        assert_eq!(buffer.pop(), 0);
        assert!(buffer.get(0).is_none());
    }
}
