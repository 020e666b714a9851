//! What directors look at: the list, a match, what a claim would come to, a rulebook.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use referee::act::ClaimCall;
use rules::rulebook::{BookId, ClaimKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    super::{Desk, Problem, problem},
    session::{self, Session},
};
use crate::{
    config::SilentAlerts,
    front::audience::Audience,
    hall::{Game, Hall, acts::SeatName},
    time::now_ms,
    views::{
        DirectorView, RoundView, VerdictView,
        needs::{Need, needs as needs_of},
    },
};

/// The list as it is sent.
#[derive(Serialize)]
pub(super) struct NeedsView {
    pub(super) now_ms: u64,
    pub(super) needs: Vec<Need>,
}

/// The list at this moment.
pub(in crate::http) fn list(desk: &Desk, hall: &Hall) -> Vec<Need> {
    needs_of(hall, desk.machine.state(), &desk.config.td, desk.config.http.clock_rate, now_ms())
}

pub(in crate::http) async fn needs(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let mut needs = list(&desk, &desk.floor.hall());
    needs.retain(|need| session.is_told_of(need));
    Ok(Json(NeedsView { now_ms: now_ms(), needs }).into_response())
}

/// The round as it is now, whatever the public's delay.
pub(in crate::http) async fn round(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    session::of(&desk, &headers)?;
    let floor = Audience::of_stage(&desk.floor);
    Ok(Json(RoundView::of(&desk.config, &floor.look(), now_ms())).into_response())
}

pub(in crate::http) async fn one_match(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let hall = desk.floor.hall();
    Ok(match hall.game(&id) {
        Some(game) => shown(&desk, &hall, &session, game)?,
        None => problem(StatusCode::NOT_FOUND, "there is no match of this id"),
    })
}

/// The match at a table, or that there is none.
pub(in crate::http) async fn table(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let hall = desk.floor.hall();
    let Some(table) = hall.tables().named(&name) else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "there is no table of this name"));
    };
    Ok(match table.match_id.as_deref().and_then(|id| hall.game(id)) {
        Some(game) => shown(&desk, &hall, &session, game)?,
        None => problem(StatusCode::NOT_FOUND, "nothing has been set up at this table yet"),
    })
}

fn shown(desk: &Desk, hall: &Hall, session: &Session, game: &Game) -> Result<Response, Problem> {
    look_at(session, hall, game)?;
    Ok(Json(DirectorView::of(&desk.config, hall, game, now_ms())).into_response())
}

/// Refuses a match that is not this person's to look at.
pub(super) fn look_at(session: &Session, hall: &Hall, game: &Game) -> Result<(), Problem> {
    let may = session.may_look_at(hall, game);
    may.map_err(|reason| Problem::new(StatusCode::FORBIDDEN, reason))
}

/// Sensor readings, as an act asked for it.
pub(in crate::http) async fn clip(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path((id, act)): Path<(String, u64)>,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let hall = desk.floor.hall();
    if let Some(game) = hall.game(&id) {
        look_at(&session, &hall, game)?;
    }
    let mut clips = hall.game(&id).into_iter().flat_map(|game| game.clips());
    let Some((_, clip)) = clips.find(|(of, _)| *of == act) else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "there is no such evidence"));
    };
    let lines: Vec<serde_json::Value> =
        clip.lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let shown = json!({ "from_us": clip.from_us, "to_us": clip.to_us, "lines": lines });
    Ok(Json(shown).into_response())
}

/// A claim that somebody thinks of opening.
#[derive(Deserialize)]
pub(in crate::http) struct Considered {
    claim: String,
    by: SeatName,
    against: Option<u32>,
    #[serde(default)]
    witnessed: bool,
}

pub(in crate::http) async fn consider(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(considered): Query<Considered>,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let hall = desk.floor.hall();
    let Some(game) = hall.game(&id) else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "there is no match of this id"));
    };
    look_at(&session, &hall, game)?;
    let Some(kind) = ClaimKind::from_code(&considered.claim) else {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "there is no such claim"));
    };
    let Considered { by, against, witnessed, .. } = considered;
    let call = ClaimCall { kind, by: by.into(), against, stopped_us: None, witnessed };
    let verdict = VerdictView::of(game, &game.referee().consider(call));
    let verdict = if hall.is_unheard(game) { verdict.while_unheard() } else { verdict };
    let td = &desk.config.td;
    let is_hidden =
        td.silent_alerts == SilentAlerts::AfterClaim || td.decide_first && !game.is_decided();
    Ok(Json(if is_hidden { verdict.without_evidence() } else { verdict }).into_response())
}

/// A book's clauses in our words.
pub(in crate::http) async fn rulebook(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    session::of(&desk, &headers)?;
    let Ok(id) = name.parse::<BookId>() else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "there is no rulebook of this name"));
    };
    let book = id.book();
    let clauses: Vec<_> = book
        .clauses
        .iter()
        .map(|clause| json!({ "number": clause.number, "text": clause.text, "cite": book.cited(clause).to_string() }))
        .collect();
    let described = json!({ "book": id.name(), "title": book.title, "clauses": clauses });
    Ok(Json(described).into_response())
}
