//! Answers are compressed away from the threads that serve the hall.
//!
//! To compress a megabyte takes some thirty milliseconds. On a thread of the runtime nobody else would be served meanwhile, and acknowledgements of hubs
//! would wait for somebody's download. So small answers are compressed at once, large ones on a thread for long work, and the files of the
//! pages, which never change, once.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};
use tokio::task;

use super::pages;

/// A shorter answer is sent as it is: it fits into one packet in any case, bytes.
const COMPRESSED_MIN: usize = 1_024;
/// What is compressed at once, below half a millisecond, bytes.
const AT_ONCE_MAX: usize = 16 * 1_024;
/// Largest answer that is compressed, bytes.
const COMPRESSED_MAX: usize = 64 * 1_024 * 1_024;
/// Files of the pages whose compressed form is kept; there are fewer.
const KEPT_MAX: usize = 256;

/// The compressed forms of the files that never change, by their addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct CompressedFiles(Arc<Mutex<BTreeMap<String, Bytes>>>);

impl CompressedFiles {
    fn get(&self, path: &str) -> Option<Bytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn keep(&self, path: String, bytes: &Bytes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT_MAX {
            kept.insert(path, bytes.clone());
        }
    }
}

/// Compresses an answer for a client that reads gzip.
pub(super) async fn compress(
    State(kept): State<CompressedFiles>,
    request: Request,
    next: Next,
) -> Response {
    let reads_gzip = request.method() == Method::GET && reads_gzip(request.headers());
    let path = request.uri().path();
    let path = pages::never_changes(path).then(|| path.to_owned());
    let response = next.run(request).await;
    let size = response.body().size_hint().exact().and_then(|size| usize::try_from(size).ok());
    // An event stream has no size, and is sent event by event.
    let Some(size) = size.filter(|size| (COMPRESSED_MIN..=COMPRESSED_MAX).contains(size)) else {
        return response;
    };
    if response.status() != StatusCode::OK || !is_compressible(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !reads_gzip {
        return Response::from_parts(parts, body);
    }
    let known = path.as_deref().and_then(|path| kept.get(path));
    let compressed = match known {
        Some(compressed) => Ok(compressed),
        None => gzipped(body, size).await,
    };
    let Ok(compressed) = compressed else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    if let Some(path) = path {
        kept.keep(path, &compressed);
    }
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(compressed))
}

async fn gzipped(body: Body, size: usize) -> io::Result<Bytes> {
    let bytes = to_bytes(body, COMPRESSED_MAX).await.map_err(io::Error::other)?;
    if size <= AT_ONCE_MAX {
        return gzip(&bytes);
    }
    task::spawn_blocking(move || gzip(&bytes)).await?
}

fn gzip(bytes: &[u8]) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.into())
}

/// Whether a client says that it reads gzip.
pub(crate) fn reads_gzip(headers: &HeaderMap) -> bool {
    let said = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut codings = said.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
    codings.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        is_gzip && weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
    })
}

/// Whether it is worth it: not what is compressed already.
fn is_compressible(headers: &HeaderMap) -> bool {
    if headers.contains_key(header::CONTENT_ENCODING) {
        return false;
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let Some(kind) = kind else { return false };
    let is_packed = ["image/", "font/", "video/", "audio/", "application/zip"];
    kind.starts_with("image/svg") || !is_packed.iter().any(|packed| kind.starts_with(packed))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use axum::{Router, middleware, routing::get};
    use flate2::read::GzDecoder;
    use tower_service::Service as _;

    use super::*;

    const JSON: &str = "application/json";

    /// Asks for an answer of so many bytes.
    async fn ask(size: usize, kind: &'static str, accepts: &'static str) -> (HeaderMap, Bytes) {
        let answer = move || async move { ([(header::CONTENT_TYPE, kind)], "ab".repeat(size / 2)) };
        let mut router: Router = Router::new()
            .route("/", get(answer))
            .layer(middleware::from_fn_with_state(CompressedFiles::default(), compress));
        let request = Request::get("/").header(header::ACCEPT_ENCODING, accepts);
        let response = router.call(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        (parts.headers, to_bytes(body, usize::MAX).await.unwrap())
    }

    #[tokio::test]
    async fn small_and_large_answers_are_what_they_were_when_they_are_unpacked() {
        for size in [COMPRESSED_MIN, AT_ONCE_MAX, AT_ONCE_MAX + 2, 3_000_000] {
            let (headers, bytes) = ask(size, JSON, "br, gzip;q=0.5").await;
            assert_eq!(headers[header::CONTENT_ENCODING], "gzip");
            assert_eq!(headers[header::VARY], "accept-encoding");
            assert!(bytes.len() < size / 2, "{size}: {}", bytes.len());
            let mut text = String::new();
            GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
            assert_eq!(text, "ab".repeat(size / 2));
        }
    }

    #[tokio::test]
    async fn what_is_short_packed_already_or_not_wanted_so_is_sent_as_it_is() {
        let cases = [
            (COMPRESSED_MIN - 2, JSON, "gzip"),
            (4_000, "image/png", "gzip"),
            (4_000, "application/zip", "gzip"),
            (4_000, JSON, "br"),
            (4_000, JSON, "gzip;q=0"),
        ];
        for (size, kind, accepts) in cases {
            let (headers, bytes) = ask(size, kind, accepts).await;
            assert!(!headers.contains_key(header::CONTENT_ENCODING), "{size} {kind} {accepts}");
            assert_eq!(bytes.len(), size);
        }
    }
}
