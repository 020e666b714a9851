//! The nodes on a hub's floor: they read, send, take commands, and now and then run the firmware of another release.

use link_sim::pump;
use proto::link::{ClockAdjustment, Message, Order, SensorReading, Side};
use readings::{Reading, ReadingKind, SquareReading};
use rules::{BoardId, Color, Square};

use crate::floor::{Act, Floor, FloorFirmware, NodeBoot, ReadEvent};
use crate::outcome::{Observer, Violation};
use crate::sabotage::Sabotage;
use crate::world::World;

/// Longest time between two turns of a node, µs.
const NODE_PAUSE_US: u64 = 250_000;
/// Time without faults before and after an action at another maker's clock for it to be journalled for certain, µs.
const CERTAIN_US: u64 = 5_000_000;
/// Age of a broken node's stamps, µs: more than its clock's tolerance.
const OLD_US: u64 = 100_000;
/// Maximum size of one write of another maker's board, bytes.
const FOREIGN_BYTES: usize = 256;

impl<O: Observer> World<'_, O> {
    /// Performs a person's action at a node.
    pub(super) fn act(&mut self, floor: &mut Floor) -> Result<(), Violation> {
        let (_, node, act) = floor.plan.acts[floor.act];
        floor.act += 1;
        self.do_act(floor, node, act)
    }

    pub(super) fn do_act(
        &mut self,
        floor: &mut Floor,
        index: usize,
        act: Act,
    ) -> Result<(), Violation> {
        let now_us = self.now_us;
        let is_hub_there = floor.process.is_some() && !self.hubs[floor.hub].journal.is_full;
        let node = &mut floor.nodes[index];
        let has_power = node.has_foreign_power();
        if let Some(foreign) = &mut node.foreign {
            foreign.run_until(now_us, has_power);
            let is_calm = self.plan.is_calm_around(floor.hub, now_us, CERTAIN_US);
            let is_heard = has_power && node.port.is_some() && is_calm && is_hub_there;
            if foreign.act_at_clock(now_us, act, is_heard) {
                return Ok(());
            }
            let before = node.device.occupied();
            node.device.act(act, proto::link::NodeTime::ZERO);
            foreign.note(now_us, before, node.device.occupied());
            return Ok(());
        }
        let on_b = node.plan.on_b;
        let Some(running) = &mut node.power else {
            // A board without power sees actions meanwhile once it has power.
            node.device.act(act, proto::link::NodeTime::ZERO);
            return Ok(());
        };
        running.poll(now_us).map_err(Violation::Floor)?;
        let time = match self.sabotage {
            Sabotage::StampsAreOld => running.now().minus_micros(OLD_US),
            _ => running.now(),
        };
        for message in running.sensors_mut().act(act, time) {
            let place = node.boots.last().map_or(0, |boot| boot.events.len());
            let is_kept = self.sabotage != Sabotage::NodesForgetReadings || place % 40 != 39;
            if is_kept {
                running.push(&message);
            }
            if let Some(boot) = node.boots.last_mut() {
                boot.events.push(ReadEvent::new(now_us, lines(&message, on_b)));
            }
        }
        node.device = *running.sensors_mut();
        self.log(&format!("node {index}"), &format!("{act:?}"));
        self.wake_node(floor, index, now_us);
        Ok(())
    }

    pub(super) fn turn_node(&mut self, floor: &mut Floor, index: usize) -> Result<(), Violation> {
        let now_us = self.now_us;
        if floor.nodes[index].due_us > now_us {
            return Ok(());
        }
        floor.nodes[index].due_us = u64::MAX;
        let does_nothing = self.sabotage == Sabotage::ClockDoesNothing;
        let writes = floor.plan.line.writes;
        let Floor { nodes, ports, .. } = floor;
        let node = &mut nodes[index];
        if node.other.is_some() {
            self.run_other_node(floor, index);
            return Ok(());
        }
        if node.foreign.is_some() {
            self.run_foreign(floor, index);
            return Ok(());
        }
        let Some(running) = &mut node.power else { return Ok(()) };
        running.poll(now_us).map_err(Violation::Floor)?;
        let mut due_us = now_us + NODE_PAUSE_US;
        let mut arrives_us = None;
        if let Some(port) = node.port.and_then(|port| ports.get_mut(port)) {
            let bytes = port.down.receive(now_us);
            if let Some(boot) = node.boots.last_mut()
                && !bytes.is_empty()
            {
                let done = take_commands(running, &bytes, boot, now_us, does_nothing);
                self.counts.done += done as u64;
                node.device = *running.sensors_mut();
            }
            pump(&mut port.up, now_us, writes, |out| running.transmit(out));
            arrives_us = port.up.next_arrival_us();
            due_us = due_us.min(port.down.next_arrival_us().unwrap_or(u64::MAX));
            if running.wants_transmit() {
                due_us = due_us.min(port.up.room_again_us(now_us).unwrap_or(u64::MAX));
            }
        }
        due_us = due_us.min(running.next_due_us()).max(now_us + 1);
        // Events that it has freed must be in a journal, or were discarded because its buffer was full.
        let (latest, held, lost) = (running.latest(), running.buffered(), running.lost());
        let gone = latest - held as u32;
        if let Some(boot) = node.boots.last_mut() {
            if lost > boot.discarded {
                (boot.discarded, boot.discarded_through) = (lost, gone);
            }
            let excused = boot.journalled.max(boot.discarded_through);
            if gone > excused {
                let id = &node.id;
                return Err(Violation::Floor(format!(
                    "{id} has let go of event {gone}, and the journal has none after {excused}"
                )));
            }
        }
        if let (Some(port), Some(at_us)) = (node.port, arrives_us) {
            self.wake_line(floor, port, at_us);
        }
        self.wake_node(floor, index, due_us);
        Ok(())
    }

    /// A board of another maker looks at its squares, hears what it is asked, and says what it has to say.
    fn run_foreign(&mut self, floor: &mut Floor, index: usize) {
        let now_us = self.now_us;
        let Floor { nodes, ports, .. } = floor;
        let node = &mut nodes[index];
        let (has_power, port) = (node.has_foreign_power(), node.port);
        let Some(foreign) = &mut node.foreign else { return };
        foreign.run_until(now_us, has_power);
        let device = foreign.device();
        let (mut wakes, mut hears_us) = (None, u64::MAX);
        if let Some((number, port)) = port.and_then(|it| Some((it, ports.get_mut(it)?))) {
            let bytes = port.down.receive(now_us);
            if has_power {
                device.receive(&bytes);
            }
            let mut said = [0; FOREIGN_BYTES];
            while has_power && port.up.room(now_us) >= said.len() {
                let length = device.transmit(&mut said);
                if length == 0 {
                    break;
                }
                port.up.send(now_us, &said[..length]);
            }
            hears_us = port.down.next_arrival_us().unwrap_or(u64::MAX);
            wakes = port.up.next_arrival_us().map(|at_us| (number, at_us));
        }
        if port.is_none() {
            // Its output is lost while its cable is out.
            let mut said = [0; FOREIGN_BYTES];
            while device.transmit(&mut said) > 0 {}
        }
        let due_us = device.next_due_us().min(hears_us).min(now_us + NODE_PAUSE_US);
        if let Some((port, at_us)) = wakes {
            self.wake_line(floor, port, at_us);
        }
        self.wake_node(floor, index, due_us.max(now_us + 1));
    }

    /// A node with firmware of another release sends a message, and gets the answer that it is not understood.
    fn run_other_node(&mut self, floor: &mut Floor, index: usize) {
        let now_us = self.now_us;
        let Floor { nodes, ports, .. } = floor;
        let node = &mut nodes[index];
        let Some(other) = &mut node.other else { return };
        let mut wakes = None;
        if let Some((number, port)) = node.port.and_then(|it| Some((it, ports.get_mut(it)?))) {
            other.receive(&port.down.receive(now_us));
            port.up.send(now_us, &other.message(now_us));
            wakes = port.up.next_arrival_us().map(|at_us| (number, at_us));
        }
        let due_us = other.next_due_us().max(now_us + 1);
        if let Some((port, at_us)) = wakes {
            self.wake_line(floor, port, at_us);
        }
        // At no port it says nothing, and looks again.
        self.wake_node(floor, index, due_us.max(now_us + NODE_PAUSE_US));
    }
}

/// Gives a node bytes, and notes what it has done: every answer is its own event. Returns the number of orders it has done.
fn take_commands(
    node: &mut FloorFirmware,
    bytes: &[u8],
    boot: &mut NodeBoot,
    now_us: u64,
    does_nothing: bool,
) -> usize {
    let before = node.latest();
    let orders = node.receive(bytes);
    boot.events.extend((before..node.latest()).map(|_| ReadEvent::new(now_us, Vec::new())));
    let adjustments = orders.iter().filter_map(|order| match order {
        Order::AdjustClock(ClockAdjustment { white_ms, .. }) if !does_nothing => Some(*white_ms),
        _ => None,
    });
    let adjustments: Vec<i32> = adjustments.collect();
    for &white_ms in &adjustments {
        node.sensors_mut().adjust(white_ms);
        boot.done.extend(u64::try_from(white_ms));
    }
    adjustments.len()
}

/// The lines that the journal will have of an event, without their times.
fn lines(message: &Message, on_b: bool) -> Vec<String> {
    let board = Some(if on_b { BoardId::B } else { BoardId::A });
    let color = |side: Side| if side == Side::White { Color::White } else { Color::Black };
    let kinds: Vec<ReadingKind> = match message {
        Message::SquaresChanged(changed) => changed
            .changes
            .iter()
            .map(|change| {
                let (reading, level) = match change.reading {
                    SensorReading::Empty => (Some(SquareReading::Empty), None),
                    SensorReading::Occupied => (Some(SquareReading::Occupied), None),
                    SensorReading::White => (Some(SquareReading::Side(Color::White)), None),
                    SensorReading::Black => (Some(SquareReading::Side(Color::Black)), None),
                    SensorReading::Level(level) => (None, Some(level.into())),
                };
                let square = Square::new(u32::from(change.square.get()));
                ReadingKind::Square { square, reading, level }
            })
            .collect(),
        Message::TrayChanged(changed) => changed
            .changes
            .iter()
            .map(|change| ReadingKind::Tray {
                side: color(change.tray),
                slot: change.slot.get(),
                reading: match change.reading {
                    SensorReading::Empty => SquareReading::Empty,
                    _ => SquareReading::Occupied,
                },
            })
            .collect(),
        Message::Press(press) => vec![ReadingKind::Press { by: color(press.by) }],
        Message::Hand(hand) => {
            vec![ReadingKind::Hand { side: color(hand.side), near: hand.near, from: None }]
        }
        Message::Tilt(tilt) => vec![ReadingKind::Tilt { on: tilt.on }],
        Message::ClockReading(clock) => vec![ReadingKind::Clock {
            white_ms: clock.display.white_ms.into(),
            black_ms: clock.display.black_ms.into(),
            running: clock.display.running.map(color),
        }],
        _ => Vec::new(),
    };
    let line = |kind| {
        let line = serde_json::to_string(&Reading { t_us: 0, board, kind }).unwrap_or_default();
        line.split_once(',').map_or(line.clone(), |(_, rest)| rest.to_owned())
    };
    kinds.into_iter().map(line).collect()
}
