//! Secrets of links on paper, as requests bring them.

use axum::http::{HeaderMap, HeaderName, StatusCode};

use super::Problem;
use crate::hall::event::staff::Digest;

/// The header with the secret. It is in no address, so that no log and no history of requests has it.
const LINK: HeaderName = HeaderName::from_static("x-twinboard-link");

/// Longest secret that is compared, bytes.
const SECRET_BYTES_MAX: usize = 128;

/// Digest of the secret that a request brings.
///
/// # Errors
///
/// It brings none.
pub(super) fn digest(headers: &HeaderMap) -> Result<Digest, Problem> {
    secret(headers, &LINK).ok_or_else(|| {
        let reason = "this is for who has a link: its page brings the secret in x-twinboard-link";
        Problem::new(StatusCode::UNAUTHORIZED, reason)
    })
}

/// Digest of the secret in a header.
pub(super) fn secret(headers: &HeaderMap, header: &HeaderName) -> Option<Digest> {
    let secret = headers.get(header)?.to_str().ok()?;
    (1..=SECRET_BYTES_MAX).contains(&secret.len()).then(|| Digest::of(secret))
}
