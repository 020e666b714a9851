//! One table: its nodes' readings in one order of time into its session, the session's outputs into the journal. Sans-IO.
//!
//! # Use
//!
//! [`Recovery`] makes one from what the journal has. Then, again and again: [`Table::handle`] whatever has come, as long as the table
//! [`Table::has_room`]; [`Table::process`] once after that; [`Table::poll_output`] until it is empty; and again when something comes, or at
//! [`Table::poll_timeout`].
//!
//! The shell commits an entry later. Until [`TableInput::Committed`] confirms it, nothing that is in it is acknowledged and no
//! node is given a command that it names; and when [`ENTRIES_IN_FLIGHT_MAX`] wait, the table takes nothing more.

mod orders;
mod output;
mod recovery;
mod reviews;
mod settings;
mod version_change;
mod zero_test;

use std::collections::{BTreeMap, VecDeque};

use proto::link::HubTime;
use readings::{Reading, ReadingKind};
use rules::BoardId;

use crate::health::Health;
use crate::input::NodeInput;
use crate::journal::{Entry, InputLine, NodeOffset};
use crate::journal_line::{FactLine, Line, NodeLine, NodeState, NodeTag, TimedReading};
use crate::notice::{Level, Notice};
use crate::orders::OrderBook;
use crate::reorder::{LateSource, Reorder};
use crate::request::NodeRequest;
use crate::session::{Session, SessionOutput};

pub use output::{TableInput, TableOutput};
pub use recovery::Recovery;
pub use reviews::{Job, Reviewed, Wanted};
pub use settings::{TableSettings, session_config};

use reviews::Reviews;
use zero_test::ZeroTest;

/// Inputs in one journal entry.
pub const ENTRY_INPUTS_MAX: usize = 256;
/// Entries that may wait for the journal.
pub const ENTRIES_IN_FLIGHT_MAX: usize = 32;

/// One value that waits for its turn.
#[derive(Debug)]
struct Waiting {
    what: Option<WaitingInput>,
    offset: Option<NodeOffset>,
}

/// Inputs that wait for the session.
#[derive(Debug)]
enum WaitingInput {
    Reading {
        board: BoardId,
        /// Time of the reading: before the time of its turn, if it came too late for that.
        made: HubTime,
        kind: ReadingKind,
    },
    Node(NodeLine),
    Fact(FactLine),
}

/// Acts that wait for the commit of an entry.
#[derive(Debug)]
struct InFlight {
    offsets: Vec<NodeOffset>,
    requests: Vec<NodeRequest>,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    settings: TableSettings,
    session: Session,
    reorder: Reorder<Waiting>,
    entry: Entry,
    /// Requests to nodes once the entry is committed.
    requests: Vec<NodeRequest>,
    in_flight: VecDeque<InFlight>,
    /// State of each known node.
    nodes: BTreeMap<String, NodeState>,
    /// Time of the latest reading of each node that waits for acknowledgements.
    latest: BTreeMap<String, HubTime>,
    orders: OrderBook,
    reviews: Reviews,
    zero_test: ZeroTest,
    /// Published error of each node's times, microseconds.
    errors_us: BTreeMap<String, u32>,
    /// Whether every source keeps what is not acknowledged.
    is_kept_by_nodes: bool,
    outputs: VecDeque<TableOutput>,
}

impl Table {
    /// Takes what has come. It has consequences at the next [`Self::process`].
    pub fn handle(&mut self, now: HubTime, input: TableInput) {
        match input {
            TableInput::Node(input) => self.take(now, input),
            TableInput::Committed => self.committed(now),
            TableInput::Reviewed(reviewed) => self.take_review(now, reviewed),
        }
    }

    /// Whether it takes inputs now: not while the journal is behind.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.in_flight.len() < ENTRIES_IN_FLIGHT_MAX
    }

    /// Does what is due: gives the session the readings whose order is certain, and the journal the outputs.
    pub fn process(&mut self, now: HubTime) {
        self.follow_orders(now);
        if self.has_room() {
            let until = self.reorder.safe_until(now, self.session.poll_timeout());
            self.name_late_sources(now);
            self.work(until);
        }
        let deadline = self.session.poll_timeout();
        if let Some(at) = self.reorder.watermark_request(now, deadline) {
            self.outputs.push_back(TableOutput::RequestWatermark(at));
        }
        if let Some(job) = self.reviews.next(now) {
            self.outputs.push_back(TableOutput::LookUp(job));
        }
    }

    /// The hub stops. Nodes of ours keep what is not acknowledged and send it again, so what is not certain to be in order stays with them. Of
    /// other devices all that has arrived is worth keeping, even if something before it has not. Returns whether all of it was given to the
    /// journal; if not, there was no room.
    pub fn finish(&mut self, now: HubTime) -> bool {
        let until = match self.is_kept_by_nodes {
            true => self.reorder.safe_until(now, self.session.poll_timeout()),
            false => now,
        };
        self.work(until);
        self.has_room()
    }

    /// The next thing to do.
    pub fn poll_output(&mut self) -> Option<TableOutput> {
        self.outputs.pop_front()
    }

    /// Time at which the table must be called again, after [`Self::process`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<HubTime> {
        let due = self.reorder.next_due(self.session.poll_timeout()).filter(|_| self.has_room());
        let orders = self.orders.next_due().into_iter().chain(self.zero_test.next_due());
        due.into_iter().chain(orders).chain(self.reviews.next_due()).min()
    }

    /// Health of the table.
    #[must_use]
    pub fn health(&self) -> Health {
        let nodes = &self.settings.table.nodes;
        let awaited = nodes.iter().any(|node| !self.nodes.contains_key(&node.id));
        let away = self.nodes.values().any(|state| *state != NodeState::Connected);
        if away || self.session.is_doubtful() {
            Health::Impaired
        } else if awaited {
            Health::Waiting
        } else {
            Health::Well
        }
    }

    /// The match that is open.
    #[must_use]
    pub fn match_id(&self) -> Option<&str> {
        self.session.match_id()
    }

    /// Whether a match is played here, or stopped in its middle.
    #[must_use]
    pub fn is_in_play(&self) -> bool {
        self.session.is_in_play()
    }

    /// Values that wait for their turn.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.reorder.len()
    }

    /// Reports nodes for which the table no longer waits.
    fn name_late_sources(&mut self, now: HubTime) {
        while let Some(LateSource { node, since }) = self.reorder.poll_late() {
            let waited_s = now.micros_since(since) / 1_000_000;
            let words = format!(
                "table {}: node {node} is there but does not answer, for {waited_s} s. The table continues without it; its readings will count \
                 from the time at which they arrive. Check its cable in the direction to the node, and whether the hub is overloaded",
                self.settings.table.name
            );
            let notice = Notice::of_node(Level::Warning, &node, words);
            self.outputs.push_back(TableOutput::Notice(notice));
        }
    }

    fn take(&mut self, now: HubTime, input: NodeInput) {
        match input {
            NodeInput::Readings { board, readings, offset } => {
                self.take_readings(now, board, readings, offset);
            }
            NodeInput::Watermark { node_id, until } => self.reorder.watermark(&node_id, until),
            NodeInput::Order(order) => self.take_order(now, order),
            NodeInput::Named { order_id, naming } => self.orders.named(now, order_id, naming),
            NodeInput::Commanded { order_id, outcome } => {
                self.orders.answered(now, order_id, outcome);
            }
            NodeInput::Timed { node_id, board, error_us } => {
                self.publish_error(now, node_id, board, error_us);
            }
            NodeInput::State { node_id, board, at, state, detail } => {
                let at = self.reorder.note_state(&node_id, state, at);
                self.nodes.insert(node_id.clone(), state);
                let node = NodeLine {
                    t_us: at.as_micros(),
                    kind: NodeTag::Node,
                    node: node_id,
                    board,
                    state,
                    detail,
                };
                self.reorder
                    .push(at, Waiting { what: Some(WaitingInput::Node(node)), offset: None });
            }
        }
    }

    fn take_readings(
        &mut self,
        now: HubTime,
        board: BoardId,
        readings: Vec<TimedReading>,
        mut offset: Option<NodeOffset>,
    ) {
        let at = readings.last().map(|(at, _)| *at);
        if let (Some(offset), Some(at)) = (&offset, at) {
            self.reorder.note_backlog(&offset.node_id, at, now);
        }
        let latest = offset.as_ref().map(|offset| self.latest_reading(&offset.node_id, at));
        let count = readings.len();
        if count == 0 {
            // Behind everything that the node said before, and before what it says next. That may have been made long ago: a
            // HELLO comes before the readings that its node kept while the cable was out.
            if let Some(at) = latest {
                self.reorder.push(at, Waiting { what: None, offset });
            }
            return;
        }
        for (index, (at, kind)) in readings.into_iter().enumerate() {
            // The frame is committed when its last reading is.
            let offset = if index + 1 == count { offset.take() } else { None };
            let what = Some(WaitingInput::Reading { board, made: at, kind });
            self.reorder.push(at, Waiting { what, offset });
        }
    }

    /// Time of the latest reading of a node, given one of the time `at`.
    fn latest_reading(&mut self, node_id: &str, at: Option<HubTime>) -> HubTime {
        let before = self.latest.get(node_id).copied().unwrap_or(HubTime::ZERO);
        let latest = at.map_or(before, |at| at.max(before));
        if latest > before {
            self.latest.insert(node_id.to_owned(), latest);
        }
        latest
    }

    /// Gives the session the readings up to `until`, and the journal the outputs, as far as that has room.
    fn work(&mut self, until: HubTime) {
        loop {
            if !self.has_room() {
                return;
            }
            let Some((at, waiting)) = self.reorder.pop(until) else { break };
            if let Some(what) = waiting.what {
                self.advance(at);
                self.give(at, what);
            }
            self.entry.offsets.extend(waiting.offset);
            if self.entry.inputs.len() >= ENTRY_INPUTS_MAX {
                self.commit();
            }
        }
        if self.session.poll_timeout().is_some_and(|deadline| deadline <= until) {
            self.advance(until);
            self.reorder.advance(until);
        }
        self.commit();
    }

    fn advance(&mut self, at: HubTime) {
        self.session.advance(at);
        self.collect(self.entry.inputs.len());
    }

    fn give(&mut self, at: HubTime, what: WaitingInput) {
        let t_us = at.as_micros();
        if let WaitingInput::Reading { board, made, kind } = &what
            && self.zero_test.takes(*board, *made, kind)
        {
            return;
        }
        let (made, line) = match what {
            WaitingInput::Reading { board, made, kind } => {
                (made, Line::Reading(Reading { t_us, board: Some(board), kind }))
            }
            WaitingInput::Node(node) => (at, Line::Node(NodeLine { t_us, ..node })),
            WaitingInput::Fact(fact) => (at, Line::Fact(FactLine { t_us, ..fact })),
        };
        let open_before = self.session.match_id().map(str::to_owned);
        self.session.handle(&line);
        let match_id = self.session.match_id().map(str::to_owned).or(open_before);
        let inputs = self.entry.inputs.len();
        self.entry.inputs.push(InputLine { at, made, match_id, line: line.to_json() });
        self.collect(inputs);
    }

    /// Takes over what the session has to say; `before` inputs of the entry come before a match that it opens.
    fn collect(&mut self, before: usize) {
        while let Some(output) = self.session.poll_output() {
            match output {
                SessionOutput::Row(row) => self.entry.rows.push(row),
                SessionOutput::Match(record) => {
                    if record.ended {
                        self.reviews.want(&record.match_id);
                    }
                    self.entry.matches.push((before, record));
                }
                SessionOutput::Notice(words) => {
                    let words = format!("table {}: {words}", self.settings.table.name);
                    let notice = Notice::new(Level::Warning, words);
                    self.outputs.push_back(TableOutput::Notice(notice));
                }
            }
        }
    }

    /// Hands over the entry, if there is anything in it.
    fn commit(&mut self) {
        if self.entry.is_empty() && self.requests.is_empty() {
            return;
        }
        self.commit_entry();
    }

    fn commit_entry(&mut self) {
        let (table, said_by) = (self.entry.table.clone(), self.entry.said_by.clone());
        let empty = Entry { table, said_by, ..Entry::default() };
        let mut entry = std::mem::replace(&mut self.entry, empty);
        entry.reached = self.session.now();
        entry.checkpoint = self.session.checkpoint();
        let requests = std::mem::take(&mut self.requests);
        self.in_flight.push_back(InFlight { offsets: entry.offsets.clone(), requests });
        self.outputs.push_back(TableOutput::Commit(Box::new(entry)));
    }

    /// The first entry in flight is on the disk: now its consequences may be known.
    fn committed(&mut self, now: HubTime) {
        let Some(InFlight { offsets, requests }) = self.in_flight.pop_front() else { return };
        let mut reached: BTreeMap<String, NodeOffset> = BTreeMap::new();
        for offset in offsets {
            let last = reached.get(&offset.node_id).map(|last| last.reached);
            if NodeOffset::advances(last, offset.reached) {
                reached.insert(offset.node_id.clone(), offset);
            }
        }
        self.outputs.extend(reached.into_values().map(TableOutput::Acknowledge));
        for request in requests {
            let is_wanted = match request {
                NodeRequest::Give { order_id, .. } => self.orders.kept(now, order_id),
                NodeRequest::Identify { .. }
                | NodeRequest::Update { .. }
                | NodeRequest::Name { .. } => true,
            };
            if is_wanted {
                self.outputs.push_back(TableOutput::Ask(request));
            }
        }
    }
}

#[cfg(test)]
mod tests;
