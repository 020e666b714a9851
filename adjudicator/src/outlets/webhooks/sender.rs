//! Sends messages to one address, one after the other, with a bounded number of tries.

use std::time::Duration;

use axum::http::Method;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::news::News;
use crate::{
    config::{Webhook, WebhookFormat},
    outlets::outbound::{Outbound, OutboundError},
};

/// Maximum number of messages that wait for an address; further ones are dropped and logged.
const QUEUE_MAX: usize = 256;
/// Tries of one message before it is dropped.
const ATTEMPTS: u32 = 5;
/// First pause after a failure, doubled each time.
const PAUSE: Duration = Duration::from_secs(1);

/// Headers and body of a request.
type RequestParts = (Vec<(&'static str, String)>, Vec<u8>);

/// One address.
#[derive(Debug)]
pub struct Sender {
    outbound: Outbound,
    format: WebhookFormat,
}

/// The messages that wait for an address.
#[derive(Debug)]
pub(super) struct MessageQueue {
    news: mpsc::Sender<News>,
    host: String,
}

impl MessageQueue {
    pub(super) fn push(&self, one: News) {
        if self.news.try_send(one).is_err() {
            tracing::warn!(host = self.host, "webhook queue is full; notification dropped");
        }
    }
}

impl Sender {
    /// Prepares sending; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// The text is no address, or its token cannot be read.
    pub fn new(hook: &Webhook) -> Result<Sender, OutboundError> {
        let outbound = Outbound::new("webhook", &hook.url, hook.token_file.as_deref())?;
        Ok(Sender { outbound, format: hook.format })
    }

    pub(super) fn start(
        self,
        shutdown: CancellationToken,
    ) -> (MessageQueue, impl Future<Output = ()>) {
        let (news, mut waiting) = mpsc::channel(QUEUE_MAX);
        let host = self.outbound.host().to_owned();
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
        (MessageQueue { news, host }, sending)
    }

    async fn send(&self, one: &News) {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            let Some((headers, body)) = self.content(one) else { return };
            let reason = match self.outbound.send(Method::POST, "", &headers, body).await {
                Ok(answer) if answer.status.is_success() => return,
                Ok(answer) => answer.status.to_string(),
                Err(reason) => reason,
            };
            if attempt == ATTEMPTS {
                let host = self.outbound.host();
                tracing::warn!(
                    host,
                    reason,
                    "webhook failed after all attempts; notification dropped: is the host reachable?"
                );
                return;
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }

    /// Headers and body of a message's request; none where it cannot be written.
    fn content(&self, one: &News) -> Option<RequestParts> {
        let media = |media: &str| ("content-type", media.to_owned());
        Some(match self.format {
            WebhookFormat::Json => (vec![media("application/json")], serde_json::to_vec(one).ok()?),
            WebhookFormat::Ntfy => (
                vec![media("text/plain; charset=utf-8"), ("x-title", ascii(&one.title))],
                one.text.clone().into_bytes(),
            ),
        })
    }
}

/// Header values are ASCII.
fn ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect()
}
