//! Hubs as devices of Home Assistant: its discovery over MQTT, at an external broker, when the configuration names its prefix.
//!
//! Each hub is one device with its connection, the number of its tables, and whether it reports a problem. No match or player goes
//! out. All messages are retained, and sent again after each connection and each birth message of Home Assistant. A will reports the
//! adjudicator's disconnection.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use proto::mqtt::{Segment, SegmentError, adjudicator_client_id};
use rumqttc::{AsyncClient, Event, EventLoop, Incoming, PublishOptions, QoS};
use serde_json::json;
use tokio::{sync::watch, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::{
    broker::Endpoint,
    config,
    hall::HubSummary,
    ingest::mqtt_client::{self, RECONNECT_AFTER},
    owner::follower::Stage,
};

/// Wait between two looks at the hubs.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Maximum number of messages that wait to be sent; what has no room is sent after a later look.
const REQUEST_CAPACITY: usize = 64;
/// Longest wait for the last message to be sent.
const FAREWELL_TIMEOUT: Duration = Duration::from_secs(2);

const ONLINE: &str = "online";
const OFFLINE: &str = "offline";

/// Publisher of hubs as devices.
pub(crate) struct HomeAssistant {
    client: AsyncClient,
    event_loop: EventLoop,
    prefix: String,
    shard: Segment,
    /// Topic of the adjudicator's own availability.
    availability: String,
}

impl HomeAssistant {
    /// The publisher; none if the configuration names no prefix.
    ///
    /// # Errors
    ///
    /// Shard or id cannot stand in a topic.
    pub(crate) fn new(
        endpoint: &Endpoint,
        config: &config::BrokerSettings,
    ) -> Result<Option<HomeAssistant>, SegmentError> {
        let Some(prefix) = config.home_assistant.clone() else { return Ok(None) };
        let (shard, id): (Segment, Segment) = (config.shard.parse()?, config.id.parse()?);
        let client_id = format!("{}-home-assistant", adjudicator_client_id(&shard, &id));
        let availability = format!("twinboard/1/{shard}/home-assistant/adjudicator-{id}");
        let will = (availability.clone(), OFFLINE.as_bytes().to_vec());
        let (client, event_loop) =
            mqtt_client::connect(client_id, endpoint, will, REQUEST_CAPACITY);
        Ok(Some(HomeAssistant { client, event_loop, prefix, shard, availability }))
    }

    /// Publishes until shutdown.
    pub(crate) async fn run(self, floor: Arc<Stage>, shutdown: CancellationToken) {
        let HomeAssistant { client, event_loop, prefix, shard, availability } = self;
        let arrivals = Arc::new(watch::Sender::new(0_u64));
        let stop = CancellationToken::new();
        let births = BirthTopic { client: client.clone(), topic: format!("{prefix}/status") };
        let mut polling = tokio::spawn(poll(event_loop, births, arrivals.clone(), stop.clone()));
        let mut arrived = arrivals.subscribe();
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sent: BTreeMap<String, String> = BTreeMap::new();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                _ = look.tick() => {}
                // The sender lives as long as this does.
                _ = arrived.changed() => sent.clear(),
            }
            if *arrived.borrow() == 0 {
                continue;
            }
            let mut due = vec![(availability.clone(), ONLINE.to_owned())];
            for hub in floor.hall().hub_summaries() {
                let state = format!("twinboard/1/{shard}/home-assistant/{}", hub.id);
                due.push(discovery(&prefix, &shard, &availability, &state, &hub));
                due.push((state, state_of(&hub)));
            }
            due.retain(|(topic, payload)| sent.get(topic) != Some(payload));
            for (topic, payload) in due {
                let options = PublishOptions::at_least_once().retained();
                if client.try_publish(topic.as_str(), payload.clone(), options).is_err() {
                    break;
                }
                sent.insert(topic, payload);
            }
        }
        let farewell = async {
            let options = PublishOptions::at_least_once().retained();
            if client.publish(availability, OFFLINE, options).await.is_ok() {
                let _ = client.disconnect().await;
            }
            stop.cancel();
            let _ = (&mut polling).await;
        };
        if tokio::time::timeout(FAREWELL_TIMEOUT, farewell).await.is_err() {
            polling.abort();
        }
    }
}

/// The topic where Home Assistant says that it has started, and the client that subscribes to it.
struct BirthTopic {
    client: AsyncClient,
    topic: String,
}

/// Drives the connection. Counts connections and births of Home Assistant: after each, all messages have to be sent.
async fn poll(
    mut event_loop: EventLoop,
    births: BirthTopic,
    arrivals: Arc<watch::Sender<u64>>,
    stop: CancellationToken,
) {
    loop {
        match event_loop.poll().await {
            Ok(Event::Incoming(Incoming::ConnAck(_))) => {
                arrivals.send_modify(|count| *count += 1);
                if births.client.try_subscribe(births.topic.as_str(), QoS::AtLeastOnce).is_err() {
                    tracing::debug!("starts of Home Assistant are not seen over this connection");
                }
            }
            Ok(Event::Incoming(Incoming::Publish(publish)))
                if publish.topic == births.topic.as_bytes()
                    && publish.payload == ONLINE.as_bytes() =>
            {
                arrivals.send_modify(|count| *count += 1);
            }
            Ok(_) => {}
            Err(_) if stop.is_cancelled() => return,
            Err(error) => {
                tracing::debug!(%error, "no connection for Home Assistant; trying again");
                tokio::time::sleep(RECONNECT_AFTER).await;
            }
        }
    }
}

/// The state of a hub, as the templates of [`discovery`] read it.
fn state_of(hub: &HubSummary) -> String {
    let on = |is_so| if is_so { "ON" } else { "OFF" };
    json!({
        "connected": on(hub.is_online),
        "problem": on(hub.troubles > 0),
        "tables": hub.tables,
        "tables_live": hub.tables_live,
    })
    .to_string()
}

/// Topic and payload that make a hub a device.
fn discovery(
    prefix: &str,
    shard: &Segment,
    availability: &str,
    state: &str,
    hub: &HubSummary,
) -> (String, String) {
    // An object's id has letters, digits, hyphens and underscores.
    let id: String = format!("twinboard_{shard}_{}", hub.id)
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() || it == '-' { it } else { '_' })
        .collect();
    let component = |name: &str, key: &str, platform: &str, more: (&str, &str)| {
        json!({
            "p": platform,
            "unique_id": format!("{id}_{key}"),
            "name": name,
            "value_template": format!("{{{{ value_json.{key} }}}}"),
            more.0: more.1,
        })
    };
    let measured = ("state_class", "measurement");
    let payload = json!({
        "dev": { "ids": [id], "name": format!("Twinboard hub {}", hub.id), "mf": "Twinboard" },
        "o": { "name": "Twinboard", "sw": env!("CARGO_PKG_VERSION") },
        "availability_topic": availability,
        "state_topic": state,
        "qos": 1,
        "cmps": {
            "connected": component("Connected", "connected", "binary_sensor", ("device_class", "connectivity")),
            "problem": component("Problem", "problem", "binary_sensor", ("device_class", "problem")),
            "tables": component("Tables", "tables", "sensor", measured),
            "tables_live": component("Tables with sensor data", "tables_live", "sensor", measured),
        },
    });
    (format!("{prefix}/device/{id}/config"), payload.to_string())
}
