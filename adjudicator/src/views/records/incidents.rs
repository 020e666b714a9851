//! Findings, claims, decisions and orders of a match, with requested readings: for the review of a decision.
//!
//! It is for the organiser alone: it names directors, and what players could have claimed.

use referee::Alert;
use serde::Serialize;

use crate::{
    hall::Game,
    views::{
        ClaimView, LedgerView, OrderView, claims, ledger,
        zero_test::{ZeroTestView, zero_tests},
    },
};

/// The incidents of one match.
#[derive(Serialize)]
struct Incidents<'a> {
    #[serde(rename = "match")]
    match_id: &'a str,
    table: &'a str,
    rulebook: &'static str,
    /// Findings, those that were taken back too.
    found: Vec<&'a Alert>,
    claims: Vec<ClaimView>,
    /// Decisions, oldest first.
    ledger: Vec<LedgerView>,
    orders: Vec<OrderView>,
    /// Zero tests of the two clocks, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    zero_tests: Vec<ZeroTestView>,
}

/// The incidents of a match as JSON; none where nothing was found, claimed or decided. `clock_rate`: seconds of match time in a second.
pub(super) fn json(game: &Game, clock_rate: f64) -> Option<String> {
    let incidents = Incidents {
        match_id: &game.id,
        table: &game.table,
        rulebook: game.rulebook.name(),
        found: game.referee().alerts().collect(),
        claims: claims(game),
        ledger: ledger(game, clock_rate),
        // An order's outcome has its latest state, however old the order is.
        orders: game.orders().iter().map(|order| OrderView::of(order, u64::MAX)).collect(),
        zero_tests: zero_tests(game),
    };
    let is_empty = incidents.found.is_empty()
        && incidents.claims.is_empty()
        && incidents.ledger.is_empty()
        && incidents.zero_tests.is_empty();
    if is_empty { None } else { serde_json::to_string_pretty(&incidents).ok() }
}

/// Readings that a director asked for: the act that asked, and lines of the trace's format.
pub(super) fn evidence(game: &Game) -> impl Iterator<Item = (u64, &str)> {
    game.clips().iter().map(|(act, clip)| (*act, clip.lines.as_str()))
}
