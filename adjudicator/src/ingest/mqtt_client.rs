//! The adjudicator's own MQTT client: the messages of a [`Receiver`] over a connection.
//!
//! The connection is polled by a task of its own that does nothing else: polling must not be cancelled
//! while it connects, and must go on while the database is slow. Received messages go into the receiver's bounded
//! queue. Nothing here waits for room to publish: acknowledgements are cumulative and are sent again.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use delivery::{ReceivedEvent, Receiver, ReceiverSettings, Transmit};
use prost::Message as _;
use proto::mqtt::{
    MAX_ROWS_BYTES, PACKET_OVERHEAD_BYTES, Segment, SegmentError, Topic, adjudicator_client_id,
    message::{Command, Orders, PlaceNodes, UpdateNodes, command},
};
use rumqttc::{
    AsyncClient, ClientError, Event, EventLoop, Incoming, LastWill, MqttOptions, NetworkOptions,
    PublishOptions, QoS, SubscribeFilter, TlsConfiguration, Transport,
};
use tokio::{sync::Notify, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{broker::Endpoint, config, machine::tasks::Tasks, time::now_ms};

/// Requests that the client has not yet sent.
const REQUEST_CAPACITY: usize = 10;

const KEEP_ALIVE_S: u16 = 10;

/// Wait before connecting again.
pub(crate) const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// Longest wait for the farewell to be sent.
const FAREWELL_TIMEOUT: Duration = Duration::from_secs(2);

/// A receiver that the connection fills and the ingest task empties.
#[derive(Clone)]
pub struct Inbox {
    receiver: Arc<Mutex<Receiver>>,
    news: Arc<Notify>,
}

impl Inbox {
    /// The receiver. Its lock must not be held across an await.
    pub fn receiver(&self) -> MutexGuard<'_, Receiver> {
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a message has come since the last call.
    pub async fn changed(&self) {
        self.news.notified().await;
    }

    fn handle(&self, event: ReceivedEvent) {
        self.receiver().handle(event);
        self.news.notify_one();
    }
}

/// The client.
pub struct Link {
    client: AsyncClient,
    shard: Segment,
    inbox: Inbox,
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Link {
    /// Begins to connect, and connects again after each failure. `store_id` names the store as it was opened.
    ///
    /// # Errors
    ///
    /// Shard or id holds characters that a topic may not have.
    pub(crate) fn open(
        endpoint: &Endpoint,
        config: &config::Broker,
        store_id: &str,
        tasks: &Tasks,
    ) -> Result<Link, SegmentError> {
        let (shard, id): (Segment, Segment) = (config.shard.parse()?, config.id.parse()?);
        let client_id = adjudicator_client_id(&shard, &id);
        let receiver = Receiver::new(ReceiverSettings {
            shard: config.shard.clone(),
            id: config.id.clone(),
            store_id: store_id.to_owned(),
        })?;
        let will = receiver.farewell(now_us());
        let (client, event_loop) = connect(client_id, endpoint, will, REQUEST_CAPACITY);
        let inbox = Inbox { receiver: Arc::new(Mutex::new(receiver)), news: Arc::default() };
        let stop = CancellationToken::new();
        let poller = Poller {
            event_loop,
            inbox: inbox.clone(),
            address: format!("{}:{}", endpoint.host, endpoint.port),
            was_ever_up: false,
            stop: stop.clone(),
        };
        let task = tasks.spawn("link to the broker", poller.run());
        Ok(Link { client, shard, inbox, task, stop })
    }

    /// The received messages.
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Sends a hub the orders of its tables. The caller sends again what was not sent.
    pub fn order(&self, hub: &str, orders: Orders) {
        self.command(hub, command::Command::Orders(orders));
    }

    /// Asks a hub to update its nodes. The caller asks again until the hub has reported the end.
    pub fn update_nodes(&self, hub: &str, request: u64) {
        self.command(hub, command::Command::UpdateNodes(UpdateNodes { request }));
    }

    /// Asks a hub to place its nodes. The caller asks again until the hub has reported the end.
    pub fn place_nodes(&self, hub: &str, placing: PlaceNodes) {
        self.command(hub, command::Command::PlaceNodes(placing));
    }

    fn command(&self, hub: &str, command: command::Command) {
        let Ok(segment) = hub.parse() else { return };
        let topic = Topic::Command { shard: self.shard.clone(), hub: segment }.to_string();
        let command = Command { command: Some(command) };
        let sent = self.client.try_publish(
            topic,
            command.encode_to_vec(),
            PublishOptions::at_least_once(),
        );
        if let Err(error) = sent {
            tracing::debug!(hub, %error, "a command is sent again later");
        }
    }

    /// Sends the receiver's messages, as far as there is room.
    pub fn flush(&self) {
        let mut receiver = self.inbox.receiver();
        while let Some(transmit) = receiver.poll_transmit() {
            if self.send(transmit).is_err() {
                return;
            }
            receiver.transmitted();
        }
    }

    fn send(&self, transmit: Transmit) -> Result<(), ClientError> {
        match transmit {
            Transmit::Subscribe(filters) => {
                let filter = |filter| SubscribeFilter::new(filter, QoS::AtLeastOnce);
                self.client.try_subscribe_many(filters.into_iter().map(filter))
            }
            Transmit::Publish { topic, retain, payload } => self.client.try_publish(
                topic,
                payload,
                PublishOptions::at_least_once().retain(retain),
            ),
        }
    }

    /// Sends the farewell and ends the connection.
    pub async fn close(self) {
        let Link { client, inbox, mut task, stop, .. } = self;
        let (topic, goodbye) = inbox.receiver().farewell(now_us());
        let farewell = async {
            if client
                .publish(topic, goodbye, PublishOptions::at_least_once().retained())
                .await
                .is_ok()
            {
                let _ = client.disconnect().await;
            }
            stop.cancel();
            let _ = (&mut task).await;
        };
        if tokio::time::timeout(FAREWELL_TIMEOUT, farewell).await.is_err() {
            task.abort();
        }
    }
}

fn now_us() -> u64 {
    now_ms() * 1000
}

/// A client of the adjudicator's account, with a retained will and room for `capacity` requests.
pub(crate) fn connect(
    client_id: String,
    endpoint: &Endpoint,
    will: (String, Vec<u8>),
    capacity: usize,
) -> (AsyncClient, EventLoop) {
    let mut options = MqttOptions::new(client_id, (endpoint.host.as_str(), endpoint.port));
    options.set_keep_alive(KEEP_ALIVE_S);
    options.set_clean_session(true);
    let largest = MAX_ROWS_BYTES + PACKET_OVERHEAD_BYTES;
    options.set_max_packet_size(largest, largest);
    options.set_last_will(LastWill::new(will.0, will.1, QoS::AtLeastOnce, true));
    if let Some(credentials) = &endpoint.credentials {
        options.set_credentials(&credentials.username, credentials.password.clone());
    }
    if let Some(encryption) = &endpoint.encryption {
        let encryption = TlsConfiguration::Rustls(encryption.clone());
        options.set_transport(Transport::tls_with_config(encryption));
    }
    let (client, mut event_loop) = AsyncClient::builder(options).capacity(capacity).build();
    // Nagle's algorithm would hold an acknowledgement back until the last one's PUBACK is here, which the other end delays.
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    event_loop.set_network_options(network);
    (client, event_loop)
}

/// Drives the connection.
struct Poller {
    event_loop: EventLoop,
    inbox: Inbox,
    address: String,
    was_ever_up: bool,
    stop: CancellationToken,
}

impl Poller {
    async fn run(mut self) {
        loop {
            match self.event_loop.poll().await {
                Ok(Event::Incoming(Incoming::ConnAck(_))) => {
                    tracing::info!(broker = self.address, "connected to the MQTT broker");
                    self.was_ever_up = true;
                    self.inbox.handle(ReceivedEvent::Connected(now_us()));
                }
                Ok(Event::Incoming(Incoming::Publish(publish))) => {
                    let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                    let payload = publish.payload.to_vec();
                    self.inbox.handle(ReceivedEvent::Message { topic, payload });
                }
                // A message was sent: there is room for others.
                Ok(Event::Outgoing(rumqttc::Outgoing::Publish(_))) => self.inbox.news.notify_one(),
                Ok(_) => {}
                Err(error) => {
                    self.down(&error);
                    if self.stop.is_cancelled() {
                        return;
                    }
                    tokio::time::sleep(RECONNECT_AFTER).await;
                }
            }
        }
    }

    fn down(&mut self, error: &rumqttc::ConnectionError) {
        let was_up = self.inbox.receiver().is_up();
        if was_up {
            self.inbox.handle(ReceivedEvent::Disconnected);
        }
        if !self.stop.is_cancelled() && (was_up || !self.was_ever_up) {
            tracing::warn!(
                broker = self.address, %error,
                "no connection to the MQTT broker; trying again until there is (broker.address)"
            );
        }
    }
}
