//! Announcements and the times of the rounds, and what a family sees of its one child.

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, HeaderName, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};

use super::{Desk, Problem};
use crate::{
    hall::event::staff::Digest,
    time::now_ms,
    views::{ChildView, NoticesView},
};

/// The header with the secret of a family's link. It is in no address, so that no log and no history of requests has it.
const LINK: HeaderName = HeaderName::from_static("x-twinboard-link");

/// Longest secret that is looked at, bytes.
const SECRET_BYTES_MAX: usize = 128;

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
    let secret = headers.get(LINK).and_then(|value| value.to_str().ok()).ok_or_else(refuse)?;
    if secret.is_empty() || secret.len() > SECRET_BYTES_MAX {
        return Err(refuse());
    }
    // Whether the link is valid is asked of the hall as it is now: what is revoked has no delay.
    let digest = Digest::of(secret).hex();
    let player = desk.floor.hall().event().linked(&digest).ok_or_else(refuse)?;
    let notices = noticed(&desk);
    let seen = ChildView::of(&desk.floor.hall(), &desk.public.look(), player, notices);
    seen.map(|view| Json(view).into_response()).ok_or_else(refuse)
}
