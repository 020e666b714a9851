//! Rows one by one in a quiet hall, to an adjudicator with its own broker and to one at Mosquitto, in turn with the baseline.

use std::time::{Duration, Instant};

use prost::Message as _;
use proto::mqtt::message::{Ack, NodeState, NodeStateChanged, Row, Rows, row::Event};
use rumqttc::{AsyncClient, Incoming, MqttOptions, NetworkOptions, PublishOptions, QoS};
use tokio::sync::mpsc;

use crate::{Outcome, baseline::Baseline, mosquitto::Mosquitto, server::Server, times::Times};

const HUB: &str = "north";
/// Rows before those that count: everything is started and in memory by then.
const WARM_UP: usize = 20;
/// Pause before each row: a quiet hall.
const PAUSE: Duration = Duration::from_millis(5);
/// Wait for an acknowledgement before the row is sent again, and how often it is sent.
const PATIENCE: Duration = Duration::from_secs(2);
const ATTEMPTS_MAX: u32 = 5;

/// Measures all three and prints what is between them.
pub(crate) async fn rows_one_by_one(rows: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let mosquitto = Mosquitto::start(folder.path())?;
    let mut baseline = Baseline::start(mosquitto.port, folder.path()).await?;
    let embedded = Server::start(folder.path(), None).await?;
    let external = Server::start(folder.path(), Some(mosquitto.port)).await?;
    let mut hubs = [Hub::connect(embedded.port), Hub::connect(external.port)];
    let (mut raw, mut acked) = (Times::default(), [Times::default(), Times::default()]);
    for number in 0..WARM_UP + rows {
        tokio::time::sleep(PAUSE).await;
        let bytes = row(1).encoded_len();
        let time = baseline.measure(bytes).await?;
        if number >= WARM_UP {
            raw.add(time);
        }
        for (hub, times) in hubs.iter_mut().zip(&mut acked) {
            tokio::time::sleep(PAUSE).await;
            let time = hub.measure(number as u64 + 1).await?;
            if number >= WARM_UP {
                times.add(time);
            }
        }
    }
    println!("a message of QoS 1 to Mosquitto and back, then a write to the disk: {raw}");
    for (broker, times) in ["its own broker", "Mosquitto"].iter().zip(&acked) {
        println!("a row to its acknowledgement, adjudicator at {broker}: {times}");
        let more_ms = (times.quantile(0.5).as_secs_f64() - raw.quantile(0.5).as_secs_f64()) * 1e3;
        let ratio = times.quantile(0.99).as_secs_f64() / raw.quantile(0.99).as_secs_f64();
        println!("  p50 {more_ms:+.1} ms, p99 times {ratio:.2}");
    }
    embedded.stop().await?;
    external.stop().await
}

/// A client as a hub's, and its acknowledged sequences.
struct Hub {
    client: AsyncClient,
    acks: mpsc::UnboundedReceiver<u64>,
}

impl Hub {
    fn connect(port: u16) -> Hub {
        let options = MqttOptions::new(format!("twinboard-hub-{HUB}"), ("127.0.0.1", port));
        let (client, mut event_loop) = AsyncClient::builder(options).capacity(10).build();
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        event_loop.set_network_options(network);
        let (sender, acks) = mpsc::unbounded_channel();
        let subscriber = client.clone();
        tokio::spawn(async move {
            while let Ok(event) = event_loop.poll().await {
                match event {
                    rumqttc::Event::Incoming(Incoming::ConnAck(_)) => {
                        let topic = format!("twinboard/1/hall/hub/{HUB}/ack");
                        drop(subscriber.try_subscribe(topic, QoS::AtLeastOnce));
                    }
                    rumqttc::Event::Incoming(Incoming::Publish(publish)) => {
                        if let Ok(ack) = Ack::decode(publish.payload) {
                            let _ = sender.send(ack.sequence);
                        }
                    }
                    _ => {}
                }
            }
        });
        Hub { client, acks }
    }

    async fn measure(&mut self, sequence: u64) -> Outcome<Duration> {
        let sent = Instant::now();
        // The first rows may come before anybody listens: a hub sends again what is not acknowledged.
        for attempt in 1.. {
            let topic = format!("twinboard/1/hall/hub/{HUB}/rows");
            let rows = row(sequence).encode_to_vec();
            self.client.publish(topic, rows, PublishOptions::at_least_once()).await?;
            let acked =
                async { while self.acks.recv().await.is_some_and(|acked| acked < sequence) {} };
            match tokio::time::timeout(PATIENCE, acked).await {
                Ok(()) => break,
                Err(late) if attempt == ATTEMPTS_MAX => return Err(late.into()),
                Err(_) => {}
            }
        }
        Ok(sent.elapsed())
    }
}

fn row(sequence: u64) -> Rows {
    let state =
        if sequence.is_multiple_of(2) { NodeState::Lost } else { NodeState::Connected }.into();
    let event = NodeStateChanged {
        node_id: "board-a".to_owned(),
        board: None,
        state,
        detail: String::new(),
    };
    let row = Row {
        sequence,
        hub_time_us: sequence,
        table: "1".to_owned(),
        event: Some(Event::NodeStateChanged(event)),
    };
    Rows { hub_id: HUB.to_owned(), boot_id: 7, rows: vec![row], first_available: 1 }
}
