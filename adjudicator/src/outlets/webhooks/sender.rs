//! Sends news to one address, one after the other: again if it fails, and not for ever.

use std::time::Duration;

use axum::http::{Request, Uri, header};
use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use super::news::News;
use crate::{
    config::{Webhook, WebhookFormat},
    pki::secrets::{self, SecretError},
};

/// News that wait for an address; what comes then is dropped and said.
const QUEUE_MAX: usize = 256;
/// How often one thing is sent before it is given up.
const ATTEMPTS: u32 = 5;
/// First pause after a failure, doubled each time.
const PAUSE: Duration = Duration::from_secs(1);
/// Longest wait for an answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// Somebody cannot be told as the configuration wants it.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The address is none.
    #[error("webhook.url {url:?} is no address: give one that begins with http:// or https://")]
    Url {
        /// As it was given.
        url: String,
    },
    /// The token cannot be read.
    #[error("webhook.token_file: {0}")]
    Token(#[from] SecretError),
    /// Nothing encrypted can be sent.
    #[error("webhooks cannot be sent encrypted from this machine: {0}")]
    Encryption(#[from] rustls::Error),
    /// The token cannot stand in a header.
    #[error("webhook.token_file: the token has characters that cannot be sent in a header")]
    TokenText,
}

/// One address.
#[derive(Debug)]
pub struct Sender {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    url: Uri,
    format: WebhookFormat,
    token: Option<String>,
}

/// What waits for an address.
#[derive(Debug)]
pub(super) struct Queue {
    news: mpsc::Sender<News>,
    host: String,
}

impl Queue {
    pub(super) fn push(&self, one: News) {
        if self.news.try_send(one).is_err() {
            tracing::warn!(host = self.host, "too much waits to be told already; this is left out");
        }
    }
}

impl Sender {
    /// Makes ready to tell somebody; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// The address is none, or its token cannot be read.
    pub fn new(hook: &Webhook) -> Result<Sender, WebhookError> {
        let wrong = || WebhookError::Url { url: hook.url.clone() };
        let url: Uri = hook.url.parse().map_err(|_| wrong())?;
        if !matches!(url.scheme_str(), Some("http" | "https")) || url.host().is_none() {
            return Err(wrong());
        }
        let token = hook.token_file.as_deref().map(secrets::read).transpose()?;
        if token.as_ref().is_some_and(|token| !token.chars().all(|c| c.is_ascii_graphic())) {
            return Err(WebhookError::TokenText);
        }
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())?
            .https_or_http()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Sender { client, url, format: hook.format, token })
    }

    pub(super) fn start(self, shutdown: CancellationToken) -> (Queue, impl Future<Output = ()>) {
        let (news, mut waiting) = mpsc::channel(QUEUE_MAX);
        let host = self.url.host().unwrap_or_default().to_owned();
        let sending = async move {
            loop {
                let one = tokio::select! {
                    () = shutdown.cancelled() => return,
                    one = waiting.recv() => match one {
                        Some(one) => one,
                        None => return,
                    },
                };
                tokio::select! {
                    () = shutdown.cancelled() => return,
                    () = self.send(&one) => {}
                }
            }
        };
        (Queue { news, host }, sending)
    }

    async fn send(&self, one: &News) {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            let Some(request) = self.request(one) else { return };
            let reason = match timeout(ANSWER_MAX, self.client.request(request)).await {
                Ok(Ok(answer)) if answer.status().is_success() => return,
                Ok(Ok(answer)) => answer.status().to_string(),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "no answer".to_owned(),
            };
            if attempt == ATTEMPTS {
                // Neither path nor query: they may hold a secret.
                let host = self.url.host().unwrap_or_default();
                tracing::warn!(host, reason, "somebody could not be told; given up");
                return;
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }

    /// None: it cannot be written, which a checked address and token rule out.
    fn request(&self, one: &News) -> Option<Request<Full<Bytes>>> {
        let request = Request::post(self.url.clone());
        let request = match &self.token {
            Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        };
        let (request, body) = match self.format {
            WebhookFormat::Json => (
                request.header(header::CONTENT_TYPE, "application/json"),
                serde_json::to_vec(one).ok()?,
            ),
            WebhookFormat::Ntfy => (
                request
                    .header(header::CONTENT_TYPE, "text/plain; charset=utf-8")
                    .header("x-title", ascii(&one.title)),
                one.text.clone().into_bytes(),
            ),
        };
        request.body(Full::new(Bytes::from(body))).ok()
    }
}

/// Header values are ASCII.
fn ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect()
}
