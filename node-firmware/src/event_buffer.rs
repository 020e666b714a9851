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

/// Memory for the events that the hub has not acknowledged. An image lends it a static piece; with the feature `alloc` it comes from
/// the heap.
#[derive(Debug)]
pub struct EventMemory(Piece);

#[derive(Debug)]
enum Piece {
    Lent(&'static mut [u8]),
    #[cfg(feature = "alloc")]
    Owned(alloc::boxed::Box<[u8]>),
}

impl EventMemory {
    /// Minimum number of bytes: they hold the largest event.
    pub const BYTES_MIN: usize = RECORD_HEADER_BYTES + MAX_BODY_BYTES;

    /// Takes this piece of memory.
    ///
    /// # Panics
    /// If it is smaller than [`Self::BYTES_MIN`].
    pub const fn lent(bytes: &'static mut [u8]) -> Self {
        assert!(bytes.len() >= Self::BYTES_MIN);
        Self(Piece::Lent(bytes))
    }

    /// Allocates this number of bytes on the heap.
    ///
    /// # Panics
    /// If they are fewer than [`Self::BYTES_MIN`].
    #[cfg(feature = "alloc")]
    pub fn of_heap(bytes: usize) -> Self {
        assert!(bytes >= Self::BYTES_MIN);
        Self(Piece::Owned(alloc::vec![0; bytes].into_boxed_slice()))
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Piece::Lent(bytes) => bytes,
            #[cfg(feature = "alloc")]
            Piece::Owned(bytes) => bytes,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Piece::Lent(bytes) => bytes,
            #[cfg(feature = "alloc")]
            Piece::Owned(bytes) => bytes,
        }
    }
}

#[cfg(feature = "alloc")]
impl Clone for EventMemory {
    /// A copy on the heap.
    fn clone(&self) -> Self {
        Self(Piece::Owned(self.bytes().into()))
    }
}

#[cfg(feature = "alloc")]
impl Default for EventMemory {
    fn default() -> Self {
        Self::of_heap(DEFAULT_BUFFER_BYTES)
    }
}

/// Events, oldest first, in a ring of bytes.
#[derive(Debug)]
#[cfg_attr(feature = "alloc", derive(Clone))]
pub(crate) struct EventBuffer {
    memory: EventMemory,
    start: usize,
    used: usize,
    events: usize,
}

impl EventBuffer {
    pub(crate) const fn new(memory: EventMemory) -> Self {
        Self { memory, start: 0, used: 0, events: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.events
    }

    /// Adds an event (a body of at most [`MAX_BODY_BYTES`]) at the end; discards the oldest ones for it if need be. Calls `discarded`
    /// with the stored length of each.
    pub(crate) fn push(
        &mut self,
        kind: MessageType,
        body: &[u8],
        mut discarded: impl FnMut(usize),
    ) {
        let body = &body[..body.len().min(MAX_BODY_BYTES)];
        while self.used + RECORD_HEADER_BYTES + body.len() > self.memory.bytes().len() {
            discarded(self.pop());
        }
        // MAX_BODY_BYTES is below 256.
        let header = [kind.number(), body.len() as u8];
        let mut place = self.place(self.used);
        let bytes = self.memory.bytes_mut();
        for &byte in header.iter().chain(body) {
            bytes[place] = byte;
            place = if place + 1 == bytes.len() { 0 } else { place + 1 };
        }
        self.used += RECORD_HEADER_BYTES + body.len();
        self.events += 1;
    }

    /// Removes the oldest event; returns its stored length, 0 if there was none.
    pub(crate) fn pop(&mut self) -> usize {
        let stored = self.stored_bytes(0);
        if stored > 0 {
            self.start = self.place(stored);
            self.used -= stored;
            self.events -= 1;
        }
        stored
    }

    /// Stored length of the event that begins `offset` bytes after the oldest one; 0 if there is none.
    pub(crate) fn stored_bytes(&self, offset: usize) -> usize {
        if offset + RECORD_HEADER_BYTES > self.used {
            return 0;
        }
        RECORD_HEADER_BYTES + usize::from(self.memory.bytes()[self.place(offset + 1)])
    }

    /// The event that begins `offset` bytes after the oldest one.
    pub(crate) fn get(&self, offset: usize) -> Option<Record> {
        if offset + RECORD_HEADER_BYTES > self.used {
            return None;
        }
        let at = |index: usize| self.memory.bytes()[self.place(offset + index)];
        let kind = MessageType::from_number(at(0))?;
        let body_bytes = usize::from(at(1));
        let mut body = [0; MAX_BODY_BYTES];
        for (index, place) in body.iter_mut().take(body_bytes).enumerate() {
            *place = at(RECORD_HEADER_BYTES + index);
        }
        Some(Record { kind, body, body_bytes })
    }

    /// Returns the index of the byte that is `offset` bytes after the oldest one; `offset` is at most the ring's length. No remainder
    /// is computed: the smallest processors have no division.
    fn place(&self, offset: usize) -> usize {
        let (place, length) = (self.start + offset, self.memory.bytes().len());
        if place >= length { place - length } else { place }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    const BYTES: usize = EventMemory::BYTES_MIN;

    fn bodies(buffer: &EventBuffer) -> Vec<Vec<u8>> {
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
        let mut buffer = EventBuffer::new(EventMemory::of_heap(BYTES));
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
        let mut buffer = EventBuffer::new(EventMemory::of_heap(BYTES));
        buffer.push(MessageType::Tilt, &[1], |_| {});
        let mut discarded = Vec::new();
        buffer.push(MessageType::Press, &[7; MAX_BODY_BYTES], |stored| discarded.push(stored));
        assert_eq!(discarded, [3]);
        assert_eq!(bodies(&buffer), [[7; MAX_BODY_BYTES]]);
    }

    #[test]
    fn an_empty_buffer_has_nothing_to_give() {
        let mut buffer = EventBuffer::new(EventMemory::of_heap(BYTES));
        assert_eq!(buffer.pop(), 0);
        assert!(buffer.get(0).is_none());
    }
}
