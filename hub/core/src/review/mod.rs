//! A match that is followed again when it is over: with facts from people, and for the questions that are best asked.
//!
//! Readings that a board kept while its cable was out, and sent too late for their turn, have their true place here ([`MatchTrace`]).
//!
//! The trace is in the journal, so the match can be followed again for each new fact. Differences are
//! sent as the next revisions of the plies that were sent before: a ply keeps its id as long as it is at its place, which is board, side and time. It
//! runs beside the table, whose next match has begun by then.

mod clip;
mod trace;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use inference::facts::{Fact, Facts, FactsFile, PlyFact, Unreconciled};
use inference::{Tracker, TrackerConfig};
use proto::mqtt::MAX_QUESTIONS;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{Alternative, OrderOutcome, Question, QuestionsAsked};
use readings::{InferredLine, Reading, TraceHeader};

use crate::notice::{Level, Notice};
use crate::orders::{OrderKind, OrderRecord};
use crate::panicked;
use crate::revisions::PublishedMatch;
use crate::session::{tracked, with_implied_presses};
use crate::table::Reviewed;

pub use clip::evidence;
pub use trace::{MatchTrace, TraceInput};

/// Facts from people about a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFacts {
    /// The lines of the valid facts, each with its order, in the order in which they were given.
    pub lines: Vec<(u64, String)>,
    /// Orders about facts of this match that have not ended.
    pub open: Vec<u64>,
    /// Whether anybody has ever said anything, even if it was withdrawn.
    pub said_anything: bool,
}

impl KnownFacts {
    /// The facts of all orders, or of one.
    fn of(&self, match_id: &str, only: Option<u64>) -> Facts {
        let those = self.lines.iter().filter(|(id, _)| only.is_none_or(|only| only == *id));
        let read = those.filter_map(|(_, line)| FactsFile::read(line.as_bytes()).ok());
        read.flat_map(|file| file.of(match_id).iter().cloned().collect::<Vec<_>>()).collect()
    }

    fn record(&self, match_id: &str, id: u64) -> OrderRecord {
        let line = self.lines.iter().find(|(of, _)| *of == id);
        let kind = line.map_or(OrderKind::Refused, |(_, line)| OrderKind::Fact(line.clone()));
        OrderRecord { id, match_id: match_id.to_owned(), kind, ended: None }
    }

    /// The orders that are open, all of which end so.
    fn all_end(&self, match_id: &str, outcome: OrderOutcome, words: &str) -> Reviewed {
        let end = |&id: &u64| (self.record(match_id, id), outcome, words.to_owned());
        Reviewed { ended: self.open.iter().map(end).collect(), ..Reviewed::default() }
    }
}

/// Follows a match again. `told`: the rows that were sent of it; `trace`: none if the journal does not have it any more.
#[must_use]
pub fn review(
    match_id: &str,
    known: &KnownFacts,
    told: &[Event],
    trace: Option<&MatchTrace>,
) -> Reviewed {
    let Some(trace) = trace.filter(|_| !told.is_empty()) else {
        let words = "the hub no longer has this match: your statement is in the record, but the match is not followed again";
        return known.all_end(match_id, OrderOutcome::Refused, words);
    };
    let facts = known.of(match_id, None);
    let (after, lines, unreconciled) = match catch_unwind(AssertUnwindSafe(|| {
        follow_as_known(trace, &facts)
    })) {
        Ok(followed) => followed,
        Err(panic) => {
            let words = panicked::words(&*panic);
            let notice = format!(
                "following match {match_id} again failed ({words}): report this with the hub's journal"
            );
            let refused =
                known.all_end(match_id, OrderOutcome::Refused, "inference failed on this match");
            return Reviewed { notice: Some(Notice::new(Level::Warning, notice)), ..refused };
        }
    };
    let mut shown = PublishedMatch::of(told);
    // Without facts and late readings the published match is right; a match that another release followed keeps that release's rows.
    let is_news = known.said_anything || trace.came_late;
    let mut events = if is_news { shown.differences(after).0 } else { Vec::new() };
    events.iter().for_each(|event| shown.take(event));
    events.push(questions(match_id, &shown, &lines));
    let outcome = |&id: &u64| {
        let own = known.of(match_id, Some(id));
        let contradicted = unreconciled
            .iter()
            .find(|Unreconciled { fact, .. }| own.iter().any(|known| known == fact));
        let (outcome, words) = match contradicted {
            Some(it) => (OrderOutcome::Contradicted, it.reason.clone()),
            None => (OrderOutcome::Done, String::new()),
        };
        (known.record(match_id, id), outcome, words)
    };
    let ended = known.open.iter().map(outcome).collect();
    Reviewed { events, ended, ..Reviewed::default() }
}

/// Result of following a whole match: the rows, the record with the best next questions, and the facts that do not fit.
pub type Followed = (PublishedMatch, Vec<InferredLine>, Vec<Unreconciled>);

/// Follows a whole match in the order in which its readings were made, with the facts from people.
///
/// Somebody who said something of a ply while the match was played saw it at the time at which it counted. Where readings came late, and what was said
/// does not fit the ply that was made at that time, it is about the nearest ply that it fits.
#[must_use]
pub fn follow_as_known(trace: &MatchTrace, facts: &Facts) -> Followed {
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
        // The fact as it was given.
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
#[must_use]
pub fn follow(header: &TraceHeader, readings: &[Reading], facts: Facts) -> Followed {
    let mut tracker = Tracker::new(header, TrackerConfig { facts, ..TrackerConfig::default() });
    let mut shown = PublishedMatch::default();
    let mut take = |tracker: &mut Tracker| {
        while let Some(output) = tracker.poll_output() {
            tracked(&header.match_id, output).iter().for_each(|event| shown.take(event));
        }
    };
    for reading in &with_implied_presses(header, readings) {
        tracker.handle(reading);
        take(&mut tracker);
    }
    tracker.finish();
    take(&mut tracker);
    (shown, tracker.record(), tracker.unreconciled())
}

/// The best next questions, in terms of the published plies.
fn questions(match_id: &str, shown: &PublishedMatch, lines: &[InferredLine]) -> Event {
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
