//! New hubs that ask to be accepted. Every client of the pages may ask; only the chief director's act accepts.

use axum::{
    Extension, Json, Router,
    extract::{DefaultBodyLimit, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use proto::join::JoinRequest;

use super::{Desk, JsonBody, Problem, server::Peer};
use crate::{
    pki::joining::{JoinRefusal, Joining},
    time::run_ms,
};

/// Largest request, bytes.
const BODY_MAX: usize = 4 * 1024;

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/api/v1/hubs/join", get(hall).post(ask))
        .layer(DefaultBodyLimit::max(BODY_MAX))
}

pub(super) fn of(desk: &Desk) -> Result<&Joining, Problem> {
    desk.joining.as_deref().ok_or_else(|| {
        let reason = "no hub is accepted here: set accept = true under [hubs] in the adjudicator's configuration, or enroll it with `twinboard enroll hub`";
        Problem::new(StatusCode::NOT_FOUND, reason)
    })
}

impl From<JoinRefusal> for Problem {
    fn from(refusal: JoinRefusal) -> Problem {
        let status = match &refusal {
            JoinRefusal::TooLong => StatusCode::UNPROCESSABLE_ENTITY,
            JoinRefusal::TooMany | JoinRefusal::TooManyCodes => StatusCode::TOO_MANY_REQUESTS,
            JoinRefusal::WrongCode => StatusCode::NOT_FOUND,
            JoinRefusal::Authority(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        Problem::new(status, refusal.to_string())
    }
}

async fn hall(State(desk): State<Desk>) -> Result<Response, Problem> {
    Ok(Json(of(&desk)?.hall()).into_response())
}

async fn ask(
    State(desk): State<Desk>,
    Extension(Peer(address)): Extension<Peer>,
    body: Result<JsonBody<JoinRequest>, Problem>,
) -> Result<Response, Problem> {
    let joining = of(&desk)?;
    let JsonBody(request) = body?;
    Ok(Json(joining.ask(request, address, run_ms())?).into_response())
}
