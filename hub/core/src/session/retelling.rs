//! A match that is followed anew while it is played, because somebody knows something of it.
//!
//! What a director or a player says of a ply weighs on everything that follows from it, so that one answer settles many plies. The readings of the open match are kept;
//! with a fact they are given to a new follower, and what comes out differently is told as the next revisions of what was told. From there on the
//! new follower goes on, under the ids that are known. A fact is a line like a reading: a session that is
//! given its lines again says the same again.

use std::collections::BTreeMap;

use inference::facts::{Fact, Facts, FactsFile, MatchResult};
use proto::mqtt::message::row::Event;
use readings::Reading;

use super::lifecycle::OpenMatch;
use super::putting_up::{PutUps, position_stands};
use super::{Session, SessionOutput, events};
use crate::journal::OutgoingEvent;
use crate::record::FactLine;
use crate::shown::{Ids, Shown};

/// Readings of a match that are kept, ten times those of a long one. A match with more is followed anew when it is over.
const READINGS_MAX: usize = 100_000;

/// What was read and told of the open match.
#[derive(Debug, Default)]
pub(super) struct Retold {
    readings: Vec<Reading>,
    is_whole: bool,
    /// By the orders that told them, in the order in which they came.
    facts: BTreeMap<u64, (usize, String)>,
    shown: Shown,
    pub(super) put_ups: PutUps,
    /// Under which ids the follower's plies were told, once it is not the first one.
    ids: Option<Ids>,
    /// Following it anew failed the last time, which people were told.
    has_failed: bool,
}

impl Retold {
    /// The match is followed from these readings on.
    pub(super) fn begin(&mut self, readings: Vec<Reading>) {
        (self.readings, self.is_whole) = (readings, true);
    }

    /// All this was told of it, by a follower that is no more.
    pub(super) fn begin_with(&mut self, told: &[Event]) {
        (self.shown, self.ids) = (Shown::of(told), None);
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

    /// What is told of what the follower says.
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
    fn note(&mut self, FactLine { order, fact, .. }: &FactLine) -> bool {
        match fact {
            Some(line) => {
                let place = self.facts.values().map(|(place, _)| place + 1).max().unwrap_or(0);
                self.facts.insert(*order, (place, line.clone())).is_none()
            }
            None => self.facts.remove(order).is_some(),
        }
    }

    fn facts_of(&self, match_id: &str) -> Facts {
        let mut lines: Vec<&(usize, String)> = self.facts.values().collect();
        lines.sort();
        let files = lines.iter().filter_map(|(_, line)| FactsFile::read(line.as_bytes()).ok());
        files.flat_map(|file| file.of(match_id).iter().cloned().collect::<Vec<_>>()).collect()
    }
}

impl Session {
    /// Whether what an order told of the open match is known.
    #[must_use]
    pub fn knows_fact(&self, order: u64) -> bool {
        self.phase.open().is_some_and(|open| open.retold.facts.contains_key(&order))
    }

    /// Takes what somebody knows of the open match, and follows it anew; of another match it says nothing here.
    pub(super) fn take_fact(&mut self, fact: &FactLine) {
        let Some(open) = self.phase.open_mut().filter(|open| open.id == fact.match_id) else {
            return;
        };
        if !open.retold.note(fact) {
            return;
        }
        open.is_untouched = false;
        let facts = open.retold.facts_of(&fact.match_id);
        open.retold.put_ups.know(&facts);
        open.clock_rows.know(&facts);
        let is_decided =
            |it: &Fact| matches!(it, Fact::Ending(end) if end.result == MatchResult::Decided);
        if open.plies == 0 && facts.iter().any(is_decided) {
            let steps = self.life.decide(self.now);
            self.carry_out(steps);
            return;
        }
        if open.retold.is_whole && open.follower.is_some() {
            self.follow_anew();
        }
        self.tell_all_squares();
    }

    /// Follows the open match anew, all of whose readings are known, and tells what comes out differently. False if inference fails: then it
    /// goes on as before.
    pub(super) fn follow_anew(&mut self) -> bool {
        let Some(open) = self.phase.open() else { return false };
        let header = self.trace_header(&open.id);
        let facts = open.retold.facts_of(&open.id);
        let mut follower = self.follower(&header, facts);
        let (mut after, mut stood) = (Shown::default(), Vec::new());
        let mut drain = |follower: &mut super::Follower| {
            while let Some(output) = follower.poll_output() {
                let Some(event) = events::tracked(&header.match_id, output) else { continue };
                after.take(&event);
                if position_stands(&event).is_some() {
                    stood.push(event);
                }
            }
        };
        for reading in &open.retold.readings {
            follower.handle(reading);
            drain(&mut follower);
        }
        follower.handle_timeout(self.now.micros_since(open.opened));
        drain(&mut follower);
        let at = self.now;
        let failure = follower.take_failure();
        let Some(open) = self.phase.open_mut() else { return false };
        let OpenMatch { retold, plies, .. } = open;
        let had_failed = std::mem::replace(&mut retold.has_failed, failure.is_some());
        if let Some(failure) = failure {
            let words = format!(
                "match {} cannot be followed anew with what was said of it, because inference failed ({failure}); it goes on without: \
                 report this with the hub's journal",
                header.match_id
            );
            if !had_failed {
                self.outputs.push_back(SessionOutput::Notice(words));
            }
            return false;
        }
        let (told, ids) = retold.shown.differences(after);
        for event in told {
            retold.shown.take(&event);
            *plies += u32::from(matches!(event, Event::PlyReported(_)));
            self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
        }
        retold.ids = Some(ids);
        for event in stood.into_iter().filter_map(|event| retold.tell(event)) {
            self.outputs.push_back(SessionOutput::Row(OutgoingEvent { at, event }));
        }
        open.follower = Some(follower);
        if open.plies > 0 {
            self.life.note_ply();
        }
        true
    }
}
