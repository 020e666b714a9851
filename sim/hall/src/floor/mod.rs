//! One hub's part of a hall: tables, their nodes and the lines between them and the hub; and what of the hub's process serves them. The
//! nodes are the firmware's own end of the link, ports and tables the hub's own cores.

mod control_table;
pub(crate) mod device;
mod follower;
mod ledger;
mod line_class;
pub(crate) mod other_makers;
mod plan;
mod programs;
mod times;

use std::collections::BTreeSet;
use std::path::PathBuf;

use hub_core::HubTime;
use hub_core::drivers::{DriverSettings, Transport};
use hub_core::hub::{Hub, PortId, TableId};
use hub_core::input::NodeInput;
use hub_core::notice::{Level, Notice};
use hub_core::orders::KNOWN_MAX;
use hub_core::port::{About, Discovery, Place};
use hub_core::settings;
use hub_core::table::{Recovery, TableSettings};
use link_sim::line::{Jitter, LineSpeed, WhenUnplugged};
use link_sim::{Line, Node, OtherNode, Sensors as _};
use proto::link::ResumePoint;
use proto::mqtt::message;
use readings::SensorKind;
use rules::rulebook::BookId;
use rules::{BoardId, Game, TimeControl};

use crate::journal::Journal;
use crate::sabotage::Sabotage;
pub use device::Act;
use device::Device;
pub(crate) use ledger::check;
pub use line_class::LineClass;
use other_makers::Foreign;
pub use other_makers::{ForeignPlan, Maker};
pub use plan::{FloorIncident, FloorPlan, NodePlan};
use programs::Program;
pub(crate) use times::{check_lateness, check_trace};

/// Seeds of a campaign have fewer bits: the lines of further hubs draw from seeds above.
const SEED_BITS: u32 = 48;
/// Numbers of tables and nodes that each hub has for itself.
const TABLES_OF_HUB: usize = 10;
const NODES_OF_HUB: usize = 100;
/// The weak contact of a board that has one.
const WEAK: u64 = 1 << 63;
/// Time of a byte on a UART, ns.
const UART_BYTE_NS: u64 = 86_806;
/// Start bit, eight data bits, stop bit.
const BITS_PER_BYTE: u64 = 10;

/// The readings of a node at one moment.
#[derive(Clone, Debug)]
pub(crate) struct ReadEvent {
    /// Time, µs.
    pub(crate) at_us: u64,
    /// The lines that the journal will have of it, without their times.
    pub(crate) lines: Vec<String>,
    /// Times at which the journal committed its offset, µs, each with the hub time of the run's beginning by that hub's clock, µs. Every HELLO
    /// repeats an offset.
    pub(crate) journalled: Vec<(u64, u64)>,
}

impl ReadEvent {
    pub(crate) fn new(at_us: u64, lines: Vec<String>) -> ReadEvent {
        ReadEvent { at_us, lines, journalled: Vec::new() }
    }
}

/// One life of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeBoot {
    pub(crate) id: u32,
    /// Its events, in order.
    pub(crate) events: Vec<ReadEvent>,
    /// None after this one was discarded because its buffer was full.
    pub(crate) discarded_through: u32,
    /// Number of events that its buffer discarded.
    pub(crate) discarded: u32,
    /// The last event that any journal has ever had.
    pub(crate) journalled: u32,
    /// The orders that it has done.
    pub(crate) done: Vec<u64>,
}

/// Firmware of a node.
pub(crate) type FloorFirmware = Node<Device>;

/// A node on a table.
pub(crate) struct FloorNode {
    pub(crate) id: String,
    pub(crate) plan: NodePlan,
    /// Its state while its node has no power.
    pub(crate) device: Device,
    pub(crate) power: Option<Box<FloorFirmware>>,
    /// Device instead of our firmware, if it is of another maker.
    pub(crate) foreign: Option<Foreign>,
    /// State that the hub stores for it on its disk.
    pub(crate) kept: Option<String>,
    /// Firmware of another release that has the power.
    pub(crate) other: Option<Box<OtherNode>>,
    /// The port at which it is.
    pub(crate) port: Option<usize>,
    pub(crate) boots: Vec<NodeBoot>,
    /// Time of its next turn, µs.
    pub(crate) due_us: u64,
    /// Whether a fault hit it or its cable.
    pub(crate) was_troubled: bool,
    /// Whether its line was so bad that little was known of its clock.
    pub(crate) had_bad_line: bool,
    /// Times at which its hub may have met it, µs: it was plugged in, or one of them started.
    pub(crate) met_us: Vec<u64>,
    /// Its state on the directors' list.
    pub(crate) published: Option<message::NodeStateChanged>,
}

/// A port, and its line in both directions.
pub(crate) struct FloorPort {
    pub(crate) path: PathBuf,
    /// Number of devices plugged in so far, if no configuration names the port: each has a path of its own.
    pub(crate) plugs: Option<u32>,
    pub(crate) up: Line,
    pub(crate) down: Line,
    pub(crate) node: Option<usize>,
    pub(crate) transport: Transport,
    /// Whether so much is lost that the clock of a node at this port is little known.
    pub(crate) is_bad: bool,
}

/// The part of the hub's process that serves them.
pub(crate) struct FloorProcess {
    /// Hub time of the run's beginning, µs.
    pub(crate) epoch_us: u64,
    pub(crate) hub: Hub,
    pub(crate) discovery: Discovery,
    pub(crate) ports: Vec<PortProcess>,
    pub(crate) tables: Vec<TableProcess>,
}

/// A port's task.
pub(crate) struct PortProcess {
    pub(crate) id: PortId,
    /// The port of the floor, and its path when the task began.
    pub(crate) line: usize,
    pub(crate) path: PathBuf,
    pub(crate) has_ended: bool,
    pub(crate) is_open: bool,
    pub(crate) due_us: u64,
}

/// A table's task.
pub(crate) struct TableProcess {
    pub(crate) id: TableId,
    /// Gaps of other tables that a broken hub gives it.
    pub(crate) spread: Vec<NodeInput>,
    pub(crate) due_us: u64,
}

/// The floor.
pub(crate) struct Floor {
    /// Its hub.
    pub(crate) hub: usize,
    pub(crate) plan: FloorPlan,
    pub(crate) tables: Vec<TableSettings>,
    pub(crate) nodes: Vec<FloorNode>,
    pub(crate) ports: Vec<FloorPort>,
    pub(crate) process: Option<FloorProcess>,
    /// Programs that have run, in order.
    pub(crate) programs: Vec<Program>,
    /// Messages that people should look at.
    pub(crate) warnings: Vec<String>,
    /// Nodes whose doubts a broken hub has reported.
    pub(crate) doubted: BTreeSet<String>,
    /// The first broken condition that was noticed in a task of the hub.
    pub(crate) broken: Option<String>,
    /// Next of the plan's acts.
    pub(crate) act: usize,
}

fn path(port: usize) -> PathBuf {
    PathBuf::from(format!("/dev/port-{port}"))
}

/// Path of a device that is found.
fn found_path(port: usize, plugs: u32) -> PathBuf {
    PathBuf::from(format!("/dev/found-{port}-{plugs}"))
}

impl Floor {
    /// A hub's floor; the hub does not run and the nodes have no power.
    pub(crate) fn new(plan: &FloorPlan, seed: u64, hub: usize) -> Floor {
        let plan_of_floor = plan;
        let seed = seed.wrapping_add((hub as u64) << SEED_BITS);
        let node = |(index, &plan): (usize, &NodePlan)| FloorNode {
            id: id_of(plan_of_floor, hub, index),
            plan,
            device: match plan.is_clock {
                true => Device::clock(),
                false if plan_of_floor.weak == Some(index) => Device::board(plan.senses, WEAK),
                false => Device::board(plan.senses, 0),
            },
            power: None,
            foreign: foreign_at(plan_of_floor, index).map(|it| Foreign::new(it, seed)),
            kept: None,
            other: None,
            port: Some(index),
            boots: Vec::new(),
            due_us: u64::MAX,
            was_troubled: false,
            had_bad_line: false,
            met_us: Vec::new(),
            published: None,
        };
        let port = |index: usize| {
            let node = plan.nodes.get(index);
            let (foreign, is_usb) = (foreign_at(plan, index), node.is_some_and(|node| node.is_usb));
            let line = |direction: u64| {
                let seed = seed.wrapping_mul(64).wrapping_add(2 * index as u64 + direction);
                let when = if is_usb { WhenUnplugged::Refused } else { WhenUnplugged::Lost };
                let baud = foreign.map(|foreign| foreign.driver().driver().line().baud);
                let speed = speed(is_usb, plan.jitter_us, baud);
                let speed = plan.line.queued(speed, is_usb, direction == 0);
                Line::new(seed, speed, when, &plan.line.noise)
            };
            let is_found = plan.found.contains(&index);
            FloorPort {
                path: if is_found { found_path(index, 0) } else { path(index) },
                plugs: is_found.then_some(0),
                up: line(0),
                down: line(1),
                node: node.map(|_| index),
                transport: if is_usb { Transport::Packets } else { Transport::Uart },
                is_bad: false,
            }
        };
        let ports = plan.nodes.len() + usize::from(plan.has_spare_port);
        Floor {
            hub,
            plan: plan.clone(),
            tables: (0..plan.tables).map(|table| settings_of(plan, hub, table)).collect(),
            nodes: plan.nodes.iter().enumerate().map(node).collect(),
            ports: (0..ports).map(port).collect(),
            process: None,
            programs: Vec::new(),
            warnings: Vec::new(),
            doubted: BTreeSet::new(),
            broken: None,
            act: 0,
        }
    }

    /// The hub starts from its journal; its clock reads `hub_now_us` while `now_us` have passed.
    pub(crate) fn start(
        &mut self,
        now_us: u64,
        hub_now_us: u64,
        journal: &Journal,
        sabotage: Sabotage,
    ) {
        self.nodes.iter_mut().for_each(|node| node.met_us.push(now_us));
        let hub_now_us = hub_now_us.max(journal.latest().as_micros() + 1);
        let now = HubTime::from_micros(hub_now_us);
        self.note_program(journal.entries().len());
        let mut hub = Hub::new(self.plan.inputs_max);
        for settings in &self.tables {
            for node in &settings.table.nodes {
                let place = Place { table: settings.table.name.clone(), node: node.clone() };
                let resume = journal.resume_point(&node.id);
                let resume = resume.filter(|_| sabotage != Sabotage::ResumesFromNothing);
                let kept = self.nodes.iter().find(|it| it.id == node.id);
                hub.add_node(place, resume, kept.and_then(|it| it.kept.clone()));
            }
        }
        let mut port = |(line, port): (usize, &FloorPort)| {
            let about =
                About { path: port.path.clone(), meant_for: Some("sim".to_owned()), rate: 1.0 };
            let node = self.nodes.get(line);
            let settings = node.map_or_else(DriverSettings::default, |node| self.driver_of(node));
            let new_driver = Box::new(move || settings.driver());
            PortProcess::new(hub.add_port(about, new_driver, now), line, port.path.clone(), now_us)
        };
        let ports = self.ports.iter().enumerate().filter(|(_, port)| port.plugs.is_none());
        let ports = ports.map(&mut port).collect();
        let mut table = |settings: &TableSettings| {
            let name = &settings.table.name;
            let mut recovered = journal.recovered(name);
            if sabotage == Sabotage::OtherProgramsAreNotNoticed {
                recovered.said_by = settings.said_by();
            }
            let mut recovery = Recovery::new(settings.clone(), &recovered);
            for line in journal.replay(name, recovered.input_id) {
                recovery.replay(&serde_json::from_str(line).expect("a line of the journal"));
            }
            let orders = match sabotage {
                Sabotage::OrdersAreNotRecovered => Vec::new(),
                _ => journal.orders(name, KNOWN_MAX),
            };
            let standing = match recovery.is_at_odds() {
                true if sabotage != Sabotage::ForgetsWhatStands => journal.standing(name),
                _ => Vec::new(),
            };
            let id = hub.add_table(name, recovery.finish(now, orders, standing));
            TableProcess { id, spread: Vec::new(), due_us: now_us }
        };
        let tables = self.tables.iter().map(&mut table).collect();
        let epoch_us = hub_now_us - now_us;
        let discovery = Discovery::default();
        self.process = Some(FloorProcess { epoch_us, hub, discovery, ports, tables });
    }

    /// The driver that the configuration gives a node.
    fn driver_of(&self, node: &FloorNode) -> DriverSettings {
        let configured = self.tables[node.plan.table].table.nodes.iter();
        let of_node = configured.filter(|it| it.id == node.id).map(|it| it.driver.clone()).next();
        of_node.unwrap_or_default()
    }

    pub(crate) fn table_named(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|settings| settings.table.name == name)
    }

    pub(crate) fn node_named(&mut self, id: &str) -> Option<&mut FloorNode> {
        self.nodes.iter_mut().find(|node| node.id == id)
    }

    pub(crate) fn nodes_of(&self, table: usize) -> impl Iterator<Item = &FloorNode> {
        self.nodes.iter().filter(move |node| node.plan.table == table)
    }

    /// Keeps what people should look at.
    pub(crate) fn note(&mut self, notice: Notice) {
        if matches!(notice.level, Level::Warning | Level::Error) {
            self.warnings.push(notice.words);
        }
    }

    /// Whether nodes, ports and tables have handed on everything. If not, what is left, in words.
    pub(crate) fn unsettled(&self, now_us: u64) -> Option<String> {
        let Some(process) = &self.process else { return Some("the hub is off".to_owned()) };
        for node in &self.nodes {
            if let Some(foreign) = &node.foreign {
                if foreign.journalled != Some(node.device.occupied()) {
                    return Some(format!("not all of {} is journalled", node.id));
                }
                if !foreign.is_clock_known(now_us) {
                    return Some(format!("the clock at {} shows what no journal has", node.id));
                }
                continue;
            }
            let held = node.power.as_ref().map(|node| node.buffered());
            if held != Some(0) {
                return Some(format!("{} holds {held:?} events", node.id));
            }
            if node.is_weak() != node.is_doubted() {
                return Some(format!("directors see of {}: {:?}", node.id, node.published));
            }
        }
        for (table, inputs) in process.tables.iter().filter_map(|it| process.hub.table(it.id)) {
            let waiting = table.waiting();
            if waiting > 0 || inputs > 0 {
                return Some(format!("a table has {waiting} values and {inputs} inputs waiting"));
            }
        }
        None
    }
}

impl PortProcess {
    pub(crate) fn new(id: PortId, line: usize, path: PathBuf, due_us: u64) -> PortProcess {
        PortProcess { id, line, path, has_ended: false, is_open: false, due_us }
    }
}

impl FloorPort {
    /// A device was plugged in: one that is found has another path each time.
    pub(crate) fn rename(&mut self, index: usize) {
        if let Some(plugs) = &mut self.plugs {
            *plugs += 1;
            self.path = found_path(index, *plugs);
        }
    }
}

impl FloorNode {
    pub(crate) fn board(&self) -> BoardId {
        if self.plan.on_b { BoardId::B } else { BoardId::A }
    }

    fn is_weak(&self) -> bool {
        self.device.weak() != 0
    }

    /// Whether a weak contact of it is on the directors' list.
    fn is_doubted(&self) -> bool {
        let is_faulty = |it: &message::NodeStateChanged| it.state() == message::NodeState::Faulty;
        self.published.as_ref().is_some_and(|it| is_faulty(it) && it.detail.contains("weak"))
    }

    /// Whether a board of another maker has power: over USB it has none while its cable is out.
    pub(crate) fn has_foreign_power(&self) -> bool {
        let has_supply = !self.plan.is_usb || self.port.is_some();
        self.foreign.as_ref().is_some_and(|foreign| foreign.is_on) && has_supply
    }

    /// The life of it that a boot id names.
    pub(crate) fn boot(&mut self, boot_id: u32) -> Option<&mut NodeBoot> {
        self.boots.iter_mut().rev().find(|boot| boot.id == boot_id)
    }
}

impl FloorProcess {
    /// The match that is open at a table.
    pub(crate) fn match_id(&self, table: usize) -> Option<&str> {
        let (table, _) = self.hub.table(self.tables[table].id)?;
        table.match_id()
    }

    pub(crate) fn now(&self, now_us: u64) -> HubTime {
        HubTime::from_micros(self.epoch_us + now_us)
    }

    /// Time of the run at which hub time reads `at`, µs.
    pub(crate) fn run_us(&self, at: HubTime) -> u64 {
        at.as_micros().saturating_sub(self.epoch_us)
    }
}

/// The journal's offset of a node goes on only: within a boot it never goes back.
pub(crate) fn goes_back(before: Option<ResumePoint>, after: Option<ResumePoint>) -> bool {
    matches!((before, after), (Some(before), Some(after)) if before.boot_id == after.boot_id && after.sequence < before.sequence)
        || (before.is_some() && after.is_none())
}

/// A line; of another speed than our own nodes' if a baud rate is given.
fn speed(is_usb: bool, jitter_us: u64, baud: Option<u32>) -> LineSpeed {
    let jitter = Jitter::Uniform(jitter_us);
    let byte_ns = baud.map_or(UART_BYTE_NS, |baud| BITS_PER_BYTE * 1_000_000_000 / u64::from(baud));
    let (byte_ns, latency_us) = if is_usb { (1_000, 125) } else { (byte_ns, 500) };
    LineSpeed { byte_ns, latency_us, jitter, queue_bytes: 4_096, receive_bytes: 4_096 }
}

/// Plan of a node that is a board of another maker.
fn foreign_at(plan: &FloorPlan, node: usize) -> Option<ForeignPlan> {
    plan.foreign.filter(|foreign| foreign.node == node)
}

fn id_of(plan: &FloorPlan, hub: usize, node: usize) -> String {
    let ours = || format!("node-{}", NODES_OF_HUB * hub + node);
    foreign_at(plan, node).map_or_else(ours, |foreign| foreign.id())
}

/// The sensor of a node of ours, as a configuration names it.
fn sensor(sensor: proto::link::SensorKind) -> SensorKind {
    match sensor {
        proto::link::SensorKind::Reed => SensorKind::Reed,
        proto::link::SensorKind::HallPolarity => SensorKind::HallPolarity,
        proto::link::SensorKind::HallMagnitude => SensorKind::HallMagnitude,
    }
}

fn settings_of(plan: &FloorPlan, hub: usize, table: usize) -> TableSettings {
    let here = || plan.nodes.iter().enumerate().filter(|(_, node)| node.table == table);
    let has_two = here().any(|(_, node)| node.on_b);
    let (game, rulebook) = match has_two {
        true => (Game::Bughouse, BookId::UsChessBughouse2018),
        false => (Game::Chess, BookId::NcScholastic),
    };
    let node = |(index, node): (usize, &NodePlan)| settings::Node {
        board: if node.on_b { BoardId::B } else { BoardId::A },
        kind: if node.is_clock { settings::NodeKind::Clock } else { settings::NodeKind::Board },
        sensor: foreign_at(plan, index).map_or(sensor(node.senses.sensor), |it| it.sensor()),
        trays: node.senses.trays,
        id: id_of(plan, hub, index),
        label: None,
        port: (!plan.found.contains(&index)).then(|| path(index)),
        driver: foreign_at(plan, index).map_or(DriverSettings::Twinboard, |it| it.driver()),
    };
    TableSettings {
        hub_id: crate::hub::id(hub),
        table: settings::TableConfig {
            name: format!("{}", TABLES_OF_HUB * hub + table + 1),
            game,
            rulebook,
            time: TimeControl::sudden_death(180, 0).expect("a time control"),
            nodes: here().map(node).collect(),
            levers: Vec::new(),
        },
        release: "sim".to_owned(),
        rate: 1.0,
        follower: if plan.spared == Some(table) { follower::by_board } else { follower::stub },
    }
}
