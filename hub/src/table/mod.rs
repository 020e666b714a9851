//! The shell around one table's session: inputs in order of time, outputs into the journal.

mod orders;

use std::collections::BTreeMap;
use std::time::Duration;

use proto::link::HubTime;
use rules::BoardId;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::HubClock;
use crate::config::{Node, NodeKind, Table};
use crate::drivers::DriverSettings;
use crate::journal::{Entry, InputLine, Journal, JournalError, NodeProgress, Reader};
use crate::merge::{Merge, Overdue, Source};
use crate::orders::OrderBook;
use crate::ports::{NodeInput, NodeRequest, TimedReading};
use crate::progress::{Beat, Condition};
use crate::record::{FactLine, Line, NodeLine, NodeState, NodeTag};
use crate::review::Reviews;
use crate::session::{BoardNodes, Session, SessionConfig, SessionOutput};
use readings::Reading;

/// Longest time without a look at the session.
const TICK: Duration = Duration::from_millis(500);
/// Inputs in one journal entry.
const ENTRY_INPUTS_MAX: usize = 256;

/// What a table needs.
#[derive(Debug)]
pub(crate) struct TableOptions {
    pub(crate) hub_id: String,
    pub(crate) table: Table,
    pub(crate) clock: HubClock,
    pub(crate) inputs: mpsc::Receiver<NodeInput>,
    /// Until when its nodes shall be heard.
    pub(crate) wanted: watch::Sender<HubTime>,
    pub(crate) journal: Journal,
    pub(crate) reader: Reader,
    /// Where nodes are asked.
    pub(crate) requests: mpsc::Sender<NodeRequest>,
    pub(crate) beat: Beat,
}

/// One input that waits for its turn.
#[derive(Debug)]
struct Waiting {
    what: Option<What>,
    progress: Option<NodeProgress>,
}

#[derive(Debug)]
enum What {
    Reading(BoardId, readings::ReadingKind),
    Node(NodeLine),
    Fact(FactLine),
}

pub(crate) struct TableTask {
    options: TableOptions,
    session: Session,
    merge: Merge<Waiting>,
    /// Rows of a replay that are journalled already.
    to_skip: u64,
    entry: Entry,
    /// How each node that was heard of is.
    nodes: BTreeMap<String, NodeState>,
    /// When the latest reading of each node was made, of the nodes that wait for acknowledgements.
    latest: BTreeMap<String, HubTime>,
    orders: OrderBook,
    reviews: Reviews,
}

/// What a session has to know, from the configuration.
#[must_use]
pub fn session_config(hub_id: &str, table: &Table) -> SessionConfig {
    SessionConfig {
        hub_id: hub_id.to_owned(),
        table: table.name.clone(),
        game: table.game,
        rulebook: table.rulebook,
        time: table.time.clone(),
        boards: table.boards().collect(),
        clocks: !table.levers.is_empty() || table.nodes.iter().any(Node::has_clock),
        nodes: BoardId::ALL.map(|board| (board, board_nodes(table, board))).into(),
    }
}

fn board_nodes(table: &Table, board: BoardId) -> BoardNodes {
    let of_board = || table.nodes.iter().filter(|node| node.board == board);
    let squares = of_board().find(|node| node.kind == NodeKind::Board);
    let clock = of_board().find(|node| node.has_clock()).map(|node| node.id.clone());
    let lever = table.levers.iter().find(|lever| lever.board == board);
    BoardNodes {
        squares: squares.map(|node| node.id.clone()),
        clock: clock.or_else(|| lever.map(|lever| table.lever_name(lever))),
    }
}

impl TableTask {
    /// Rebuilds the session from the journal: its last checkpoint, then the inputs since. What it
    /// says again is journalled already and left out.
    pub(crate) async fn recover(options: TableOptions) -> Result<TableTask, JournalError> {
        let reader = &options.reader;
        let config = session_config(&options.hub_id, &options.table);
        let table = options.table.name.clone();
        let recovered = reader.recovered(&table).await?;
        let mut session = match &recovered.checkpoint {
            Some(text) => Session::restore(config.clone(), text).unwrap_or_else(|error| {
                warn!("{error}; the table's last match is not followed up");
                Session::new(config)
            }),
            None => Session::new(config),
        };
        let mut to_skip = recovered.outputs;
        let inputs = reader
            .replay(&table, recovered.input_id, |line| {
                session.handle(&line);
                while let Some(output) = session.poll_output() {
                    if matches!(output, SessionOutput::Row(_)) {
                        to_skip = to_skip.saturating_sub(1);
                    }
                }
            })
            .await?;
        if inputs > 0 {
            info!(table, inputs, open = session.match_id(), "rebuilt the session from the journal");
        }
        let source = |node: &Node| Source {
            node: node.id.clone(),
            tells: node.driver == DriverSettings::Twinboard,
        };
        let sources: Vec<Source> = options.table.nodes.iter().map(source).collect();
        let clock = options.clock;
        let merge = Merge::new(&sources, session.now(), clock.now(), clock.rate());
        // A lever at the hub's own pins does not say until when it has told everything.
        let all_tell = options.table.levers.is_empty() && sources.iter().all(|one| one.tells);
        let merge = if all_tell { merge.promptly() } else { merge };
        let entry = Entry { table, ..Entry::default() };
        let (nodes, latest) = (BTreeMap::new(), BTreeMap::new());
        let orders = OrderBook::new(clock.rate());
        let reviews = Reviews::default();
        let mut task =
            TableTask { options, session, merge, to_skip, entry, nodes, latest, orders, reviews };
        task.recover_orders().await?;
        task.show();
        Ok(task)
    }

    /// Serves the table until `shutdown`, or until the journal has closed.
    pub(crate) async fn run(mut self, shutdown: CancellationToken) -> Result<(), JournalError> {
        loop {
            self.options.beat.beat();
            let pause = self.pause();
            tokio::select! {
                () = shutdown.cancelled() => break,
                input = self.options.inputs.recv() => match input {
                    Some(input) => self.take(input),
                    None => break,
                },
                reviewed = self.reviews.next() => self.take_review(reviewed),
                () = tokio::time::sleep(pause) => {}
            }
            while let Ok(input) = self.options.inputs.try_recv() {
                self.take(input);
            }
            let until = self.merge.settle(self.options.clock.now(), self.session.poll_timeout());
            self.complain();
            self.follow_orders();
            self.work(until).await?;
            self.start_review();
        }
        // What has arrived is worth keeping, even if something before it has not.
        self.options.inputs.close();
        while let Ok(input) = self.options.inputs.try_recv() {
            self.take(input);
        }
        self.work(self.options.clock.now()).await
    }

    /// Asks the nodes for what is missing; how long nothing will be due.
    fn pause(&mut self) -> Duration {
        let (now, deadline) = (self.options.clock.now(), self.session.poll_timeout());
        if let Some(wanted) = self.merge.wanted(now, deadline) {
            self.options.wanted.send_replace(wanted);
        }
        let due = self.merge.next_due(deadline);
        due.map_or(TICK, |due| self.options.clock.until(due).min(TICK))
    }

    /// Says of whom nobody waits for any longer.
    fn complain(&mut self) {
        while let Some(Overdue { node, since }) = self.merge.poll_overdue() {
            let waited_s = self.options.clock.now().micros_since(since) / 1_000_000;
            warn!(
                %node, waited_s,
                "table {}: node {node} is there but does not answer; the table goes on without it, and what it read meanwhile \
                 will count as read when it comes: check its cable in the direction to the node, and whether the hub is overloaded",
                self.options.table.name
            );
        }
    }

    fn take(&mut self, input: NodeInput) {
        match input {
            NodeInput::Readings { board, readings, progress } => {
                self.take_readings(board, readings, progress);
            }
            NodeInput::Heard { node_id, until } => self.merge.hear(&node_id, until),
            NodeInput::Order(order) => self.take_order(order),
            NodeInput::Named { order_id, naming } => {
                self.orders.named(self.options.clock.now(), order_id, naming);
            }
            NodeInput::Commanded { order_id, outcome } => {
                self.orders.answered(self.options.clock.now(), order_id, outcome);
            }
            NodeInput::State { node_id, board, at, state, detail } => {
                let at = self.merge.note_state(&node_id, state, at);
                self.nodes.insert(node_id.clone(), state);
                self.show();
                let node = NodeLine {
                    t_us: at.as_micros(),
                    kind: NodeTag::Node,
                    node: node_id,
                    board,
                    state,
                    detail,
                };
                self.merge.push(at, Waiting { what: Some(What::Node(node)), progress: None });
            }
        }
    }

    fn take_readings(
        &mut self,
        board: BoardId,
        readings: Vec<TimedReading>,
        mut progress: Option<NodeProgress>,
    ) {
        let at = readings.last().map(|(at, _)| *at);
        let latest = progress.as_ref().map(|progress| self.latest_reading(&progress.node_id, at));
        let count = readings.len();
        if count == 0 {
            // Behind everything that the node said before, and before what it says next. That may have been made long ago: a
            // HELLO comes before the readings that its node kept while the cable was out.
            if let Some(at) = latest {
                self.merge.push(at, Waiting { what: None, progress });
            }
            return;
        }
        for (index, (at, kind)) in readings.into_iter().enumerate() {
            // The frame is committed when its last reading is.
            let progress = if index + 1 == count { progress.take() } else { None };
            self.merge.push(at, Waiting { what: Some(What::Reading(board, kind)), progress });
        }
    }

    /// When the latest reading of a node was made, after one that was made at `at`.
    fn latest_reading(&mut self, node_id: &str, at: Option<HubTime>) -> HubTime {
        let before = self.latest.get(node_id).copied().unwrap_or(HubTime::ZERO);
        let latest = at.map_or(before, |at| at.max(before));
        if latest > before {
            self.latest.insert(node_id.to_owned(), latest);
        }
        latest
    }

    /// Tells the hub's lights how the table is.
    fn show(&self) {
        let awaited =
            self.options.table.nodes.iter().any(|node| !self.nodes.contains_key(&node.id));
        let away = self.nodes.values().any(|state| *state != NodeState::Connected);
        let condition = if away || self.session.is_doubtful() {
            Condition::Impaired
        } else if awaited {
            Condition::Waiting
        } else {
            Condition::Well
        };
        self.options.beat.set_condition(condition);
        self.options.beat.set_recording(self.session.match_id().is_some());
    }

    /// Gives the session what happened until `until`, and the journal what came of it.
    async fn work(&mut self, until: HubTime) -> Result<(), JournalError> {
        while let Some((at, waiting)) = self.merge.pop(until) {
            if let Some(what) = waiting.what {
                self.advance(at);
                self.give(at, what);
            }
            self.entry.acknowledge.extend(waiting.progress);
            if self.entry.inputs.len() >= ENTRY_INPUTS_MAX {
                self.commit().await?;
            }
        }
        if self.session.poll_timeout().is_some_and(|deadline| deadline <= until) {
            self.advance(until);
            self.merge.pass(until);
        }
        self.commit().await
    }

    fn advance(&mut self, at: HubTime) {
        self.session.advance(at);
        self.options.beat.set_recording(self.session.match_id().is_some());
        self.collect(self.entry.inputs.len());
    }

    fn give(&mut self, at: HubTime, what: What) {
        let line = match what {
            What::Reading(board, kind) => {
                Line::Reading(Reading { t_us: at.as_micros(), board: Some(board), kind })
            }
            What::Node(node) => Line::Node(NodeLine { t_us: at.as_micros(), ..node }),
            What::Fact(fact) => Line::Fact(FactLine { t_us: at.as_micros(), ..fact }),
        };
        let open_before = self.session.match_id().map(str::to_owned);
        self.session.handle(&line);
        self.options.beat.set_recording(self.session.match_id().is_some());
        let match_id = self.session.match_id().map(str::to_owned).or(open_before);
        let inputs = self.entry.inputs.len();
        self.entry.inputs.push(InputLine { at, match_id, line: line.to_json() });
        self.collect(inputs);
    }

    /// Takes over what the session has to say; `before` inputs of the entry come before a match that
    /// it opens.
    fn collect(&mut self, before: usize) {
        while let Some(output) = self.session.poll_output() {
            match output {
                SessionOutput::Row(_) if self.to_skip > 0 => self.to_skip -= 1,
                SessionOutput::Row(row) => self.entry.rows.push(row),
                SessionOutput::Match(record) => {
                    if record.ended && self.to_skip == 0 {
                        self.reviews.want(&record.match_id);
                    }
                    self.entry.matches.push((before, record));
                }
                SessionOutput::Notice(words) => {
                    warn!("table {}: {words}", self.options.table.name);
                    self.show();
                }
            }
        }
    }

    async fn commit(&mut self) -> Result<(), JournalError> {
        let empty = Entry { table: self.entry.table.clone(), ..Entry::default() };
        if self.entry.is_empty() {
            return Ok(());
        }
        let mut entry = std::mem::replace(&mut self.entry, empty);
        if self.to_skip == 0 {
            entry.checkpoint = self.session.checkpoint();
        }
        // While the disk is full this takes long; the table does not hang, it waits.
        let write = self.options.journal.write(entry);
        tokio::pin!(write);
        loop {
            tokio::select! {
                written = &mut write => return written,
                () = tokio::time::sleep(TICK) => self.options.beat.beat(),
            }
        }
    }
}

#[cfg(test)]
mod tests;
