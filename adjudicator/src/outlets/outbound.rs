//! An outside address to which the adjudicator sends over HTTP, with a token.

use std::{path::Path, time::Duration};

use axum::http::{Method, Request, StatusCode, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::time::timeout;

use crate::pki::secrets::{self, SecretError};

/// Longest wait for an answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Maximum number of bytes that are read of an answer.
const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// A configured address cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The text is no address.
    #[error("{key}.url {url:?} is no address: give one that begins with http:// or https://")]
    Url {
        /// Which part of the configuration.
        key: &'static str,
        /// The text as it was given.
        url: String,
    },
    /// The token's file cannot be read.
    #[error("{key}.token_file: {reason}")]
    Token {
        /// Which part of the configuration.
        key: &'static str,
        /// The reason.
        reason: SecretError,
    },
    /// The system's certificates cannot be used, so nothing encrypted can be sent.
    #[error("nothing can be sent encrypted from this machine: {0}")]
    Encryption(#[from] rustls::Error),
    /// The token holds characters that a header may not have.
    #[error("{key}.token_file: the token has characters that cannot be sent in a header")]
    TokenText {
        /// Which part of the configuration.
        key: &'static str,
    },
}

/// An address, and what is needed to send to it.
#[derive(Debug)]
pub struct Outbound {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    url: Uri,
    token: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct HttpAnswer {
    pub(super) status: StatusCode,
    /// Its body, cut at the limit.
    pub(super) body: Bytes,
}

impl Outbound {
    /// Prepares sending; nothing is sent yet. `key` is the part of the configuration that names the address.
    ///
    /// # Errors
    ///
    /// The text is no address, or its token cannot be read.
    pub fn new(
        key: &'static str,
        url: &str,
        token_file: Option<&Path>,
    ) -> Result<Outbound, OutboundError> {
        let wrong = || OutboundError::Url { key, url: url.to_owned() };
        let parsed: Uri = url.parse().map_err(|_| wrong())?;
        if !matches!(parsed.scheme_str(), Some("http" | "https")) || parsed.host().is_none() {
            return Err(wrong());
        }
        let token = token_file
            .map(secrets::read)
            .transpose()
            .map_err(|reason| OutboundError::Token { key, reason })?;
        if token.as_ref().is_some_and(|token| !token.chars().all(|c| c.is_ascii_graphic())) {
            return Err(OutboundError::TokenText { key });
        }
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())?
            .https_or_http()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Outbound { client, url: parsed, token })
    }

    /// The host alone: path and query may hold a secret.
    pub(super) fn host(&self) -> &str {
        self.url.host().unwrap_or_default()
    }

    /// Sends a body to a path below the address, or to the address itself. An error is the reason, in a few words.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<HttpAnswer, String> {
        let url = self.url.to_string();
        let url = match path {
            "" => url,
            path => format!("{}/{path}", url.trim_end_matches('/')),
        };
        self.send_to(&url, method, headers, body).await
    }

    /// Sends a body to a whole address at the same host.
    pub(super) async fn send_to(
        &self,
        url: &str,
        method: Method,
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<HttpAnswer, String> {
        let mut request = Request::builder().method(method).uri(url);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|it| it.to_string())?;
        let exchange = async {
            let answer = self.client.request(request).await.map_err(|error| error.to_string())?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), ANSWER_BYTES_MAX).collect().await;
            let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            Ok(HttpAnswer { status, body })
        };
        timeout(ANSWER_MAX, exchange).await.unwrap_or_else(|_| Err("no answer".to_owned()))
    }
}
