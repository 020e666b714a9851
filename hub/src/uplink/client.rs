//! The MQTT client: a task that does nothing but poll `rumqttc`, and a handle that never blocks.
//!
//! `rumqttc` must not be cancelled while it connects, and drops what is pending when the broker has
//! forgotten the session. So its event loop has a task of its own, its channel is short, and nothing
//! that matters is left to it.

use std::time::Duration;

use rumqttc::{
    AsyncClient, ClientError, Event, LastWill, MqttOptions, NetworkOptions, Outgoing, Packet,
    PublishOptions, QoS, SubscribeFilter, TlsConfiguration, Transport,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::config::Broker;

/// Requests that may wait in the client's channel.
const REQUESTS_MAX: usize = 10;
/// Events that may wait for the uplink.
const EVENTS_MAX: usize = 64;
const KEEP_ALIVE_S: u16 = 10;
/// Largest packet taken from the broker: acknowledgements and commands are small.
const INCOMING_BYTES_MAX: usize = 64 * 1024;
/// Largest packet sent: rows, a topic and a header.
const OUTGOING_BYTES_MAX: usize = proto::mqtt::MAX_ROWS_BYTES + 1024;
/// First pause after a connection that failed; doubled until [`RECONNECT_MAX`].
const RECONNECT_MIN: Duration = Duration::from_millis(200);
const RECONNECT_MAX: Duration = Duration::from_secs(5);

/// An event of the client.
#[derive(Debug)]
pub(super) enum ClientEvent {
    /// The broker accepted the connection. It may have forgotten the session.
    Connected,
    /// There is no connection; the client tries again by itself.
    Disconnected(String),
    /// A message left: there is room in the channel again.
    Sent,
    /// A message came.
    Message { topic: String, payload: Vec<u8>, retained: bool },
}

/// A running client; stops when dropped.
#[derive(Debug)]
pub(super) struct Client {
    requests: AsyncClient,
    pub(super) events: mpsc::Receiver<ClientEvent>,
    task: JoinHandle<()>,
}

impl Client {
    /// Starts a client that connects, and connects again, until it is dropped. `will` is published
    /// by the broker when the connection is lost: topic and payload.
    pub(super) fn start(id: &str, broker: &Broker, will: (String, Vec<u8>)) -> Client {
        let mut options = MqttOptions::new(id, (broker.host.clone(), broker.port));
        options.set_keep_alive(KEEP_ALIVE_S);
        options.set_clean_session(true);
        options.set_max_packet_size(INCOMING_BYTES_MAX, OUTGOING_BYTES_MAX);
        options.set_last_will(LastWill::new(will.0, will.1, QoS::AtLeastOnce, true));
        if let Some((name, password)) = &broker.login {
            options.set_credentials(name, password.clone());
        }
        if let Some(encryption) = &broker.encryption {
            let config = TlsConfiguration::Rustls(encryption.client_config());
            options.set_transport(Transport::tls_with_config(config));
        }
        let (requests, mut event_loop) =
            AsyncClient::builder(options).capacity(REQUESTS_MAX).build();
        // Nagle's algorithm would hold a row back until the last one's PUBACK is here, which the other end delays by 40 ms.
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        event_loop.set_network_options(network);
        let (sender, events) = mpsc::channel(EVENTS_MAX);
        Client { requests, events, task: tokio::spawn(poll(event_loop, sender)) }
    }

    /// Hands a message to the client; false when there is no room.
    pub(super) fn publish(&self, topic: &str, retain: bool, payload: Vec<u8>) -> bool {
        accepted(&self.requests.try_publish(
            topic,
            payload,
            PublishOptions::at_least_once().retain(retain),
        ))
    }

    /// Asks for messages; false when there is no room.
    pub(super) fn subscribe(&self, filters: Vec<String>) -> bool {
        let filters =
            filters.into_iter().map(|filter| SubscribeFilter::new(filter, QoS::AtLeastOnce));
        accepted(&self.requests.try_subscribe_many(filters))
    }

    /// Takes leave of the broker, so that the will is not published.
    pub(super) fn disconnect(&self) -> bool {
        accepted(&self.requests.try_disconnect())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The event loop goes with its task: nothing of a cancelled connection is used again.
        self.task.abort();
    }
}

fn accepted(result: &Result<(), ClientError>) -> bool {
    if let Err(error) = result {
        tracing::trace!(%error, "the client's channel is full");
    }
    result.is_ok()
}

async fn poll(mut event_loop: rumqttc::EventLoop, events: mpsc::Sender<ClientEvent>) {
    let mut pause = RECONNECT_MIN;
    loop {
        let event = match event_loop.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                pause = RECONNECT_MIN;
                ClientEvent::Connected
            }
            Ok(Event::Incoming(Packet::Publish(message))) => ClientEvent::Message {
                topic: String::from_utf8_lossy(&message.topic).into_owned(),
                payload: message.payload.to_vec(),
                retained: message.retain,
            },
            Ok(Event::Outgoing(Outgoing::Publish(_))) => ClientEvent::Sent,
            Ok(_) => continue,
            Err(error) => {
                if events.send(ClientEvent::Disconnected(error.to_string())).await.is_err() {
                    return;
                }
                sleep(pause).await;
                pause = (pause * 2).min(RECONNECT_MAX);
                continue;
            }
        };
        if events.send(event).await.is_err() {
            return;
        }
    }
}
