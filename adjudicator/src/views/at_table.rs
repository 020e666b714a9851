//! View of the players at a table by its link: their pairings, the reports, and whether a director comes.

use event::{Pairing, PairingId, import::outcomes_to_text};
use rules::standings::Side;
use serde::Serialize;

use crate::hall::Hall;

/// A table for those who sit there.
#[derive(Clone, Debug, Serialize)]
pub struct AtTableView {
    /// The server's time, Unix milliseconds.
    pub now_ms: u64,
    /// The event's name.
    pub event: String,
    /// The table's name for people.
    pub label: String,
    /// Pairings that are to be played there, or wait for their result; the latest round last.
    pub pairings: Vec<AtTablePairing>,
    /// The open call for a director.
    pub call: Option<CallView>,
}

/// A pairing for those who play it.
#[derive(Clone, Debug, Serialize)]
pub struct AtTablePairing {
    /// Its id.
    pub pairing: PairingId,
    /// The section.
    pub section: String,
    /// The round.
    pub round: u8,
    /// Games of the round.
    pub games: usize,
    /// Public names of the sides.
    pub sides: [String; 2],
    /// Report of each side, such as `1-0`, from the view of the first.
    pub reports: [Option<String>; 2],
    /// The result on record.
    pub result: Option<String>,
    /// Whether a director has confirmed it.
    pub confirmed: bool,
}

/// An open call.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CallView {
    /// Time of the call, Unix milliseconds.
    pub since_ms: u64,
    /// Whether a director is on the way.
    pub is_assigned: bool,
}

impl AtTableView {
    /// A table.
    pub(crate) fn of(hall: &Hall, table: &str, now_ms: u64) -> AtTableView {
        let call = hall.call_of(table).map(|call| {
            let seen = hall.seen(&call.item(table));
            let is_assigned = seen.is_some_and(|seen| !seen.is_dismissed);
            CallView { since_ms: call.at_ms, is_assigned }
        });
        AtTableView {
            now_ms,
            event: hall.event().name().to_owned(),
            label: hall.disclosure().label(table),
            pairings: at(hall, table).map(|(id, it)| AtTablePairing::of(hall, id, it)).collect(),
            call,
        }
    }

    /// Whether a pairing is among those that a table's link is for.
    pub(crate) fn has(hall: &Hall, table: &str, pairing: PairingId) -> bool {
        at(hall, table).any(|(id, _)| id == pairing)
    }
}

/// The pairings of the latest round at a table, and those of earlier ones that wait for a result.
fn at<'a>(hall: &'a Hall, table: &'a str) -> impl Iterator<Item = (PairingId, &'a Pairing)> {
    let all = hall.event().pairings().iter().map(|(id, pairing)| (*id, pairing));
    all.filter(move |(_, pairing)| {
        let opened = hall.event().section(&pairing.section).map_or(0, |section| section.opened);
        let is_latest = pairing.round == opened || !pairing.confirmed;
        pairing.table == table && pairing.withdrawn.is_none() && is_latest
    })
}

impl AtTablePairing {
    fn of(hall: &Hall, id: PairingId, pairing: &Pairing) -> AtTablePairing {
        let report = |side| pairing.reports().of(side).map(|(_, it)| outcomes_to_text(it));
        AtTablePairing {
            pairing: id,
            section: pairing.section.clone(),
            round: pairing.round,
            games: hall.games_of(pairing),
            sides: hall.sides_of(id, hall.disclosure().names()),
            reports: [Side::First, Side::Second].map(report),
            result: (!pairing.outcomes.is_empty()).then(|| outcomes_to_text(&pairing.outcomes)),
            confirmed: pairing.confirmed,
        }
    }
}
