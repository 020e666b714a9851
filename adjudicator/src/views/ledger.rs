//! Decisions in words for people: plies by their numbers on the page, seats and offences by their names.

use referee::{Entry, LedgerEntry};
use rules::rulebook::Penalty;
use serde::Serialize;

use super::remedy::{ply_words, remedy_words};
use crate::{hall::Game, views::needs::seat_words};

/// A line of the ledger.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerView {
    /// From 1, without holes.
    pub number: usize,
    /// The act.
    pub act: u64,
    /// The person.
    pub person: String,
    /// The person's rank.
    pub role: String,
    /// Time, Unix milliseconds.
    pub at_ms: u64,
    /// The decision.
    pub text: String,
    /// The note to it.
    pub note: Option<String>,
    /// The clauses.
    pub rules: Vec<String>,
    /// The act that it takes the place of.
    pub supersedes: Option<u64>,
    /// Kind of entry: `claim`, `ruling`, `appeal`, …
    pub kind: &'static str,
}

/// The ledger of a match. `clock_rate`: seconds of match time in a second.
#[must_use]
pub fn ledger(game: &Game, clock_rate: f64) -> Vec<LedgerView> {
    let lines = game.referee().ledger().iter();
    lines.map(|line| LedgerView::of(game, line, clock_rate)).collect()
}

impl LedgerView {
    fn of(game: &Game, line: &LedgerEntry, clock_rate: f64) -> LedgerView {
        let (kind, note) = match &line.entry {
            Entry::Claim { .. } => ("claim", None),
            Entry::Ruling { note, .. } => ("ruling", Some(note)),
            Entry::Appeal { .. } => ("appeal", None),
            Entry::Decided { note, .. } => ("decided", Some(note)),
            Entry::Penalty { note, .. } => ("penalty", Some(note)),
            Entry::Result(_) => ("result", None),
            Entry::Confirmed => ("confirmed", None),
            Entry::Correction { .. } | Entry::NotPlayed { .. } => ("correction", None),
            Entry::Reinstated { .. } => ("reinstated", None),
            Entry::Chosen(_) => ("chosen", None),
            Entry::Withdrawn { .. } => ("withdrawn", None),
        };
        LedgerView {
            number: line.number,
            act: line.act.0,
            person: line.by.id.clone(),
            role: line.by.role.to_string(),
            at_ms: game.at_ms(line.t_us, clock_rate),
            text: words(game, &line.entry),
            note: note
                .filter(|note| !note.is_empty())
                .cloned()
                .or_else(|| game.note_of(line.act).map(str::to_owned)),
            rules: line.rules.iter().map(ToString::to_string).collect(),
            supersedes: line.supersedes.map(|act| act.0),
            kind,
        }
    }
}

/// An entry in words. The referee's own words name plies by ids and say codes, as stories do.
fn words(game: &Game, entry: &Entry) -> String {
    let seat = |seat| seat_words(game.game, seat);
    let ply = |id| ply_words(game, id);
    match entry {
        Entry::Claim { kind, by, against } => {
            let against = against.map(|id| format!(" against {}", ply(id))).unwrap_or_default();
            format!("{} claims{against}: {}", seat(*by), kind.about())
        }
        Entry::Penalty { offence, whom, count, proposed, given, .. } => {
            let named = |penalty: &Option<Penalty>| match penalty {
                Some(penalty) => penalty.to_string(),
                None => "nothing".to_owned(),
            };
            let (offence, given) = (offence.about(), named(given));
            let other = proposed.filter(|proposed| proposed.to_string() != given);
            let ladder = other.map(|it| format!("; the ladder gives {it}")).unwrap_or_default();
            format!("{offence}, {}, offence {count}: {given}{ladder}", seat(*whom))
        }
        Entry::Correction { ply: id, said } => format!("{} was {said}", ply(*id)),
        Entry::NotPlayed { ply: id } => format!("{} was not played", ply(*id)),
        Entry::Reinstated { before } => {
            format!("the position before {} reinstated", ply(*before))
        }
        Entry::Ruling { decision, remedy, .. } => {
            format!("ruled {decision}: {}", remedy_words(game, remedy))
        }
        Entry::Decided { decision, remedy, .. } => {
            format!("appeal decided, {decision}: {}", remedy_words(game, remedy))
        }
        Entry::Withdrawn { of } => {
            let ledger = game.referee().ledger();
            match ledger.iter().find(|line| line.act == *of) {
                Some(line) => {
                    format!("{} is taken back: {}", line.number, words(game, &line.entry))
                }
                None => entry.to_string(),
            }
        }
        Entry::Appeal { .. } | Entry::Result(_) | Entry::Confirmed | Entry::Chosen(_) => {
            entry.to_string()
        }
    }
}
