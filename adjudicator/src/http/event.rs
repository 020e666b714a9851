//! Pairings and standings for everybody: behind the public's delay, and without names unless the organiser opted in.

use axum::{
    Json, Router,
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Deserialize;

use super::{Desk, problem};
use crate::views::{EventSheet, StandingsSheet};

pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/api/v1/event", get(event)).route("/api/v1/standings", get(standings))
}

async fn event(State(desk): State<Desk>) -> Response {
    Json(EventSheet::seen(&desk.public.look())).into_response()
}

#[derive(Deserialize)]
struct EventQuery {
    section: String,
    after: Option<u8>,
}

async fn standings(State(desk): State<Desk>, Query(wanted): Query<EventQuery>) -> Response {
    let sight = desk.public.look();
    let EventQuery { section, after } = wanted;
    let Some(hall) = sight.of_section(&section) else {
        return problem(StatusCode::NOT_FOUND, "there is no such section");
    };
    match StandingsSheet::of(hall.event(), &section, after, hall.disclosure().names()) {
        Ok(sheet) => Json(sheet).into_response(),
        Err(reason) => problem(StatusCode::NOT_FOUND, &reason),
    }
}
