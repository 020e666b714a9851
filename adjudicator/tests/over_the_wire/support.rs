//! A running adjudicator and a hub that speaks to it over real sockets.

use std::{net::SocketAddr, path::Path, time::Duration};

use adjudicator::{Config, Running, config::BrokerMode};
use prost::Message as _;
use proto::mqtt::message::{
    Ack, Alternative, Board, BoardSetup, ClockRead, Command, HubState, MatchOpened, MatchState,
    MatchStateChanged, Order, PlyReported, Row, Rows, Side, Stage, command, row::Event,
};
use reqwest::Method;
use rumqttc::{AsyncClient, Incoming, MqttOptions, PublishOptions, QoS};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::description::check;

/// Longest wait for anything; a failure says what was waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Hub time at which a [`Script`]'s match is opened.
const OPENED_US: u64 = 1_700_000_000_000_000;

/// A configuration with a database in `folder` and free ports.
pub(crate) fn config(folder: &Path) -> Config {
    let mut config = Config::default();
    config.event.name = "Test event".to_owned();
    config.http.address = "127.0.0.1:0".parse().expect("an address");
    config.broker.address = "127.0.0.1:0".to_owned();
    config.store.path = folder.join("event.sqlite");
    config.http.metrics_address = Some("127.0.0.1:0".parse().expect("an address"));
    config
}

/// An adjudicator in this process.
pub(crate) struct Server {
    pub(crate) http: String,
    pub(crate) mqtt_port: u16,
    pub(crate) gate_port: Option<u16>,
    pub(crate) https: Option<SocketAddr>,
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) hall: Option<SocketAddr>,
    shutdown: CancellationToken,
    task: tokio::task::JoinHandle<Result<(), adjudicator::TaskEnded>>,
}

impl Server {
    pub(crate) async fn start(config: Config) -> Server {
        let shutdown = CancellationToken::new();
        let external = (config.broker.mode == BrokerMode::External)
            .then(|| config.broker.address.rsplit_once(':').unwrap().1.parse().unwrap());
        let running: Running =
            adjudicator::start(config, shutdown.clone()).await.expect("it starts");
        let http = format!("http://{}", running.http_address);
        let mqtt_port = running.mqtt_address.map_or_else(|| external.unwrap(), |at| at.port());
        let (metrics, hall) = (running.metrics_address, running.hall_address);
        let (https, gate_port) = (running.https_address, running.gate_address.map(|at| at.port()));
        let task = tokio::spawn(running.wait());
        Server { http, mqtt_port, gate_port, https, metrics, hall, shutdown, task }
    }

    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .expect("it stops in time")
            .unwrap()
            .unwrap();
    }

    /// A number of the metrics, which the configuration must have asked for.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let address = self.metrics.expect("metrics");
        let answer = reqwest::get(format!("http://{address}/metrics")).await.expect("an answer");
        let text = answer.text().await.expect("text");
        let prefix = format!("twinboard_{name} ");
        let value = text.lines().find_map(|line| line.strip_prefix(&prefix));
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
    }

    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        reqwest::get(format!("{}{path}", self.http)).await.expect("an answer")
    }

    pub(crate) async fn json(&self, path: &str) -> serde_json::Value {
        let answer = self.get(path).await;
        let status = answer.status();
        assert!(status.is_success(), "{path}: {status}");
        let value = answer.json().await.expect("JSON");
        check(&Method::GET, path, None, (status, &value));
        value
    }

    /// Asks again until the answer is as wanted.
    pub(crate) async fn until(
        &self,
        path: &str,
        what: &str,
        wanted: impl Fn(&serde_json::Value) -> bool,
    ) -> serde_json::Value {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let answer = self.get(path).await;
            if answer.status().is_success() {
                let value = answer.json().await.expect("JSON");
                if wanted(&value) {
                    return value;
                }
                assert!(tokio::time::Instant::now() < deadline, "no {what} in {value}");
            }
            assert!(tokio::time::Instant::now() < deadline, "no {what} at {path}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The address of its pages.
impl AsRef<str> for Server {
    fn as_ref(&self) -> &str {
        &self.http
    }
}

/// A hub's side of the line.
pub(crate) struct Hub {
    pub(crate) id: String,
    pub(crate) boot_id: u64,
    pub(crate) client: AsyncClient,
    acks: watch::Receiver<u64>,
    orders: mpsc::UnboundedReceiver<Order>,
    /// The last request to update its nodes; 0: none.
    pub(crate) update: watch::Receiver<u64>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Hub {
    pub(crate) async fn connect(port: u16, id: &str, boot_id: u64, tables: &[&str]) -> Hub {
        let options = MqttOptions::new(format!("twinboard-hub-{id}"), ("127.0.0.1", port));
        Hub::connect_with(options, id, boot_id, tables).await
    }

    pub(crate) async fn connect_with(
        options: MqttOptions,
        id: &str,
        boot_id: u64,
        tables: &[&str],
    ) -> Hub {
        let (client, mut event_loop) = AsyncClient::builder(options).capacity(10).build();
        let (sender, acks) = watch::channel(0);
        let (up_sender, mut up) = watch::channel(false);
        let (orders_sender, orders) = mpsc::unbounded_channel();
        let (update_sender, update) = watch::channel(0);
        let topics = ["ack", "command"].map(|leaf| format!("twinboard/1/hall/hub/{id}/{leaf}"));
        let subscriber = client.clone();
        let task = tokio::spawn(async move {
            loop {
                match event_loop.poll().await {
                    // At each connection, as hubs do: the broker ends one on which it refuses a message.
                    Ok(rumqttc::Event::Incoming(Incoming::ConnAck(_))) => {
                        for topic in &topics {
                            subscriber.try_subscribe(topic, QoS::AtLeastOnce).expect("room");
                        }
                    }
                    Ok(rumqttc::Event::Incoming(Incoming::SubAck(_))) => {
                        up_sender.send_replace(true);
                    }
                    Ok(rumqttc::Event::Incoming(Incoming::Publish(publish))) => {
                        if publish.topic.ends_with(b"/command") {
                            let command = Command::decode(publish.payload).expect("a command");
                            if let Some(command::Command::UpdateNodes(update)) = command.command {
                                update_sender.send_replace(update.request);
                            } else if let Some(command::Command::Orders(orders)) = command.command {
                                orders.orders.into_iter().for_each(|order| {
                                    let _ = orders_sender.send(order);
                                });
                            }
                            continue;
                        }
                        let ack = Ack::decode(publish.payload).expect("an ack");
                        if ack.boot_id == boot_id {
                            sender.send_replace(ack.sequence);
                        }
                    }
                    Ok(_) => {}
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        });
        let hub = Hub { id: id.to_owned(), boot_id, client, acks, orders, update, task };
        tokio::time::timeout(PATIENCE, up.wait_for(|up| *up)).await.expect("a line").unwrap();
        let state = HubState {
            hub_id: id.to_owned(),
            boot_id,
            online: true,
            version: "test".to_owned(),
            tables: tables.iter().map(|&table| table.to_owned()).collect(),
            troubles: Vec::new(),
            update_ended: 0,
            ..Default::default()
        };
        let topic = format!("twinboard/1/hall/hub/{id}/state");
        hub.client
            .publish(topic, state.encode_to_vec(), PublishOptions::at_least_once().retained())
            .await
            .unwrap();
        hub
    }

    pub(crate) async fn send(&self, rows: &[Row]) {
        let (hub_id, boot_id) = (self.id.clone(), self.boot_id);
        let rows = Rows { hub_id, boot_id, rows: rows.to_vec(), ..Rows::default() };
        let topic = format!("twinboard/1/hall/hub/{}/rows", self.id);
        self.client
            .publish(topic, rows.encode_to_vec(), PublishOptions::at_least_once())
            .await
            .unwrap();
    }

    /// Sends again until everything up to `sequence` is committed, as a hub does.
    pub(crate) async fn send_until_committed(&mut self, rows: &[Row]) {
        self.send_until_committed_within(rows, PATIENCE).await;
    }

    /// The same for a longer wait.
    pub(crate) async fn send_until_committed_within(&mut self, rows: &[Row], patience: Duration) {
        let last = rows.last().expect("rows").sequence;
        let deadline = tokio::time::Instant::now() + patience;
        while *self.acks.borrow() < last {
            assert!(tokio::time::Instant::now() < deadline, "no ack for row {last}");
            self.send(rows).await;
            let committed = self.acks.wait_for(|&acked| acked >= last);
            let _ = tokio::time::timeout(Duration::from_millis(500), committed).await;
        }
    }

    /// The next order that comes.
    pub(crate) async fn order(&mut self) -> Order {
        tokio::time::timeout(PATIENCE, self.orders.recv()).await.expect("an order").unwrap()
    }

    /// Whether no order comes for a while that is longer than it takes to send one again.
    pub(crate) async fn is_left_alone(&mut self) -> bool {
        while self.orders.try_recv().is_ok() {}
        tokio::time::timeout(Duration::from_millis(2_500), self.orders.recv()).await.is_err()
    }

    pub(crate) async fn acked(&mut self, sequence: u64) {
        let acked = self.acks.wait_for(|&acked| acked >= sequence);
        tokio::time::timeout(PATIENCE, acked).await.expect("an ack").unwrap();
    }

    pub(crate) fn last_ack(&self) -> u64 {
        *self.acks.borrow()
    }
}

/// Writes a match as a hub's rows, numbered from 1.
pub(crate) struct Script {
    pub(crate) table: String,
    pub(crate) match_id: String,
    pub(crate) rows: Vec<Row>,
    next_ply: u32,
}

/// Match time of a row's event, 0 if it has none.
fn match_time_us(event: &Event) -> u64 {
    match event {
        Event::MatchStateChanged(event) => event.t_us,
        Event::PlyReported(event) => event.t_us,
        Event::PlyRetracted(event) => event.t_us,
        Event::AnomalyReported(event) => event.t_us,
        Event::AnomalyRetracted(event) => event.t_us,
        Event::ClockRead(event) => event.t_us,
        Event::MatchOpened(_)
        | Event::NodeStateChanged(_)
        | Event::OrderTaken(_)
        | Event::OrderEnded(_)
        | Event::QuestionsAsked(_)
        | Event::EvidenceClip(_)
        | Event::ZeroTested(_)
        | Event::NodeTimed(_) => 0,
        Event::SquaresRead(event) => event.t_us,
        Event::PositionStands(event) => event.t_us,
    }
}

impl Script {
    pub(crate) fn new(table: &str, match_id: &str) -> Script {
        Script::opened(table, MatchOpened { match_id: match_id.to_owned(), ..bughouse() })
    }

    /// A match at a table, with the pieces set up and White's time at A running.
    pub(crate) fn playing(table: &str, match_id: &str) -> Script {
        let mut script = Script::new(table, match_id);
        script.state(MatchState::Playing, 100_000);
        script.clock(Board::A, 300_000, 300_000, Some(Side::White), 100_000);
        script
    }

    /// A match at a table, opened so.
    pub(crate) fn opened(table: &str, opened: MatchOpened) -> Script {
        let mut script = Script {
            table: table.to_owned(),
            match_id: opened.match_id.clone(),
            rows: Vec::new(),
            next_ply: 1,
        };
        script.push(Event::MatchOpened(opened));
        script
    }

    pub(crate) fn push(&mut self, event: Event) {
        let sequence = self.rows.len() as u64 + 1;
        // A hub publishes an event after it has happened.
        let hub_time_us = OPENED_US + sequence * 1000 + match_time_us(&event);
        self.rows.push(Row {
            sequence,
            hub_time_us,
            table: self.table.clone(),
            event: Some(event),
        });
    }

    pub(crate) fn state(&mut self, state: MatchState, t_us: u64) {
        let match_id = self.match_id.clone();
        self.push(Event::MatchStateChanged(MatchStateChanged {
            match_id,
            state: state as i32,
            t_us,
        }));
    }

    pub(crate) fn clock(
        &mut self,
        board: Board,
        white_ms: i64,
        black_ms: i64,
        running: Option<Side>,
        t_us: u64,
    ) {
        let match_id = self.match_id.clone();
        self.push(Event::ClockRead(ClockRead {
            match_id,
            board: board as i32,
            white_ms,
            black_ms,
            running: running.map(|side| side as i32),
            t_us,
        }));
    }

    /// A sure ply, one second of match time after the one before.
    pub(crate) fn ply(&mut self, board: Board, side: Side, uci: &str) -> u32 {
        let id = self.next_ply;
        self.next_ply += 1;
        self.revise(id, 0, board, side, uci, 0.99, &[]);
        id
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn revise(
        &mut self,
        id: u32,
        revision: u32,
        board: Board,
        side: Side,
        uci: &str,
        p: f64,
        others: &[(&str, f64)],
    ) {
        let match_id = self.match_id.clone();
        self.next_ply = self.next_ply.max(id + 1);
        self.push(Event::PlyReported(PlyReported {
            match_id,
            ply_id: id,
            revision,
            stage: Stage::Live as i32,
            board: board as i32,
            side: side as i32,
            t_us: u64::from(id) * 1_000_000,
            uci: uci.to_owned(),
            p,
            legal: true,
            alternatives: others
                .iter()
                .map(|&(uci, p)| Alternative { uci: uci.to_owned(), p })
                .collect(),
            clock_ms: Some(300_000 - i64::from(id) * 500),
            ..PlyReported::default()
        }));
    }
}

/// The plies of [`scholars_mate`] in UCI.
pub(crate) const SCHOLARS_MATE: [&str; 9] =
    ["e2e4", "d2d4", "e7e5", "d1h5", "d7d5", "b8c6", "f1c4", "g8f6", "h5f7"];

/// Opening of a match of bughouse, by a hub that knows no other game.
pub(crate) fn bughouse() -> MatchOpened {
    MatchOpened {
        rulebook: "us-chess-bughouse-2018".to_owned(),
        base_ms: 300_000,
        boards: boards(&[Board::A, Board::B]),
        ..MatchOpened::default()
    }
}

/// The boards of a match, with reed sensors.
pub(crate) fn boards(boards: &[Board]) -> Vec<BoardSetup> {
    let setup = |&board: &Board| BoardSetup { board: board as i32, sensor: "reed".to_owned() };
    boards.iter().map(setup).collect()
}

/// Scholar's mate at A while B begins: the queen mates in contact with the king, so that no piece can
/// block. White of A (team 1) wins.
pub(crate) fn scholars_mate(table: &str, match_id: &str) -> Script {
    let mut script = Script::new(table, match_id);
    script.state(MatchState::Ready, 0);
    script.state(MatchState::Playing, 100_000);
    script.clock(Board::A, 300_000, 300_000, Some(Side::White), 100_000);
    let seats = [
        (Board::A, Side::White),
        (Board::B, Side::White),
        (Board::A, Side::Black),
        (Board::A, Side::White),
        (Board::B, Side::Black),
        (Board::A, Side::Black),
        (Board::A, Side::White),
        (Board::A, Side::Black),
        (Board::A, Side::White),
    ];
    for ((board, side), uci) in seats.into_iter().zip(SCHOLARS_MATE) {
        script.ply(board, side, uci);
    }
    script
}
