//! A match looked at again when it is over: with what people know of it, and for what somebody who was there should be asked.
//!
//! What a board kept while its cable was out, and said too late for its turn, has its true place here ([`MatchTrace`]).
//!
//! The trace is in the journal, so the match can be followed as often as somebody has something to say about it. What comes out differently is
//! told as the next revisions of the plies that were told before: a ply keeps its id as long as it stands at its place, which is board, side and time. It
//! runs beside the table, whose next match has begun by then.

use std::collections::BTreeMap;

use hub_core::orders::{OrderKind, OrderRecord};
use hub_core::panicked;
use hub_core::session::{Unpressed, tracked, without_put_back};
use hub_core::shown::Shown;
use hub_core::table::{Job, Reviewed};
use inference::facts::{Fact, Facts, FactsFile, PlyFact, Unreconciled};
use inference::{Tracker, TrackerConfig};
use proto::mqtt::MAX_QUESTIONS;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{Alternative, OrderOutcome, Question, QuestionsAsked};
use readings::{InferredLine, Reading, TraceHeader};
use tokio::task::JoinHandle;
use tracing::warn;

use crate::evidence;
use crate::journal::{Journal, JournalError, KnownFacts, MatchTrace, Reader};

/// Looks something up beside the table.
pub(crate) fn start(journal: &Journal, reader: &Reader, job: Job) -> JoinHandle<Reviewed> {
    let (journal, reader) = (journal.clone(), reader.clone());
    tokio::spawn(async move {
        look(&journal, &reader, &job).await.unwrap_or_else(|error| {
            warn!(?job, "the journal cannot be looked at: {error}; it is tried again");
            Reviewed { again: Some(job.clone()), ..Reviewed::default() }
        })
    })
}

async fn look(journal: &Journal, reader: &Reader, job: &Job) -> Result<Reviewed, JournalError> {
    match job {
        Job::Review(match_id) => review(journal, reader, match_id).await,
        Job::Evidence(wanted) => {
            let events = evidence::read(journal, reader, wanted).await?;
            Ok(Reviewed { events, ..Reviewed::default() })
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
    let Some(trace) = reader.trace(match_id).await?.filter(|_| !told.is_empty()) else {
        let words = "the hub does not have this match any more: the record keeps what was said, and is not followed anew";
        let refuse = |record| (record, OrderOutcome::Refused, words.to_owned());
        let ended = open.into_iter().map(refuse).collect();
        return Ok(Reviewed { ended, ..Reviewed::default() });
    };
    let facts = |only: Option<u64>| -> Facts {
        let those = lines.iter().filter(|(id, _)| only.is_none_or(|only| only == *id));
        let read = those.filter_map(|(_, line)| FactsFile::read(line.as_bytes()).ok());
        read.flat_map(|file| file.of(match_id).iter().cloned().collect::<Vec<_>>()).collect()
    };
    let (all, came_late) = (facts(None), trace.came_late);
    let again = tokio::task::spawn_blocking(move || follow_as_known(&trace, &all));
    let (after, lines_anew, unreconciled) = match again.await {
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
            let ended = open.into_iter().map(refuse).collect();
            return Ok(Reviewed { ended, ..Reviewed::default() });
        }
    };
    let mut shown = Shown::of(&told);
    // Without facts and with everything in time the match was told as it is; one that was followed by another release keeps what that said.
    let is_news = said_anything || came_late;
    let mut events = if is_news { shown.differences(after).0 } else { Vec::new() };
    events.iter().for_each(|event| shown.take(event));
    events.push(questions(match_id, &shown, &lines_anew));
    let outcome = |record: OrderRecord| {
        let own = facts(Some(record.id));
        let contradicted = unreconciled
            .iter()
            .find(|Unreconciled { fact, .. }| own.iter().any(|known| known == fact));
        match contradicted {
            Some(unreconciled) => (record, OrderOutcome::Contradicted, unreconciled.reason.clone()),
            None => (record, OrderOutcome::Done, String::new()),
        }
    };
    let ended = open.into_iter().map(outcome).collect();
    Ok(Reviewed { events, ended, again: None })
}

/// What comes of following a whole match: what is to be shown, its record with what is best asked next, and the facts that do not fit.
pub(crate) type Followed = (Shown, Vec<InferredLine>, Vec<Unreconciled>);

/// Follows a whole match in the order in which its readings were made, with what people know of it.
///
/// Somebody who said something of a ply while the match was played saw it at the time at which it counted. Where readings came late, and what was said
/// does not fit the ply that was made at that time, it is about the nearest ply that it fits.
pub(crate) fn follow_as_known(trace: &MatchTrace, facts: &Facts) -> Followed {
    let first = follow(&trace.header, &trace.readings, facts.clone());
    if !trace.came_late || first.2.is_empty() {
        return first;
    }
    let is_unreconciled = |fact: &Fact| first.2.iter().any(|it| it.fact == *fact);
    let moved: Vec<(&Fact, Fact)> = facts
        .iter()
        .map(|fact| match is_unreconciled(fact) {
            true => (fact, at_its_ply(fact, &first.1)),
            false => (fact, fact.clone()),
        })
        .collect();
    let of_plies = moved.iter().map(|(_, fact)| fact.clone()).collect();
    let (shown, lines, mut unreconciled) = follow(&trace.header, &trace.readings, of_plies);
    if unreconciled.len() >= first.2.len() {
        return first;
    }
    for one in &mut unreconciled {
        // As it was said.
        if let Some((said, _)) = moved.iter().find(|(_, fact)| *fact == one.fact) {
            one.fact = (*said).clone();
        }
    }
    (shown, lines, unreconciled)
}

/// The same fact with the time of the nearest ply of the record that it names, if there is one.
fn at_its_ply(fact: &Fact, record: &[InferredLine]) -> Fact {
    let Fact::Ply(known) = fact else { return fact.clone() };
    let (Some(board), Some(t_us), Some(uci)) = (known.board, known.t_us, known.said.uci) else {
        return fact.clone();
    };
    let plies = record.iter().filter_map(|line| match line {
        InferredLine::Ply(ply) => Some(ply),
        _ => None,
    });
    let is_named = |side| known.side.is_none_or(|known| known == side);
    let named = plies.filter(|ply| ply.board == board && ply.uci == uci && is_named(ply.side));
    let nearest = named.map(|ply| ply.t_us).min_by_key(|of| of.abs_diff(t_us));
    Fact::Ply(PlyFact { t_us: nearest.or(known.t_us), ..known.clone() })
}

/// Follows a whole match with facts.
pub(crate) fn follow(header: &TraceHeader, readings: &[Reading], facts: Facts) -> Followed {
    let mut tracker = Tracker::new(header, TrackerConfig { facts, ..TrackerConfig::default() });
    let mut shown = Shown::default();
    let mut take = |tracker: &mut Tracker| {
        while let Some(output) = tracker.poll_output() {
            tracked(&header.match_id, output).iter().for_each(|event| shown.take(event));
        }
    };
    // The same presses as while it was played.
    let mut unpressed = Unpressed::new(header);
    for reading in &without_put_back(header, readings) {
        unpressed.advance(reading.t_us);
        unpressed.take(reading);
        while let Some(reading) = unpressed.poll() {
            tracker.handle(&reading);
            take(&mut tracker);
        }
    }
    tracker.finish();
    take(&mut tracker);
    (shown, tracker.record(), tracker.unreconciled())
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
