//! What directors do: who needs them, what happened there, what they decide, and the event they run.
//!
//! Everything here asks for a [`session`]: a device that was paired, or the token of the configuration. What somebody
//! may do is decided in [`may`], before anything is logged.

mod acts;
mod alerts;
mod authorization;
mod events;
mod findings;
mod hubs;
mod links;
mod live;
mod prepared;
mod presence;
mod read;
mod ready;
mod reports;
mod screens;
mod session;
mod staff;

use std::time::Duration;

pub(super) use acts::{answered, check_key, not_committed};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::StatusCode,
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
pub(super) use prepared::Prepared;
pub(super) use presence::Presence;
pub(super) use read::list;
pub(super) use ready::Readiness;
pub(super) use staff::PinTries;

use super::{Desk, Problem, server::Peer};

/// Largest body of an act, bytes.
const ACT_BODY_MAX: usize = 256 * 1024;

/// Longest time in which an act has come and is answered; in which an organiser's file has.
const ACT_MAX: Duration = Duration::from_secs(20);
const FILE_MAX: Duration = Duration::from_secs(300);

pub(super) fn routes(desk: &Desk) -> Router<Desk> {
    let small = Router::new()
        .route("/api/v1/td/alerts", get(alerts::alerts))
        .route("/api/v1/td/me", get(staff::me))
        .route("/api/v1/td/staff", get(staff::staff))
        .route("/api/v1/td/invitations", post(staff::invite))
        .route("/api/v1/td/invitations/{id}/void", post(staff::void))
        .route("/api/v1/td/devices/{id}/revoke", post(staff::revoke))
        .route("/api/v1/td/needs", get(read::needs))
        .route("/api/v1/td/live", get(live::live))
        .route("/api/v1/td/round", get(read::round))
        .route("/api/v1/td/matches/{id}", get(read::one_match))
        .route("/api/v1/td/matches/{id}/clips/{act}", get(read::clip))
        .route("/api/v1/td/tables/{table}", get(read::table))
        .route("/api/v1/td/matches/{id}/consider", get(read::consider))
        .route("/api/v1/td/rulebooks/{book}", get(read::rulebook))
        .route("/api/v1/td/acts", post(acts::act))
        .route("/api/v1/td/children/links", post(links::of_children))
        .route("/api/v1/td/tables/links", post(links::of_tables))
        .route("/api/v1/td/ready", post(ready::ready))
        .route("/api/v1/td/hubs", get(hubs::list))
        .route("/api/v1/td/hubs/accept", post(hubs::accept))
        .route("/api/v1/td/hubs/{hub}/tables", post(hubs::place))
        .route("/api/v1/td/screens", get(screens::list))
        .route("/api/v1/td/screens/{screen}/reload", post(screens::reload))
        .route("/api/v1/td/event", get(events::event))
        .route("/api/v1/td/findings", get(findings::findings))
        .route("/api/v1/td/event/acts", get(events::acts_of_event))
        .route("/api/v1/td/results.csv", get(events::results))
        .route("/api/v1/td/ledger", get(reports::ledger))
        .route("/api/v1/td/ledger.csv", get(reports::ledger_csv))
        .layer(DefaultBodyLimit::max(ACT_BODY_MAX))
        .layer(from_fn(|request, next| in_time(ACT_MAX, request, next)));
    let large = Router::new()
        .route("/api/v1/td/event/preview", post(events::preview))
        .route("/api/v1/td/event/import", post(events::import))
        .layer(DefaultBodyLimit::max(event::import::FILE_BYTES_MAX))
        .layer(from_fn(|request, next| in_time(FILE_MAX, request, next)));
    let pair = Router::new()
        .route("/api/v1/td/pair", post(staff::pair))
        .layer(DefaultBodyLimit::max(ACT_BODY_MAX))
        .layer(from_fn(|request, next| in_time(ACT_MAX, request, next)));
    small.merge(large).route_layer(from_fn_with_state(desk.clone(), admit)).merge(pair)
}

/// Gives up a request that does not come to its end: it keeps a connection, of which an address has so many.
async fn in_time(most: Duration, request: Request, next: Next) -> Response {
    match tokio::time::timeout(most, next.run(request)).await {
        Ok(answer) => answer,
        Err(_) => {
            let reason = "the request did not come to its end in time: send it again";
            Problem::new(StatusCode::REQUEST_TIMEOUT, reason).into_response()
        }
    }
}

/// Whoever is no director is refused before a word of what they send is read.
async fn admit(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    match session::of(&desk, request.headers()) {
        Ok(_) => {
            if let Some(Peer(address)) = request.extensions().get() {
                desk.directors.note(*address);
            }
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, Bytes};
    use futures::{StreamExt as _, stream};
    use tower_service::Service as _;

    use super::*;

    #[tokio::test]
    async fn a_request_whose_body_never_ends_is_given_up() {
        let most = Duration::from_millis(50);
        let mut router = Router::new()
            .route("/", post(async |_: Bytes| "all of it"))
            .layer(from_fn(move |request, next| in_time(most, request, next)));
        let begun = stream::iter([Ok::<_, std::io::Error>("{")]).chain(stream::pending());
        let endless = Request::post("/").body(Body::from_stream(begun)).unwrap();
        let answer = router.call(endless).await.unwrap();
        assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
        let whole = Request::post("/").body(Body::from("{}")).unwrap();
        assert_eq!(router.call(whole).await.unwrap().status(), StatusCode::OK);
    }
}
