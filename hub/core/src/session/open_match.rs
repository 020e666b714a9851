//! The match that is open at a table: what a session knows of it until it is closed.

use std::collections::{BTreeMap, BTreeSet};

use inference::facts::{Facts, FactsFile};
use proto::mqtt::message::MatchState;
use proto::mqtt::message::row::Event;
use readings::Reading;
use rules::BoardId;

use super::clock_rows::ClockRows;
use super::exchange::Exchange;
use super::follower::Follower;
use super::reinstatement::{PutUps, position_stands};
use super::unpressed::Unpressed;
use crate::HubTime;
use crate::journal::MatchRecord;
use crate::journal_line::FactLine;
use crate::revisions::{Ids, PublishedMatch};

/// State of a session between two matches.
#[derive(Debug)]
pub(super) enum Phase {
    /// No match.
    Waiting,
    /// A match.
    Open(Box<OpenMatch>),
    /// A match that is over, unless play goes on.
    Over(Box<OpenMatch>),
}

/// A match that was opened.
#[derive(Debug)]
pub(super) struct OpenMatch {
    pub(super) id: String,
    /// The beginning of its trace.
    pub(super) opened: HubTime,
    pub(super) state: MatchState,
    /// None while the pieces are being set up again.
    pub(super) follower: Option<Follower>,
    /// Plies that are seen without presses.
    pub(super) unpressed: Unpressed,
    /// A board that tells colours and lies turned by half.
    pub(super) turned_by_half: Option<BoardId>,
    /// Time of the position from which play goes on: of a press, or when the clocks were stopped. Match time.
    pub(super) stood_us: u64,
    /// Boards whose pieces were put back while it goes on at the other.
    pub(super) put_back: Vec<BoardId>,
    /// Whether nothing was read since it was opened.
    pub(super) is_untouched: bool,
    /// Reports of plies so far.
    pub(super) plies: u32,
    pub(super) retold: Retold,
    pub(super) clock_rows: ClockRows,
    pub(super) exchange: Exchange,
    pub(super) record: MatchRecord,
}

impl Phase {
    pub(super) fn open(&self) -> Option<&OpenMatch> {
        match self {
            Phase::Waiting | Phase::Over(_) => None,
            Phase::Open(open) => Some(open),
        }
    }

    pub(super) fn open_mut(&mut self) -> Option<&mut OpenMatch> {
        match self {
            Phase::Waiting | Phase::Over(_) => None,
            Phase::Open(open) => Some(open),
        }
    }
}

/// Maximum number of readings that are kept of a match, ten times those of a long one. A match with more is followed again when it is over.
const READINGS_MAX: usize = 100_000;

/// Readings and rows of the open match.
#[derive(Debug, Default)]
pub(super) struct Retold {
    pub(super) readings: Vec<Reading>,
    is_whole: bool,
    /// By the orders that told them, in the order in which they came.
    pub(super) facts: BTreeMap<u64, (usize, String)>,
    /// Orders whose fact was taken back, some before it came: a lost message is sent again later.
    taken_back: BTreeSet<u64>,
    pub(super) shown: PublishedMatch,
    /// Rows that retract the plies of a former follower, until they are published.
    pub(super) withdrawn: Vec<Event>,
    pub(super) put_ups: PutUps,
    /// Ids under which the follower's plies were published, once it is not the first follower.
    pub(super) ids: Option<Ids>,
    /// Whether following the match again failed the last time, which was reported.
    pub(super) has_failed: bool,
}

impl Retold {
    /// The match is followed from these readings on. Plies and anomalies of a former follower are of no play: it is set up again.
    pub(super) fn begin(&mut self, readings: Vec<Reading>) {
        (self.readings, self.is_whole) = (readings, true);
        let (withdrawn, ids) = self.shown.differences(PublishedMatch::default());
        if !withdrawn.is_empty() {
            withdrawn.iter().for_each(|event| self.shown.take(event));
            self.withdrawn.extend(withdrawn);
            self.ids = Some(ids);
        }
    }

    /// Rows that a former follower published.
    pub(super) fn begin_with(&mut self, told: &[Event]) {
        (self.shown, self.ids) = (PublishedMatch::of(told), None);
        self.put_ups.begin_with(told.iter().filter_map(position_stands));
    }

    /// Whether all its readings are known.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Keeps only some of the readings. Whether that changes them.
    pub(super) fn keep_only(&mut self, which: impl FnOnce(&[Reading]) -> Vec<Reading>) -> bool {
        let kept = which(&self.readings);
        let changes = kept.len() != self.readings.len();
        self.readings = kept;
        changes
    }

    /// Keeps a reading that the follower was given.
    pub(super) fn keep(&mut self, reading: Reading) {
        if self.readings.len() < READINGS_MAX {
            self.readings.push(reading);
        } else {
            (self.readings, self.is_whole) = (Vec::new(), false);
        }
    }

    /// Rows for the follower's outputs.
    pub(super) fn tell(&mut self, event: Event) -> Option<Event> {
        let event = match &mut self.ids {
            Some(ids) => ids.renumber(event, &self.shown)?,
            None => event,
        };
        if let Some(stands) = position_stands(&event)
            && !self.put_ups.stands(stands)
        {
            return None;
        }
        self.shown.take(&event);
        Some(event)
    }

    /// Notes what is known. Returns whether that is news.
    pub(super) fn note(&mut self, FactLine { order, fact, .. }: &FactLine) -> bool {
        match fact {
            Some(_) if self.taken_back.contains(order) => false,
            Some(line) => {
                let place = self.facts.values().map(|(place, _)| place + 1).max().unwrap_or(0);
                self.facts.insert(*order, (place, line.clone())).is_none()
            }
            None => {
                self.taken_back.insert(*order);
                self.facts.remove(order).is_some()
            }
        }
    }

    pub(super) fn facts_of(&self, match_id: &str) -> Facts {
        let mut lines: Vec<&(usize, String)> = self.facts.values().collect();
        lines.sort();
        let files = lines.iter().filter_map(|(_, line)| FactsFile::read(line.as_bytes()).ok());
        files.flat_map(|file| file.of(match_id).iter().cloned().collect::<Vec<_>>()).collect()
    }
}
