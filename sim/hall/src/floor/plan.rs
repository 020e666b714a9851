//! Equipment of one hub's part of a hall, and its faults and acts in one run.

use link_sim::line::WriteFaults;
use proto::link::{BoardKind, SensorKind};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::device::Act;
use super::line_class::LineClass;
use super::other_makers::ForeignPlan;
use crate::plan::log_uniform;

/// Maximum number of acts at a table.
const ACTS_MAX: usize = 150;
/// Shortest and longest pause between two acts in the mean, µs.
const PAUSES_US: (f64, f64) = (1e4, 1e6);
/// Maximum number of incidents.
const INCIDENTS_MAX: u32 = 6;
/// Rest of a table whose boards were set up, µs: a match is opened meanwhile.
const SET_UP_REST_US: u64 = 2_500_000;
/// Time of the first touch of a table, µs.
const FIRST_ACT_US: u64 = 1_800_000;

/// A node of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePlan {
    /// Its table.
    pub table: usize,
    /// Whether it is on board B.
    pub on_b: bool,
    /// A clock, or a board.
    pub is_clock: bool,
    /// Whether it has USB of its own; else a UART, at which nobody sees a pulled cable.
    pub is_usb: bool,
    /// Kind of sensors of an own board.
    pub senses: BoardKind,
}

/// Fault of nodes, cables or ports, or its end. A node is at the port of its number until it is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloorIncident {
    /// The cable of a node is pulled.
    Unplug(usize),
    /// Plugs the device in again.
    PlugIn(usize),
    /// The cable of a node is plugged into the spare port, or back into its own.
    Move(usize),
    /// Two nodes exchange their ports.
    Swap(usize, usize),
    /// A node loses its power.
    NodeOff(usize),
    /// Starts the device.
    NodeOn(usize),
    /// Starts the device with the firmware of another release.
    OtherRelease(usize),
    /// Faults hit this share of the bytes at a port.
    Noise(usize, f64),
    /// Faults hit whole writes at a port, in both directions.
    Writes(usize, WriteFaults),
    /// The hub does not read from a port for this long, µs.
    Stall(usize, u64),
    /// The node at a port does not read for this long, µs.
    NodeStall(usize, u64),
    /// Inference fails on the next reading of a table's clock.
    Poison(usize),
}

/// One hub's part of a hall.
#[derive(Clone, Debug, PartialEq)]
pub struct FloorPlan {
    /// The nodes, table by table.
    pub nodes: Vec<NodePlan>,
    /// Number of tables.
    pub tables: usize,
    /// Longest time until a task of the hub gets the processor, µs.
    pub processor_us: u64,
    /// Longest jitter of a line, µs.
    pub jitter_us: u64,
    /// Inputs that may wait for a table.
    pub inputs_max: usize,
    /// Distributions of nodes and lines.
    pub line: LineClass,
    /// Whether acts are so far apart that the journal must have them in their true order, whatever happens to hub and lines.
    pub is_exact: bool,
    /// Acts with their times and nodes, in order, µs.
    pub acts: Vec<(u64, usize, Act)>,
    /// Incidents with their times, in order, µs.
    pub incidents: Vec<(u64, FloorIncident)>,
    /// A node that is a board of another maker.
    pub foreign: Option<ForeignPlan>,
    /// A board of ours with a weak contact.
    pub weak: Option<usize>,
    /// Whether the hub has a port at which no node is in the beginning.
    pub has_spare_port: bool,
    /// Nodes at ports that no configuration names: the hub finds them.
    pub found: Vec<usize>,
    /// A table without faults while everything else is under fire: its end equals that of a run without faults.
    pub spared: Option<usize>,
}

impl FloorPlan {
    /// Draws a plan; faults end at `calm_us`.
    pub(crate) fn new(rng: &mut ChaCha8Rng, calm_us: u64) -> FloorPlan {
        let tables = rng.random_range(1..=2);
        let nodes: Vec<NodePlan> = (0..tables).flat_map(|table| nodes(rng, table)).collect();
        let mut acts: Vec<(u64, usize, Act)> =
            (0..tables).flat_map(|table| acts(rng, &nodes, table, calm_us, PAUSES_US)).collect();
        // Stable: at one table nothing is turned round.
        acts.sort_by_key(|&(at_us, ..)| at_us);
        FloorPlan {
            tables,
            processor_us: log_uniform(rng, (1e2, 1.5e5)) as u64,
            jitter_us: log_uniform(rng, (1e2, 2e4)) as u64,
            acts,
            incidents: incidents(rng, &nodes, calm_us),
            ..FloorPlan::of_nodes(nodes)
        }
    }

    /// One table with these nodes, at which nothing happens.
    pub(crate) fn of_nodes(nodes: Vec<NodePlan>) -> FloorPlan {
        FloorPlan {
            nodes,
            tables: 1,
            processor_us: 0,
            jitter_us: 0,
            inputs_max: hub_core::input::INPUTS_MAX,
            line: LineClass::default(),
            is_exact: false,
            acts: Vec::new(),
            incidents: Vec::new(),
            foreign: None,
            weak: None,
            has_spare_port: false,
            found: Vec::new(),
            spared: None,
        }
    }

    /// Only faults at the first table stay.
    pub(crate) fn spare_all_but_one_table(&mut self) {
        let is_first = |node: usize| self.nodes[node].table == 0;
        self.incidents.retain(|&(_, incident)| match incident {
            FloorIncident::Swap(one, other) => is_first(one) && is_first(other),
            FloorIncident::Poison(table) => table == 0,
            FloorIncident::Unplug(node)
            | FloorIncident::PlugIn(node)
            | FloorIncident::Move(node)
            | FloorIncident::NodeOff(node)
            | FloorIncident::NodeOn(node)
            | FloorIncident::OtherRelease(node) => is_first(node),
            FloorIncident::Noise(node, _)
            | FloorIncident::Writes(node, _)
            | FloorIncident::Stall(node, _)
            | FloorIncident::NodeStall(node, _) => is_first(node),
        });
    }
}

pub(super) fn nodes(rng: &mut ChaCha8Rng, table: usize) -> Vec<NodePlan> {
    let boards = if rng.random_bool(0.5) { 1 } else { 2 };
    let mut nodes = Vec::new();
    for board in 0..boards {
        for is_clock in [false, true] {
            if !is_clock || board == 0 {
                let is_usb = rng.random_bool(0.5);
                let senses = BoardKind { sensor: SensorKind::Reed, trays: false };
                nodes.push(NodePlan { table, on_b: board == 1, is_clock, is_usb, senses });
            }
        }
    }
    nodes
}

/// Play, pauses and bursts, and now and then the next match; some after the faults have ended.
pub(super) fn acts(
    rng: &mut ChaCha8Rng,
    nodes: &[NodePlan],
    table: usize,
    calm_us: u64,
    pauses_us: (f64, f64),
) -> Vec<(u64, usize, Act)> {
    let here: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node].table == table).collect();
    let clocks = || here.iter().copied().filter(|&node| nodes[node].is_clock);
    let end_us = (calm_us as f64 * (0.5 + 0.8 * rng.random::<f64>())) as u64;
    let mut now_us = FIRST_ACT_US;
    let mut acts: Vec<(u64, usize, Act)> =
        clocks().map(|clock| (now_us, clock, Act::Start)).collect();
    let mut pause_us = 5e5;
    while acts.len() < ACTS_MAX {
        if rng.random_bool(0.05) {
            pause_us = log_uniform(rng, pauses_us);
        }
        now_us += (-pause_us * (1.0 - rng.random::<f64>()).ln()) as u64;
        if now_us >= end_us {
            break;
        }
        if rng.random_bool(0.03) {
            acts.extend(clocks().map(|clock| (now_us, clock, Act::Stop)));
            now_us += 200_000;
            acts.extend(here.iter().map(|&node| (now_us, node, Act::SetUp)));
            now_us += SET_UP_REST_US;
            acts.extend(clocks().map(|clock| (now_us, clock, Act::Start)));
            continue;
        }
        let node = here[rng.random_range(0..here.len())];
        let act = match nodes[node].is_clock {
            true if rng.random_bool(0.15) => Act::Hand,
            true if rng.random_bool(0.1) => Act::Start,
            _ => Act::Touch,
        };
        acts.push((now_us, node, act));
    }
    acts
}

fn incidents(rng: &mut ChaCha8Rng, nodes: &[NodePlan], calm_us: u64) -> Vec<(u64, FloorIncident)> {
    let mut incidents = Vec::new();
    for _ in 0..rng.random_range(0..=INCIDENTS_MAX) {
        let at_us = rng.random_range(0..calm_us);
        let end_us = at_us + log_uniform(rng, (1e4, 3e7)) as u64;
        let (node, other) = (rng.random_range(0..nodes.len()), rng.random_range(0..nodes.len()));
        match rng.random_range(0..7) {
            0 | 1 => incidents.extend([
                (at_us, FloorIncident::Unplug(node)),
                (end_us, FloorIncident::PlugIn(node)),
            ]),
            2 => incidents.push((at_us, FloorIncident::Swap(node, other))),
            3 => incidents.extend([
                (at_us, FloorIncident::NodeOff(node)),
                (end_us, FloorIncident::NodeOn(node)),
            ]),
            4 => incidents.extend([
                (at_us, FloorIncident::Noise(node, log_uniform(rng, (1e-4, 3e-2)))),
                (end_us, FloorIncident::Noise(node, 0.0)),
            ]),
            5 => {
                let lasts_us = log_uniform(rng, (1e4, 4e6)) as u64;
                incidents.push((at_us, FloorIncident::Stall(node, lasts_us)));
            }
            _ => incidents.push((at_us, FloorIncident::Poison(nodes[node].table))),
        }
    }
    incidents.retain(|&(at_us, _)| at_us < calm_us);
    incidents.sort_by_key(|&(at_us, _)| at_us);
    incidents
}
