//! A hub: what it decides is the real sender of a hub, over the client that a hub has. Its journal is in memory, because hundreds of them are
//! not on this machine's disk in a hall.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use delivery::{
    ACKNOWLEDGEMENT_TIMEOUT, Answer, JournalRow, Note, Query, Sender, SenderEvent, SenderSettings,
    Transmit,
};
use prost::Message as _;
use proto::mqtt::message::{Row, row::Event};
use rules::bpgn::BpgnGame;
use rumqttc::{
    AsyncClient, Incoming, LastWill, MqttOptions, NetworkOptions, PublishOptions, QoS,
    SubscribeFilter,
};
use tokio::sync::mpsc;

use crate::{
    Outcome,
    feed::{Feed, Written},
    times::Times,
};

/// Interval at which a hub writes, and a sender is polled.
const TICK: Duration = Duration::from_millis(20);
/// Rows that a hub has waiting at least which offers more than can be stored.
const WAITING: u64 = 1_000;
const BOOT: u64 = 7;

/// Load of a hub.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Offer {
    /// Readings of clocks, more than can be sent.
    Always,
    /// Readings of clocks a second.
    Rate(f64),
    /// Matches in real time; the connection breaks this often, and what waits is sent again.
    Play(Duration),
    /// Number of matches at each table, one after the other, as fast as they can be sent.
    Archive(usize),
}

/// Counts of all hubs together.
#[derive(Default)]
pub(crate) struct Counts {
    /// Rows that were acknowledged.
    pub(crate) acknowledged: AtomicU64,
    /// Rows that were sent, again or not.
    pub(crate) sent: AtomicU64,
    /// From a row's way into the journal to its acknowledgement.
    pub(crate) times: Mutex<Times>,
    /// Times at which plies were written.
    pub(crate) written: Written,
    /// Play is to end now.
    pub(crate) ends: AtomicBool,
}

/// One hub.
pub(crate) struct LoadHub {
    name: String,
    port: u16,
    offer: Offer,
    begun: Instant,
    ends: Instant,
    sender: Sender,
    feeds: Vec<Feed>,
    rows: VecDeque<JournalRow>,
    /// Times of writing of rows that wait for their acknowledgement.
    written_at: VecDeque<(u64, Instant)>,
    breaks_at: Option<Instant>,
    written: u64,
    has_ended: bool,
    acknowledged: u64,
    notes: u64,
    counts: Arc<Counts>,
}

impl LoadHub {
    pub(crate) fn new(
        number: usize,
        tables: Range<usize>,
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
            tables: tables.clone().map(name_of).collect(),
            version: "load".to_owned(),
            acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
        };
        let sender = Sender::new(settings, now)?;
        let games: Arc<Vec<BpgnGame>> = Arc::new(sim::games::shipped());
        let feed = |table| Feed::new(&name, table, games.clone(), counts.written.clone(), now);
        let feeds = tables.map(feed).collect();
        let breaks_at = match offer {
            // Hubs break one after the other.
            Offer::Play(every) => Some(now + every.mul_f64((number as f64 * 0.618).fract() + 0.5)),
            Offer::Always | Offer::Rate(_) | Offer::Archive(_) => None,
        };
        let mut hub = LoadHub {
            name,
            port,
            offer,
            begun: now,
            ends,
            sender,
            feeds,
            rows: VecDeque::new(),
            written_at: VecDeque::new(),
            breaks_at,
            written: 0,
            has_ended: false,
            acknowledged: 0,
            notes: 0,
            counts,
        };
        if let Offer::Archive(matches) = offer {
            for (at, _) in (0..hub.feeds.len()).flat_map(|at| (0..matches).map(move |it| (at, it)))
            {
                let (table, events) = (hub.feeds[at].table(), hub.feeds[at].whole_match());
                hub.write_all(table, events);
            }
        } else if breaks_at.is_none() {
            let opened: Vec<_> = hub.feeds.iter_mut().map(|it| (it.table(), it.open())).collect();
            opened.into_iter().for_each(|(table, events)| hub.write_all(table, events));
        }
        Ok(hub)
    }

    fn write_all(&mut self, table: usize, events: impl IntoIterator<Item = Event>) {
        events.into_iter().for_each(|event| self.write(table, event));
    }

    fn write(&mut self, table: usize, event: Event) {
        self.written += 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let row = Row {
            sequence: self.written,
            hub_time_us: u64::try_from(since.as_micros()).unwrap_or(u64::MAX),
            table: name_of(table),
            event: Some(event),
        };
        self.written_at.push_back((self.written, Instant::now()));
        self.rows.push_back(JournalRow {
            row_id: self.written.cast_signed(),
            boot_id: BOOT,
            sequence: self.written,
            body: row.encode_to_vec(),
        });
    }

    /// Writes what the hub has read by now.
    fn write_what_is_due(&mut self) {
        let now = Instant::now();
        let before = self.written;
        if now < self.ends && !self.counts.ends.load(Ordering::Relaxed) {
            let due = match self.offer {
                Offer::Always => self.acknowledged + WAITING,
                Offer::Rate(rate) => ((now - self.begun).as_secs_f64() * rate) as u64,
                Offer::Play(_) | Offer::Archive(_) => 0,
            };
            while self.written < due {
                let (table, event) =
                    (self.feeds[0].table(), self.feeds[0].clock(self.written * 100));
                self.write(table, event);
            }
            if matches!(self.offer, Offer::Play(_)) {
                let due: Vec<_> =
                    self.feeds.iter_mut().map(|it| (it.table(), it.due(now))).collect();
                due.into_iter().for_each(|(table, events)| self.write_all(table, events));
            }
        } else if !self.has_ended {
            self.has_ended = true;
            let ends: Vec<_> = self.feeds.iter().map(|it| (it.table(), it.end())).collect();
            ends.into_iter().for_each(|(table, event)| self.write_all(table, event));
        }
        if self.written > before {
            self.sender.handle(now, SenderEvent::RowsWritten);
        }
    }

    /// Sends until everything is acknowledged.
    pub(crate) async fn run(mut self) -> Outcome<()> {
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
                    if self.breaks_now() || self.sender.is_stalled(Instant::now()) {
                        self.sender.rebuilt(Instant::now());
                        client = Client::start(&self);
                    }
                }
            }
            self.work(&client);
        }
        Ok(())
    }

    /// Whether the connection is to break.
    fn breaks_now(&mut self) -> bool {
        let (Offer::Play(every), Some(at)) = (self.offer, self.breaks_at) else { return false };
        let breaks = Instant::now() >= at;
        if breaks {
            self.breaks_at = Some(at + every);
        }
        breaks
    }

    fn note_acknowledged(&mut self, sequence: u64) {
        let news = sequence.saturating_sub(self.acknowledged);
        self.counts.acknowledged.fetch_add(news, Ordering::Relaxed);
        self.acknowledged = self.acknowledged.max(sequence);
        let mut times = self.counts.times.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        while let Some((_, at)) = self.written_at.pop_front_if(|(row, _)| *row <= sequence) {
            times.add(at.elapsed());
        }
        // The last one is kept, to ask with.
        while self.rows.front().is_some_and(|row| row.sequence < sequence) {
            self.rows.pop_front();
        }
    }

    fn work(&mut self, client: &Client) {
        while let Some(note) = self.sender.poll_note() {
            if let Note::Acknowledged { sequence, .. } = note {
                self.note_acknowledged(sequence);
            }
            self.sender.noted(note);
            self.notes += 1;
            self.sender.handle(Instant::now(), SenderEvent::NotesCommitted(self.notes));
            if self.offer == Offer::Always && self.written < self.acknowledged + WAITING / 2 {
                self.write_what_is_due();
            }
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

fn name_of(table: usize) -> String {
    (table + 1).to_string()
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
