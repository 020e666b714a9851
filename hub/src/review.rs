//! A match looked at again when it is over: with what people know of it, and for what somebody who was there should be asked.
//!
//! The trace is in the journal, so the match can be followed as often as somebody has something to say about it. What comes out differently is
//! told as the next revisions of the plies that were told before: a ply keeps its id as long as it stands at its place, which is board, side and time. It
//! runs beside the table, whose next match has begun by then.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use inference::facts::{Facts, FactsFile, Unreconciled};
use inference::record::{InferredLine, Reading, TraceHeader};
use inference::{Told, Tracker, TrackerConfig, TrackerOutput};
use proto::mqtt::MAX_QUESTIONS;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{
    Alternative, AnomalyReported, AnomalyRetracted, OrderOutcome, PlyReported, PlyRetracted,
    Question, QuestionsAsked,
};
use tokio::task::JoinHandle;
use tracing::warn;

use crate::evidence::{self, Wanted};
use crate::journal::{Journal, JournalError, KnownFacts, Reader};
use crate::orders::{OrderKind, OrderRecord};
use crate::panicked;
use crate::session::tracked;

/// Matches that may wait to be looked at.
const WAITING_MAX: usize = 64;
/// A ply or an anomaly that was told at this distance in time is the same one, microseconds.
const SAME_US: u64 = 1_500_000;
/// A probability that moves less is no news.
const P_NEWS: f64 = 0.005;

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Reviewed {
    /// What is to be told.
    pub(crate) events: Vec<Event>,
    /// Orders that have ended by it, in words if a fact is not borne out.
    pub(crate) ended: Vec<(OrderRecord, OrderOutcome, String)>,
}

/// Something to be looked up in the journal beside the table.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Job {
    /// A match is to be followed again.
    Review(String),
    /// A part of a match is to be shown.
    Evidence(Wanted),
}

/// The matches of a table that wait to be looked at, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Reviews {
    waiting: VecDeque<Job>,
    running: Option<JoinHandle<Reviewed>>,
}

impl Reviews {
    /// A match is to be looked at.
    pub(crate) fn want(&mut self, match_id: &str) {
        let job = Job::Review(match_id.to_owned());
        if self.waiting.len() < WAITING_MAX && !self.waiting.contains(&job) {
            self.waiting.push_back(job);
        }
    }

    /// A part of a match is to be shown; somebody waits for it. False: too many wait already.
    pub(crate) fn show(&mut self, wanted: Wanted) -> bool {
        let has_room = self.waiting.len() < WAITING_MAX;
        if has_room {
            self.waiting.push_front(Job::Evidence(wanted));
        }
        has_room
    }

    /// Begins with the next one, unless one is being looked at.
    pub(crate) fn start(&mut self, journal: &Journal, reader: &Reader) {
        if self.running.is_none()
            && let Some(job) = self.waiting.pop_front()
        {
            let (journal, reader) = (journal.clone(), reader.clone());
            self.running = Some(tokio::spawn(async move {
                look(&journal, &reader, &job).await.unwrap_or_else(|error| {
                    warn!(?job, "the journal cannot be looked at: {error}");
                    Reviewed::default()
                })
            }));
        }
    }

    /// What came of the match that is being looked at; waits for ever while none is.
    pub(crate) async fn next(&mut self) -> Reviewed {
        let Some(running) = &mut self.running else { return std::future::pending().await };
        let reviewed = running.await;
        self.running = None;
        reviewed.unwrap_or_default()
    }
}

/// Whether a line is a fact that can be used.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(crate) fn check(match_id: &str, line: &str) -> Result<(), String> {
    let file = FactsFile::read(line.as_bytes()).map_err(|errors| {
        errors.first().map_or_else(|| "it is no fact".to_owned(), ToString::to_string)
    })?;
    match file.of(match_id).is_empty() {
        true => Err("it says nothing of this match".to_owned()),
        false => Ok(()),
    }
}

async fn look(journal: &Journal, reader: &Reader, job: &Job) -> Result<Reviewed, JournalError> {
    match job {
        Job::Review(match_id) => review(journal, reader, match_id).await,
        Job::Evidence(wanted) => {
            let events = evidence::read(journal, reader, wanted).await?;
            Ok(Reviewed { events, ended: Vec::new() })
        }
    }
}

async fn review(
    journal: &Journal,
    reader: &Reader,
    match_id: &str,
) -> Result<Reviewed, JournalError> {
    // What led here is in the queue of the journal.
    journal.flush().await?;
    let KnownFacts { lines, open, said_anything } = reader.facts(match_id).await?;
    let record = |&id: &u64| {
        let kind = lines
            .iter()
            .find(|(of, _)| *of == id)
            .map_or(OrderKind::Refused, |(_, line)| OrderKind::Fact(line.clone()));
        OrderRecord { id, match_id: match_id.to_owned(), kind, ended: None }
    };
    let open: Vec<OrderRecord> = open.iter().map(record).collect();
    let told = reader.told(match_id).await?;
    let Some((header, readings)) = reader.trace(match_id).await?.filter(|_| !told.is_empty())
    else {
        let words = "the hub does not have this match any more: the record keeps what was said, and is not followed anew";
        let refuse = |record| (record, OrderOutcome::Refused, words.to_owned());
        return Ok(Reviewed { events: Vec::new(), ended: open.into_iter().map(refuse).collect() });
    };
    let facts = |only: Option<u64>| -> Facts {
        let those = lines.iter().filter(|(id, _)| only.is_none_or(|only| only == *id));
        let read = those.filter_map(|(_, line)| FactsFile::read(line.as_bytes()).ok());
        read.flat_map(|file| file.of(match_id).iter().cloned().collect::<Vec<_>>()).collect()
    };
    let all = facts(None);
    let again = tokio::task::spawn_blocking(move || follow(&header, &readings, all));
    let (after, told_anew) = match again.await {
        Ok(followed) => followed,
        Err(error) => {
            let words = error
                .try_into_panic()
                .map_or_else(|_| "it was stopped".to_owned(), |panic| panicked::words(&*panic));
            warn!(
                match_id,
                "looking at the match again failed ({words}): report this with the hub's journal"
            );
            let refuse = |record| {
                (record, OrderOutcome::Refused, "inference failed on this match".to_owned())
            };
            return Ok(Reviewed {
                events: Vec::new(),
                ended: open.into_iter().map(refuse).collect(),
            });
        }
    };
    let before = Shown::of(told);
    // Without facts the match was told as it is; one that was followed by another release keeps what that said.
    let mut events = if said_anything { before.differences(after) } else { Vec::new() };
    let shown = events.iter().fold(before, Shown::with);
    events.push(questions(match_id, &shown, &told_anew.lines));
    let outcome = |record: OrderRecord| {
        let own = facts(Some(record.id));
        let contradicted = told_anew
            .unreconciled
            .iter()
            .find(|Unreconciled { fact, .. }| own.iter().any(|known| known == fact));
        match contradicted {
            Some(unreconciled) => (record, OrderOutcome::Contradicted, unreconciled.reason.clone()),
            None => (record, OrderOutcome::Done, String::new()),
        }
    };
    Ok(Reviewed { events, ended: open.into_iter().map(outcome).collect() })
}

/// Follows a whole match with facts: what is to be shown, and what is best asked next.
fn follow(header: &TraceHeader, readings: &[Reading], facts: Facts) -> (Shown, Told) {
    let mut tracker = Tracker::new(header, TrackerConfig { facts, ..TrackerConfig::default() });
    let mut shown = Shown::default();
    let mut take = |tracker: &mut Tracker| {
        while let Some(output) = tracker.poll_output() {
            shown.take(&header.match_id, output);
        }
    };
    for reading in readings {
        tracker.handle(reading);
        take(&mut tracker);
    }
    tracker.finish();
    take(&mut tracker);
    let told = tracker.told(&Facts::none());
    (shown, told)
}

/// What is shown of a match: the latest revision of everything that was not retracted.
#[derive(Clone, Debug, Default)]
struct Shown {
    plies: BTreeMap<u32, PlyReported>,
    anomalies: BTreeMap<u32, AnomalyReported>,
    /// The latest revision of everything that ever had an id: an id is not used again.
    ply_revisions: BTreeMap<u32, u32>,
    anomaly_revisions: BTreeMap<u32, u32>,
}

impl Shown {
    fn of(told: Vec<Event>) -> Shown {
        told.iter().fold(Shown::default(), Shown::with)
    }

    fn take(&mut self, match_id: &str, output: TrackerOutput) {
        if let Some(event) = tracked(match_id, output) {
            *self = std::mem::take(self).with(&event);
        }
    }

    fn with(mut self, event: &Event) -> Shown {
        match event {
            Event::PlyReported(ply) => {
                self.ply_revisions.insert(ply.ply_id, ply.revision);
                self.plies.insert(ply.ply_id, ply.clone());
            }
            Event::PlyRetracted(retracted) => {
                self.plies.remove(&retracted.ply_id);
            }
            Event::AnomalyReported(anomaly) => {
                self.anomaly_revisions.insert(anomaly.anomaly_id, anomaly.revision);
                self.anomalies.insert(anomaly.anomaly_id, anomaly.clone());
            }
            Event::AnomalyRetracted(retracted) => {
                self.anomalies.remove(&retracted.anomaly_id);
            }
            _ => {}
        }
        self
    }

    /// What has to be told, so that `after` is shown instead.
    fn differences(&self, after: Shown) -> Vec<Event> {
        let mut events = Vec::new();
        let ids = self.tell_plies(after.plies.into_values().collect(), &mut events);
        let anomalies = after.anomalies.into_values().map(|mut anomaly| {
            anomaly.ply_id = anomaly.ply_id.and_then(|id| ids.get(&id).copied());
            anomaly
        });
        self.tell_anomalies(anomalies.collect(), &mut events);
        events
    }

    /// Returns which ply of `after` has which id.
    fn tell_plies(&self, after: Vec<PlyReported>, events: &mut Vec<Event>) -> BTreeMap<u32, u32> {
        let place = |ply: &PlyReported| (ply.board, ply.side);
        let pairs = pair(
            self.plies.values().map(|ply| (ply.ply_id, place(ply), ply.t_us)).collect(),
            after.iter().map(|ply| (ply.ply_id, place(ply), ply.t_us)).collect(),
        );
        let kept: BTreeSet<u32> = pairs.values().copied().collect();
        for ply in self.plies.values().filter(|ply| !kept.contains(&ply.ply_id)) {
            let (match_id, ply_id, t_us) = (ply.match_id.clone(), ply.ply_id, ply.t_us);
            events.push(Event::PlyRetracted(PlyRetracted { match_id, ply_id, t_us }));
        }
        let mut next = self.ply_revisions.keys().last().map_or(0, |last| last.saturating_add(1));
        let mut ids = BTreeMap::new();
        for mut ply in after {
            let of = ply.ply_id;
            match pairs.get(&of) {
                Some(id) => {
                    ply.ply_id = *id;
                    ids.insert(of, *id);
                    let before = self.plies.get(id);
                    if before.is_some_and(|before| is_same(before, &ply)) {
                        continue;
                    }
                    ply.revision = next_revision(self.ply_revisions.get(id));
                }
                None => {
                    ids.insert(of, next);
                    (ply.ply_id, ply.revision) = (next, 0);
                    next += 1;
                }
            }
            events.push(Event::PlyReported(ply));
        }
        ids
    }

    fn tell_anomalies(&self, after: Vec<AnomalyReported>, events: &mut Vec<Event>) {
        type Place = (String, i32, Option<i32>);
        let place = |anomaly: &AnomalyReported| -> Place {
            (anomaly.code.clone(), anomaly.board, anomaly.side)
        };
        let pairs = pair(
            self.anomalies.values().map(|it| (it.anomaly_id, place(it), it.t_us)).collect(),
            after.iter().map(|it| (it.anomaly_id, place(it), it.t_us)).collect(),
        );
        let kept: BTreeSet<u32> = pairs.values().copied().collect();
        for anomaly in self.anomalies.values().filter(|it| !kept.contains(&it.anomaly_id)) {
            let (match_id, anomaly_id) = (anomaly.match_id.clone(), anomaly.anomaly_id);
            let t_us = anomaly.t_us;
            events.push(Event::AnomalyRetracted(AnomalyRetracted { match_id, anomaly_id, t_us }));
        }
        // The last id is the session's own.
        let known = self.anomaly_revisions.keys().rev().find(|id| **id != u32::MAX);
        let mut next = known.map_or(0, |last| last.saturating_add(1));
        for mut anomaly in after {
            match pairs.get(&anomaly.anomaly_id) {
                Some(id) => {
                    anomaly.anomaly_id = *id;
                    let before = self.anomalies.get(id);
                    let revision = before.map_or(0, |before| before.revision);
                    let as_before = AnomalyReported { revision, ..anomaly.clone() };
                    if before == Some(&as_before) {
                        continue;
                    }
                    anomaly.revision = next_revision(self.anomaly_revisions.get(id));
                }
                None => {
                    (anomaly.anomaly_id, anomaly.revision) = (next, 0);
                    next += 1;
                }
            }
            events.push(Event::AnomalyReported(anomaly));
        }
    }
}

fn next_revision(before: Option<&u32>) -> u32 {
    before.map_or(0, |before| before.saturating_add(1))
}

/// Whether nothing that anybody looks at is different.
fn is_same(before: &PlyReported, after: &PlyReported) -> bool {
    let others = |ply: &PlyReported| -> Vec<String> {
        ply.alternatives.iter().map(|other| other.uci.clone()).collect()
    };
    (&before.uci, before.legal, before.t_us) == (&after.uci, after.legal, after.t_us)
        && (before.p - after.p).abs() < P_NEWS
        && others(before) == others(after)
}

/// Which of `after` is which of `before`: first those of the same place and time, then the nearest ones. By the id of `after`.
fn pair<P: PartialEq>(
    mut before: Vec<(u32, P, u64)>,
    after: Vec<(u32, P, u64)>,
) -> BTreeMap<u32, u32> {
    let mut pairs = BTreeMap::new();
    let mut rest = Vec::new();
    for (id, place, t_us) in after {
        match before.iter().position(|known| known.1 == place && known.2 == t_us) {
            Some(index) => {
                pairs.insert(id, before.swap_remove(index).0);
            }
            None => rest.push((id, place, t_us)),
        }
    }
    for (id, place, t_us) in rest {
        let near = before.iter().enumerate().filter(|(_, known)| known.1 == place);
        let near = near.map(|(index, known)| (known.2.abs_diff(t_us), index));
        if let Some((apart_us, index)) = near.min()
            && apart_us <= SAME_US
        {
            pairs.insert(id, before.swap_remove(index).0);
        }
    }
    pairs
}

/// What is best asked, in terms of what is shown.
fn questions(match_id: &str, shown: &Shown, lines: &[InferredLine]) -> Event {
    let plies: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply),
            _ => None,
        })
        .collect();
    let mut at: BTreeMap<(usize, u64), u32> = BTreeMap::new();
    for ply in shown.plies.values() {
        let board = usize::from(ply.board == proto::mqtt::message::Board::B as i32);
        at.insert((board, ply.t_us), ply.ply_id);
    }
    let asked = lines.iter().filter_map(|line| match line {
        InferredLine::Question(question) => {
            let ply = plies.iter().find(|ply| ply.n == question.ply)?;
            let candidates = question
                .candidates
                .iter()
                .map(|candidate| Alternative { uci: candidate.uci.to_string(), p: candidate.p });
            let ply_id = *at.get(&(ply.board.index(), ply.t_us))?;
            Some(Question { ply_id, candidates: candidates.collect() })
        }
        _ => None,
    });
    let (match_id, questions) = (match_id.to_owned(), asked.take(MAX_QUESTIONS).collect());
    Event::QuestionsAsked(QuestionsAsked { match_id, questions })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(ply_id: u32, t_us: u64, uci: &str) -> PlyReported {
        let (match_id, uci) = ("m".to_owned(), uci.to_owned());
        PlyReported {
            match_id,
            ply_id,
            t_us,
            uci,
            board: 1,
            side: 1,
            p: 0.9,
            ..PlyReported::default()
        }
    }

    fn shown(plies: &[PlyReported]) -> Shown {
        Shown::of(plies.iter().cloned().map(Event::PlyReported).collect())
    }

    #[test]
    fn what_is_the_same_is_not_told_again() {
        let before = shown(&[ply(0, 5, "e2e4"), ply(1, 9, "N@e6")]);
        assert_eq!(before.differences(shown(&[ply(3, 5, "e2e4"), ply(4, 9, "N@e6")])), []);
    }

    #[test]
    fn a_ply_keeps_its_id_and_gets_the_next_revision() {
        let before = shown(&[ply(0, 5, "e2e4"), ply(1, 9, "N@e6")]);
        let events = before.differences(shown(&[ply(0, 5, "e2e4"), ply(1, 9, "B@e6")]));
        let revised = PlyReported { revision: 1, ..ply(1, 9, "B@e6") };
        assert_eq!(events, [Event::PlyReported(revised.clone())]);
        let again = shown(&[ply(0, 5, "e2e4"), revised]);
        let events = again.differences(shown(&[ply(7, 5, "e2e4"), ply(8, 9, "N@e6")]));
        let back = PlyReported { revision: 2, ..ply(1, 9, "N@e6") };
        assert_eq!(events, [Event::PlyReported(back)]);
    }

    #[test]
    fn a_ply_that_is_new_has_an_id_that_none_had_and_one_that_is_gone_is_retracted() {
        let before = shown(&[ply(0, 5, "e2e4"), ply(1, 9_000_000, "N@e6")]);
        let events = before.differences(shown(&[ply(0, 5, "e2e4"), ply(1, 20_000_000, "d7d5")]));
        let (match_id, t_us) = ("m".to_owned(), 9_000_000);
        let gone = Event::PlyRetracted(PlyRetracted { match_id, ply_id: 1, t_us });
        assert_eq!(events, [gone, Event::PlyReported(ply(2, 20_000_000, "d7d5"))]);
    }

    #[test]
    fn a_ply_that_is_found_a_moment_earlier_is_the_same_ply() {
        let before = shown(&[ply(4, 9_000_000, "N@e6")]);
        let events = before.differences(shown(&[ply(0, 8_600_000, "N@e6")]));
        let moved = PlyReported { revision: 1, ..ply(4, 8_600_000, "N@e6") };
        assert_eq!(events, [Event::PlyReported(moved)]);
    }

    #[test]
    fn a_line_that_is_no_fact_is_refused_in_words() {
        assert!(
            check("m", r#"{"kind":"fact","board":"A","side":"white","t_us":5,"uci":"N@e6"}"#)
                .is_ok()
        );
        assert!(check("m", "").is_err());
        assert!(
            check("m", r#"{"kind":"fact","board":"A","side":"white","t_us":5,"uci":"castles"}"#)
                .is_err()
        );
    }
}
