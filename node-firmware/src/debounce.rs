//! Debouncing, one channel at a time: a piece that flickers on its square must not delay the square beside it.
//!
//! A channel's new reading counts once it has held for the debounce time. The change then carries the time at which the reading began.
//! All channels have the same debounce time, so changes come out in the order of their times. A reading that returns before its time is
//! up is ignored.

use proto::link::NodeTime;

use crate::quality::Quality;

/// Maximum number of channels of one debouncer: the bits of a word.
pub const MAX_CHANNELS: usize = 64;

/// A channel's reading that has come to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Time at which the reading began.
    pub time: NodeTime,
    /// The channel, from 0.
    pub channel: u8,
    /// The reading.
    pub on: bool,
}

/// Up to 64 channels, each with its own timer. Bit *n* of every word is channel *n*.
#[derive(Clone, Debug)]
pub struct Debouncer<const CHANNELS: usize> {
    debounce_us: u32,
    started: bool,
    raw: u64,
    settled: u64,
    /// Time at which the raw reading began; valid only for restless channels.
    since: [NodeTime; CHANNELS],
    /// Channels whose raw reading has changed within the debounce time.
    restless: u64,
    quality: Quality<CHANNELS>,
}

impl<const CHANNELS: usize> Debouncer<CHANNELS> {
    const MASK: u64 = {
        assert!(CHANNELS >= 1 && CHANNELS <= MAX_CHANNELS);
        u64::MAX >> (MAX_CHANNELS - CHANNELS)
    };

    /// A debouncer before its first reading.
    pub const fn new(debounce_us: u32) -> Self {
        Self {
            debounce_us,
            started: false,
            raw: 0,
            settled: 0,
            since: [NodeTime::ZERO; CHANNELS],
            restless: 0,
            quality: Quality::new(),
        }
    }

    /// Takes the raw readings at `now`; calls `changed` for every reading that counts since then, oldest first. The very first
    /// readings count at once and are no change.
    pub fn observe(&mut self, now: NodeTime, raw: u64, changed: impl FnMut(Change)) {
        let raw = raw & Self::MASK;
        if !self.started {
            self.started = true;
            self.raw = raw;
            self.settled = raw;
            return;
        }
        self.advance(now, changed);
        let edges = raw ^ self.raw;
        for channel in channels(edges) {
            self.since[channel] = now;
            self.quality.edge(channel, now, self.restless >> channel & 1 == 0);
        }
        self.restless |= edges;
        self.raw = raw;
    }

    /// Lets time pass to `now` with the readings unchanged.
    pub fn advance(&mut self, now: NodeTime, mut changed: impl FnMut(Change)) {
        let mut calm = 0;
        for channel in channels(self.restless) {
            if now.micros_since(self.since[channel]) >= u64::from(self.debounce_us) {
                calm |= 1 << channel;
                let changed = (self.raw ^ self.settled) >> channel & 1 == 1;
                self.quality.calm(channel, self.since[channel], changed);
            }
        }
        self.restless &= !calm;
        let mut due = calm & (self.raw ^ self.settled);
        self.settled ^= due;
        while let Some(oldest) = channels(due).min_by_key(|&channel| self.since[channel]) {
            due &= !(1 << oldest);
            changed(Change {
                time: self.since[oldest],
                channel: oldest as u8,
                on: self.settled >> oldest & 1 == 1,
            });
        }
    }

    /// Returns the time at which the next reading comes to count if no reading changes; `None` when all are settled.
    pub fn next_due(&self) -> Option<NodeTime> {
        let since = channels(self.raw ^ self.settled).map(|channel| self.since[channel]).min()?;
        Some(since.plus_micros(u64::from(self.debounce_us)))
    }

    /// The readings that count.
    pub const fn settled(&self) -> u64 {
        self.settled
    }

    /// The raw readings given last.
    pub const fn raw(&self) -> u64 {
        self.raw
    }

    /// Whether there was a first reading.
    pub const fn is_started(&self) -> bool {
        self.started
    }

    /// The debounce time in µs.
    pub const fn debounce_us(&self) -> u32 {
        self.debounce_us
    }

    /// Returns the quality of the channels' contacts.
    pub const fn quality(&self) -> &Quality<CHANNELS> {
        &self.quality
    }

    /// Ends a report: the counts of a report start again from 0.
    pub fn begin_report(&mut self) {
        self.quality.begin_report();
    }
}

/// The channels whose bits are set, lowest first.
pub(crate) fn channels(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let channel = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (channel < MAX_CHANNELS).then_some(channel)
    })
}
