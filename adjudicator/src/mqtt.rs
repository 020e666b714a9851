//! The adjudicator's own MQTT client: what it hears of its shard, and what it tells.
//!
//! The connection is polled by a task of its own that does nothing else: polling must not be given up
//! while it connects, and must go on while the database is slow. What it hears goes into a bounded
//! queue; when that is full, rows are dropped, because their hub sends again whatever was not acknowledged.
//! Nothing here waits for room to publish: acknowledgements are cumulative and are given again.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use prost::Message as _;
use proto::mqtt::{
    MAX_ROWS_BYTES, Segment, Topic, adjudicator_client_id, adjudicator_filter, decode, decode_rows,
    message::{Ack, AdjudicatorState, Command, HubState, Orders, Rows, command},
};
use rumqttc::{
    AsyncClient, Event, EventLoop, Incoming, LastWill, MqttOptions, NetworkOptions, Publish, QoS,
    SubscribeFilter, TlsConfiguration, Transport,
};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{broker::Endpoint, config, stage::now_ms};

/// Messages heard and not yet taken in.
const HEARD_CAPACITY: usize = 256;

/// Boots whose rows were dropped, at most that are answered at once.
const DROPPED_MAX: usize = 1024;

/// Requests given to the client and not yet sent.
const REQUEST_CAPACITY: usize = 10;

/// Room around the rows in a packet: topic and header.
const PACKET_OVERHEAD_BYTES: usize = 1024;

const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Wait before connecting again.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// Longest wait for the farewell to be sent.
const FAREWELL_TIMEOUT: Duration = Duration::from_secs(2);

/// Something heard from the broker.
#[derive(Debug)]
pub enum Heard {
    /// Rows of a hub's journal.
    Rows(Rows),
    /// A hub's birth or will.
    HubState(HubState),
}

/// Whether the client is connected, and how often it has been: each connection has to subscribe anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// Connected now.
    pub is_up: bool,
    /// Connections so far.
    pub count: u64,
}

/// The client.
pub struct Link {
    client: AsyncClient,
    shard: Segment,
    state_topic: String,
    task: JoinHandle<()>,
    stop: CancellationToken,
    /// By hub and boot.
    unsent_acks: BTreeMap<(String, u64), Ack>,
    unsent_hello: bool,
}

/// Hubs and boots whose rows came and could not be queued.
#[derive(Clone, Debug, Default)]
pub struct Dropped(Arc<Mutex<BTreeSet<(String, u64)>>>);

impl Dropped {
    fn note(&self, heard: &Heard) {
        let Heard::Rows(rows) = heard else { return };
        let mut boots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if boots.len() < DROPPED_MAX {
            boots.insert((rows.hub_id.clone(), rows.boot_id));
        }
    }

    /// Those since the last call: hub and boot.
    pub fn take(&self) -> BTreeSet<(String, u64)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a [`Link`] hears.
pub struct Ears {
    /// Whose rows were dropped.
    pub dropped: Dropped,
    /// Rows and states.
    pub heard: mpsc::Receiver<Heard>,
    /// Whether the line is up.
    pub connection: watch::Receiver<Connection>,
}

impl Link {
    /// Begins to connect, and keeps connecting for ever.
    ///
    /// # Errors
    ///
    /// Shard or id cannot stand in a topic.
    pub fn open(
        endpoint: &Endpoint,
        config: &config::Broker,
    ) -> Result<(Link, Ears), proto::mqtt::SegmentError> {
        let (shard, id): (Segment, Segment) = (config.shard.parse()?, config.id.parse()?);
        let client_id = adjudicator_client_id(&shard, &id);
        let state_topic = Topic::AdjudicatorState { id }.to_string();
        let mut options = MqttOptions::new(client_id, &endpoint.host, endpoint.port);
        options.set_keep_alive(KEEP_ALIVE);
        options.set_clean_session(true);
        let largest = MAX_ROWS_BYTES + PACKET_OVERHEAD_BYTES;
        options.set_max_packet_size(largest, largest);
        options.set_last_will(LastWill::new(
            &state_topic,
            state_payload(false),
            QoS::AtLeastOnce,
            true,
        ));
        if let Some(credentials) = &endpoint.credentials {
            options.set_credentials(&credentials.username, &credentials.password);
        }
        if let Some(encryption) = &endpoint.encryption {
            let encryption = TlsConfiguration::Rustls(encryption.clone());
            options.set_transport(Transport::tls_with_config(encryption));
        }
        let (client, mut event_loop) = AsyncClient::new(options, REQUEST_CAPACITY);
        // Nagle's algorithm would hold an acknowledgement back until the last one's PUBACK is here, which the other end delays.
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        event_loop.set_network_options(network);
        let (heard_sender, heard) = mpsc::channel(HEARD_CAPACITY);
        let (connection_sender, connection) = watch::channel(Connection::default());
        let stop = CancellationToken::new();
        let dropped = Dropped::default();
        let poller = Poller {
            event_loop,
            dropped: dropped.clone(),
            heard: heard_sender,
            connection: connection_sender,
            address: format!("{}:{}", endpoint.host, endpoint.port),
            stop: stop.clone(),
        };
        let task = tokio::spawn(poller.run());
        let unsent_acks = BTreeMap::new();
        let link =
            Link { client, shard, state_topic, task, stop, unsent_acks, unsent_hello: false };
        Ok((link, Ears { dropped, heard, connection }))
    }

    /// Says who is there and asks for what to hear, after the line has come up.
    pub fn greet(&mut self) {
        self.unsent_hello = true;
        self.flush();
    }

    /// Tells a hub how far a boot of it has been committed. Kept until it can be sent; a later one of the boot replaces it.
    pub fn acknowledge(&mut self, ack: Ack) {
        self.unsent_acks.insert((ack.hub_id.clone(), ack.boot_id), ack);
        self.flush();
    }

    /// Tells a hub what is to happen at its tables. What is not sent is told again by whoever wants it.
    pub fn order(&self, hub: &str, orders: Orders) {
        let Ok(segment) = hub.parse() else { return };
        let topic = Topic::Command { shard: self.shard.clone(), hub: segment }.to_string();
        let command = Command { command: Some(command::Command::Orders(orders)) };
        let sent = self.client.try_publish(topic, QoS::AtLeastOnce, false, command.encode_to_vec());
        if let Err(error) = sent {
            tracing::debug!(hub, %error, "orders are sent again later");
        }
    }

    /// Sends what could not be sent before.
    pub fn flush(&mut self) {
        if self.unsent_hello {
            let filters = adjudicator_filter(&self.shard)
                .map(|filter| SubscribeFilter::new(filter, QoS::AtLeastOnce));
            let state = state_payload(true);
            let sent = self.client.try_subscribe_many(filters).and_then(|()| {
                self.client.try_publish(&self.state_topic, QoS::AtLeastOnce, true, state)
            });
            self.unsent_hello = sent.is_err();
        }
        while let Some((key, ack)) = self.unsent_acks.pop_first() {
            let Ok(segment) = ack.hub_id.parse() else { continue };
            let topic = Topic::Ack { shard: self.shard.clone(), hub: segment }.to_string();
            let payload = ack.encode_to_vec();
            if self.client.try_publish(topic, QoS::AtLeastOnce, true, payload).is_err() {
                self.unsent_acks.insert(key, ack);
                return;
            }
        }
    }

    /// Whether something waits to be sent.
    pub fn has_unsent(&self) -> bool {
        self.unsent_hello || !self.unsent_acks.is_empty()
    }

    /// Says goodbye and ends the connection.
    pub async fn close(self) {
        let Link { client, state_topic, mut task, stop, .. } = self;
        let farewell = async {
            let goodbye = state_payload(false);
            let said = client.publish(state_topic, QoS::AtLeastOnce, true, goodbye).await;
            if said.is_ok() {
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

fn state_payload(online: bool) -> Vec<u8> {
    AdjudicatorState { online, since_us: now_ms() * 1000 }.encode_to_vec()
}

/// Drives the connection.
struct Poller {
    event_loop: EventLoop,
    dropped: Dropped,
    heard: mpsc::Sender<Heard>,
    connection: watch::Sender<Connection>,
    address: String,
    stop: CancellationToken,
}

impl Poller {
    async fn run(mut self) {
        let mut dropped: u64 = 0;
        loop {
            match self.event_loop.poll().await {
                Ok(Event::Incoming(Incoming::ConnAck(_))) => {
                    tracing::info!(broker = self.address, "connected to the MQTT broker");
                    self.connection.send_modify(|connection| {
                        *connection = Connection { is_up: true, count: connection.count + 1 };
                    });
                }
                Ok(Event::Incoming(Incoming::Publish(publish))) => {
                    if let Some(heard) = understand(&publish)
                        && let Err(full) = self.heard.try_send(heard)
                    {
                        self.dropped.note(&full.into_inner());
                        dropped += 1;
                        if dropped.is_power_of_two() {
                            tracing::warn!(
                                dropped,
                                "more came than can be stored at once; hubs will send it again"
                            );
                        }
                    }
                }
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

    fn down(&self, error: &rumqttc::ConnectionError) {
        let was_up = self
            .connection
            .send_if_modified(|connection| std::mem::replace(&mut connection.is_up, false));
        if self.stop.is_cancelled() {
            return;
        }
        if was_up || self.connection.borrow().count == 0 {
            tracing::warn!(
                broker = self.address, %error,
                "no connection to the MQTT broker; trying again until there is (broker.address)"
            );
        }
    }
}

/// Reads a message of the shard; what is none is said and left out.
fn understand(publish: &Publish) -> Option<Heard> {
    let refuse = |reason: &dyn std::fmt::Display| {
        tracing::warn!(topic = publish.topic, %reason, "a message makes no sense and is left out");
        None
    };
    let topic = match publish.topic.parse::<Topic>() {
        Ok(topic) => topic,
        Err(error) => return refuse(&error),
    };
    match topic {
        Topic::Rows { hub, .. } => match decode_rows(&publish.payload) {
            Ok(rows) if rows.hub_id == hub.as_str() => Some(Heard::Rows(rows)),
            Ok(rows) => refuse(&format!("it names the hub {:?}", rows.hub_id)),
            Err(error) => refuse(&error),
        },
        Topic::HubState { hub, .. } => match decode::<HubState>(&publish.payload) {
            Ok(state) if state.hub_id == hub.as_str() => Some(Heard::HubState(state)),
            Ok(state) => refuse(&format!("it names the hub {:?}", state.hub_id)),
            Err(error) => refuse(&error),
        },
        _ => None,
    }
}
