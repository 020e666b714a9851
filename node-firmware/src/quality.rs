//! Quality of a contact, judged by its bouncing.
//!
//! These counts distinguish a failing reed switch, or a magnet at the edge of its reach, from a hand. A good switch bounces for half a
//! millisecond and then holds. Therefore long unrest before a change, or a change that reverts at once, comes from the contact. Both
//! happen to good contacts now and then (a piece is slid), so only repeated incidents count.

use proto::link::NodeTime;

/// Raw changes of one channel between two health reports from which on it counts as chattering. A move bounces some ten times; no
/// player makes twenty on one square within ten seconds.
pub const FLICKER_EDGES: u8 = 200;
/// Unrest before a change from which on it is an incident, in µs: forty times a good switch's bouncing.
pub const LONG_BOUNCE_US: u32 = 20_000;
/// Incidents from which on a contact counts as weak.
pub const WEAK_INCIDENTS: u8 = 4;
/// Reports after which one incident is forgotten.
const REPORTS_TO_FORGET: u8 = 3;
/// Changes of each neighbour from which on a contact that never changed counts as stuck.
pub const STUCK_NEIGHBOUR_CHANGES: u8 = 6;

/// Counts of each channel.
#[derive(Clone, Debug)]
pub struct Quality<const CHANNELS: usize> {
    /// Raw changes since the last report.
    edges: [u8; CHANNELS],
    /// Start of the present unrest: the low bits of the time, in µs; it never lasts for over an hour.
    restless_since_us: [u32; CHANNELS],
    incidents: [u8; CHANNELS],
    /// Changes that counted, since the boot.
    changes: [u8; CHANNELS],
    reports: u8,
}

impl<const CHANNELS: usize> Quality<CHANNELS> {
    pub(crate) const fn new() -> Self {
        Self {
            edges: [0; CHANNELS],
            restless_since_us: [0; CHANNELS],
            incidents: [0; CHANNELS],
            changes: [0; CHANNELS],
            reports: 0,
        }
    }

    /// The raw reading changed; `first`: after it had been at rest.
    pub(crate) fn edge(&mut self, channel: usize, now: NodeTime, first: bool) {
        self.edges[channel] = self.edges[channel].saturating_add(1);
        if first {
            self.restless_since_us[channel] = now.as_micros() as u32;
        }
    }

    /// The channel has come to rest: its reading of `since` counts, and is another than before if `changed`.
    pub(crate) fn calm(&mut self, channel: usize, since: NodeTime, changed: bool) {
        let bounced_us = (since.as_micros() as u32).wrapping_sub(self.restless_since_us[channel]);
        if changed {
            self.changes[channel] = self.changes[channel].saturating_add(1);
        }
        if !changed || bounced_us >= LONG_BOUNCE_US {
            self.incidents[channel] = self.incidents[channel].saturating_add(1);
        }
    }

    /// A reading counted that had no unrest before it.
    pub(crate) fn change(&mut self, channel: usize) {
        self.changes[channel] = self.changes[channel].saturating_add(1);
    }

    pub(crate) fn begin_report(&mut self) {
        self.edges = [0; CHANNELS];
        self.reports += 1;
        if self.reports == REPORTS_TO_FORGET {
            self.reports = 0;
            for incidents in &mut self.incidents {
                *incidents = incidents.saturating_sub(1);
            }
        }
    }

    /// Raw changes of each channel since the last report.
    pub const fn edges(&self) -> &[u8; CHANNELS] {
        &self.edges
    }

    /// Channels that chattered since the last report.
    pub fn chattering(&self) -> u64 {
        bits(&self.edges, |&edges| edges >= FLICKER_EDGES)
    }

    /// Channels that work, but barely.
    pub fn weak(&self) -> u64 {
        bits(&self.incidents, |&incidents| incidents >= WEAK_INCIDENTS)
    }

    /// Channels that have not changed since the boot although each of their neighbours has, often. The channels are `width` in
    /// a row; neighbours are those beside a channel, and if `around`, those of the rows above and below.
    pub fn stuck(&self, width: usize, around: bool) -> u64 {
        let never = bits(&self.changes, |&changes| changes == 0);
        let often = bits(&self.changes, |&changes| changes >= STUCK_NEIGHBOUR_CHANGES);
        let mut stuck = 0;
        for channel in crate::debounce::channels(never) {
            let (row, column) = (channel / width, channel % width);
            let reach = usize::from(around);
            let rows = row.saturating_sub(reach)..(row + reach + 1).min(CHANNELS / width);
            let columns = column.saturating_sub(1)..(column + 2).min(width);
            let mut around = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
            let all =
                around.all(|(r, c)| (r, c) == (row, column) || often >> (r * width + c) & 1 == 1);
            stuck |= u64::from(all) << channel;
        }
        stuck
    }
}

fn bits<T>(all: &[T], is: impl Fn(&T) -> bool) -> u64 {
    all.iter().enumerate().fold(0, |bits, (channel, one)| bits | u64::from(is(one)) << channel)
}
