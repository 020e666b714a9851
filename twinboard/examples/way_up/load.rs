//! Two hundred hubs at one adjudicator: what each decides is the real sender of a hub, over the client that a hub has; its journal is in
//! memory, because two hundred of them are not on this machine's disk in a hall.

use std::{
    collections::{BTreeMap, VecDeque},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use delivery::{
    ACKNOWLEDGEMENT_TIMEOUT, Answer, JournalRow, Note, Query, Sender, SenderEvent, SenderSettings,
    Transmit,
};
use prost::Message as _;
use proto::mqtt::message::{
    Board, BoardSetup, ClockRead, MatchOpened, MatchState, MatchStateChanged, Row, Side, row::Event,
};
use rumqttc::{
    AsyncClient, Incoming, LastWill, MqttOptions, NetworkOptions, PublishOptions, QoS,
    SubscribeFilter,
};
use tokio::{sync::mpsc, task::JoinSet};

use crate::{Outcome, server::Server};

/// Interval at which a hub of the second part writes, and a sender is polled.
const TICK: Duration = Duration::from_millis(20);
/// Rows that a hub of the first part has waiting at least.
const WAITING: u64 = 1_000;
/// Time before that which counts.
const WARM_UP: Duration = Duration::from_secs(3);
/// Longest wait for all rows after the load.
const DRAINED_MAX: Duration = Duration::from_secs(120);
const BOOT: u64 = 7;

/// Load of a hub.
#[derive(Clone, Copy)]
enum Offer {
    /// More than can be sent.
    Always,
    /// Rows a second.
    Rate(f64),
}

/// Measures the acknowledged rows a second while every hub offers more than can be stored.
pub(crate) async fn all_at_once(hubs: usize, span: Duration) -> Outcome<f64> {
    let taken = load(hubs, Offer::Always, span).await?;
    println!(
        "{hubs} hubs with more than can be taken: {:.0} rows/s are in the database",
        taken.rate
    );
    println!("  {}", taken.told());
    Ok(taken.rate)
}

/// Measures the throughput at twice the peak's load.
pub(crate) async fn at_twice(hubs: usize, peak: f64, span: Duration) -> Outcome<()> {
    let each = 2.0 * peak / hubs as f64;
    let taken = load(hubs, Offer::Rate(each), span).await?;
    println!(
        "{hubs} hubs that write {:.0} rows/s, twice the peak: {:.0} rows/s are in the database, {:.0} % of the peak",
        2.0 * peak,
        taken.rate,
        100.0 * taken.rate / peak
    );
    println!("  {}", taken.told());
    Ok(())
}

/// Stored rows.
struct StoredRows {
    rate: f64,
    rows: u64,
    sent: u64,
    drained: Option<Duration>,
    shown: Duration,
}

impl StoredRows {
    fn told(&self) -> String {
        let drained = self.drained.map_or_else(String::new, |span| {
            format!("; the rows that waited were taken {:.1} s after the load", span.as_secs_f64())
        });
        format!(
            "{} rows in all, of which {:.2} % were sent again{drained}; pages followed after {:.1} s",
            self.rows,
            100.0 * (self.sent as f64 / self.rows.max(1) as f64 - 1.0),
            self.shown.as_secs_f64()
        )
    }
}

async fn load(hubs: usize, offer: Offer, span: Duration) -> Outcome<StoredRows> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(folder.path(), None).await?;
    let counts = Arc::new(Counts::default());
    let begun = Instant::now();
    let ends = begun + WARM_UP + span;
    let mut running = JoinSet::new();
    for number in 0..hubs {
        let hub = LoadHub::new(number, server.port, offer, ends, counts.clone())?;
        running.spawn(hub.run());
    }
    tokio::time::sleep(WARM_UP).await;
    let (from, before) = (Instant::now(), counts.acknowledged.load(Ordering::Relaxed));
    tokio::time::sleep_until(ends.into()).await;
    let (until, after) = (Instant::now(), counts.acknowledged.load(Ordering::Relaxed));
    let rate = (after - before) as f64 / (until - from).as_secs_f64();
    let drain = async {
        while let Some(hub) = running.join_next().await {
            hub??;
        }
        Outcome::Ok(())
    };
    tokio::time::timeout(DRAINED_MAX, drain).await.map_err(|_| "rows were never taken")??;
    let drained = matches!(offer, Offer::Rate(_)).then(|| until.elapsed());
    let (rows, sent) =
        (counts.acknowledged.load(Ordering::Relaxed), counts.sent.load(Ordering::Relaxed));
    let shown = Instant::now();
    until_shown(&server, hubs).await?;
    let shown = shown.elapsed();
    assert_all_are_there(&folder.path().join("embedded.sqlite"), rows).await?;
    server.stop().await?;
    Ok(StoredRows { rate, rows, sent, drained, shown })
}

/// Waits until the pages show the end of every match.
async fn until_shown(server: &Server, hubs: usize) -> Outcome<()> {
    let deadline = Instant::now() + DRAINED_MAX;
    loop {
        let url = format!("{}/api/v1/round", server.http);
        let round: serde_json::Value = reqwest::get(url).await?.json().await?;
        let tables = round["tables"].as_array().map_or(&[][..], Vec::as_slice);
        let ended = tables.iter().filter(|table| table["state"] == "ended").count();
        if ended == hubs {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!("only {ended} of {hubs} matches end on the pages").into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Every row that was acknowledged is in the database, and no other.
async fn assert_all_are_there(path: &Path, rows: u64) -> Outcome<()> {
    use sqlx::Connection as _;
    let url = format!("sqlite://{}?mode=ro", path.display());
    let mut database = sqlx::SqliteConnection::connect(&url).await?;
    let stored: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM input WHERE kind = 'row'")
        .fetch_one(&mut database)
        .await?;
    if stored.cast_unsigned() == rows {
        Ok(())
    } else {
        Err(format!("{rows} rows were acknowledged and {stored} are stored").into())
    }
}

/// Counts of all hubs together.
#[derive(Default)]
struct Counts {
    /// Rows that were acknowledged.
    acknowledged: AtomicU64,
    /// Rows that were sent, again or not.
    sent: AtomicU64,
}

/// One hub.
struct LoadHub {
    name: String,
    port: u16,
    offer: Offer,
    begun: Instant,
    ends: Instant,
    sender: Sender,
    rows: VecDeque<JournalRow>,
    written: u64,
    has_ended: bool,
    acknowledged: u64,
    notes: u64,
    counts: Arc<Counts>,
}

impl LoadHub {
    fn new(
        number: usize,
        port: u16,
        offer: Offer,
        ends: Instant,
        counts: Arc<Counts>,
    ) -> Outcome<LoadHub> {
        let name = format!("hub-{number}");
        let now = Instant::now();
        let settings = SenderSettings {
            hub_id: name.clone(),
            boot_id: BOOT,
            shard: "hall".to_owned(),
            tables: vec![format!("table-{number}")],
            version: "bench".to_owned(),
            acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
        };
        let sender = Sender::new(settings, now)?;
        let mut hub = LoadHub {
            name,
            port,
            offer,
            begun: now,
            ends,
            sender,
            rows: VecDeque::new(),
            written: 0,
            has_ended: false,
            acknowledged: 0,
            notes: 0,
            counts,
        };
        hub.write(Event::MatchOpened(MatchOpened {
            match_id: hub.match_id(),
            rulebook: "us-chess-bughouse-2018".to_owned(),
            base_ms: 300_000,
            boards: [Board::A, Board::B]
                .map(|board| BoardSetup { board: board as i32, sensor: "reed".to_owned() })
                .to_vec(),
            ..MatchOpened::default()
        }));
        Ok(hub)
    }

    fn match_id(&self) -> String {
        format!("{}-1", self.name)
    }

    /// Time of the match, which is as old as this hub has rows.
    fn match_us(&self) -> u64 {
        self.written * 100
    }

    fn write(&mut self, event: Event) {
        self.written += 1;
        let row = Row {
            sequence: self.written,
            hub_time_us: 1_700_000_000_000_000 + self.match_us(),
            table: self.name.replace("hub", "table"),
            event: Some(event),
        };
        self.rows.push_back(JournalRow {
            row_id: self.written.cast_signed(),
            boot_id: BOOT,
            sequence: self.written,
            body: row.encode_to_vec(),
        });
    }

    /// Writes what the hub has read by now: clocks, the most frequent rows.
    fn write_what_is_due(&mut self) {
        let now = Instant::now();
        let due = match self.offer {
            Offer::Always => self.acknowledged + WAITING,
            Offer::Rate(rate) => ((now - self.begun).as_secs_f64() * rate) as u64,
        };
        if now < self.ends {
            while self.written < due {
                let t_us = self.match_us();
                let event = ClockRead {
                    match_id: self.match_id(),
                    board: Board::A as i32,
                    white_ms: 300_000 - (t_us / 1_000).min(299_000).cast_signed(),
                    black_ms: 300_000,
                    running: Some(Side::White as i32),
                    t_us,
                };
                self.write(Event::ClockRead(event));
            }
        } else if !self.has_ended {
            self.has_ended = true;
            let (match_id, t_us) = (self.match_id(), self.match_us());
            let state = MatchState::Ended as i32;
            self.write(Event::MatchStateChanged(MatchStateChanged { match_id, state, t_us }));
        } else {
            return;
        }
        self.sender.handle(now, SenderEvent::RowsWritten);
    }

    async fn run(mut self) -> Outcome<()> {
        let mut client = Client::start(&self);
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !(self.has_ended && self.acknowledged == self.written) {
            tokio::select! {
                event = client.events.recv() => {
                    self.sender.handle(Instant::now(), event.ok_or("the client is gone")?);
                }
                () = client.room.notified() => {}
                _ = tick.tick() => {
                    self.write_what_is_due();
                    if self.sender.is_stalled(Instant::now()) {
                        self.sender.rebuilt(Instant::now());
                        client = Client::start(&self);
                    }
                }
            }
            self.work(&client);
        }
        Ok(())
    }

    fn work(&mut self, client: &Client) {
        while let Some(note) = self.sender.poll_note() {
            if let Note::Acknowledged { sequence, .. } = note {
                let news = sequence.saturating_sub(self.acknowledged);
                self.counts.acknowledged.fetch_add(news, Ordering::Relaxed);
                self.acknowledged = self.acknowledged.max(sequence);
                // The last one is kept, to ask with.
                while self.rows.front().is_some_and(|row| row.sequence < sequence) {
                    self.rows.pop_front();
                }
            }
            self.sender.noted(note);
            self.notes += 1;
            self.sender.handle(Instant::now(), SenderEvent::NotesCommitted(self.notes));
            self.write_if_short();
        }
        while let Some(query) = self.sender.poll_query() {
            let answer = self.answer(&query);
            self.sender.answer(answer);
        }
        while let Some(transmit) = self.sender.poll_transmit() {
            if !client.send(transmit, &self.counts) {
                break;
            }
            self.sender.transmitted(Instant::now());
        }
    }

    fn write_if_short(&mut self) {
        if matches!(self.offer, Offer::Always) && self.written < self.acknowledged + WAITING / 2 {
            self.write_what_is_due();
        }
    }

    fn answer(&self, query: &Query) -> Answer {
        let is_acknowledged = |row: &&JournalRow| row.sequence <= self.acknowledged;
        match *query {
            Query::RowsAfter { row_id, limit } => {
                let from = self.rows.partition_point(|row| row.row_id <= row_id);
                let waiting = self.rows.range(from..).filter(|row| !is_acknowledged(row));
                Answer::RowsAfter(waiting.take(limit).cloned().collect())
            }
            Query::LastAcknowledged(_) => {
                let last = self.rows.iter().take_while(is_acknowledged).last();
                Answer::LastAcknowledged(last.cloned().into_iter().collect())
            }
            Query::FirstSequences => {
                let first = self.rows.front().map(|row| (row.boot_id, row.sequence));
                Answer::FirstSequences(first.into_iter().collect::<BTreeMap<_, _>>())
            }
        }
    }
}

/// The client of a hub.
struct Client {
    requests: AsyncClient,
    events: mpsc::Receiver<SenderEvent>,
    /// A message left.
    room: Arc<tokio::sync::Notify>,
    task: tokio::task::JoinHandle<()>,
}

impl Client {
    fn start(hub: &LoadHub) -> Client {
        let mut options =
            MqttOptions::new(format!("twinboard-hub-{}", hub.name), ("127.0.0.1", hub.port));
        options.set_keep_alive(10);
        options.set_max_packet_size(64 * 1024, proto::mqtt::MAX_ROWS_BYTES + 1024);
        let will = hub.sender.farewell();
        options.set_last_will(LastWill::new(will.0, will.1, QoS::AtLeastOnce, true));
        let (requests, mut event_loop) = AsyncClient::builder(options).capacity(10).build();
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        event_loop.set_network_options(network);
        let (sender, events) = mpsc::channel(64);
        let room = Arc::new(tokio::sync::Notify::new());
        let left = room.clone();
        let task = tokio::spawn(async move {
            loop {
                let event = match event_loop.poll().await {
                    Ok(rumqttc::Event::Incoming(Incoming::ConnAck(_))) => SenderEvent::Connected,
                    Ok(rumqttc::Event::Incoming(Incoming::Publish(message))) => {
                        SenderEvent::Message {
                            topic: String::from_utf8_lossy(&message.topic).into_owned(),
                            payload: message.payload.to_vec(),
                            retained: message.retain,
                        }
                    }
                    Ok(rumqttc::Event::Outgoing(rumqttc::Outgoing::Publish(_))) => {
                        left.notify_one();
                        continue;
                    }
                    Ok(_) => continue,
                    Err(_) => {
                        if sender.send(SenderEvent::Disconnected).await.is_err() {
                            return;
                        }
                        tokio::time::sleep(Duration::from_millis(200)).await;
                        continue;
                    }
                };
                if sender.send(event).await.is_err() {
                    return;
                }
            }
        });
        Client { requests, events, room, task }
    }

    fn send(&self, transmit: Transmit, counts: &Counts) -> bool {
        let sent = match transmit {
            Transmit::Subscribe(filters) => {
                let filter = |filter| SubscribeFilter::new(filter, QoS::AtLeastOnce);
                self.requests.try_subscribe_many(filters.into_iter().map(filter))
            }
            Transmit::Publish { topic, retain, payload } => {
                let rows = topic.ends_with("/rows").then(|| {
                    proto::mqtt::message::Rows::decode(payload.as_slice())
                        .map_or(0, |rows| rows.rows.len() as u64)
                });
                let sent = self.requests.try_publish(
                    topic,
                    payload,
                    PublishOptions::at_least_once().retain(retain),
                );
                if sent.is_ok() {
                    counts.sent.fetch_add(rows.unwrap_or(0), Ordering::Relaxed);
                }
                sent
            }
        };
        sent.is_ok()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.task.abort();
    }
}
