//! What tournament directors see: alerts with their evidence, silent ones too.
//!
//! Behind a token that the organiser hands out; without a configured token nobody sees them.

use axum::{
    Json,
    extract::{Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use referee::{Alert, Proposal};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::{Desk, problem};
use crate::{hall::Game, stage::now_ms};

#[derive(Deserialize)]
pub(super) struct Wish {
    /// One match; else whatever is at the tables now.
    #[serde(rename = "match")]
    match_id: Option<String>,
}

#[derive(Serialize)]
struct AlertLine<'a> {
    #[serde(rename = "match")]
    match_id: &'a str,
    table: &'a str,
    #[serde(flatten)]
    alert: &'a Alert,
}

#[derive(Serialize)]
struct ProposalLine<'a> {
    #[serde(rename = "match")]
    match_id: &'a str,
    table: &'a str,
    winner: u8,
    board: rules::BoardId,
    reason: &'static str,
    rule: Option<String>,
    confidence: f64,
    t_us: u64,
    text: &'a str,
}

#[derive(Serialize)]
struct Alerts<'a> {
    last_event_id: u64,
    now_ms: u64,
    /// What is wrong in the hall or with a match's rulebook, in words: nothing that a player did.
    notices: Vec<String>,
    alerts: Vec<AlertLine<'a>>,
    proposals: Vec<ProposalLine<'a>>,
}

/// The refusal of a request that does not carry the token.
fn refusal(desk: &Desk, headers: &HeaderMap) -> Option<Response> {
    let Some(token) = &desk.td_token else {
        let reason = "no token is configured for tournament directors (http.td_token_file)";
        return Some(problem(StatusCode::FORBIDDEN, reason));
    };
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))
        .unwrap_or_default();
    if bool::from(given.ct_eq(token.as_bytes())) {
        return None;
    }
    let reason = "this needs the tournament directors' token as Authorization: Bearer";
    let mut refusal = problem(StatusCode::UNAUTHORIZED, reason);
    refusal.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Some(refusal)
}

pub(super) async fn alerts(
    State(desk): State<Desk>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = refusal(&desk, &headers) {
        return refusal;
    }
    let hall = desk.floor.hall();
    let games: Vec<&Game> = match &wish.match_id {
        Some(id) => match hall.game(id) {
            Some(game) => vec![game],
            None => return problem(StatusCode::NOT_FOUND, "there is no match of this id"),
        },
        None => {
            let at_tables = hall.tables().iter().filter_map(|table| table.match_id.as_deref());
            at_tables.filter_map(|id| hall.game(id)).collect()
        }
    };
    let alerts = games.iter().flat_map(|game| {
        game.referee().alerts().map(|alert| AlertLine {
            match_id: &game.id,
            table: &game.table,
            alert,
        })
    });
    let proposals =
        games.iter().filter_map(|game| game.referee().proposal().map(|found| (game, found)));
    let of_matches = games.iter().filter_map(|game| {
        let notice = game.notice.as_deref()?;
        Some(format!("Table {}, match {}: {notice}.", game.table, game.id))
    });
    Json(Alerts {
        last_event_id: hall.last_event().number(),
        now_ms: now_ms(),
        notices: hall.notices().into_iter().chain(of_matches).collect(),
        alerts: alerts.collect(),
        proposals: proposals.map(|(game, proposal)| proposal_line(game, proposal)).collect(),
    })
    .into_response()
}

fn proposal_line<'a>(game: &'a Game, proposal: &'a Proposal) -> ProposalLine<'a> {
    ProposalLine {
        match_id: &game.id,
        table: &game.table,
        winner: match proposal.winner {
            Some(rules::Team::One) => 1,
            Some(rules::Team::Two) => 2,
            None => 0,
        },
        board: proposal.board,
        reason: proposal.reason.name(),
        rule: proposal.rule.map(|rule| rule.to_string()),
        confidence: proposal.confidence,
        t_us: proposal.t_us,
        text: &proposal.text,
    }
}
