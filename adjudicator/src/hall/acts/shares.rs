//! Limits of one device's acts in the log: a phone in wrong hands, of any rank, must neither fill the disk of the hall nor keep
//! everybody else waiting.
//!
//! Generous for people: nobody taps so fast, and acts that a phone has kept through a dead spot are accepted at once. The token of the configuration has
//! no limit: its owner has the machine.

use std::collections::HashMap;

use crate::hall::event::staff::{DeviceId, Rank};

/// Acts of a device at once: twice as many as its pages keep until they are answered (`WAITING_MAX` in the pages' queue).
const AT_ONCE: u64 = 400;

/// Milliseconds for each act beyond: five a second, more than anybody taps for long (assumed).
const EACH_MS: u64 = 200;

/// The same of a link on paper, which many hands may hold: ten acts at once, then one in three seconds.
const OF_LINK: (u64, u64) = (10, 3_000);

/// Most bytes of a device of somebody who decides at tables: some fifty thousand decisions.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The same for a device that imports organisers' files: thirty of the largest ([`ACT_BYTES_MAX`](crate::limits::ACT_BYTES_MAX)).
const BYTES_WITH_FILES_MAX: u64 = 256 * 1024 * 1024;

/// Part of its share from which directors are told of a device.
const WARN_AT_PERCENT: u64 = 80;

/// Maximum bytes of a device of a person of this rank.
fn bytes_max(rank: Rank) -> u64 {
    if rank < Rank::SectionChief { BYTES_MAX } else { BYTES_WITH_FILES_MAX }
}

/// Whether so many bytes more fit into a device's share.
pub(crate) fn has_room(rank: Rank, written: u64, bytes: u64) -> bool {
    written.saturating_add(bytes) <= bytes_max(rank)
}

/// Notice that a device has filled most or all of its share of the log.
pub(crate) fn fullness(rank: Rank, written: u64) -> Option<String> {
    let (used, share) = (written / 1_000_000, bytes_max(rank) / 1_000_000);
    (written > bytes_max(rank) / 100 * WARN_AT_PERCENT).then(|| {
        format!(
            "has written {used} MB into the log; its acts are refused above {share} MB. Ask what is done with it, then shut it out or pair it again"
        )
    })
}

/// Rates of devices: for each, the time at which its allowance is full, milliseconds of a monotonic clock.
#[derive(Debug, Default)]
pub(crate) struct Rates(HashMap<DeviceId, u64>);

impl Rates {
    /// A device acts at `now_ms`. Whether it may.
    pub(crate) fn take(&mut self, device: DeviceId, now_ms: u64) -> bool {
        let (at_once, each_ms) = if device.is_link() { OF_LINK } else { (AT_ONCE, EACH_MS) };
        let free_ms = self.0.entry(device).or_default();
        let next_ms = (*free_ms).max(now_ms) + each_ms;
        let may = next_ms <= now_ms + at_once * each_ms;
        if may {
            *free_ms = next_ms;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_phone_kept_is_taken_at_once_and_whoever_never_stops_is_taken_five_acts_a_second() {
        let mut rates = Rates::default();
        let taken = |rates: &mut Rates, device: u32, now_ms: u64| {
            (0..1_000).filter(|_| rates.take(DeviceId(device), now_ms)).count()
        };
        assert_eq!(taken(&mut rates, 7, 5), 400);
        assert_eq!(taken(&mut rates, 8, 5), 400, "another device has its own");
        assert_eq!(taken(&mut rates, 7, 1_005), 5);
        let link = DeviceId::of_link(7).0;
        assert_eq!((taken(&mut rates, link, 5), taken(&mut rates, link, 6_005)), (10, 2));
        assert_eq!(taken(&mut rates, 7, 600_000), 400, "it has rested");
        let tapping = (0..2_000).all(|tap| rates.take(DeviceId(9), tap * 200));
        assert!(tapping, "somebody who taps five times a second for long");
    }

    #[test]
    fn a_device_has_a_share_of_its_rank_and_directors_are_told_before_it_is_full() {
        assert!(has_room(Rank::Scorekeeper, BYTES_MAX - 5, 5));
        assert!(!has_room(Rank::Floor, BYTES_MAX - 5, 6));
        assert!(has_room(Rank::SectionChief, 31 * crate::limits::ACT_BYTES_MAX as u64, 1));
        assert_eq!(fullness(Rank::Scorekeeper, BYTES_MAX / 2), None);
        assert!(fullness(Rank::Scorekeeper, BYTES_MAX).is_some_and(|it| it.contains("16 MB")));
    }
}
