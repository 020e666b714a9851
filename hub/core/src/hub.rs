//! One hub: its ports, its tables, and who of them is to know what. Sans-IO.
//!
//! A port's readings go to the table of its node. A table's requests go to the ports of its nodes: acknowledgements, questions until
//! when they have told everything, requests. A table that takes no more inputs keeps those ports waiting that have one for it, and no others.
//!
//! # Use
//!
//! [`Hub::handle`] each input; [`Hub::poll_output`] of its port or table; then [`Hub::poll_wake`] until it is empty: these ports and
//! tables have something to do, too. A woken port transmits ([`Hub::transmit`]); a woken table takes a turn. Each has a [`Hub::poll_timeout`].
//!
//! A table works outside of the hub: [`Hub::begin`] gives out a [`Turn`], which may run for long (inference is in there) while the hub serves everybody
//! else; [`Hub::end`] takes it back. [`Hub::turn`] is all of it at once.

mod nodes_update;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use proto::link::{HubTime, ResumePoint};

use crate::drivers::LineSettings;
use crate::input::{INPUTS_MAX, NodeInput};
use crate::journal::{Entry, NodeOffset};
use crate::notice::Notice;
use crate::port::{About, NewDriver, Place, Port, PortInput, PortOutput, Registry, SeenNode};
use crate::request::NodeRequest;
use crate::table::{Job, Reviewed, Table, TableInput, TableOutput};
use crate::update::NodeImages;

use nodes_update::NodesUpdate;
pub use nodes_update::UpdateReport;

/// A port of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortId(usize);

/// A table of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableId(usize);

/// A port or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// A port.
    Port(PortId),
    /// A table.
    Table(TableId),
}

/// Inputs of a hub.
#[derive(Debug)]
pub enum HubInput<'a> {
    /// An event of a port's line, or the passage of time there.
    Port(PortId, PortInput<'a>),
    /// A lever or a director has an input for a table that [`Hub::has_room`].
    Node(TableId, NodeInput),
    /// The journal has committed the first of a table's entries in flight.
    Committed(TableId),
    /// The result of a table's last [`HubOutput::LookUp`].
    Reviewed(TableId, Reviewed),
    /// A request to a node; the sender repeats it if it is lost.
    Request(NodeRequest),
    /// A request to update the firmware of all nodes; the sender repeats it until [`Hub::poll_update`] has reported the end.
    UpdateNodes {
        /// Names the request.
        request: u64,
        /// The images.
        images: Arc<NodeImages>,
    },
}

/// Outputs of a hub, each of one port or table.
#[derive(Debug)]
pub enum HubOutput {
    /// Open the port's line, as [`Hub::line`] says.
    Open,
    /// Close it.
    Close,
    /// The device of a port that was found was unplugged: [`Hub::remove_port`].
    End,
    /// A device's text to be kept on disk, in place of the former one.
    Persist {
        /// The device.
        node_id: String,
        /// The text.
        text: String,
    },
    /// Give this to the journal, behind the table's entries before; [`HubInput::Committed`] when it is on the disk.
    Commit(Box<Entry>),
    /// Look this up in the journal, beside the table; [`HubInput::Reviewed`] with the result.
    LookUp(Job),
    /// Log this for the operator.
    Notice(Notice),
}

#[derive(Debug)]
struct PortSlot {
    port: Port,
    /// An input for a table that had no room. The port's later outputs wait behind it.
    held: Option<(TableId, NodeInput)>,
    outputs: VecDeque<HubOutput>,
}

#[derive(Debug)]
struct TableSlot {
    /// None during a turn.
    table: Option<Table>,
    inputs: VecDeque<NodeInput>,
    /// Commits and reviews: at most as many as the table has in flight.
    results: VecDeque<TableInput>,
    outputs: VecDeque<HubOutput>,
}

/// A hub.
#[derive(Debug)]
pub struct Hub {
    registry: Registry,
    ports: BTreeMap<PortId, PortSlot>,
    ports_made: usize,
    tables: Vec<TableSlot>,
    names: BTreeMap<String, TableId>,
    inputs_max: usize,
    woken: BTreeSet<Id>,
    update: NodesUpdate,
}

impl Default for Hub {
    fn default() -> Self {
        Hub::new(INPUTS_MAX)
    }
}

/// A table is at work, so that its state is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableAtWork;

/// A table at work, with the inputs that it takes.
#[derive(Debug)]
pub struct Turn {
    id: TableId,
    table: Table,
    results: VecDeque<TableInput>,
    /// Inputs that waited for the table.
    pub inputs: VecDeque<NodeInput>,
}

impl Turn {
    /// Takes the inputs, as far as the table has room, and does what is due.
    pub fn run(&mut self, now: HubTime) {
        self.take(now);
        self.table.process(now);
    }

    /// The hub stops: gives the journal what has arrived. False if there was no room for all of it.
    pub fn finish(&mut self, now: HubTime) -> bool {
        self.take(now);
        self.table.finish(now) && self.inputs.is_empty()
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    fn take(&mut self, now: HubTime) {
        for result in self.results.drain(..) {
            self.table.handle(now, result);
        }
        while self.table.has_room()
            && let Some(input) = self.inputs.pop_front()
        {
            self.table.handle(now, TableInput::Node(input));
        }
    }
}

impl Hub {
    /// A hub without ports and tables, at which so many inputs may wait for a table.
    #[must_use]
    pub fn new(inputs_max: usize) -> Hub {
        Hub {
            registry: Registry::default(),
            ports: BTreeMap::new(),
            ports_made: 0,
            tables: Vec::new(),
            names: BTreeMap::new(),
            inputs_max,
            woken: BTreeSet::new(),
            update: NodesUpdate::default(),
        }
    }

    /// Adds a node's place, how far the journal has its readings, and what was kept of it on disk.
    pub fn add_node(&mut self, place: Place, resume: Option<ResumePoint>, kept: Option<String>) {
        self.registry.add(place, resume, kept);
    }

    /// Adds a table that was rebuilt from the journal.
    pub fn add_table(&mut self, name: &str, table: Table) -> TableId {
        let id = TableId(self.tables.len());
        let (inputs, results, outputs) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        self.tables.push(TableSlot { table: Some(table), inputs, results, outputs });
        self.names.insert(name.to_owned(), id);
        self.woken.insert(Id::Table(id));
        id
    }

    /// Adds a port that is to be opened now.
    pub fn add_port(&mut self, about: About, new_driver: NewDriver, now: HubTime) -> PortId {
        let id = PortId(self.ports_made);
        self.ports_made += 1;
        let port = Port::new(about, new_driver, now);
        self.ports.insert(id, PortSlot { port, held: None, outputs: VecDeque::new() });
        self.woken.insert(Id::Port(id));
        id
    }

    /// Removes a port that has ended, or whose shell stops.
    pub fn remove_port(&mut self, id: PortId) {
        self.ports.remove(&id);
    }

    /// The table of a name.
    #[must_use]
    pub fn table_named(&self, name: &str) -> Option<TableId> {
        self.names.get(name).copied()
    }

    /// Settings with which a port's line is opened.
    #[must_use]
    pub fn line(&self, id: PortId) -> Option<LineSettings> {
        self.ports.get(&id).map(|slot| slot.port.line())
    }

    /// Whether a port's bytes may be read now: not while a table keeps it waiting.
    #[must_use]
    pub fn may_read(&self, id: PortId) -> bool {
        self.ports.get(&id).is_some_and(|slot| slot.held.is_none())
    }

    /// Whether one more input may wait for a table.
    #[must_use]
    pub fn has_room(&self, id: TableId) -> bool {
        self.tables.get(id.0).is_some_and(|slot| slot.inputs.len() < self.inputs_max)
    }

    /// A table that is not at work, and how many inputs wait for it.
    #[must_use]
    pub fn table(&self, id: TableId) -> Option<(&Table, usize)> {
        let slot = self.tables.get(id.0)?;
        Some((slot.table.as_ref()?, slot.inputs.len()))
    }

    /// The nodes that have a place, and those that are here without one.
    pub fn nodes(&self) -> impl Iterator<Item = SeenNode> {
        self.registry.nodes()
    }

    /// A table at which a match is played, or stopped in its middle.
    ///
    /// # Errors
    ///
    /// A table is at work: ask again.
    pub fn table_in_play(&self) -> Result<Option<&str>, TableAtWork> {
        let tables: Option<Vec<&Table>> =
            self.tables.iter().map(|TableSlot { table, .. }| table.as_ref()).collect();
        let tables = tables.ok_or(TableAtWork)?;
        let mut names = self.names.iter();
        let playing = names.find(|(_, id)| tables.get(id.0).is_some_and(|it| it.is_in_play()));
        Ok(playing.map(|(name, _)| name.as_str()))
    }

    /// Places whose nodes are at no port.
    pub fn absent_nodes(&self) -> impl Iterator<Item = &Place> {
        self.registry.absent()
    }

    /// Takes what has come.
    pub fn handle(&mut self, now: HubTime, input: HubInput<'_>) {
        match input {
            HubInput::Port(id, input) => self.handle_at(now, id, input),
            HubInput::Node(id, input) => self.give(id, input),
            HubInput::Committed(id) => self.give_result(id, TableInput::Committed),
            HubInput::Reviewed(id, reviewed) => {
                self.give_result(id, TableInput::Reviewed(reviewed));
            }
            HubInput::Request(request) => self.ask(now, request),
            HubInput::UpdateNodes { request, images } => self.update_nodes(now, request, &images),
        }
    }

    /// The next thing that a port or a table wants done.
    pub fn poll_output(&mut self, id: Id) -> Option<HubOutput> {
        match id {
            Id::Port(id) => self.ports.get_mut(&id)?.outputs.pop_front(),
            Id::Table(id) => self.tables.get_mut(id.0)?.outputs.pop_front(),
        }
    }

    /// A port or a table that must be called although no input came for it.
    pub fn poll_wake(&mut self) -> Option<Id> {
        self.woken.pop_first()
    }

    /// Time at which a port or a table must be called again.
    #[must_use]
    pub fn poll_timeout(&self, id: Id) -> Option<HubTime> {
        match id {
            Id::Port(id) => {
                let slot = self.ports.get(&id).filter(|slot| slot.held.is_none())?;
                slot.port.poll_timeout()
            }
            Id::Table(id) => self.tables.get(id.0)?.table.as_ref()?.poll_timeout(),
        }
    }

    /// Bytes for a port's line, into `out`; how many.
    pub fn transmit(&mut self, now: HubTime, id: PortId, out: &mut [u8]) -> usize {
        let Some(slot) = self.ports.get_mut(&id) else { return 0 };
        let length = slot.port.transmit(now, &mut self.registry, out);
        self.route_port(id);
        length
    }

    /// Gives out a table with the inputs that wait for it. None during a turn.
    pub fn begin(&mut self, id: TableId) -> Option<Turn> {
        let slot = self.tables.get_mut(id.0)?;
        let table = slot.table.take()?;
        let (inputs, results) =
            (std::mem::take(&mut slot.inputs), std::mem::take(&mut slot.results));
        Some(Turn { id, table, results, inputs })
    }

    /// Takes a table back, and hands on what it wants. Ports that waited for it go on.
    pub fn end(&mut self, now: HubTime, turn: Turn) {
        let Turn { id, mut table, mut results, mut inputs } = turn;
        let Some(slot) = self.tables.get_mut(id.0) else { return };
        // Later inputs stay behind those that were not accepted.
        inputs.append(&mut slot.inputs);
        results.append(&mut slot.results);
        if !results.is_empty() || (!inputs.is_empty() && table.has_room()) {
            self.woken.insert(Id::Table(id));
        }
        let outputs: Vec<TableOutput> = std::iter::from_fn(|| table.poll_output()).collect();
        (slot.table, slot.inputs, slot.results) = (Some(table), inputs, results);
        outputs.into_iter().for_each(|output| self.route_table(now, id, output));
        self.release_ports(now, id);
    }

    /// A whole turn of a table.
    pub fn turn(&mut self, now: HubTime, id: TableId) {
        if let Some(mut turn) = self.begin(id) {
            turn.run(now);
            self.end(now, turn);
        }
    }

    fn handle_at(&mut self, now: HubTime, id: PortId, input: PortInput<'_>) {
        let Some(slot) = self.ports.get_mut(&id) else { return };
        // A port that a table keeps waiting reads nothing, so it must not miss anybody meanwhile.
        if slot.held.is_some() && matches!(input, PortInput::Time) {
            return;
        }
        slot.port.handle(now, &mut self.registry, input);
        self.route_port(id);
    }

    /// Hands on what a port wants, until it has to wait for a table.
    fn route_port(&mut self, id: PortId) {
        while let Some(slot) = self.ports.get_mut(&id)
            && slot.held.is_none()
            && let Some(output) = slot.port.poll_output()
        {
            let output = match output {
                PortOutput::ToTable { table, input } => {
                    let Some(&table) = self.names.get(&table) else { continue };
                    match self.has_room(table) {
                        true => self.give(table, input),
                        false => self.hold(id, table, input),
                    }
                    continue;
                }
                PortOutput::Left(left) => {
                    self.registry.take_back(*left);
                    continue;
                }
                PortOutput::Open => HubOutput::Open,
                PortOutput::Close => HubOutput::Close,
                PortOutput::End => HubOutput::End,
                PortOutput::Persist { node_id, text } => HubOutput::Persist { node_id, text },
                PortOutput::Updated { node_id, outcome } => {
                    self.update.note(&node_id, outcome);
                    continue;
                }
                PortOutput::Notice(notice) => HubOutput::Notice(notice),
            };
            slot.outputs.push_back(output);
        }
    }

    fn hold(&mut self, id: PortId, table: TableId, input: NodeInput) {
        if let Some(slot) = self.ports.get_mut(&id) {
            slot.held = Some((table, input));
        }
    }

    fn give(&mut self, id: TableId, input: NodeInput) {
        if let Some(slot) = self.tables.get_mut(id.0) {
            slot.inputs.push_back(input);
            self.woken.insert(Id::Table(id));
        }
    }

    fn give_result(&mut self, id: TableId, result: TableInput) {
        if let Some(slot) = self.tables.get_mut(id.0) {
            slot.results.push_back(result);
            self.woken.insert(Id::Table(id));
        }
    }

    fn route_table(&mut self, now: HubTime, id: TableId, output: TableOutput) {
        let output = match output {
            TableOutput::RequestWatermark(at) => {
                let name = self.names.iter().find(|(_, of)| **of == id).map(|(name, _)| name);
                let Some(table) = name.cloned() else { return };
                let ports = self.registry.request_watermark(&table, at);
                let ports: BTreeSet<PortId> =
                    ports.filter_map(|it| port_at(&self.ports, it)).collect();
                for port in ports {
                    self.tell_port(now, port, PortInput::WatermarkWanted { table: &table, at });
                }
                return;
            }
            TableOutput::Acknowledge(offset) => {
                return self.acknowledge(now, offset);
            }
            TableOutput::Ask(request) => return self.ask(now, request),
            TableOutput::Commit(entry) => HubOutput::Commit(entry),
            TableOutput::LookUp(job) => HubOutput::LookUp(job),
            TableOutput::Notice(notice) => HubOutput::Notice(notice),
        };
        if let Some(slot) = self.tables.get_mut(id.0) {
            slot.outputs.push_back(output);
        }
    }

    /// The journal has a node's readings up to an offset, as the node's table says when it is committed.
    pub fn acknowledge(&mut self, now: HubTime, offset: NodeOffset) {
        let port = self.registry.commit(&offset);
        if let Some(port) = port.and_then(|path| port_at(&self.ports, path)) {
            self.tell_port(now, port, PortInput::Committed(offset));
        }
    }

    /// Asks a node, if it is anywhere.
    fn ask(&mut self, now: HubTime, request: NodeRequest) {
        let port = self.registry.port_of(request.node_id());
        if let Some(port) = port.and_then(|path| port_at(&self.ports, path)) {
            self.tell_port(now, port, PortInput::Request(request));
        }
    }

    /// Gives a port an input that is not from its line.
    fn tell_port(&mut self, now: HubTime, id: PortId, input: PortInput<'_>) {
        self.handle_at(now, id, input);
        self.woken.insert(Id::Port(id));
    }

    /// Ports that waited for a table give it what they held, and go on, as far as it has room.
    fn release_ports(&mut self, now: HubTime, table: TableId) {
        let waits = |(_, slot): &(&PortId, &PortSlot)| {
            slot.held.as_ref().is_some_and(|(of, _)| *of == table)
        };
        let waiting: Vec<PortId> = self.ports.iter().filter(waits).map(|(id, _)| *id).collect();
        let mut released = Vec::new();
        for id in waiting {
            if self.has_room(table)
                && let Some(slot) = self.ports.get_mut(&id)
                && let Some((_, input)) = slot.held.take()
            {
                self.give(table, input);
                released.push(id);
            }
        }
        released.into_iter().for_each(|id| self.tell_port(now, id, PortInput::Waited));
    }
}

/// The port that speaks for a device's path.
fn port_at(ports: &BTreeMap<PortId, PortSlot>, path: &Path) -> Option<PortId> {
    ports.iter().find(|(_, slot)| slot.port.path() == path).map(|(id, _)| *id)
}
