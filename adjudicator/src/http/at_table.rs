//! Acts of the players at a table by its link: reports of their result, calls for a director.
//!
//! The link belongs to one table. It shows the pairings of that table, with public names, and changes nothing else.

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use event::{Deed, PairingId};
use rules::standings::{Outcome, Side};
use serde::Deserialize;

use super::{Desk, JsonBody, Problem, link, td};
use crate::{
    hall::{
        acts::{ActDeed, Actor, PersonAct, Source},
        event::staff::{DeviceId, Rank},
    },
    time::now_ms,
    views::AtTableView,
};

/// Largest body, bytes.
const BODY_MAX: usize = 4 * 1024;

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/api/v1/at-table", get(shown).post(act))
        .layer(DefaultBodyLimit::max(BODY_MAX))
}

/// An act at a table, with a key that identifies a repetition.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentTableAct {
    key: String,
    deed: SentDeed,
}

#[derive(Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
enum SentDeed {
    /// A side says what its games came to.
    Report { pairing: u32, side: Side, games: Vec<ReportedEnd> },
    /// A director is called.
    Call,
    /// The call is over.
    CallEnded,
}

/// Result of a game in the players' words. Only a director enters forfeits.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReportedEnd {
    First,
    Second,
    Draw,
}

impl From<ReportedEnd> for Outcome {
    fn from(ended: ReportedEnd) -> Outcome {
        match ended {
            ReportedEnd::First => Outcome::Win(Side::First),
            ReportedEnd::Second => Outcome::Win(Side::Second),
            ReportedEnd::Draw => Outcome::Draw,
        }
    }
}

/// The table of a request's link, and the device that stands for the link.
fn table_of(desk: &Desk, headers: &HeaderMap) -> Result<(String, DeviceId), Problem> {
    let refuse = || {
        let reason = "this link is not valid, or not any more: call a director by hand";
        Problem::new(StatusCode::NOT_FOUND, reason)
    };
    let digest = link::digest(headers)?.hex();
    let hall = desk.floor.hall();
    let (table, link) = hall.event().linked_table(&digest).ok_or_else(refuse)?;
    Ok((table.to_owned(), DeviceId::of_link(link.number)))
}

async fn shown(State(desk): State<Desk>, headers: HeaderMap) -> Result<Response, Problem> {
    let (table, _) = table_of(&desk, &headers)?;
    Ok(Json(AtTableView::of(&desk.floor.hall(), &table, now_ms())).into_response())
}

async fn act(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<SentTableAct>, Problem>,
) -> Result<Response, Problem> {
    let (table, device) = table_of(&desk, &headers)?;
    let JsonBody(SentTableAct { key, deed }) = body?;
    td::check_key(&key)?;
    let deed = match deed {
        SentDeed::Call => ActDeed::Call { table: table.clone() },
        SentDeed::CallEnded => ActDeed::CallEnded { table: table.clone() },
        SentDeed::Report { pairing, side, games } => {
            let pairing = PairingId(pairing);
            if !AtTableView::has(&desk.floor.hall(), &table, pairing) {
                let reason = "this pairing is not of this table: load the page again";
                return Err(Problem::new(StatusCode::FORBIDDEN, reason));
            }
            let outcomes = games.into_iter().map(Outcome::from).collect();
            ActDeed::Event { deeds: vec![Deed::SideReported { pairing, side, outcomes }] }
        }
    };
    let by = Actor { person: format!("table {table}"), rank: Rank::Scorekeeper };
    let answer = desk.commits.commit(&PersonAct { source: Source { device, key }, by, deed }).await;
    Ok(td::answered(&answer.map_err(|error| td::not_committed(&error))?))
}
