//! Faults on the floor of a hub, and their end: cables, noise, stalls, nodes without power, readings that make inference panic.

use link_sim::{Node, OtherNode, Timer};
use rand::RngExt;

use super::World;
use crate::floor::{Act, Floor, FloorIncident, FloorPort, NodeBoot};
use crate::outcome::{Observer, Violation};
use crate::sabotage::Sabotage;
use hub_core::port::PortInput;

/// Share of bytes that are hurt, and of writes that are lost, up to which the hub knows its nodes' clocks in the class of the serial link.
const NOISE_TIMED_MAX: f64 = 5e-3;
const LOST_TIMED_MAX: f64 = 0.1;

impl<O: Observer> World<'_, O> {
    pub(super) fn befall_floor(
        &mut self,
        floor: &mut Floor,
        index: usize,
    ) -> Result<(), Violation> {
        let (_, incident) = floor.plan.incidents[index];
        self.log("fate", &format!("{incident:?}"));
        let now_us = self.now_us;
        match incident {
            FloorIncident::Unplug(node) => self.unplug(floor, node),
            FloorIncident::PlugIn(node) => self.plug_in(floor, node, node),
            FloorIncident::Move(node) => {
                let spare = floor.ports.len() - 1;
                let is_there = floor.nodes[node].port == Some(spare);
                self.unplug(floor, node);
                self.plug_in(floor, node, if is_there { node } else { spare });
            }
            FloorIncident::Swap(one, other) if one != other => {
                let (here, there) = (floor.nodes[one].port, floor.nodes[other].port);
                self.unplug(floor, one);
                self.unplug(floor, other);
                self.plug_in(floor, one, there.unwrap_or(other));
                self.plug_in(floor, other, here.unwrap_or(one));
            }
            FloorIncident::Swap(..) => {}
            FloorIncident::NodeOff(node) => {
                floor.nodes[node].was_troubled = true;
                (floor.nodes[node].power, floor.nodes[node].other) = (None, None);
                if let Some(foreign) = &mut floor.nodes[node].foreign {
                    foreign.is_on = false;
                }
            }
            FloorIncident::OtherRelease(node) => self.start_other_node(floor, node),
            FloorIncident::NodeOn(node) => self.power_on(floor, node),
            FloorIncident::Noise(port, rate) => {
                mark_troubled(floor, port);
                floor.ports[port].up.set_noise(rate);
                floor.ports[port].down.set_noise(rate);
                self.note_line(floor, port, rate > NOISE_TIMED_MAX);
            }
            FloorIncident::Writes(port, faults) => {
                mark_troubled(floor, port);
                self.note_line(floor, port, faults.lost > LOST_TIMED_MAX);
                floor.ports[port].up.set_faults(faults);
                floor.ports[port].down.set_faults(faults);
            }
            FloorIncident::Stall(port, lasts_us) => {
                mark_troubled(floor, port);
                floor.ports[port].up.stall(now_us + lasts_us);
            }
            FloorIncident::NodeStall(port, lasts_us) => {
                mark_troubled(floor, port);
                floor.ports[port].down.stall(now_us + lasts_us);
            }
            FloorIncident::Poison(table) => {
                let clock =
                    floor.nodes.iter().position(|it| it.plan.table == table && it.plan.is_clock);
                if let Some(clock) = clock {
                    self.do_act(floor, clock, Act::Poison)?;
                }
            }
        }
        Ok(())
    }

    /// Records a port's faults at its node. `is_bad`: too few questions and answers pass over the line to estimate the node's clock.
    fn note_line(&self, floor: &mut Floor, port: usize, is_bad: bool) {
        let is_of_class = floor.plan.line.has_short_queues;
        floor.ports[port].is_bad |= is_bad && is_of_class;
        note_faults(floor, port);
    }

    /// All faults of the floor end: every node has power and a port.
    pub(in crate::world) fn calm_floor(&mut self, hub: usize) {
        let Some(mut floor) = self.floors.remove(&hub) else { return };
        for port in &mut floor.ports {
            port.up.calm(self.now_us);
            port.down.calm(self.now_us);
            port.is_bad = false;
        }
        for node in 0..floor.nodes.len() {
            self.power_on(&mut floor, node);
            if floor.nodes[node].port.is_none() {
                let goes_home = floor.ports.len() > floor.nodes.len()
                    || floor.ports.iter().any(|port| port.plugs.is_some());
                let free = floor.ports.iter().position(|port| port.node.is_none());
                self.plug_in(&mut floor, node, free.filter(|_| !goes_home).unwrap_or(node));
            }
        }
        for port in 0..floor.ports.len() {
            self.wake_line(&mut floor, port, self.now_us);
        }
        self.floors.insert(hub, floor);
    }

    pub(super) fn power_on(&mut self, floor: &mut Floor, index: usize) {
        let node = &mut floor.nodes[index];
        if let Some(foreign) = &mut node.foreign {
            foreign.is_on = true;
            self.wake_node(floor, index, self.now_us);
            return;
        }
        if node.power.is_some() {
            return;
        }
        node.other = None;
        node.met_us.push(self.now_us);
        let boot_id = match self.rng.random_range(1..=u32::MAX) {
            _ if self.sabotage == Sabotage::NodesKeepOneBoot => 1,
            boot_id => boot_id,
        };
        let (start, drift) =
            (floor.plan.line.timer_start(&mut self.rng), self.rng.random_range(-300e-6..300e-6));
        let timer = Timer { started_us: self.now_us, start, rate: 1.0 + drift };
        let id = node.id.parse().expect("a node id");
        node.boots.push(NodeBoot { id: boot_id, ..NodeBoot::default() });
        let (kind, device) = (node.device.kind(), node.device);
        let firmware = Node::start(id, kind, boot_id, timer, floor.plan.line.buffer_bytes, device);
        node.power = Some(Box::new(firmware));
        self.log(&format!("node {index}"), &format!("starts as boot {boot_id:08x}"));
        self.wake_node(floor, index, self.now_us);
    }

    /// A node starts with the firmware of another release.
    fn start_other_node(&mut self, floor: &mut Floor, index: usize) {
        let boot_id = self.rng.random_range(1..=u32::MAX);
        let node = &mut floor.nodes[index];
        node.was_troubled = true;
        node.power = None;
        let (id, kind) = (node.id.parse().expect("a node id"), node.device.kind());
        node.other = Some(Box::new(OtherNode::start(id, kind, boot_id, self.now_us)));
        self.wake_node(floor, index, self.now_us);
    }

    fn unplug(&mut self, floor: &mut Floor, index: usize) {
        floor.nodes[index].was_troubled = true;
        let Some(port) = floor.nodes[index].port.take() else { return };
        let line = &mut floor.ports[port];
        line.node = None;
        line.up.unplug(self.now_us);
        line.down.unplug(self.now_us);
        // A USB port vanishes with its device; a UART stays.
        let is_seen = floor.nodes[index].plan.is_usb;
        if let Some(process) = &floor.process
            && is_seen
        {
            let now = process.now(self.now_us);
            for task in self.tasks_of(floor, port) {
                self.tell_port(floor, task, now, PortInput::Lost("unplugged".to_owned()));
                self.wake_port(floor, task, self.now_us);
            }
        }
    }

    fn plug_in(&mut self, floor: &mut Floor, index: usize, port: usize) {
        floor.nodes[index].was_troubled = true;
        if floor.nodes[index].port.is_some() {
            return;
        }
        let port = match floor.ports[port].node {
            None => Some(port),
            Some(_) => floor.ports.iter().position(|port| port.node.is_none()),
        };
        let Some(port) = port else { return };
        floor.ports[port].node = Some(index);
        floor.ports[port].rename(port);
        floor.ports[port].up.plug_in();
        floor.ports[port].down.plug_in();
        floor.nodes[index].port = Some(port);
        // The port's faults may have begun while nothing was plugged in.
        note_faults(floor, port);
        floor.nodes[index].met_us.push(self.now_us);
        self.wake_node(floor, index, self.now_us);
        self.wake_line(floor, port, self.now_us);
    }
}

/// Records at the node of a port which faults its line has.
fn note_faults(floor: &mut Floor, port: usize) {
    let FloorPort { node, is_bad, up, .. } = &floor.ports[port];
    let Some(node) = node.map(|node| &mut floor.nodes[node]) else { return };
    node.had_bad_line |= is_bad;
    if let Some(foreign) = node.foreign.as_mut().filter(|_| up.is_noisy()) {
        foreign.had_noise = true;
    }
}

fn mark_troubled(floor: &mut Floor, port: usize) {
    if let Some(node) = floor.ports[port].node {
        floor.nodes[node].was_troubled = true;
    }
}
