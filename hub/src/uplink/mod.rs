//! The uplink over MQTT 3.1.1: carries out a [`Sender`]'s decisions with a client and the journal.

mod client;

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use delivery::{HubReport, Sender, SenderEvent, SenderSettings, Transmit};
use proto::mqtt::message::{self, Command, PlaceNodes, command::Command as CommandKind};
use proto::mqtt::{Segment, SegmentError, hub_client_id};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

pub use delivery::ACKNOWLEDGEMENT_TIMEOUT;

use crate::config::Broker;
use crate::journal::{Journal, JournalError, Reader};
use crate::liveness::{Health, Heartbeat};
use crate::orders::{ORDERS_MAX, Order};
use crate::ports::{NodeInput, NodeRequest};
use client::{Client, ClientEvent};

/// Interval between two reports of a lasting problem.
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// Interval of the checks that no event triggers.
const TICK: Duration = Duration::from_millis(250);
/// Longest wait of a stopping hub for last acknowledgements, and then for its farewell to be sent.
const FAREWELL: Duration = Duration::from_secs(1);

/// Orders that are remembered as complained of.
const COMPLAINED_MAX: usize = 64;

/// Parts of the uplink.
#[derive(Debug)]
pub struct UplinkOptions {
    /// This hub.
    pub hub_id: String,
    /// The event's broker.
    pub broker: Broker,
    /// The tables, for the birth message.
    pub tables: Vec<String>,
    /// [`ACKNOWLEDGEMENT_TIMEOUT`], or less where a test cannot wait that long.
    pub acknowledgement_timeout: Duration,
    /// For writing acknowledgements.
    pub journal: Journal,
    /// For reading rows.
    pub reader: Reader,
    /// Channel of requests to nodes.
    pub requests: mpsc::Sender<NodeRequest>,
    /// Channels of the orders for each table.
    pub orders: BTreeMap<String, mpsc::Sender<NodeInput>>,
    /// Requests to update the firmware of all nodes.
    pub updates: mpsc::Sender<u64>,
    /// Requests to place nodes.
    pub placings: mpsc::Sender<PlaceNodes>,
    /// Report of this hub about itself; published with its birth, and again after a change.
    pub report: watch::Receiver<HubReport>,
    /// The uplink's sign of life.
    pub heartbeat: Heartbeat,
}

/// A sender with its client and journal.
struct Uplink {
    options: UplinkOptions,
    client_id: String,
    sender: Sender,
    reported_down: bool,
    /// Time of the last report that the journal cannot be read.
    unreadable: Option<Instant>,
    /// Orders that were complained of, the latest last.
    complained: VecDeque<u64>,
}

/// A change of the journal.
struct News {
    written: watch::Receiver<u64>,
    noted: watch::Receiver<u64>,
    report: watch::Receiver<HubReport>,
}

/// Sends rows until `shutdown`, then says farewell.
///
/// # Errors
///
/// When hub id or shard cannot stand in a topic, which a checked configuration rules out.
pub async fn run(options: UplinkOptions, shutdown: CancellationToken) -> Result<(), SegmentError> {
    let mut news = News {
        written: options.journal.rows_written(),
        noted: options.journal.notes_committed(),
        report: options.report.clone(),
    };
    let mut uplink = Uplink::new(options)?;
    uplink.options.heartbeat.set_health(Health::Waiting);
    let mut client = uplink.start_client();
    while uplink.serve(&mut client, &mut news, &shutdown).await {
        warn!(
            broker = %uplink.options.broker.host,
            "rows were sent but not acknowledged for {:?}: connecting anew; is an adjudicator running?",
            uplink.sender.patience()
        );
        uplink.sender.rebuilt(Instant::now());
        client = uplink.start_client();
    }
    uplink.say_farewell(&mut client).await;
    Ok(())
}

impl Uplink {
    fn new(options: UplinkOptions) -> Result<Uplink, SegmentError> {
        let hub: Segment = options.hub_id.parse()?;
        let settings = SenderSettings {
            hub_id: options.hub_id.clone(),
            boot_id: options.journal.boot_id(),
            shard: options.broker.shard.clone(),
            tables: options.tables.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            acknowledgement_timeout: options.acknowledgement_timeout,
        };
        let now = Instant::now();
        let mut sender = Sender::new(settings, now)?;
        sender.handle(now, SenderEvent::Report(options.report.borrow().clone()));
        let client_id = hub_client_id(&hub);
        let complained = VecDeque::new();
        Ok(Uplink {
            options,
            client_id,
            sender,
            reported_down: false,
            unreadable: None,
            complained,
        })
    }

    fn start_client(&self) -> Client {
        Client::start(&self.client_id, &self.options.broker, self.sender.farewell())
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
                    self.sender.handle(Instant::now(), SenderEvent::RowsWritten);
                }
                Ok(()) = news.report.changed() => {
                    let report = news.report.borrow_and_update().clone();
                    self.sender.handle(Instant::now(), SenderEvent::Report(report));
                }
                Ok(()) = news.noted.changed() => {
                    let count = *news.noted.borrow_and_update();
                    self.sender.handle(Instant::now(), SenderEvent::NotesCommitted(count));
                }
                _ = tick.tick() => {
                    self.options.heartbeat.beat();
                    if self.sender.is_stalled(Instant::now()) {
                        return true;
                    }
                }
            }
            self.work(client).await;
        }
    }

    fn take(&mut self, event: ClientEvent) {
        let broker = &self.options.broker;
        let event = match event {
            ClientEvent::Connected => {
                info!(broker = %broker.host, port = broker.port, "connected to the broker");
                self.options.heartbeat.set_health(Health::Well);
                self.reported_down = false;
                SenderEvent::Connected
            }
            ClientEvent::Disconnected(reason) => {
                self.options.heartbeat.set_health(Health::Offline);
                if !std::mem::replace(&mut self.reported_down, true) {
                    warn!(
                        broker = %broker.host, port = broker.port,
                        "no connection to the broker: {reason}; rows wait in the journal; check broker.host, \
                         broker.port and the network"
                    );
                }
                SenderEvent::Disconnected
            }
            ClientEvent::Sent => return,
            ClientEvent::Message { topic, payload, retained } => {
                SenderEvent::Message { topic, payload, retained }
            }
        };
        self.sender.handle(Instant::now(), event);
    }

    /// Does what the sender wants done, as far as journal and client have room; the rest when a message has left.
    async fn work(&mut self, client: &Client) {
        while let Some(note) = self.sender.poll_note() {
            if !self.options.journal.try_note(note) {
                break;
            }
            self.sender.noted(note);
        }
        while let Some(query) = self.sender.poll_query() {
            match self.options.reader.answer(&query).await {
                Ok(answer) => self.sender.answer(answer),
                Err(error) => {
                    self.report_unreadable(&error);
                    break;
                }
            }
        }
        while let Some(transmit) = self.sender.poll_transmit() {
            let accepted = match transmit {
                Transmit::Subscribe(filters) => client.subscribe(filters),
                Transmit::Publish { topic, retain, payload } => {
                    client.publish(&topic, retain, payload)
                }
            };
            if !accepted {
                break;
            }
            self.sender.transmitted(Instant::now());
        }
        while let Some(command) = self.sender.poll_command() {
            self.take_command(command);
        }
    }

    /// Says now and then that the journal cannot be read.
    fn report_unreadable(&mut self, error: &JournalError) {
        if self.unreadable.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
            error!("{error}");
            self.unreadable = Some(Instant::now());
        }
    }

    fn take_command(&mut self, command: Command) {
        match command.command {
            Some(CommandKind::Identify(identify)) => {
                let seconds = u8::try_from(identify.seconds).unwrap_or(u8::MAX);
                let request = NodeRequest::Identify { node_id: identify.node_id, seconds };
                if self.options.requests.try_send(request).is_err() {
                    debug!("too many commands at once; one was dropped");
                }
            }
            Some(CommandKind::Orders(orders)) => {
                for order in orders.orders.into_iter().take(ORDERS_MAX) {
                    self.take_order(order);
                }
            }
            Some(CommandKind::UpdateNodes(update)) => {
                if update.request == 0 || self.options.updates.try_send(update.request).is_err() {
                    debug!("a request to update nodes was dropped; it comes again");
                }
            }
            Some(CommandKind::PlaceNodes(placing)) => {
                if placing.request == 0 || self.options.placings.try_send(placing).is_err() {
                    debug!("a request to place nodes was dropped; it comes again");
                }
            }
            None => debug!("a command of a later release"),
        }
    }

    /// Gives an order to its table. An order that is lost here comes again, because it has no answer.
    fn take_order(&mut self, order: message::Order) {
        let id = order.order_id;
        let trouble = match Order::read(order) {
            Ok(order) => match self.options.orders.get(&order.table) {
                Some(table) => {
                    if table.try_send(NodeInput::Order(order)).is_err() {
                        debug!(id, "the table is too busy for an order; it comes again");
                    }
                    return;
                }
                None => format!("an order for table {}, which is not ours", order.table),
            },
            Err(error) => format!("an order that cannot be carried out: {error}"),
        };
        if self.is_new_trouble(id) {
            warn!(id, "{trouble}");
        }
    }

    /// Whether this order was not reported lately: it comes again every second, because it has no answer.
    fn is_new_trouble(&mut self, id: u64) -> bool {
        let is_new = !self.complained.contains(&id);
        if is_new {
            self.complained.push_back(id);
            if self.complained.len() > COMPLAINED_MAX {
                self.complained.pop_front();
            }
        }
        is_new
    }

    /// Waits a moment for last acknowledgements, then leaves with a message instead of a will.
    async fn say_farewell(&mut self, client: &mut Client) {
        let deadline = tokio::time::Instant::now() + FAREWELL;
        self.sender.handle(Instant::now(), SenderEvent::RowsWritten);
        self.work(client).await;
        while self.sender.is_connected() && self.sender.is_waiting() {
            match timeout_at(deadline, client.events.recv()).await {
                Ok(Some(event)) => self.take(event),
                Ok(None) | Err(_) => break,
            }
            self.work(client).await;
        }
        let (topic, payload) = self.sender.farewell();
        if !self.sender.is_connected() || !client.publish(&topic, true, payload) {
            return;
        }
        client.disconnect();
        let deadline = tokio::time::Instant::now() + FAREWELL;
        while let Ok(Some(event)) = timeout_at(deadline, client.events.recv()).await {
            if matches!(event, ClientEvent::Disconnected(_)) {
                return;
            }
        }
    }
}
