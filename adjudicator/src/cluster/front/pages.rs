//! Pages and acts at a front.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::{Extension, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{
    super::message::{self, FrontQuestion, read_headers, written_headers},
    Front,
    asking::NoAnswer,
    kept::{AnswerKey, Whole},
};
use crate::{
    http::{Encrypted, Peer, never_changes, problem, reads_gzip},
    views::halls::connected,
};

/// Addresses below `/api` that are the same for everybody.
const SHARED: [&str; 6] = [
    "/api/v1/round",
    "/api/v1/matches",
    "/api/v1/event",
    "/api/v1/standings",
    "/api/v1/feed",
    "/api/v1/openapi.json",
];
/// Addresses to which organisers' files are sent.
const FILES: &str = "/api/v1/td/event/";
/// Wait after which a client asks again, seconds.
const RETRY_AFTER_S: u64 = 1;
/// Largest body of an act, bytes.
const ACT_BYTES_MAX: usize = 256 * 1024;
/// Longest time in which a body has come.
const BODY_MAX: Duration = Duration::from_secs(60);

/// Whether an address answers everybody alike.
fn is_shared(path: &str) -> bool {
    !path.starts_with("/api/")
        || SHARED.iter().any(|shared| {
            path.strip_prefix(shared)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
        })
}

/// Any page or act.
pub(super) async fn page(
    State(front): State<Front>,
    Extension(Peer(peer)): Extension<Peer>,
    encrypted: Option<Extension<Encrypted>>,
    request: Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
    let path = parts.uri.path().to_owned();
    let is_read = parts.method == Method::GET || parts.method == Method::HEAD;
    let known = parts.headers.get(header::IF_NONE_MATCH).cloned();
    let is_whole = is_read && is_shared(&path);
    let is_packed = reads_gzip(&parts.headers);
    let is_head = parts.method == Method::HEAD;
    if is_whole {
        // One question for all: what makes clients differ stays here.
        (parts.method, parts.headers) = (Method::GET, HeaderMap::new());
        if is_packed {
            parts.headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    let wanted = FrontQuestion::Http(message::Request {
        method: parts.method.to_string(),
        target: target.clone(),
        headers: written_headers(&parts.headers),
        peer,
        encrypted: encrypted.is_some(),
    });
    if is_whole {
        let key = AnswerKey::Page(front.of, target, is_packed);
        return match front.whole(&key, &wanted, never_changes(&path)).await {
            Ok(whole) => shared(&whole, known.as_ref(), is_head),
            Err(error) => refused(error),
        };
    }
    let body = match tokio::time::timeout(BODY_MAX, to_bytes(body, bytes_max(&path))).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return problem(
                StatusCode::PAYLOAD_TOO_LARGE,
                "this is too large to be an act or a file",
            );
        }
        Err(_) => {
            return problem(
                StatusCode::REQUEST_TIMEOUT,
                "the request did not come to its end in time: send it again",
            );
        }
    };
    match front.asking.ask(front.of, &wanted, body, is_read).await {
        Ok(answer) => {
            let head = answer.head();
            let mut response = answer.body().into_response();
            *response.status_mut() = status(head.status);
            *response.headers_mut() = read_headers(&head.headers);
            response
        }
        Err(error) => refused(error),
    }
}

fn bytes_max(path: &str) -> usize {
    if path.starts_with(FILES) { event::import::FILE_BYTES_MAX } else { ACT_BYTES_MAX }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY)
}

/// An answer that others get, too.
fn shared(whole: &Arc<Whole>, known: Option<&HeaderValue>, is_head: bool) -> Response {
    let mut headers = read_headers(&whole.head.headers);
    let age = whole.at.elapsed().as_secs();
    if age > 0 && whole.head.status == 200 {
        headers.insert(header::AGE, HeaderValue::from(age));
    }
    let has_it = known.zip(headers.get(header::ETAG)).is_some_and(|(known, tag)| {
        let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let tag = tag.to_str().map(strong).unwrap_or_default();
        known.to_str().is_ok_and(|known| known.split(',').any(|one| strong(one) == tag))
    });
    let mut response = match (has_it, is_head) {
        (true, _) => StatusCode::NOT_MODIFIED.into_response(),
        (false, true) => status(whole.head.status).into_response(),
        (false, false) => {
            (status(whole.head.status), Body::from(whole.body.clone())).into_response()
        }
    };
    if has_it {
        headers.remove(header::CONTENT_LENGTH);
    }
    *response.headers_mut() = headers;
    response
}

/// The answer where the owner gave none.
pub(super) fn refused(error: NoAnswer) -> Response {
    let status = match error {
        NoAnswer::NotAsked | NoAnswer::Busy => StatusCode::SERVICE_UNAVAILABLE,
        NoAnswer::Unknown => StatusCode::GATEWAY_TIMEOUT,
    };
    let mut response = problem(status, &error.to_string());
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_S));
    response
}

/// Well while an owner of the hall is there. Restarting the front would bring none.
pub(super) async fn health(State(front): State<Front>) -> Response {
    let epoch = front.asking.owner();
    let (owner, nats) = (connected(epoch.is_some()), connected(front.asking.has_line()));
    Json(json!({ "status": "ok", "owner": owner, "epoch": epoch, "nats": nats })).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_clients_is_never_shared() {
        for path in [
            "/",
            "/match/m1",
            "/assets/x.js",
            "/api/v1/round",
            "/api/v1/matches/m1.bpgn",
            "/api/v1/event.zip",
        ] {
            assert!(is_shared(path), "{path}");
        }
        for path in [
            "/api/v1/td/needs",
            "/api/v1/at-table",
            "/api/v1/screen",
            "/api/v1/child",
            "/api/v1/rounds",
            "/api/v2/round",
        ] {
            assert!(!is_shared(path), "{path}");
        }
    }
}
