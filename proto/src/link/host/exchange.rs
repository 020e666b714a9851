//! Exchanges of time: the hub asks for a snapshot and notes when; the node puts its own time into the answer. Whatever the line
//! did to either frame, the answer was made after the question was asked and before it arrived: from that the hub
//! learns how the two clocks stand to each other, which arrivals alone do not tell.

use crate::link::HubTime;

/// What part of the time for which a node is known passes until it is asked again: as long as little is known of its drift, what
/// was learnt does not last long.
const ELAPSED_SHARE: u64 = 6;
/// What is added to every wait has as many bits, in µs: up to 33 ms, more than the 16 ms for which USB adapters keep what they have
/// received.
const PAUSE_BITS: u32 = 15;
/// Longest time between two exchanges, pauses aside, in µs.
pub const EXCHANGE_INTERVAL_US: u64 = 1_000_000;
/// A node takes the time at every scan, and puts into a frame the time it took last: longest time since, in µs.
pub const STAMP_AGE_MAX_US: u64 = 1_000;
/// Bytes of a request for a snapshot on the wire, both zeros included.
pub const REQUEST_SNAPSHOT_BYTES: u16 = 17;
/// An exchange that was not answered for so long is given up, in µs.
const ANSWER_MAX_US: u64 = 500_000;
/// A node that has said nothing for so long is not asked, in µs.
const SILENCE_MAX_US: u64 = 3_000_000;

/// A question that was asked.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// What the answer repeats.
    number: u32,
    at: HubTime,
}

/// The exchanges of time with the node's present boot.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanges {
    /// Since when the node is known.
    met: HubTime,
    asked: Option<Asked>,
    /// The question is not on the line yet.
    due: bool,
    /// When the next is asked; none before the node was met.
    next: Option<HubTime>,
}

impl Exchanges {
    /// The node was met, for the first time, after a restart or at a port that was opened anew.
    pub(super) fn begin(&mut self, now: HubTime) {
        self.met = now;
        self.ask(now);
    }

    fn ask(&mut self, now: HubTime) {
        // Told from all others of the last hour, those of the hub's lives before this one included; 0 says nothing.
        let number = (now.as_micros() as u32).max(1);
        self.asked = Some(Asked { number, at: now });
        self.due = true;
        self.next = Some(now.plus_micros(ANSWER_MAX_US));
    }

    /// A snapshot came that answers the question of this number: when it was asked. An answer to any other question tells
    /// nothing.
    pub(super) fn answered(&mut self, now: HubTime, number: u32) -> Option<HubTime> {
        let asked = self.asked.take_if(|asked| asked.number == number)?;
        self.due = false;
        let wait_us = (now.micros_since(self.met) / ELAPSED_SHARE).min(EXCHANGE_INTERVAL_US);
        self.next = Some(now.plus_micros(wait_us + pause_us(number)));
        Some(asked.at)
    }

    /// Asks if it is time to, and if there is somebody who was heard of lately.
    pub(super) fn poll(&mut self, now: HubTime, last_heard: Option<HubTime>) {
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.asked = None;
        let is_silent = last_heard.is_none_or(|last| now.micros_since(last) > SILENCE_MAX_US);
        match is_silent {
            true => self.next = Some(now.plus_micros(EXCHANGE_INTERVAL_US)),
            false => self.ask(now),
        }
    }

    /// When [`Self::poll`] next has something to do.
    pub(super) const fn next_due(&self) -> Option<HubTime> {
        self.next
    }

    pub(super) const fn is_due(&self) -> bool {
        self.due
    }

    /// The number of the question that is to be asked now.
    pub(super) fn take_due(&mut self) -> Option<u32> {
        if !core::mem::take(&mut self.due) {
            return None;
        }
        self.asked.map(|asked| asked.number)
    }
}

/// A pause that looks like chance. Whoever asks the moment an answer has come always asks at the same beat of an adapter that hands
/// on at beats, and never sees how quick it can be.
const fn pause_us(number: u32) -> u64 {
    (number.wrapping_mul(0x9e37_79b1) >> (u32::BITS - PAUSE_BITS)) as u64
}
