//! Records are written in a lane of their own, one after the other.
//!
//! The records of an event are every match in full, written anew whenever somebody asks: work for some tenths of a second that must not
//! be done by the threads that serve the hall, nor by several at a time because somebody asks in a loop. So it is done on a thread for
//! long work, one request at a time; few may wait, and of one address very few.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use tokio::{runtime::Handle, sync::Semaphore, task};

use super::{problem, server::Peer};
use crate::guests::Guests;

/// Most requests that wait or are served, and of one address.
const WAITING_MAX: usize = 256;
const WAITING_OF_ONE_ADDRESS_MAX: usize = 16;

/// Seconds after which whoever found no place is to ask again.
const AGAIN_S: u16 = 2;

/// The lane.
#[derive(Clone)]
pub(crate) struct Lane {
    waiting: Guests,
    turn: Arc<Semaphore>,
}

impl Default for Lane {
    fn default() -> Lane {
        Lane {
            waiting: Guests::new(WAITING_MAX, WAITING_OF_ONE_ADDRESS_MAX),
            turn: Arc::new(Semaphore::new(1)),
        }
    }
}

/// Serves a request when it is its turn.
pub(super) async fn through(
    State(lane): State<Lane>,
    Extension(Peer(address)): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let Some(place) = lane.waiting.admit(address) else {
        let reason = "too many records are asked for at once: ask again in some seconds";
        let mut refusal = problem(StatusCode::TOO_MANY_REQUESTS, reason);
        refusal.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(AGAIN_S));
        return refusal;
    };
    // It is never closed.
    let _turn = lane.turn.acquire().await;
    let here = Handle::current();
    let served = task::spawn_blocking(move || here.block_on(next.run(request))).await;
    drop(place);
    served.unwrap_or_else(|error| {
        tracing::error!(%error, "a record was not written to its end");
        problem(StatusCode::INTERNAL_SERVER_ERROR, "the record could not be written")
    })
}
