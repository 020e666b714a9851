//! The desk's side of the hall's screens: their list, and a command to load one again. Their content is set by an act.

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{
    super::{Desk, Problem},
    session,
};
use crate::time::run_ms;

pub(in crate::http) async fn list(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    session::of(&desk, &headers)?;
    let screens = desk.screens.listed(&desk.floor.hall(), run_ms());
    Ok(Json(json!({ "screens": screens })).into_response())
}

pub(in crate::http) async fn reload(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(screen): Path<u16>,
) -> Result<Response, Problem> {
    let session = session::to_change(&desk, &headers)?;
    session.may_give_screens().map_err(|reason| Problem::new(StatusCode::FORBIDDEN, reason))?;
    match desk.screens.reload(screen) {
        true => Ok(Json(json!({})).into_response()),
        false => Err(Problem::new(StatusCode::NOT_FOUND, "this screen is not connected")),
    }
}
