//! A table of four nodes at one hub, in virtual time: the ports and the table that are shipped, and the simulation's model of the journal.

use std::collections::BTreeSet;

use ::hub::drivers::{DriverSettings, Transport};
use hall_sim::{Command, Journal};
use hub_core::hub::{self, HubInput, HubOutput, Id, PortId, TableId};
use hub_core::input::NodeInput;
use hub_core::journal::Entry;
use hub_core::notice::{Level, Notice};
use hub_core::port::{About, Place, PortInput};
use hub_core::session::tracker;
use hub_core::settings;
use hub_core::table::{Recovery, TableSettings};
use link_sim::line::LineSpeed;
use proto::link::HubTime;
use rand::seq::SliceRandom as _;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::node::{Crystal, Node};

/// Hub time of true time 0.
const ORIGIN_US: u64 = 1_700_000_000_000_000;
/// The table.
const TABLE: &str = "1";
/// Boards and clocks.
const NODES: usize = 4;
/// Length of a run in which something is read, and of the rest until all has been told, µs.
const LASTS_US: u64 = 40_000_000;
const REST_US: u64 = 8_000_000;
/// Least and longest time between two readings of any nodes, µs.
const APART_US: (u64, u64) = (6_000, 200_000);
/// When the hub starts: nodes have read something by then.
const HUB_STARTS_US: u64 = 1_500_000;
/// What was read so long after a start of the hub is told as soon as it will ever be, µs.
const SETTLED_US: u64 = 1_000_000;
/// When the hub is killed, and how long it is gone, µs.
const KILLED_US: u64 = 18_000_000;
const GONE_US: u64 = 700_000;
/// Until when the hub stalls, µs: then it has to tell everything in time.
const CALM_FROM_US: u64 = LASTS_US;

/// What befalls the lines and the hub.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) name: &'static str,
    pub(crate) up: LineSpeed,
    pub(crate) down: LineSpeed,
    /// Whether the hub takes the lines for wires.
    pub(crate) is_wire: bool,
    /// After how long the hub gets the processor, between these, µs.
    pub(crate) processor_us: (u64, u64),
    /// Whether single lines stand still for up to half a second now and then.
    pub(crate) bus_stalls: bool,
    /// Whether the hub does, at its start and later.
    pub(crate) hub_stalls: bool,
    /// Whether it is killed in the middle.
    pub(crate) is_killed: bool,
    /// By what the nodes' crystals are too fast, in millionths.
    pub(crate) crystals_ppm: [f64; NODES],
}

/// A reading: its node, and its number among those of the node.
pub(crate) type What = (usize, u32);

/// A reading that left the reorder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) what: What,
    /// How long after it was made, µs.
    pub(crate) late_us: u64,
    /// The hub had been there for a while.
    pub(crate) is_settled: bool,
}

/// What came of a run.
pub(crate) struct Run {
    /// What was read, in order.
    pub(crate) truth: Vec<What>,
    pub(crate) told: Vec<Told>,
    /// How often the nodes were asked until when they have told everything.
    pub(crate) asked: usize,
}

/// A hub's ports and its table.
struct Hub {
    core: hub::Hub,
    ports: Vec<PortId>,
    table: TableId,
    /// When it does something.
    wakes_us: Option<u64>,
    started_us: u64,
    boot_id: u64,
    next_sequence: u64,
}

struct World {
    load: Load,
    rng: ChaCha8Rng,
    nodes: Vec<Node>,
    hub: Option<Hub>,
    journal: Journal,
    /// The hub gets no processor until then.
    stalled_until_us: u64,
    /// Events of nodes with a reading, as the table was told.
    events: BTreeSet<What>,
    told: Vec<Told>,
    asked: u64,
}

/// Plays a run.
pub(crate) fn play(seed: u64, load: Load) -> Run {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut edges = vec![Vec::new(); NODES];
    let mut truth = Vec::new();
    let mut at_us = 300_000;
    while at_us < LASTS_US {
        let node = rng.random_range(0..NODES);
        edges[node].push(at_us);
        truth.push((node, edges[node].len() as u32));
        // Mostly as close as in play, now and then far apart.
        let most_us = if rng.random_bool(0.5) { APART_US.0 * 3 } else { APART_US.1 };
        at_us += rng.random_range(APART_US.0..most_us);
    }
    let nodes = edges.into_iter().enumerate().map(|(index, edges)| {
        let crystal = Crystal { drift_ppm: load.crystals_ppm[index], wander_ppm: 1.0 };
        let is_board = index % 2 == 0;
        let lines = (load.up, load.down);
        Node::new(rng.random(), is_board, crystal, lines, 0.0, edges).named(&name(index))
    });
    let nodes = nodes.collect();
    let mut world = World {
        load,
        rng,
        nodes,
        hub: None,
        journal: Journal::new(1_000, 1),
        stalled_until_us: 0,
        events: BTreeSet::new(),
        told: Vec::new(),
        asked: 0,
    };
    world.run();
    let asked = world.asked + world.hub.as_ref().map_or(0, |hub| hub.core.watermarks_wanted());
    Run { truth, told: world.told, asked: asked as usize }
}

impl World {
    fn run(&mut self) {
        let mut starts_us = Some(HUB_STARTS_US);
        let mut killed_us = self.load.is_killed.then_some(KILLED_US);
        let (mut hub_stalls_us, mut bus_stalls_us) = (HUB_STARTS_US, HUB_STARTS_US);
        let mut now_us = 0;
        while now_us < LASTS_US + REST_US {
            if starts_us.is_some_and(|at_us| at_us <= now_us) {
                starts_us = None;
                self.start_hub(now_us);
                hub_stalls_us = now_us + 1_000;
            }
            if killed_us.is_some_and(|at_us| at_us <= now_us) {
                killed_us = None;
                let killed = self.hub.take();
                self.asked += killed.map_or(0, |hub| hub.core.watermarks_wanted());
                starts_us = Some(now_us + GONE_US);
            }
            if self.load.hub_stalls && now_us >= hub_stalls_us && now_us < CALM_FROM_US {
                self.stalled_until_us = now_us + self.rng.random_range(50_000..500_000);
                hub_stalls_us = self.stalled_until_us + self.rng.random_range(100_000..6_000_000);
            }
            if self.load.bus_stalls && now_us >= bus_stalls_us && now_us < CALM_FROM_US {
                let node = self.rng.random_range(0..NODES);
                let lasts_us = self.rng.random_range(50_000..500_000);
                self.nodes[node].up.stall(now_us + lasts_us);
                bus_stalls_us = now_us + self.rng.random_range(100_000..4_000_000);
            }
            self.nodes.iter_mut().for_each(|node| node.turn(now_us));
            self.hub_turn(now_us);
            let nodes_us = self.nodes.iter().map(|node| node.next_us(now_us)).min();
            let coming = [Some(self.hub_next_us()), nodes_us, starts_us, killed_us];
            let next_us = coming.into_iter().flatten().min().unwrap_or(u64::MAX);
            now_us = next_us.max(now_us + 1);
        }
    }

    fn start_hub(&mut self, now_us: u64) {
        let now = hub_time(now_us);
        let table = settings();
        let mut core = hub::Hub::default();
        for node in &table.nodes {
            let place = Place { table: TABLE.to_owned(), node: node.clone() };
            core.add_node(place, self.journal.resume_point(&node.id), None);
        }
        let mut port = |index: usize| {
            let driver = Box::new(|| DriverSettings::Twinboard.driver());
            let about = About { path: name(index).into(), meant_for: Some(name(index)), rate: 1.0 };
            core.add_port(about, driver, now)
        };
        let ports = (0..NODES).map(&mut port).collect();
        let settings = TableSettings {
            hub_id: "hub-1".to_owned(),
            table,
            release: "1".to_owned(),
            rate: 1.0,
            follower: tracker,
        };
        let recovered = self.journal.recovered(TABLE);
        let mut recovery = Recovery::new(settings, &recovered);
        for line in self.journal.replay(TABLE, recovered.input_id) {
            recovery.replay(&serde_json::from_str(line).unwrap());
        }
        let table = core.add_table(TABLE, recovery.finish(now, Vec::new(), Vec::new()));
        self.hub = Some(Hub {
            core,
            ports,
            table,
            wakes_us: Some(now_us),
            started_us: now_us,
            boot_id: now_us,
            next_sequence: 1,
        });
    }

    /// When the hub does something next, unless it stalls.
    fn hub_next_us(&self) -> u64 {
        let Some(hub) = &self.hub else { return u64::MAX };
        hub.wakes_us.unwrap_or_else(|| self.hub_ready_us()).max(self.stalled_until_us)
    }

    /// When there is something for the hub to do.
    fn hub_ready_us(&self) -> u64 {
        let Some(hub) = &self.hub else { return u64::MAX };
        let arrivals = self.nodes.iter().filter_map(|node| node.up.next_arrival_us());
        let all = hub.ports.iter().map(|port| Id::Port(*port)).chain([Id::Table(hub.table)]);
        let due = all.filter_map(|id| hub.core.poll_timeout(id));
        arrivals.chain(due.map(|due| due.micros_since(hub_time(0)))).min().unwrap_or(u64::MAX)
    }

    fn hub_turn(&mut self, now_us: u64) {
        if now_us < self.stalled_until_us {
            return;
        }
        let ready_us = self.hub_ready_us();
        let (least_us, most_us) = self.load.processor_us;
        let pause_us = self.rng.random_range(least_us..most_us);
        let Some(hub) = &mut self.hub else { return };
        if hub.wakes_us.is_none() && ready_us <= now_us {
            hub.wakes_us = Some(now_us + pause_us);
        }
        if hub.wakes_us.is_none_or(|at_us| at_us > now_us) {
            return;
        }
        hub.wakes_us = None;
        // Ports and table are tasks of their own: who gets the processor first is chance.
        let mut tasks: Vec<Option<usize>> = (0..NODES).map(Some).chain([None]).collect();
        tasks.shuffle(&mut self.rng);
        for task in tasks {
            match task {
                Some(index) => self.port_turn(now_us, index),
                None => self.table_turn(now_us),
            }
        }
        self.transmit(now_us);
        // What a port has said after the table's turn wakes the table again.
        if let Some(hub) = &mut self.hub
            && std::iter::from_fn(|| hub.core.poll_wake()).any(|id| id == Id::Table(hub.table))
        {
            hub.wakes_us = Some(now_us + pause_us);
        }
    }

    fn port_turn(&mut self, now_us: u64, index: usize) {
        let Some(hub) = &mut self.hub else { return };
        let (now, port) = (hub_time(now_us), hub.ports[index]);
        let received = self.nodes[index].up.receive(now_us);
        let input = match received.is_empty() {
            true => PortInput::Time,
            false => PortInput::Received(&received),
        };
        hub.core.handle(now, HubInput::Port(port, input));
        while let Some(output) = hub.core.poll_output(Id::Port(port)) {
            match output {
                HubOutput::Open => {
                    let is_wire = self.load.is_wire;
                    let carrier = if is_wire { Transport::Uart } else { Transport::Packets };
                    hub.core.handle(now, HubInput::Port(port, PortInput::Opened(carrier)));
                }
                HubOutput::Notice(notice) => check(&notice),
                other => panic!("a node that is well: {other:?}"),
            }
        }
    }

    /// The ports send what their drivers have to say.
    fn transmit(&mut self, now_us: u64) {
        let Some(Hub { core, ports, .. }) = &mut self.hub else { return };
        for (&port, node) in ports.iter().zip(&mut self.nodes) {
            let mut bytes = [0; 1_024];
            let length = core.transmit(hub_time(now_us), port, &mut bytes);
            node.down.send(now_us, &bytes[..length]);
        }
    }

    fn table_turn(&mut self, now_us: u64) {
        let now = hub_time(now_us);
        let Some(hub) = &mut self.hub else { return };
        let (table, Some(mut turn)) = (hub.table, hub.core.begin(hub.table)) else { return };
        for input in &turn.inputs {
            if let NodeInput::Readings { readings, offset: Some(offset), .. } = input
                && !readings.is_empty()
            {
                let node = (0..NODES).find(|&node| name(node) == offset.node_id).unwrap();
                self.events.insert((node, offset.reached.sequence));
            }
        }
        turn.run(now);
        hub.core.end(now, turn);
        while std::iter::from_fn(|| hub.core.poll_wake()).next().is_some() {}
        while let Some(hub) = &mut self.hub
            && let Some(output) = hub.core.poll_output(Id::Table(table))
        {
            match output {
                HubOutput::Commit(entry) => self.commit(now_us, entry),
                HubOutput::Notice(notice) => check(&notice),
                other => panic!("nobody plays or orders: {other:?}"),
            }
        }
    }

    /// An entry is on the disk at once.
    fn commit(&mut self, now_us: u64, entry: Box<Entry>) {
        let Some(hub) = &mut self.hub else { return };
        assert!(entry.inputs.iter().all(|input| input.at <= hub_time(now_us)));
        assert!(entry.inputs.is_sorted_by_key(|input| input.at));
        assert!(entry.inputs.iter().all(|input| input.made == input.at), "nothing comes too late");
        for offset in &entry.offsets {
            let node = (0..NODES).find(|&index| name(index) == offset.node_id).unwrap();
            let what = (node, offset.reached.sequence);
            // HELLO says again what has come.
            if !self.events.remove(&what) {
                continue;
            }
            let (true_us, _) = self.nodes[node].truth[offset.reached.sequence as usize - 1];
            self.told.push(Told {
                what,
                late_us: now_us - true_us,
                is_settled: true_us >= hub.started_us + SETTLED_US,
            });
        }
        self.journal.commit(&[Command::Entry(entry)], hub.boot_id, &mut hub.next_sequence);
        hub.core.handle(hub_time(now_us), HubInput::Committed(hub.table));
    }
}

/// The hands here play no match that could be followed, and all nodes are well.
fn check(notice: &Notice) {
    let is_unfollowed = notice.words.contains("play is not followed");
    let is_calm = matches!(notice.level, Level::Info | Level::Debug);
    assert!(is_calm || is_unfollowed, "all nodes are well: {notice:?}");
}

fn name(index: usize) -> String {
    ["board-a", "clock-a", "board-b", "clock-b"][index].to_owned()
}

/// The table with its four nodes, as a configuration has it.
fn settings() -> settings::Table {
    let node = |index: usize| {
        let board = if index < 2 { "A" } else { "B" };
        let kind = if index.is_multiple_of(2) { "board" } else { "clock" };
        let sensor = if index.is_multiple_of(2) { "sensor = \"hall-magnitude\"\n" } else { "" };
        format!(
            "[[table.node]]\nboard = \"{board}\"\nkind = \"{kind}\"\nnode = \"{}\"\n{sensor}",
            name(index)
        )
    };
    let text = format!(
        "[hub]\nid = \"hub-1\"\njournal = \"hub.sqlite\"\n[broker]\nhost = \"localhost\"\n\
         [[table]]\nname = \"{TABLE}\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n{}",
        (0..NODES).map(node).collect::<String>()
    );
    let config = ::hub::Config::parse(std::path::Path::new("hub.toml"), &text).unwrap();
    assert_eq!(config.left_out, []);
    config.tables[0].clone()
}

fn hub_time(true_us: u64) -> HubTime {
    HubTime::from_micros(ORIGIN_US + true_us)
}
