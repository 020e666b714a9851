//! Debouncing, one channel at a time: a piece that flickers on its square must not delay the square beside it.
//!
//! A channel's new reading counts once it has held for the debounce time; it is then told with the time at which it began.
//! All channels have the same debounce time, so changes come out in the order of their times. A reading that returns before its
//! time is up never was.

use proto::link::NodeTime;

/// Most channels of one debouncer: the bits of a word.
pub const MAX_CHANNELS: usize = 64;
/// Raw changes of one channel between two health reports from which on it counts as flickering. A move bounces some ten
/// times; nobody makes twenty on one square within ten seconds.
pub const FLICKER_EDGES: u8 = 200;

/// A channel's reading that has come to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When the reading began.
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
    /// When the raw reading began; only of channels whose raw reading is not the settled one.
    since: [NodeTime; CHANNELS],
    edges: [u8; CHANNELS],
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
            edges: [0; CHANNELS],
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
        for channel in channels(raw ^ self.raw) {
            self.since[channel] = now;
            self.edges[channel] = self.edges[channel].saturating_add(1);
        }
        self.raw = raw;
    }

    /// Lets time pass to `now` with the readings unchanged.
    pub fn advance(&mut self, now: NodeTime, mut changed: impl FnMut(Change)) {
        let mut due = 0;
        for channel in channels(self.raw ^ self.settled) {
            if now.micros_since(self.since[channel]) >= u64::from(self.debounce_us) {
                due |= 1 << channel;
            }
        }
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

    /// When the next reading comes to count if no reading changes; `None` when all are settled.
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

    /// Channels that flickered since this was last asked.
    pub fn take_flickering(&mut self) -> u64 {
        let mut flickering = 0;
        for (channel, edges) in self.edges.iter_mut().enumerate() {
            if core::mem::take(edges) >= FLICKER_EDGES {
                flickering |= 1 << channel;
            }
        }
        flickering
    }
}

/// The channels whose bits are set, lowest first.
fn channels(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let channel = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (channel < MAX_CHANNELS).then_some(channel)
    })
}
