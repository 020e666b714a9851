//! Rows one by one in a quiet hall, to an adjudicator with its own broker and to one at Mosquitto, in turn with the baseline.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use prost::Message as _;
use proto::mqtt::message::{Ack, NodeState, NodeStateChanged, Row, Rows, row::Event};
use rumqttc::{AsyncClient, Incoming, MqttOptions, NetworkOptions, PublishOptions, QoS};
use tokio::sync::mpsc;

use crate::{
    Outcome,
    baseline::Baseline,
    figures::Figures,
    mosquitto::Mosquitto,
    program::{Program, Setting},
    times::Times,
};

const HUB: &str = "north";
/// Rows before those that count: everything is started and in memory by then.
const WARM_UP: usize = 20;
/// Pause before each row: a quiet hall.
const PAUSE: Duration = Duration::from_millis(5);
/// Wait for an acknowledgement before the row is sent again, and how often it is sent.
const PATIENCE: Duration = Duration::from_secs(2);
const ATTEMPTS_MAX: u32 = 5;

/// Measures all three and prints what is between them.
pub(crate) async fn rows_one_by_one(binary: &Path, rows: usize, figures: &Figures) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let mosquitto = Mosquitto::start(folder.path())?;
    let mut baseline = Baseline::start(mosquitto.port, folder.path()).await?;
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
    let embedded = Program::start(binary, folders[0].path(), &Setting::default()).await?;
    let setting = Setting { broker: Some(mosquitto.port), ..Setting::default() };
    let external = Program::start(binary, folders[1].path(), &setting).await?;
    let mut hubs = [Hub::connect(embedded.port), Hub::connect(external.port)];
    let (mut raw, mut acked) = (Times::default(), [Times::default(), Times::default()]);
    for number in 0..WARM_UP + rows {
        tokio::time::sleep(PAUSE).await;
        let bytes = row(1, "board-a", NodeState::Lost).encoded_len();
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
    figures.times("a message of QoS 1 to Mosquitto and a page to the disk", &raw)?;
    figures.times("row to acknowledgement at its own broker", &acked[0])?;
    figures.times("row to acknowledgement at Mosquitto", &acked[1])?;
    embedded.stop().await?;
    external.stop().await
}

/// A client as a hub's, and its acknowledged sequences.
pub(crate) struct Hub {
    client: AsyncClient,
    acks: mpsc::UnboundedReceiver<u64>,
}

impl Hub {
    pub(crate) fn connect(port: u16) -> Hub {
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

    /// Sends a row; how long it takes until it is acknowledged.
    pub(crate) async fn measure(&mut self, sequence: u64) -> Outcome<Duration> {
        let state = if sequence.is_multiple_of(2) { NodeState::Lost } else { NodeState::Connected };
        self.send(sequence, "board-a", state).await
    }

    /// The same with a row that something is the matter with a node.
    pub(crate) async fn measure_trouble(
        &mut self,
        sequence: u64,
        node: usize,
    ) -> Outcome<Duration> {
        self.send(sequence, &format!("node-{node}"), NodeState::Faulty).await
    }

    async fn send(&mut self, sequence: u64, node: &str, state: NodeState) -> Outcome<Duration> {
        let sent = Instant::now();
        // The first rows may come before anybody listens: a hub sends again what is not acknowledged.
        for attempt in 1.. {
            let topic = format!("twinboard/1/hall/hub/{HUB}/rows");
            let rows = row(sequence, node, state).encode_to_vec();
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

fn row(sequence: u64, node: &str, state: NodeState) -> Rows {
    let event = NodeStateChanged {
        node_id: node.to_owned(),
        board: None,
        state: state.into(),
        detail: "a switch flickers".to_owned(),
    };
    let row = Row {
        sequence,
        hub_time_us: sequence,
        table: "21".to_owned(),
        event: Some(Event::NodeStateChanged(event)),
    };
    Rows { hub_id: HUB.to_owned(), boot_id: 7, rows: vec![row], first_available: 1 }
}
