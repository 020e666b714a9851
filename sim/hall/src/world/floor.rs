//! Steps on a hub's floor: ports and tables of the hub get the processor now and then.

mod incidents;
mod nodes;

use std::collections::BTreeSet;

use hub_core::drivers::DriverSettings;
use hub_core::hub::{HubInput, HubOutput, Id, Turn};
use hub_core::input::NodeInput;
use hub_core::journal_line::{NodeState, TimedReading};
use hub_core::notice::Notice;
use hub_core::port::{About, OpenProblem, PortInput};
use link_sim::pump;
use proto::link::HubTime;
use proto::mqtt::message::row;
use rand::RngExt;
use readings::{ReadingKind, SquareReading};
use rules::BoardId;

use super::{Event, FloorEvent, World};
use crate::floor::{Floor, FloorNode, FloorPort, FloorProcess, PortProcess};
use crate::journal::Command;
use crate::outcome::{Observer, Violation};
use crate::sabotage::Sabotage;

/// Time by which a broken port's watermark is ahead, µs.
const OVERPROMISED_US: u64 = 400_000;
/// Interval between two searches for new devices, as in the hub, µs.
const DISCOVER_US: u64 = 500_000;
/// Time that a broken port waits, µs.
const WAIT_US: u64 = 2_000_000;
/// Delay of a broken port's readings of squares beside a table with trouble, µs.
const SPREAD_US: u64 = 500_000;

impl<O: Observer> World<'_, O> {
    /// All nodes have power from the beginning.
    pub(super) fn start_floors(&mut self) {
        for hub in 0..self.plan.floors.len() {
            let Some(mut floor) = self.floors.remove(&hub) else { continue };
            for node in 0..floor.nodes.len() {
                self.power_on(&mut floor, node);
            }
            for &(at_us, ..) in &floor.plan.acts {
                self.at(at_us, Event::OfFloor(hub, FloorEvent::Act));
            }
            for (index, (at_us, _)) in floor.plan.incidents.iter().enumerate() {
                self.at(*at_us, Event::OfFloor(hub, FloorEvent::Incident(index)));
            }
            self.floors.insert(hub, floor);
        }
    }

    /// Carries out an event at a hub's floor.
    pub(super) fn step_floor(&mut self, hub: usize, event: FloorEvent) -> Result<(), Violation> {
        let Some(mut floor) = self.floors.remove(&hub) else { return Ok(()) };
        let result = self.step_at(&mut floor, event);
        self.floors.insert(hub, floor);
        result
    }

    fn step_at(&mut self, floor: &mut Floor, event: FloorEvent) -> Result<(), Violation> {
        let is_its = |incarnation: u64| incarnation == self.incarnation(floor);
        match event {
            FloorEvent::Act => return self.act(floor),
            FloorEvent::Incident(index) => return self.befall_floor(floor, index),
            FloorEvent::Node(index) => return self.turn_node(floor, index),
            FloorEvent::Port(incarnation, index) if is_its(incarnation) => {
                self.turn_port(floor, index);
            }
            FloorEvent::Discover(incarnation) if is_its(incarnation) => self.discover(floor),
            FloorEvent::Table(incarnation, index) if is_its(incarnation) => {
                return self.turn_table(floor, index);
            }
            FloorEvent::Port(..) | FloorEvent::Discover(_) | FloorEvent::Table(..) => {}
        }
        Ok(())
    }

    /// The hub of a floor starts.
    pub(super) fn start_floor_process(&mut self, hub: usize, behind_us: u64) {
        let Some(mut floor) = self.floors.remove(&hub) else { return };
        let hub_now_us = super::EPOCH_US + self.now_us - behind_us;
        floor.start(self.now_us, hub_now_us, &self.hubs[hub].journal, self.sabotage);
        let incarnation = self.incarnation(&floor);
        let mut now = |event| self.at(self.now_us, Event::OfFloor(hub, event));
        for port in 0..floor.process.as_ref().map_or(0, |process| process.ports.len()) {
            now(FloorEvent::Port(incarnation, port));
        }
        if floor.ports.iter().any(|port| port.plugs.is_some()) {
            now(FloorEvent::Discover(incarnation));
        }
        (0..floor.tables.len()).for_each(|table| now(FloorEvent::Table(incarnation, table)));
        self.floors.insert(hub, floor);
    }

    fn incarnation(&self, floor: &Floor) -> u64 {
        self.hubs[floor.hub].process.as_ref().map_or(0, |process| process.incarnation)
    }

    /// Some time until a task of the hub gets the processor, µs.
    fn until_processor(&mut self, floor: &Floor) -> u64 {
        self.rng.random_range(0..=floor.plan.processor_us)
    }

    fn wake_node(&mut self, floor: &mut Floor, node: usize, at_us: u64) {
        let at_us = at_us.max(self.now_us);
        if at_us < floor.nodes[node].due_us {
            floor.nodes[node].due_us = at_us;
            self.at(at_us, Event::OfFloor(floor.hub, FloorEvent::Node(node)));
        }
    }

    /// Wakes the tasks of a port.
    fn wake_line(&mut self, floor: &mut Floor, line: usize, at_us: u64) {
        self.tasks_of(floor, line).into_iter().for_each(|it| self.wake_port(floor, it, at_us));
    }

    /// The tasks of a port: those of a device that was found end some time after it was pulled.
    fn tasks_of(&self, floor: &Floor, line: usize) -> Vec<usize> {
        let ports = floor.process.iter().flat_map(|process| process.ports.iter().enumerate());
        ports.filter(|(_, it)| it.line == line && !it.has_ended).map(|(index, _)| index).collect()
    }

    /// The hub searches for new devices.
    fn discover(&mut self, floor: &mut Floor) {
        let (hub, incarnation) = (floor.hub, self.incarnation(floor));
        if let Floor { process: Some(process), ports, nodes, .. } = floor {
            let now = process.now(self.now_us);
            let is_there = |port: &&FloorPort| port.plugs.is_some() && port.node.is_some();
            let listed = ports.iter().filter(is_there).map(|it| (it.path.clone(), it.path.clone()));
            for path in process.discovery.take(listed.collect(), &BTreeSet::new()) {
                let Some(line) = ports.iter().position(|port| port.path == path) else { continue };
                let about = About { path: path.clone(), meant_for: None, rate: 1.0 };
                let driver = Box::new(|| DriverSettings::default().driver());
                let id = process.hub.add_port(about, driver, now);
                if self.sabotage == Sabotage::OpensTwice {
                    process.discovery.ended(&path);
                }
                process.ports.push(PortProcess::new(id, line, path, u64::MAX));
                let node = ports[line].node.map(|node| &mut nodes[node]);
                node.into_iter().for_each(|node| node.met_us.push(self.now_us));
            }
            let again = FloorEvent::Discover(incarnation);
            self.after(DISCOVER_US, Event::OfFloor(hub, again));
        }
        self.wake(floor);
    }

    fn wake_port(&mut self, floor: &mut Floor, port: usize, at_us: u64) {
        let at_us = if self.sabotage == Sabotage::PortsWait { at_us + WAIT_US } else { at_us };
        let at_us = at_us.max(self.now_us) + self.until_processor(floor);
        let (hub, incarnation) = (floor.hub, self.incarnation(floor));
        let Some(process) = &mut floor.process else { return };
        if at_us < process.ports[port].due_us {
            process.ports[port].due_us = at_us;
            self.at(at_us, Event::OfFloor(hub, FloorEvent::Port(incarnation, port)));
        }
    }

    pub(super) fn wake_table(&mut self, floor: &mut Floor, table: usize, at_us: u64) {
        let at_us = at_us.max(self.now_us) + self.until_processor(floor);
        let (hub, incarnation) = (floor.hub, self.incarnation(floor));
        let Some(process) = &mut floor.process else { return };
        if at_us < process.tables[table].due_us {
            process.tables[table].due_us = at_us;
            self.at(at_us, Event::OfFloor(hub, FloorEvent::Table(incarnation, table)));
        }
    }

    fn turn_port(&mut self, floor: &mut Floor, index: usize) {
        let is_due =
            |it: &FloorProcess| it.ports[index].due_us <= self.now_us && !it.ports[index].has_ended;
        if floor.process.as_ref().is_some_and(is_due) {
            self.run_port(floor, index);
        }
    }

    /// Wakes ports and tables that have something to do.
    pub(super) fn wake(&mut self, floor: &mut Floor) {
        while let Some(process) = &mut floor.process
            && let Some(id) = process.hub.poll_wake()
        {
            match id {
                Id::Port(id) => {
                    let port = process.ports.iter().position(|port| port.id == id);
                    port.into_iter().for_each(|port| self.wake_port(floor, port, self.now_us));
                }
                Id::Table(id) => {
                    let table = process.tables.iter().position(|table| table.id == id);
                    table.into_iter().for_each(|table| self.wake_table(floor, table, self.now_us));
                }
            }
        }
    }

    fn run_port(&mut self, floor: &mut Floor, index: usize) {
        let (now_us, writes) = (self.now_us, floor.plan.line.writes);
        let Some(process) = &mut floor.process else { return };
        let now = process.now(now_us);
        let PortProcess { id, line, is_open, due_us, .. } = &mut process.ports[index];
        *due_us = u64::MAX;
        let (id, line, reads) = (*id, *line, *is_open && process.hub.may_read(*id));
        let bytes = if reads { floor.ports[line].up.receive(now_us) } else { Vec::new() };
        match bytes.is_empty() {
            true => self.tell_port(floor, index, now, PortInput::Time),
            false => self.tell_port(floor, index, now, PortInput::Received(&bytes)),
        }
        if let Floor { process: Some(process), ports, .. } = floor
            && process.ports[index].is_open
        {
            let (hub, down) = (&mut process.hub, &mut ports[line].down);
            pump(down, now_us, writes, |out| hub.transmit(now, id, out));
        }
        self.drain_port(floor, index, now);
        let (node, arrives_us) = (floor.ports[line].node, floor.ports[line].down.next_arrival_us());
        if let (Some(node), Some(at_us)) = (node, arrives_us) {
            self.wake_node(floor, node, at_us);
        }
        let Some(process) = &floor.process else { return };
        let reads = process.ports[index].is_open && process.hub.may_read(id);
        let due_us = process.hub.poll_timeout(Id::Port(id)).map(|at| process.run_us(at));
        let comes_us = floor.ports[line].up.next_arrival_us().filter(|_| reads);
        if let Some(due_us) = due_us.into_iter().chain(comes_us).min() {
            self.wake_port(floor, index, due_us);
        }
    }

    fn tell_port(&mut self, floor: &mut Floor, index: usize, now: HubTime, input: PortInput<'_>) {
        let Some(process) = &mut floor.process else { return };
        process.hub.handle(now, HubInput::Port(process.ports[index].id, input));
        self.drain_port(floor, index, now);
    }

    /// Does what a port wants done.
    fn drain_port(&mut self, floor: &mut Floor, index: usize, now: HubTime) {
        while let Some(process) = &mut floor.process {
            let PortProcess { id, line, path, has_ended, is_open, .. } = &mut process.ports[index];
            let (id, number) = (*id, *line);
            let Some(output) = process.hub.poll_output(Id::Port(id)) else { break };
            match output {
                HubOutput::Open => {
                    let line = &floor.ports[number];
                    *is_open = line.node.is_some() && line.path == *path;
                    let input = match *is_open {
                        true => PortInput::Opened(line.transport),
                        false => PortInput::NotOpened(OpenProblem::Absent),
                    };
                    process.hub.handle(now, HubInput::Port(id, input));
                    let opened =
                        process.ports.iter().filter(|it| it.is_open && it.path == line.path);
                    if opened.count() > 1 {
                        floor.broken.get_or_insert(format!("{:?} is opened twice", line.path));
                    }
                }
                HubOutput::Close => *is_open = false,
                HubOutput::End => {
                    (*has_ended, *is_open) = (true, false);
                    process.discovery.ended(path);
                    process.hub.remove_port(id);
                }
                HubOutput::Persist { node_id, text } => {
                    if let Some(node) = floor.node_named(&node_id) {
                        node.kept = Some(text);
                    }
                }
                HubOutput::Notice(notice) => self.note(floor, notice),
                HubOutput::Commit(_) | HubOutput::LookUp(_) => {}
            }
        }
        self.wake(floor);
    }

    /// Inputs of a table, as a broken hub delivers them.
    fn break_inputs(&mut self, floor: &mut Floor, index: usize, turn: &mut Turn, now: HubTime) {
        let is_beside = |node: &FloorNode| node.was_troubled && node.plan.table != index;
        let sabotage = match self.sabotage {
            Sabotage::TroubleSpreads if !floor.nodes.iter().any(is_beside) => Sabotage::None,
            other => other,
        };
        if sabotage == Sabotage::GapsSpread {
            turn.inputs.iter().for_each(|input| spread_gaps(floor, index, input));
            for other in (0..floor.tables.len()).filter(|&other| other != index) {
                let tables = floor.process.as_ref().map(|process| &process.tables);
                if tables.is_some_and(|tables| !tables[other].spread.is_empty()) {
                    self.wake_table(floor, other, self.now_us);
                }
            }
        }
        if sabotage == Sabotage::TellsDoubtsOnce {
            turn.inputs.iter_mut().for_each(|input| tell_doubt_once(floor, input));
        }
        if sabotage == Sabotage::DropsInputs && turn.inputs.len() >= floor.plan.inputs_max {
            turn.inputs.pop_back();
        }
        let inputs = std::mem::take(&mut turn.inputs).into_iter();
        turn.inputs = inputs.filter_map(|input| sabotaged(input, now, sabotage)).collect();
        if let Some(process) = &mut floor.process {
            turn.inputs.extend(process.tables[index].spread.drain(..));
        }
    }

    fn note(&mut self, floor: &mut Floor, notice: Notice) {
        self.log("notice", &notice.words);
        floor.note(notice);
    }

    fn turn_table(&mut self, floor: &mut Floor, index: usize) -> Result<(), Violation> {
        let now_us = self.now_us;
        let is_due = |it: &&mut FloorProcess| it.tables[index].due_us <= now_us;
        let Some(process) = floor.process.as_mut().filter(is_due) else { return Ok(()) };
        let now = process.now(self.now_us);
        process.tables[index].due_us = u64::MAX;
        let id = process.tables[index].id;
        let Some(mut turn) = process.hub.begin(id) else { return Ok(()) };
        self.break_inputs(floor, index, &mut turn, now);
        turn.run(now);
        let waiting = turn.table().waiting();
        if waiting > hub_core::reorder::WAITING_MAX + floor.plan.inputs_max {
            return Err(Violation::Unbounded("a table's reorder buffer", waiting));
        }
        if let Some(process) = &mut floor.process {
            process.hub.end(now, turn);
        }
        self.drain_table(floor, index, now);
        let Some(process) = &floor.process else { return Ok(()) };
        if let Some(at) = process.hub.poll_timeout(Id::Table(id)) {
            let due_us = process.run_us(at);
            self.wake_table(floor, index, due_us);
        }
        self.commit_later(floor.hub);
        Ok(())
    }

    fn drain_table(&mut self, floor: &mut Floor, index: usize, now: HubTime) {
        while let Some(process) = &mut floor.process {
            let id = process.tables[index].id;
            let Some(output) = process.hub.poll_output(Id::Table(id)) else { break };
            match output {
                HubOutput::Commit(entry) => {
                    if self.sabotage == Sabotage::CountsOnTheJournal {
                        process.hub.handle(now, HubInput::Committed(id));
                    }
                    if let Some(hub) = &mut self.hubs[floor.hub].process {
                        hub.commands.push_back(Command::Entry(entry));
                    }
                }
                HubOutput::LookUp(job) => {
                    let reviewed = self.review(floor, index, &job);
                    if let Some(process) = &mut floor.process {
                        process.hub.handle(now, HubInput::Reviewed(id, reviewed));
                    }
                }
                HubOutput::Notice(notice) => self.note(floor, notice),
                HubOutput::Open | HubOutput::Close | HubOutput::End | HubOutput::Persist { .. } => {
                }
            }
        }
        self.wake(floor);
    }

    /// The journal has committed these entries of a hub's tables.
    pub(super) fn floor_committed(&mut self, hub: usize, commands: &[Command]) {
        let Some(mut floor) = self.floors.remove(&hub) else { return };
        let epoch_us = floor.process.as_ref().map_or(0, |process| process.epoch_us);
        let slack_us = self.plan.heard_within_us(hub);
        for command in commands {
            let Command::Entry(entry) = command else { continue };
            for row in &entry.rows {
                if let row::Event::NodeStateChanged(changed) = &row.event
                    && let Some(node) = floor.node_named(&changed.node_id)
                {
                    node.published = Some(changed.clone());
                }
            }
            for offset in &entry.offsets {
                let boot = floor
                    .node_named(&offset.node_id)
                    .and_then(|node| node.boot(offset.reached.boot_id));
                if let Some(boot) = boot {
                    boot.journalled = boot.journalled.max(offset.reached.sequence);
                    let place = (offset.reached.sequence as usize).wrapping_sub(1);
                    if let Some(event) = boot.events.get_mut(place) {
                        event.journalled.push((self.now_us, epoch_us));
                    }
                }
            }
            let Some(table) = floor.table_named(&entry.table) else { continue };
            for node in floor.nodes.iter_mut().filter(|node| node.plan.table == table) {
                let board = node.board();
                if let Some(foreign) = &mut node.foreign {
                    for input in &entry.inputs {
                        let heard_us = input.made.as_micros().saturating_sub(epoch_us);
                        foreign.committed(board, &input.line, heard_us, slack_us);
                    }
                }
            }
            if let Some(process) = &mut floor.process
                && self.sabotage != Sabotage::CountsOnTheJournal
            {
                let now = process.now(self.now_us);
                process.hub.handle(now, HubInput::Committed(process.tables[table].id));
            }
            self.wake(&mut floor);
        }
        self.floors.insert(hub, floor);
    }
}

/// A doubt that was reported before is none.
fn tell_doubt_once(floor: &mut Floor, input: &mut NodeInput) {
    if let NodeInput::State { node_id, state, detail, .. } = input
        && *state == NodeState::Faulty
        && !floor.doubted.insert(node_id.clone())
    {
        *state = NodeState::Connected;
        detail.clear();
    }
}

/// Gives all other tables the readings that one table gets as missing.
fn spread_gaps(floor: &mut Floor, table: usize, input: &NodeInput) {
    let NodeInput::Readings { readings, .. } = input else { return };
    let is_gap = |(_, kind): &&TimedReading| matches!(kind, ReadingKind::Gap { .. });
    let readings: Vec<TimedReading> = readings.iter().filter(is_gap).cloned().collect();
    let Some(process) = floor.process.as_mut().filter(|_| !readings.is_empty()) else { return };
    for (_, other) in process.tables.iter_mut().enumerate().filter(|(other, _)| *other != table) {
        let readings = readings.clone();
        other.spread.push(NodeInput::Readings { board: BoardId::A, readings, offset: None });
    }
}

/// An input of a table as a broken port gives it.
fn sabotaged(input: NodeInput, now: HubTime, sabotage: Sabotage) -> Option<NodeInput> {
    match (sabotage, input) {
        (_, NodeInput::Readings { board, mut readings, offset }) => {
            let is_kept = offset.is_some();
            break_readings(&mut readings, is_kept, now, sabotage);
            Some(NodeInput::Readings { board, readings, offset })
        }
        (Sabotage::Overpromises, NodeInput::Watermark { node_id, until }) => {
            let until = until.plus_micros(OVERPROMISED_US);
            Some(NodeInput::Watermark { node_id, until })
        }
        (Sabotage::KeepsWatermarks, NodeInput::Watermark { .. }) => None,
        (_, input) => Some(input),
    }
}

/// Readings as a broken port gives them; `is_kept`: their device keeps them until they are acknowledged.
fn break_readings(
    readings: &mut Vec<TimedReading>,
    is_kept: bool,
    now: HubTime,
    sabotage: Sabotage,
) {
    let is_square = |kind: &ReadingKind| matches!(kind, ReadingKind::Square { .. });
    let is_gap = |kind: &ReadingKind| matches!(kind, ReadingKind::Gap { lost: 1.. });
    match sabotage {
        Sabotage::GapsComeLate => {
            let gaps = readings.iter_mut().filter(|(_, kind)| is_gap(kind));
            gaps.for_each(|(at, _)| *at = now);
        }
        Sabotage::TroubleSpreads => {
            let squares = readings.iter_mut().filter(|(_, kind)| is_square(kind));
            squares.for_each(|(at, _)| *at = at.plus_micros(SPREAD_US));
        }
        Sabotage::StampsByArrival => {
            let squares = readings.iter_mut().filter(|(_, kind)| is_square(kind));
            squares.for_each(|(at, _)| *at = now);
        }
        Sabotage::MixesUpPieces => readings.iter_mut().for_each(|(_, kind)| turn_piece(kind)),
        _ => readings.retain(|(_, kind)| match sabotage {
            Sabotage::HidesGaps => !is_gap(kind),
            Sabotage::HidesRestarts => !matches!(kind, ReadingKind::Gap { lost: 0 }),
            Sabotage::PassesOverSquares => is_kept || !is_square(kind),
            Sabotage::PassesOverSnapshots => {
                is_kept || !matches!(kind, ReadingKind::Snapshot { .. })
            }
            Sabotage::PassesOverPresses => is_kept || !matches!(kind, ReadingKind::Press { .. }),
            Sabotage::PassesOverDisplays => is_kept || !matches!(kind, ReadingKind::Clock { .. }),
            _ => true,
        }),
    }
}

/// A piece that is read becomes one of the other side.
fn turn_piece(kind: &mut ReadingKind) {
    if let ReadingKind::Square { reading: Some(SquareReading::Piece(piece)), .. } = kind {
        piece.color = !piece.color;
    }
}
