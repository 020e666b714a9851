//! One shape for every refusal: what a library refuses with plain words, or with none, becomes the JSON that handlers refuse with.

use axum::{
    body::to_bytes,
    extract::Request,
    http::{StatusCode, header},
    middleware::Next,
    response::Response,
};

use super::problem;

/// Maximum number of bytes of a library's words that are passed on.
const WORDS_MAX_BYTES: usize = 4_096;

/// Passes answers on, refusals as JSON.
pub(super) async fn as_json(request: Request, next: Next) -> Response {
    let answer = next.run(request).await;
    let status = answer.status();
    let kind = answer.headers().get(header::CONTENT_TYPE);
    let is_plain = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !(status.is_client_error() || status.is_server_error()) || !is_plain {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let words = to_bytes(body, WORDS_MAX_BYTES).await.unwrap_or_default();
    let words = String::from_utf8_lossy(&words);
    let reason = match (words.trim(), status) {
        ("", StatusCode::METHOD_NOT_ALLOWED) => "this address knows no such method; see Allow",
        ("", _) => status.canonical_reason().unwrap_or("the request was refused"),
        (words, _) => words,
    };
    let mut refusal = problem(status, reason);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::CONTENT_TYPE);
    refusal.headers_mut().extend(parts.headers);
    refusal
}
