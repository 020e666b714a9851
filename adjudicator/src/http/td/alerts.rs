//! All alerts of the hall or of a match with their evidence, silent ones too, for programs.

use axum::{
    Json,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use referee::{Alert, Proposal};
use serde::{Deserialize, Serialize};

use super::{
    super::{Desk, Problem},
    read::look_at,
    session,
};
use crate::{
    config::alerts::Treatment,
    hall::{Game, event::staff::DeviceId},
    time::now_ms,
};

#[derive(Deserialize)]
pub(in crate::http) struct AlertsQuery {
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
    now_ms: u64,
    /// What is wrong in the hall or with a match's rulebook, in words: nothing that a player did.
    notices: Vec<String>,
    alerts: Vec<AlertLine<'a>>,
    proposals: Vec<ProposalLine<'a>>,
}

pub(in crate::http) async fn alerts(
    State(desk): State<Desk>,
    Query(wish): Query<AlertsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let hall = desk.floor.hall();
    let games: Vec<&Game> = match &wish.match_id {
        Some(id) => match hall.game(id) {
            Some(game) => {
                look_at(&session, &hall, game)?;
                vec![game]
            }
            None => {
                return Err(Problem::new(StatusCode::NOT_FOUND, "there is no match of this id"));
            }
        },
        None => {
            let at_tables = hall.tables().iter().filter_map(|table| table.match_id.as_deref());
            let games = at_tables.filter_map(|id| hall.game(id));
            games.filter(|game| session.may_look_at(&hall, game).is_ok()).collect()
        }
    };
    // A program has the token; what a person may not see yet, no page gives them.
    let td = &desk.config.td;
    let is_person = session.device != DeviceId::default();
    let is_kept = |game: &Game, alert: &Alert| {
        let section = hall.section_of(&game.table, Some(game));
        let is_off = hall.treatment(td, section.as_deref(), &alert.code) == Treatment::Off;
        is_person && (is_off || td.keeps_silent(alert) || td.decide_first && !game.is_decided())
    };
    let alerts = games.iter().flat_map(|game| {
        let shown = game.referee().alerts().filter(|alert| !is_kept(game, alert));
        shown.map(|alert| AlertLine { match_id: &game.id, table: &game.table, alert })
    });
    let proposals = games
        .iter()
        .filter(|game| !(is_person && td.decide_first) || game.is_decided())
        .filter_map(|game| game.referee().proposal().map(|found| (game, found)));
    let of_matches = games.iter().filter_map(|game| {
        let notice = game.notice.as_deref()?;
        Some(format!("Table {}, match {}: {notice}.", game.table, game.id))
    });
    let of_hall = hall.notices(desk.config.http.clock_rate).into_iter();
    Ok(Json(Alerts {
        now_ms: now_ms(),
        notices: of_hall.map(|notice| notice.words).chain(of_matches).collect(),
        alerts: alerts.collect(),
        proposals: proposals.map(|(game, proposal)| proposal_line(game, proposal)).collect(),
    })
    .into_response())
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
