//! The way up: journal rows to the adjudicator over MQTT 3.1.1, until it says that it has them.
//!
//! The journal is the queue; a bounded [`Window`] of it is in memory. Birth, will and the
//! adjudicator's STATE are those of Sparkplug B, with 64-bit sequences. What is promised: every row
//! arrives at least once, rows of one boot in order; duplicates are the adjudicator's to drop.

mod client;
mod listener;
mod probes;
mod window;

use std::collections::BTreeMap;
use std::time::Duration;

use prost::Message as _;
use proto::mqtt::message::{HubState, Row, Rows};
use proto::mqtt::{Segment, SegmentError, Topic, hub_client_id, hub_filter};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

pub use window::{Acknowledged, WINDOW_ROWS_MAX, Window};

use crate::config::Broker;
use crate::journal::{Journal, JournalError, JournalRow, Reader};
use crate::ports::{NodeInput, NodeRequest};
use crate::progress::{Beat, Condition};
use client::{Client, ClientEvent};
use listener::{Heard, Listener};
use probes::{Beginnings, Probes};

/// Without an acknowledgement for this long, while rows wait for one, the client is built anew.
pub const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// When a repeated acknowledgement told that rows did not arrive, they are sent again at once. Until those have arrived further
/// repetitions may be answers to the first sending: they count only after this time, doubled each time up to
/// [`ACKNOWLEDGEMENT_TIMEOUT`].
const RESEND_MIN: Duration = Duration::from_millis(200);
/// Longest time between two rebuilt clients.
const REBUILD_MAX: Duration = Duration::from_secs(120);
/// How often a problem that lasts is reported again.
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// How often the uplink looks after what no event tells it.
const TICK: Duration = Duration::from_millis(250);
/// How long a stopping hub waits for last acknowledgements, and then for its farewell to leave.
const FAREWELL: Duration = Duration::from_secs(1);

/// What the uplink is made of.
#[derive(Debug)]
pub struct UplinkOptions {
    /// This hub.
    pub hub_id: String,
    /// The event's broker.
    pub broker: Broker,
    /// The tables, for the birth message.
    pub tables: Vec<String>,
    /// [`ACKNOWLEDGEMENT_TIMEOUT`], unless somebody cannot wait that long.
    pub acknowledgement_timeout: Duration,
    /// For writing acknowledgements.
    pub journal: Journal,
    /// For reading rows.
    pub reader: Reader,
    /// Where nodes are asked.
    pub requests: mpsc::Sender<NodeRequest>,
    /// Where the orders for each table go.
    pub orders: BTreeMap<String, mpsc::Sender<NodeInput>>,
    /// What is wrong with this hub, in words for directors; told with its birth, and again when it changes.
    pub troubles: watch::Receiver<Vec<String>>,
    /// The uplink's sign of life.
    pub beat: Beat,
}

struct Topics {
    client_id: String,
    rows: String,
    state: String,
    filters: [String; 3],
}

/// What must be said before rows after a connection.
enum Introduction {
    Filter(usize),
    Birth,
}

/// The uplink's state beside its client.
struct Uplink {
    options: UplinkOptions,
    topics: Topics,
    listener: Listener,
    window: Window,
    connected: bool,
    to_introduce: Vec<Introduction>,
    /// When something was last acknowledged, or there was nothing to acknowledge.
    progressed: Instant,
    rebuild_after: Duration,
    /// When rows were last sent again, and how long a repeated acknowledgement does not count after that.
    resent: Instant,
    resend_after: Duration,
    probes: Probes,
    beginnings: Beginnings,
    rows_left_in_journal: bool,
    reported_down: bool,
    /// When it was last said that the journal cannot be read.
    unreadable: Option<Instant>,
}

/// What the journal has to tell.
struct News {
    written: watch::Receiver<u64>,
    given_back: watch::Receiver<u64>,
    troubles: watch::Receiver<Vec<String>>,
}

/// Sends rows until `shutdown`, then says farewell.
///
/// # Errors
///
/// When hub id or shard cannot stand in a topic, which a checked configuration rules out.
pub async fn run(options: UplinkOptions, shutdown: CancellationToken) -> Result<(), SegmentError> {
    let mut news = News {
        written: options.journal.rows_written(),
        given_back: options.journal.rows_given_back(),
        troubles: options.troubles.clone(),
    };
    let mut uplink = Uplink::new(options)?;
    uplink.options.beat.set_condition(Condition::Waiting);
    let mut client = uplink.start_client();
    while uplink.serve(&mut client, &mut news, &shutdown).await {
        warn!(
            broker = %uplink.options.broker.host,
            "rows were sent but not acknowledged for {:?}: connecting anew; is an adjudicator running?",
            uplink.rebuild_after
        );
        uplink.rebuild_after = (uplink.rebuild_after * 2).min(REBUILD_MAX);
        uplink.progressed = Instant::now();
        uplink.connected = false;
        client = uplink.start_client();
    }
    uplink.say_farewell(&mut client).await;
    Ok(())
}

impl Uplink {
    fn new(options: UplinkOptions) -> Result<Uplink, SegmentError> {
        let (shard, hub): (Segment, Segment) =
            (options.broker.shard.parse()?, options.hub_id.parse()?);
        let filters = hub_filter(&shard, &hub);
        let (rows_shard, rows_hub) = (shard.clone(), hub.clone());
        let topics = Topics {
            client_id: hub_client_id(&hub),
            rows: Topic::Rows { shard: rows_shard, hub: rows_hub }.to_string(),
            state: Topic::HubState { shard, hub }.to_string(),
            filters,
        };
        Ok(Uplink {
            listener: Listener::new(
                options.hub_id.clone(),
                options.journal.boot_id(),
                options.requests.clone(),
                options.orders.clone(),
            ),
            window: Window::new(),
            connected: false,
            to_introduce: Vec::new(),
            progressed: Instant::now(),
            rebuild_after: options.acknowledgement_timeout,
            resent: Instant::now(),
            resend_after: RESEND_MIN,
            probes: Probes::default(),
            beginnings: Beginnings::default(),
            rows_left_in_journal: true,
            reported_down: false,
            unreadable: None,
            topics,
            options,
        })
    }

    fn state(&self, online: bool) -> Vec<u8> {
        HubState {
            hub_id: self.options.hub_id.clone(),
            boot_id: self.options.journal.boot_id(),
            online,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            tables: self.options.tables.clone(),
            // A farewell that the broker gives for a hub that is gone says nothing of it.
            troubles: if online { self.options.troubles.borrow().clone() } else { Vec::new() },
        }
        .encode_to_vec()
    }

    fn start_client(&self) -> Client {
        Client::start(
            &self.topics.client_id,
            &self.options.broker,
            (self.topics.state.clone(), self.state(false)),
        )
    }

    /// Serves one client. True when it has to be replaced, false when the hub stops.
    async fn serve(
        &mut self,
        client: &mut Client,
        news: &mut News,
        shutdown: &CancellationToken,
    ) -> bool {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut journal_open = true;
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return false,
                event = client.events.recv() => match event {
                    Some(event) => self.take(event),
                    None => return true,
                },
                written = news.written.changed(), if journal_open => {
                    journal_open = written.is_ok();
                    self.rows_left_in_journal = true;
                }
                Ok(()) = news.troubles.changed() => {
                    news.troubles.mark_unchanged();
                    if self.connected {
                        self.to_introduce.push(Introduction::Birth);
                    }
                }
                Ok(()) = news.given_back.changed() => {
                    self.probes.journal_noted(*news.given_back.borrow_and_update());
                    self.window.reset();
                    self.beginnings.forget();
                    self.rows_left_in_journal = true;
                }
                _ = tick.tick() => {
                    self.options.beat.beat();
                    if self.is_stalled() {
                        return true;
                    }
                }
            }
            self.record_acknowledgements();
            self.refill().await;
            self.send(client);
        }
    }

    fn take(&mut self, event: ClientEvent) {
        let broker = &self.options.broker;
        match event {
            ClientEvent::Connected => {
                info!(broker = %broker.host, port = broker.port, "connected to the broker");
                self.connected = true;
                self.options.beat.set_condition(Condition::Well);
                self.reported_down = false;
                self.rewind();
                self.probes.raise();
                self.progressed = Instant::now();
                self.to_introduce = vec![Introduction::Birth];
                self.to_introduce.extend((0..self.topics.filters.len()).map(Introduction::Filter));
            }
            ClientEvent::Disconnected(reason) => {
                self.connected = false;
                self.options.beat.set_condition(Condition::Offline);
                if !std::mem::replace(&mut self.reported_down, true) {
                    warn!(
                        broker = %broker.host, port = broker.port,
                        "no connection to the broker: {reason}; rows wait in the journal; check broker.host, \
                         broker.port and the network"
                    );
                }
            }
            ClientEvent::Sent => {}
            ClientEvent::Message { topic, payload } => {
                let heard = self.listener.hear(&topic, &payload, &mut self.window);
                if let Some(boot_id) = self.listener.take_answer() {
                    self.probes.answered(boot_id);
                }
                match heard {
                    Heard::Nothing => {}
                    Heard::Progress => {
                        self.progressed = Instant::now();
                        self.rebuild_after = self.options.acknowledgement_timeout;
                        self.resend_after = RESEND_MIN;
                        self.rows_left_in_journal = true;
                    }
                    Heard::Repeated => self.resend(),
                    // Goes on when the journal has noted it.
                    Heard::FellBack => self.progressed = Instant::now(),
                    Heard::AdjudicatorBack => {
                        self.rewind();
                        self.probes.raise();
                        self.progressed = Instant::now();
                    }
                }
            }
        }
    }

    /// Everything that is not acknowledged is sent again.
    fn rewind(&mut self) {
        self.window.rewind();
        self.resent = Instant::now();
    }

    /// The adjudicator lacks rows that were sent.
    fn resend(&mut self) {
        if self.window.is_resending() && self.resent.elapsed() < self.resend_after {
            return;
        }
        debug!("an acknowledgement was repeated: sending again what it does not cover");
        self.rewind();
        self.resend_after = (self.resend_after * 2).min(ACKNOWLEDGEMENT_TIMEOUT);
    }

    /// Whether somebody ought to have acknowledged by now.
    fn is_stalled(&mut self) -> bool {
        let is_waiting = self.window.is_waiting() || self.probes.is_waiting();
        if !self.connected || self.listener.nobody_listens() || !is_waiting {
            self.progressed = Instant::now();
        }
        self.progressed.elapsed() >= self.rebuild_after
    }

    /// Says now and then that the journal cannot be read.
    fn report_unreadable(&mut self, error: &JournalError) {
        if self.unreadable.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
            error!("{error}");
            self.unreadable = Some(Instant::now());
        }
    }

    fn record_acknowledgements(&mut self) {
        let given_back = self.listener.record_acknowledgements(&self.options.journal);
        self.probes.told_journal(given_back);
    }

    async fn refill(&mut self) {
        match self.probes.find(&self.options.reader, &mut self.window).await {
            Ok(true) => self.beginnings.forget(),
            Ok(false) => {}
            Err(error) => self.report_unreadable(&error),
        }
        self.fill().await;
        let boots = self.probes.next().map(|row| row.boot_id).into_iter();
        let boots = boots.chain(self.window.next_boot()).collect::<Vec<u64>>();
        if let Err(error) = self.beginnings.find(&self.options.reader, &boots).await {
            self.report_unreadable(&error);
        }
    }

    async fn fill(&mut self) {
        let (room, after) = self.window.room();
        if !self.rows_left_in_journal || room == 0 {
            return;
        }
        match self.options.reader.rows_after(after, room).await {
            Ok(rows) => {
                self.rows_left_in_journal = rows.len() == room;
                self.window.fill(rows);
            }
            Err(error) => self.report_unreadable(&error),
        }
    }

    /// Hands over as much as the client takes; the rest goes when a message has left.
    fn send(&mut self, client: &Client) {
        if !self.connected {
            return;
        }
        while let Some(next) = self.to_introduce.last() {
            let accepted = match next {
                Introduction::Filter(index) => client.subscribe(&self.topics.filters[*index]),
                Introduction::Birth => client.publish(&self.topics.state, true, self.state(true)),
            };
            if !accepted {
                return;
            }
            self.to_introduce.pop();
        }
        while let Some(probe) = self.probes.next() {
            let message = self.message(&[probe]);
            if !client.publish(&self.topics.rows, false, message.encode_to_vec()) {
                return;
            }
            self.probes.mark_sent();
        }
        if self.probes.is_unsure() || self.listener.is_giving_back() {
            return;
        }
        while let Some(batch) = self.window.next_batch() {
            let count = batch.len();
            let message = self.message(&batch);
            if !self.window.is_waiting() {
                self.progressed = Instant::now();
            }
            if !client.publish(&self.topics.rows, false, message.encode_to_vec()) {
                return;
            }
            self.window.mark_sent(count);
        }
    }

    /// Rows of one boot, as they are sent.
    fn message(&self, batch: &[&JournalRow]) -> Rows {
        let (boot_id, first) = batch.first().map_or((0, 0), |row| (row.boot_id, row.sequence));
        Rows {
            hub_id: self.options.hub_id.clone(),
            boot_id,
            rows: batch.iter().filter_map(|row| Row::decode(&row.body[..]).ok()).collect(),
            first_available: self.beginnings.of(boot_id, first),
        }
    }

    /// Waits a moment for last acknowledgements, then leaves with a message instead of a will.
    async fn say_farewell(&mut self, client: &mut Client) {
        let deadline = Instant::now() + FAREWELL;
        self.rows_left_in_journal = true;
        self.refill().await;
        self.send(client);
        while self.connected && (self.window.is_waiting() || self.window.next_batch().is_some()) {
            match timeout_at(deadline, client.events.recv()).await {
                Ok(Some(event)) => self.take(event),
                Ok(None) | Err(_) => break,
            }
            self.record_acknowledgements();
            self.refill().await;
            self.send(client);
        }
        if !self.connected || !client.publish(&self.topics.state, true, self.state(false)) {
            return;
        }
        client.disconnect();
        let deadline = Instant::now() + FAREWELL;
        while let Ok(Some(event)) = timeout_at(deadline, client.events.recv()).await {
            if matches!(event, ClientEvent::Disconnected(_)) {
                return;
            }
        }
    }
}
