//! Exchanges of time: the hub asks for a snapshot and notes when; the node puts its own time into the answer. The answer was
//! made after the question and before its arrival, whatever the line did to either frame. That bounds the offset of the two
//! clocks, which arrivals alone do not.

use heapless::Vec;

use crate::link::HubTime;

/// Part of the time since the first exchange that passes until the next: while the drift is uncertain, an offset is soon out of
/// date.
const ELAPSED_SHARE: u64 = 6;
/// Bits of the random addition to every wait, in µs: up to 33 ms, more than the 16 ms for which USB adapters buffer received
/// bytes.
const PAUSE_BITS: u32 = 15;
/// Longest time between two exchanges, pauses aside, in µs.
pub const EXCHANGE_INTERVAL_US: u64 = 1_000_000;
/// A node takes the time at every scan, and puts into a frame the time it took last: longest time since, in µs.
pub const STAMP_AGE_MAX_US: u64 = 1_000;
/// Bytes of a request for a snapshot on the wire, both zeros included.
pub const REQUEST_SNAPSHOT_BYTES: u16 = 17;
/// Time without an answer after which another question follows, in µs.
const ANSWER_MAX_US: u64 = 500_000;
/// Maximum number of open questions: those of two seconds, so that late answers count, too.
const OPEN_MAX: usize = 4;
/// Silence after which a node is not asked, in µs.
const SILENCE_MAX_US: u64 = 3_000_000;

/// A question that was asked.
#[derive(Clone, Copy, Debug)]
struct OpenQuestion {
    /// Number that the answer repeats.
    number: u32,
    at: HubTime,
}

/// The exchanges of time with the node's present boot.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanges {
    /// Time of the first exchange.
    met: HubTime,
    /// Open questions, the latest last.
    open: Vec<OpenQuestion, OPEN_MAX>,
    /// The question is not on the line yet.
    due: bool,
    /// Time of the next question; `None` before the node was met.
    next: Option<HubTime>,
}

impl Exchanges {
    /// Begins exchanges with a node: a new one, a restarted one, or one at a reopened port.
    pub(super) fn begin(&mut self, now: HubTime) {
        self.met = now;
        self.open.clear();
        self.ask(now);
    }

    fn ask(&mut self, now: HubTime) {
        // Distinct from all others of the last hour, also from those of earlier runs of the hub; 0 means none.
        let number = (now.as_micros() as u32).max(1);
        if self.open.is_full() {
            self.open.remove(0);
        }
        // There is room now.
        let _ = self.open.push(OpenQuestion { number, at: now });
        self.due = true;
        self.next = Some(now.plus_micros(ANSWER_MAX_US));
    }

    /// Handles a snapshot that answers the question of this number; returns the time of the question. Earlier questions are closed too:
    /// their answers would be less exact. An answer to no open question is ignored.
    pub(super) fn answered(&mut self, now: HubTime, number: u32) -> Option<HubTime> {
        let index = self.open.iter().position(|asked| asked.number == number)?;
        let OpenQuestion { at, .. } = self.open[index];
        self.open = self.open.iter().skip(index + 1).copied().collect();
        self.due &= !self.open.is_empty();
        let wait_us = (now.micros_since(self.met) / ELAPSED_SHARE).min(EXCHANGE_INTERVAL_US);
        self.next = Some(now.plus_micros(wait_us + pause_us(number)));
        Some(at)
    }

    /// Asks, if a question is due and the node is online.
    pub(super) fn poll(&mut self, now: HubTime, last_frame: Option<HubTime>) {
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        let is_silent = last_frame.is_none_or(|last| now.micros_since(last) > SILENCE_MAX_US);
        match is_silent {
            true => self.next = Some(now.plus_micros(EXCHANGE_INTERVAL_US)),
            false => self.ask(now),
        }
    }

    /// Time at which [`Self::poll`] next has something to do.
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
        self.latest()
    }

    /// The number of the question that was asked last, if it is open: a node answers the last request only, so one for another
    /// reason repeats it.
    pub(super) fn latest(&self) -> Option<u32> {
        self.open.last().map(|asked| asked.number)
    }
}

/// A pause that looks like chance. A question right after each answer would always meet the same phase of an adapter's
/// forwarding interval, and never see the shortest delay.
const fn pause_us(number: u32) -> u64 {
    (number.wrapping_mul(0x9e37_79b1) >> (u32::BITS - PAUSE_BITS)) as u64
}
