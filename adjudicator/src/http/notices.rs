//! Announcements and the times of the rounds, and what a family sees of its one child.

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};

use super::{Desk, Problem, link};
use crate::{
    time::now_ms,
    views::{ChildView, NoticesView},
};

pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/api/v1/notices", get(notices)).route("/api/v1/child", get(child))
}

async fn notices(State(desk): State<Desk>) -> Response {
    Json(noticed(&desk)).into_response()
}

fn noticed(desk: &Desk) -> NoticesView {
    let rate = desk.config.http.clock_rate;
    NoticesView::of(&desk.floor.hall(), &desk.public.look(), now_ms(), rate)
}

/// The child of the link that comes in the header, and nobody else.
async fn child(State(desk): State<Desk>, headers: HeaderMap) -> Result<Response, Problem> {
    let refuse = || {
        let reason = "this link is not valid, or not any more: ask the organiser for a new one";
        Problem::new(StatusCode::NOT_FOUND, reason)
    };
    // Whether the link is valid is asked of the hall as it is now: what is revoked has no delay.
    let digest = link::digest(&headers)?.hex();
    let player = desk.floor.hall().event().linked(&digest).ok_or_else(refuse)?;
    let notices = noticed(&desk);
    let seen = ChildView::of(&desk.floor.hall(), &desk.public.look(), player, notices);
    seen.map(|view| Json(view).into_response()).ok_or_else(refuse)
}
