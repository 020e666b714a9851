//! How long a row takes from a hub's client to its acknowledgement in a quiet hall: broker, adjudicator and database on this
//! machine, the hub's client as the hub has it.
//!
//! `cargo run --release --package adjudicator --example row_to_ack [ROWS]` prints the median, the 99th percentile and the
//! longest time. The times depend on the disk: a row is committed before it is acknowledged.

use std::time::{Duration, Instant};

use adjudicator::Config;
use prost::Message as _;
use proto::mqtt::message::{Ack, NodeState, NodeStateChanged, Row, Rows, row::Event};
use rumqttc::{AsyncClient, Incoming, MqttOptions, NetworkOptions, QoS};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const HUB: &str = "north";
/// Rows that are sent, unless told otherwise.
const ROWS: u64 = 500;
/// Rows before those that count: everything is started and in memory by then.
const WARM_UP: u64 = 20;
/// Pause between an acknowledgement and the next row: a quiet hall.
const PAUSE: Duration = Duration::from_millis(5);
/// Wait for an acknowledgement before the row is sent again, and how often it is sent.
const PATIENCE: Duration = Duration::from_secs(2);
const ATTEMPTS_MAX: u32 = 5;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows = std::env::args().nth(1).map_or(Ok(ROWS), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let mut config = Config::default();
    config.http.address = "127.0.0.1:0".parse()?;
    config.broker.address = "127.0.0.1:0".to_owned();
    config.store.path = folder.path().join("event.sqlite");
    let shutdown = CancellationToken::new();
    let running = adjudicator::start(config, shutdown.clone()).await?;
    let port = running.mqtt_address.ok_or("the broker is embedded")?.port();
    let server = tokio::spawn(running.wait());
    let (client, mut acks) = connect(port);
    let mut times = Vec::new();
    for sequence in 1..=WARM_UP + rows {
        tokio::time::sleep(PAUSE).await;
        let sent = Instant::now();
        // The first rows may come before anybody listens: a hub sends again what is not acknowledged.
        for attempt in 1.. {
            let topic = format!("twinboard/1/hall/hub/{HUB}/rows");
            client.publish(topic, QoS::AtLeastOnce, false, row(sequence).encode_to_vec()).await?;
            let acked = async { while acks.recv().await.is_some_and(|acked| acked < sequence) {} };
            match tokio::time::timeout(PATIENCE, acked).await {
                Ok(()) => break,
                Err(late) if attempt == ATTEMPTS_MAX => return Err(late.into()),
                Err(_) => {}
            }
        }
        if sequence > WARM_UP {
            times.push(sent.elapsed());
        }
    }
    times.sort();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!(
        "{rows} rows: p50 {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    shutdown.cancel();
    server.await?;
    Ok(())
}

/// A client as the hub's, and the sequences that it hears acknowledged.
fn connect(port: u16) -> (AsyncClient, mpsc::UnboundedReceiver<u64>) {
    let options = MqttOptions::new(format!("twinboard-hub-{HUB}"), "127.0.0.1", port);
    let (client, mut event_loop) = AsyncClient::new(options, 10);
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
    (client, acks)
}

fn row(sequence: u64) -> Rows {
    let event = NodeStateChanged {
        node_id: "board-a".to_owned(),
        board: None,
        state: if sequence.is_multiple_of(2) { NodeState::Lost } else { NodeState::Connected }
            .into(),
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
