//! Answers that a client has already are not sent again: an ETag is a digest of what everybody may see, and of nothing else.
//!
//! A record can be put right even after its match is over, so that no address of it is true for ever. One with `?v=` and the
//! digest is: whoever publishes the records of ended matches can have caches keep them.

use axum::{
    body::{Body, HttpBody as _, to_bytes},
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::Response,
};
use sha2::{Digest as _, Sha256};

use super::problem;

/// Largest answer that gets a tag, bytes: the records of a large event. A larger one is sent without.
const TAGGED_MAX: usize = 64 * 1024 * 1024;

/// To be asked for anew each time, at the cost of a header.
const ASK_ANEW: HeaderValue = HeaderValue::from_static("no-cache");

/// For an answer that its address names by its digest.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Marks an answer about something that is over: its own time in it, this text, is not part of the tag. Of what goes on it is, because pages
/// reckon by it.
#[derive(Clone, Debug)]
pub(super) struct TimeApart(pub(super) String);

/// A body without the first place where a text stands.
fn without(body: &[u8], text: &str) -> Vec<u8> {
    let text = text.as_bytes();
    let at = body.windows(text.len().max(1)).position(|part| part == text);
    let Some(at) = at else { return body.to_vec() };
    [&body[..at], &body[at + text.len()..]].concat()
}

/// Gives an answer its tag, or says that the client has it.
pub(super) async fn tag(request: Request, next: Next) -> Response {
    let is_get = request.method() == Method::GET;
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let version = version(request.uri().query().unwrap_or_default());
    let response = next.run(request).await;
    if !is_get || response.status() != StatusCode::OK {
        return response;
    }
    if response.body().size_hint().lower() > TAGGED_MAX as u64 {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, TAGGED_MAX).await else {
        return problem(StatusCode::INTERNAL_SERVER_ERROR, "the answer was not written to its end");
    };
    let tagged = match parts.extensions.remove::<TimeApart>() {
        Some(TimeApart(time)) => Sha256::digest(without(&body, &time)),
        None => Sha256::digest(&body),
    };
    let digest: String = tagged.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    // Weak: what is compressed on the way has the same tag.
    let Ok(tag) = HeaderValue::from_str(&format!("W/\"{digest}\"")) else {
        return Response::from_parts(parts, Body::from(body));
    };
    let has_it = known.is_some_and(|known| is_among(&known, &digest));
    parts.headers.insert(header::ETAG, tag);
    let is_for_ever = version.as_deref() == Some(digest.as_str());
    parts.headers.insert(header::CACHE_CONTROL, if is_for_ever { KEEP } else { ASK_ANEW });
    if has_it {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(body))
}

/// The digest by which an address names what it wants.
fn version(query: &str) -> Option<String> {
    query.split('&').find_map(|part| part.strip_prefix("v=")).map(str::to_owned)
}

fn is_among(known: &HeaderValue, digest: &str) -> bool {
    let Ok(known) = known.to_str() else { return false };
    let tags = known.split(',').map(|tag| tag.trim().trim_start_matches("W/").trim_matches('"'));
    known.trim() == "*" || tags.into_iter().any(|tag| tag == digest)
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::*;

    #[tokio::test]
    async fn an_answer_that_is_too_large_for_a_tag_is_sent_without() {
        use axum::{Router, middleware, routing::get};
        use tower_service::Service as _;

        async fn answer(bytes: usize) -> Response {
            let large = get(async move || vec![b' '; bytes]);
            let mut router = Router::new().route("/", large).layer(middleware::from_fn(tag));
            router.call(Request::new(Body::empty())).await.unwrap()
        }
        let large = answer(TAGGED_MAX + 1).await;
        assert_eq!((large.status(), large.headers().get(header::ETAG)), (StatusCode::OK, None));
        let sent = to_bytes(large.into_body(), usize::MAX).await.unwrap();
        assert_eq!(sent.len(), TAGGED_MAX + 1);
        assert!(answer(1).await.headers().contains_key(header::ETAG));
    }

    #[tokio::test]
    async fn what_is_over_has_one_tag_whatever_the_time() {
        use axum::{Router, extract::Path, routing::get};
        use tower_service::Service as _;
        let answer = async |Path((now, over)): Path<(u64, bool)>| {
            let time = format!("\"now_ms\":{now}");
            let mut answer = format!("{{\"a\":1,{time}}}").into_response();
            if over {
                answer.extensions_mut().insert(TimeApart(time));
            }
            answer
        };
        let router =
            Router::new().route("/{now}/{over}", get(answer)).layer(axum::middleware::from_fn(tag));
        let tag_of = async |path: &str, known: Option<HeaderValue>| {
            let mut request = Request::get(path).body(Body::empty()).unwrap();
            known.map(|known| request.headers_mut().insert(header::IF_NONE_MATCH, known));
            let answer = router.clone().call(request).await.unwrap();
            (answer.status(), answer.headers()[header::ETAG].clone())
        };
        let (_, first) = tag_of("/1000/true", None).await;
        let (status, second) = tag_of("/2000/true", Some(first.clone())).await;
        assert_eq!((status, second), (StatusCode::NOT_MODIFIED, first.clone()));
        let (status, _) = tag_of("/2000/false", Some(first)).await;
        assert_eq!(status, StatusCode::OK, "what goes on has its time");
    }

    #[test]
    fn a_tag_is_found_among_others_and_in_both_of_its_forms() {
        let is_known = |known| is_among(&HeaderValue::from_static(known), "abc");
        assert!(is_known("W/\"abc\"") && is_known("\"x\", \"abc\"") && is_known("*"));
        assert!(!is_known("\"abcd\"") && !is_known(""));
    }
}
