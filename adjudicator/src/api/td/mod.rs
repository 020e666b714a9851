//! What directors do: who needs them, what happened there, what they decide, and the event they run.
//!
//! Everything here asks for a [`session`]: a device that was paired, or the token of the configuration. What somebody
//! may do is decided in [`may`], before anything is logged.

mod acts;
mod alerts;
mod events;
mod live;
mod looking;
mod may;
mod presence;
mod reports;
mod session;
mod staff;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
pub(super) use presence::Presence;
pub(super) use staff::PinTries;

use super::Desk;

/// Largest body of an act, bytes.
const ACT_BODY_MAX: usize = 256 * 1024;

pub(super) fn routes(desk: &Desk) -> Router<Desk> {
    let small = Router::new()
        .route("/api/v1/td/alerts", get(alerts::alerts))
        .route("/api/v1/td/me", get(staff::me))
        .route("/api/v1/td/staff", get(staff::staff))
        .route("/api/v1/td/invitations", post(staff::invite))
        .route("/api/v1/td/invitations/{id}/void", post(staff::void))
        .route("/api/v1/td/devices/{id}/revoke", post(staff::revoke))
        .route("/api/v1/td/needs", get(looking::needs))
        .route("/api/v1/td/live", get(live::live))
        .route("/api/v1/td/round", get(looking::round))
        .route("/api/v1/td/matches/{id}", get(looking::one_match))
        .route("/api/v1/td/matches/{id}/clips/{act}", get(looking::clip))
        .route("/api/v1/td/tables/{table}", get(looking::table))
        .route("/api/v1/td/matches/{id}/consider", get(looking::consider))
        .route("/api/v1/td/rulebooks/{book}", get(looking::rulebook))
        .route("/api/v1/td/acts", post(acts::act))
        .route("/api/v1/td/event", get(events::event))
        .route("/api/v1/td/results.csv", get(events::results))
        .route("/api/v1/td/ledger", get(reports::ledger))
        .route("/api/v1/td/ledger.csv", get(reports::ledger_csv))
        .layer(DefaultBodyLimit::max(ACT_BODY_MAX));
    let large = Router::new()
        .route("/api/v1/td/event/preview", post(events::preview))
        .route("/api/v1/td/event/import", post(events::import))
        .layer(DefaultBodyLimit::max(event::import::FILE_BYTES_MAX));
    let pair = Router::new()
        .route("/api/v1/td/pair", post(staff::pair))
        .layer(DefaultBodyLimit::max(ACT_BODY_MAX));
    small.merge(large).route_layer(from_fn_with_state(desk.clone(), admit)).merge(pair)
}

/// Whoever is no director is refused before a word of what they send is read.
async fn admit(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    match session::of(&desk, request.headers()) {
        Ok(_) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}
