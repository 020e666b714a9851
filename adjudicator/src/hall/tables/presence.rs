//! Presence of hubs, and the time since which a table's readings are missing.

use std::collections::VecDeque;

use super::{clock_offset::Offset, work_quota::Effort};
use crate::{
    hall::report::{HubNode, HubPresence},
    limits::{HUB_BOOTS_MAX, HUB_BYTES_MAX},
};

/// The oldest a clock reading is taken to be. Past this the hub's clock was set rather than its line
/// slow.
const MAX_READING_AGE_MS: u64 = 10 * 60 * 1000;

/// Maximum number of troubles of one hub, and of their characters.
const TROUBLES_MAX: usize = 8;
const TROUBLE_CHARS_MAX: usize = 300;

/// Earlier boots of a hub that are remembered.
const EARLIER_BOOTS_MAX: usize = 8;

/// Part of its share of the log from which directors are told of it.
const WARN_AT_PERCENT: u64 = 80;

/// From this difference between a hub's clock and this machine's on, one of them is wrong, milliseconds. A row may take longer to come; the
/// quickest of many does not.
const CLOCK_OFF_MS: i64 = 60_000;

/// A hub that starts again has a new boot. One boot may come back once, from a broker that lost its newest retained
/// messages; where boots come back more often, two hubs take the place from each other.
const RETURNS_OF_ONE_HUB: u32 = 2;

/// Time of a hub's last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubHeard {
    /// Time by its own clock, Unix milliseconds.
    pub hub_ms: u64,
    /// By this machine's, Unix milliseconds.
    pub received_ms: u64,
}

/// A hub as heard.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Hub {
    boot_id: Option<u64>,
    /// Those before, oldest first.
    earlier_boots: VecDeque<u64>,
    /// Number of repeated births since the last new boot.
    returns: u32,
    is_online: bool,
    /// Whether it sent its farewell, or the broker its will.
    has_left: bool,
    /// Its troubles, in its own words.
    troubles: Vec<String>,
    /// The last update of its nodes whose end it has reported; 0: none. After a restart it knows of none.
    update_ended: u64,
    /// The nodes that it saw when it was online last.
    nodes: Vec<HubNode>,
    /// The last request to place nodes whose end it has reported, and what of it does not hold.
    placing_ended: (u64, String),
    /// Its inputs that were refused.
    refused: u64,
    /// Whether directors have the notice that the hub is of another release.
    is_of_other_release: bool,
    /// Bytes of the log that are its.
    bytes: u64,
    /// Number of its boots with rows.
    boots: u64,
    /// Work of its matches.
    pub(in crate::hall) effort: Effort,
    /// Delay of its rows, by its own time and arrival here. Rows above the least delay were held up on the way.
    offset: Offset,
    /// Delay of its last row, milliseconds.
    last_offset_ms: i64,
    /// Time of its last message.
    heard: Option<HubHeard>,
}

/// Notice to directors about a hub whose rows have fields that this release does not know.
const OTHER_RELEASE: &str = "it says what this adjudicator does not know: it is of a later release. Such rows are kept and not shown, everything else \
                             goes on; give hub and adjudicator the same release";

impl Hub {
    /// Takes a birth or will in. Returns whether it is another boot than before.
    pub(in crate::hall) fn hear(&mut self, boot_id: u64, is_online: bool) -> bool {
        let is_new_boot = self.boot_id != Some(boot_id);
        if is_new_boot {
            self.note_return(boot_id, is_online);
            self.offset = Offset::default();
            self.heard = None;
        }
        self.boot_id = Some(boot_id);
        self.is_online = is_online;
        self.has_left = !is_online;
        is_new_boot
    }

    fn note_return(&mut self, boot_id: u64, is_online: bool) {
        let is_known = self.earlier_boots.contains(&boot_id);
        if is_online {
            self.returns = if is_known { self.returns.saturating_add(1) } else { 0 };
        }
        self.earlier_boots.retain(|earlier| *earlier != boot_id);
        self.earlier_boots.extend(self.boot_id);
        if self.earlier_boots.len() > EARLIER_BOOTS_MAX {
            self.earlier_boots.pop_front();
        }
    }

    /// Whether two hubs use its id.
    pub(in crate::hall) fn is_doubled(&self) -> bool {
        self.returns > RETURNS_OF_ONE_HUB
    }

    /// Whether it has sent its farewell; a hub that is merely silent has not.
    pub(in crate::hall) fn has_left(&self) -> bool {
        self.has_left
    }

    /// Counts an input of it that was refused; how many there are.
    pub(in crate::hall) fn refuse(&mut self) -> u64 {
        self.refused += 1;
        self.refused
    }

    /// Records rows of another release. `true` if that is news.
    pub(in crate::hall) fn meet_other_release(&mut self) -> bool {
        !std::mem::replace(&mut self.is_of_other_release, true)
    }

    /// Notice that it is of another release, as far as its rows show.
    pub(in crate::hall) fn other_release(&self) -> Option<&'static str> {
        self.is_of_other_release.then_some(OTHER_RELEASE)
    }

    /// A boot of it that has told nothing before tells something.
    pub(in crate::hall) fn begin_boot(&mut self) {
        self.boots += 1;
    }

    /// Notice that it has used most or all of the boots that one hub may have.
    pub(in crate::hall) fn restlessness(&self) -> Option<String> {
        (self.boots > HUB_BOOTS_MAX / 100 * WARN_AT_PERCENT).then(|| {
            format!(
                "it has started {} times; after {HUB_BOOTS_MAX} starts its rows are refused. Find out why it restarts; another hub.id, or a new \
                 database, lifts the limit",
                self.boots
            )
        })
    }

    /// Counts an input of it.
    pub(in crate::hall) fn count(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Notice that it has filled most or all of its share of the log.
    pub(in crate::hall) fn fullness(&self) -> Option<String> {
        let (used, share) = (self.bytes / 1_000_000, HUB_BYTES_MAX / 1_000_000);
        (self.bytes > HUB_BYTES_MAX / 100 * WARN_AT_PERCENT).then(|| {
            format!(
                "it has written {used} MB into the log; its rows are refused above {share} MB. Find out why it writes so much; a new database \
                 has room again"
            )
        })
    }

    /// Offset of its clock from this machine's, in words, if one of the two is wrong. A row that comes late looks like a
    /// clock that is behind; so the quickest row says whether it is.
    pub(in crate::hall) fn wrong_clock(&self) -> Option<String> {
        let behind_ms = self.offset.least()?;
        let (off_ms, way) = match self.last_offset_ms {
            ahead_ms if ahead_ms < -CLOCK_OFF_MS => (ahead_ms.unsigned_abs(), "ahead of"),
            _ if behind_ms > CLOCK_OFF_MS => (behind_ms.unsigned_abs(), "behind"),
            _ => return None,
        };
        let (hours, minutes) = (off_ms / 3_600_000, off_ms / 60_000 % 60);
        Some(format!(
            "its clock is {hours} h {minutes} min {way} this machine's, and so are the times in its tables' records. Set the clock that is \
             wrong, by the network or by hand"
        ))
    }

    /// Records its troubles: a few short texts, whatever it sends.
    pub(in crate::hall) fn complain(&mut self, troubles: &[String]) {
        self.troubles = shortened(troubles);
    }

    /// Its troubles, in its own words.
    pub(in crate::hall) fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// Records the last update of its nodes whose end it reports.
    pub(in crate::hall) fn note_update(&mut self, update_ended: u64) {
        if update_ended != 0 {
            self.update_ended = update_ended;
        }
    }

    /// The last update of its nodes whose end it has reported; 0: none.
    pub(in crate::hall) fn update_ended(&self) -> u64 {
        self.update_ended
    }

    /// Records the nodes that it sees, as long as it is online, and the end of a request to place them.
    pub(in crate::hall) fn note_nodes(&mut self, state: &HubPresence) {
        if state.is_online {
            self.nodes = state.nodes.clone();
            self.placing_ended = (state.placing_ended, state.placing_refused.clone());
        }
    }

    /// The nodes that it saw when it was online last.
    pub(in crate::hall) fn nodes(&self) -> &[HubNode] {
        &self.nodes
    }

    /// The last request to place nodes whose end it has reported, and what of it does not hold.
    pub(in crate::hall) fn placing_ended(&self) -> (u64, &str) {
        (self.placing_ended.0, &self.placing_ended.1)
    }

    pub(in crate::hall) fn differs(&self, state: &HubPresence) -> bool {
        self.boot_id != Some(state.boot_id)
            || self.is_online != state.is_online
            || self.troubles != shortened(&state.troubles)
            || (state.update_ended != 0 && self.update_ended != state.update_ended)
            || (state.is_online && self.nodes != state.nodes)
            || (state.is_online
                && self.placing_ended() != (state.placing_ended, state.placing_refused.as_str()))
    }

    pub(in crate::hall) fn forget_presence(&mut self) {
        self.is_online = false;
    }

    /// Time of its last message.
    pub(in crate::hall) fn heard(&self) -> Option<HubHeard> {
        self.heard
    }

    pub(in crate::hall) fn is_online(&self) -> bool {
        self.is_online
    }

    /// The moment here at which something happened there: rows that were held up by an outage carry
    /// clock readings of before it.
    pub(in crate::hall) fn local_ms(&mut self, hub_ms: u64, received_ms: u64) -> u64 {
        let offset = received_ms.cast_signed().wrapping_sub(hub_ms.cast_signed());
        let least = self.offset.note(offset, received_ms);
        self.last_offset_ms = offset;
        if self.heard.is_none_or(|heard| hub_ms >= heard.hub_ms) {
            self.heard = Some(HubHeard { hub_ms, received_ms });
        }
        let held_up_ms = offset.wrapping_sub(least).unsigned_abs();
        match held_up_ms > MAX_READING_AGE_MS {
            true => received_ms,
            false => received_ms.saturating_sub(held_up_ms),
        }
    }
}

/// The kept part of a hub's troubles.
pub(crate) fn shortened(troubles: &[String]) -> Vec<String> {
    let short = |words: &String| words.chars().take(TROUBLE_CHARS_MAX).collect();
    troubles.iter().take(TROUBLES_MAX).map(short).collect()
}

/// Whether a table's readings reach us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::hall) enum ReadingsLine {
    /// Readings have never come.
    #[default]
    NeverHeard,
    /// Readings come.
    Live,
    /// Readings are missing since this moment, Unix milliseconds.
    Lost(u64),
}

impl ReadingsLine {
    /// Returns whether that is a change.
    pub(in crate::hall) fn set(&mut self, is_live: bool, now_ms: u64) -> bool {
        let next = match (*self, is_live) {
            (_, true) => ReadingsLine::Live,
            (ReadingsLine::Live, false) => ReadingsLine::Lost(now_ms),
            (unchanged, false) => unchanged,
        };
        std::mem::replace(self, next) != next
    }

    pub(in crate::hall) fn is_live(self) -> bool {
        self == ReadingsLine::Live
    }

    pub(in crate::hall) fn stale_since_ms(self) -> Option<u64> {
        match self {
            ReadingsLine::Lost(since_ms) => Some(since_ms),
            ReadingsLine::NeverHeard | ReadingsLine::Live => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_held_up_by_an_outage_keep_their_age() {
        let mut hub = Hub::default();
        assert_eq!(hub.local_ms(1_000, 51_000), 51_000);
        assert_eq!(hub.local_ms(2_000, 52_010), 52_000);
        // Ten seconds without a line, then everything at once.
        assert_eq!(hub.local_ms(3_000, 62_000), 53_000);
        assert_eq!(hub.local_ms(12_000, 62_000), 62_000);
    }

    #[test]
    fn this_machines_clock_set_forward_in_play_does_not_leave_the_clocks_behind() {
        let mut hub = Hub::default();
        let row = |hub: &mut Hub, at_ms: u64, step_ms: u64| hub.local_ms(at_ms, at_ms + step_ms);
        for at_ms in (100_000..160_000).step_by(500) {
            assert_eq!(row(&mut hub, at_ms, 0), at_ms);
        }
        let read = |at_ms| row(&mut hub, at_ms, 300_000);
        let read: Vec<u64> = (160_000..190_000).step_by(500).map(read).collect();
        assert_eq!(read.last(), Some(&(189_500 + 300_000)), "half a minute later");
    }

    #[test]
    fn a_hub_clock_that_is_set_back_an_hour_does_not_stop_the_clocks() {
        let mut hub = Hub::default();
        hub.local_ms(3_600_000, 3_600_000);
        assert_eq!(hub.local_ms(1_000, 3_601_000), 3_601_000);
    }

    #[test]
    fn a_table_never_heard_is_not_stale_since_some_moment() {
        let mut line = ReadingsLine::default();
        assert!(!line.set(false, 5));
        assert_eq!(line.stale_since_ms(), None);
        assert!(line.set(true, 6));
        assert!(line.set(false, 7));
        assert!(!line.set(false, 8));
        assert_eq!(line.stale_since_ms(), Some(7));
    }

    #[test]
    fn a_clock_that_is_wrong_is_told_and_a_line_that_was_away_is_not() {
        let hour_ms = 3_600_000;
        let heard = |rows: &[(u64, u64)]| {
            let mut hub = Hub::default();
            for &(hub_ms, received_ms) in rows {
                hub.local_ms(hub_ms, received_ms);
            }
            hub.wrong_clock()
        };
        assert_eq!(Hub::default().wrong_clock(), None);
        assert_eq!(heard(&[(hour_ms, hour_ms + 20)]), None);
        // Ten minutes without a line.
        assert_eq!(heard(&[(hour_ms, hour_ms + 20), (hour_ms + 100, hour_ms + 600_000)]), None);
        let behind = heard(&[(hour_ms, 3 * hour_ms + 300_000)]);
        assert!(behind.is_some_and(|words| words.contains("2 h 5 min behind")));
        let ahead = heard(&[(hour_ms, hour_ms), (3 * hour_ms, hour_ms + 5)]);
        assert!(ahead.is_some_and(|words| words.contains("1 h 59 min ahead")));
        // It was set.
        assert_eq!(heard(&[(3 * hour_ms, hour_ms), (hour_ms + 10, hour_ms + 20)]), None);
    }

    fn births(boots: impl IntoIterator<Item = u64>) -> Hub {
        let mut hub = Hub::default();
        for boot_id in boots {
            // A client that the broker disconnects leaves its will.
            if let Some(before) = hub.boot_id {
                hub.hear(before, false);
            }
            hub.hear(boot_id, true);
        }
        hub
    }

    #[test]
    fn two_hubs_that_put_each_other_out_are_known_by_their_boots_that_come_back() {
        assert!(births([7, 8, 7, 8, 7]).is_doubled());
        assert!(births([7, 8, 7, 8, 9, 8, 9, 8, 9]).is_doubled(), "one of them was started again");
    }

    #[test]
    fn a_hub_that_starts_again_and_again_is_one_hub() {
        assert!(!births(1..1_000).is_doubled());
        assert!(!births([7, 8, 7, 8]).is_doubled(), "a broker that lost a retained birth");
        assert!(!births([7; 50]).is_doubled(), "a connection that breaks often");
        assert!(!births([7, 8, 7, 8, 7, 8, 9]).is_doubled(), "both were started again");
        assert!(births(1..1_000).earlier_boots.len() <= EARLIER_BOOTS_MAX);
    }
}
