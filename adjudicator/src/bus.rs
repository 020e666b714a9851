//! The way between owners and fronts over NATS.
//!
//! While the line is down nothing is queued: what was not sent is sent anew in its present state, or asked for again.

use std::{path::PathBuf, time::Duration};

use async_nats::{Client, ConnectOptions, Event, ServerAddr, Subscriber, connection::State};
use bytes::Bytes;

use crate::{config, pki::secrets};

/// Longest wait before another attempt to connect.
const RETRY_MAX: Duration = Duration::from_secs(1);
/// Interval of pings. A line on which three of them are not answered is closed, and opened again.
const PING_EVERY: Duration = Duration::from_secs(2);
/// Messages that wait to be taken from one subscription. Of more, the newest are lost, and asked for again.
const WAITING_MAX: usize = 4_096;
/// Messages that wait to be written to the server.
const UNSENT_MAX: usize = 256;
/// Largest part of a body in one message, bytes.
const PART_BYTES_MAX: usize = 256 * 1024;
/// Part of a server's largest message that a part of a body may fill: there are heads beside it.
const PART_OF_MESSAGE: usize = 2;

/// Reason why NATS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// The password's file.
    #[error(transparent)]
    Secret(#[from] secrets::SecretError),
    /// The authority's certificate.
    #[error("cluster.authority_file: {} cannot be read: {source}", path.display())]
    Authority {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// An address or a certificate.
    #[error("cluster.nats: {0}")]
    Connect(String),
}

/// The connection of one process for one hall.
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    client: Client,
    /// Beginning of every subject.
    root: String,
}

impl Bus {
    /// Begins to connect, and connects again after each failure.
    ///
    /// # Errors
    ///
    /// A value of the configuration cannot be used.
    pub(crate) async fn open(
        cluster: &config::Cluster,
        shard: &str,
        role: &'static str,
    ) -> Result<Bus, BusError> {
        let refused = |error: &dyn std::error::Error| BusError::Connect(error.to_string());
        let addresses: Result<Vec<ServerAddr>, _> =
            cluster.nats.iter().map(|address| address.parse()).collect();
        let addresses = addresses.map_err(|error| refused(&error))?;
        let name = format!("twinboard {role} {shard}");
        let mut options = ConnectOptions::new()
            .name(&name)
            .retry_on_initial_connect()
            .max_reconnects(None)
            .ping_interval(PING_EVERY)
            .reconnect_delay_callback(|attempts| {
                let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
                Duration::from_millis(50).saturating_mul(attempts).min(RETRY_MAX)
            })
            .subscription_capacity(WAITING_MAX)
            .client_capacity(UNSENT_MAX)
            .event_callback(move |event| log(name.clone(), event));
        if let Some(path) = &cluster.authority_file {
            std::fs::metadata(path)
                .map_err(|source| BusError::Authority { path: path.clone(), source })?;
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        if let (Some(user), Some(path)) = (&cluster.username, &cluster.password_file) {
            options = options.user_and_password(user.clone(), secrets::read(path)?);
        }
        let client = options.connect(addresses).await.map_err(|error| refused(&error))?;
        let root = format!("tw.{}.{}", token(&cluster.event), token(shard));
        Ok(Bus { client, root })
    }

    /// Whether the line is up.
    pub(crate) fn is_up(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Subject of this hall.
    pub(crate) fn subject(&self, rest: &str) -> String {
        format!("{}.{rest}", self.root)
    }

    /// The same of all halls of the event.
    pub(crate) fn of_all_halls(&self, rest: &str) -> String {
        let event = self.root.rsplit_once('.').map_or(&*self.root, |(event, _)| event);
        format!("{event}.*.{rest}")
    }

    /// The hall that a subject belongs to.
    pub(crate) fn hall_of(subject: &str) -> Option<String> {
        subject.split('.').nth(2).map(|token| token.replace('=', "."))
    }

    /// A beginning of subjects for answers to this process alone.
    pub(crate) fn inbox(&self) -> String {
        self.client.new_inbox()
    }

    /// Largest part of a body in one message, bytes.
    pub(crate) fn part_bytes(&self) -> usize {
        PART_BYTES_MAX.min(self.client.max_payload() / PART_OF_MESSAGE).max(1)
    }

    /// Whether a message of so many bytes can be sent.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        bytes <= self.client.max_payload()
    }

    /// Sends a message if the line is up; false if it cannot be.
    pub(crate) async fn send(&self, subject: String, message: Bytes) -> bool {
        self.is_up() && self.client.publish(subject, message).await.is_ok()
    }

    /// Sends a question if the line is up; false if it cannot be.
    pub(crate) async fn ask(&self, subject: String, reply: String, message: Bytes) -> bool {
        self.is_up() && self.client.publish_with_reply(subject, reply, message).await.is_ok()
    }

    /// Messages under a subject.
    ///
    /// # Errors
    ///
    /// The connection was closed.
    pub(crate) async fn subscribe(&self, subject: String) -> Result<Subscriber, BusError> {
        let subscribed = self.client.subscribe(subject).await;
        subscribed.map_err(|error| BusError::Connect(error.to_string()))
    }
}

/// A name as one token of a subject. A dot would divide it; no name has an equals sign.
fn token(name: &str) -> String {
    name.replace('.', "=")
}

async fn log(name: String, event: Event) {
    match event {
        Event::Connected => tracing::info!("{name}: connected to NATS"),
        Event::Disconnected => tracing::warn!("{name}: the line to NATS is down"),
        Event::SlowConsumer(_) => {
            tracing::warn!("{name}: messages were lost, and are asked for again");
        }
        event => tracing::warn!("{name}: NATS reported {event}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_dots_are_one_token_each_and_no_two_are_alike() {
        assert_eq!(token("open.2026"), "open=2026");
        assert_ne!(token("a.b"), token("a-b"));
        let subject = format!("tw.{}.{}.owner", token("open.2026"), token("north.1"));
        assert_eq!(Bus::hall_of(&subject).as_deref(), Some("north.1"));
    }
}
