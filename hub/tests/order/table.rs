//! A table of four nodes at one hub, in virtual time.

use hub::drivers::{ConnectionState, Driver, DriverSettings, Output, Transport, Unit};
use hub::record::NodeState;
use hub::reorder::{Reorder, Source};
use link_sim::line::LineSpeed;
use proto::link::{HubTime, ResumePoint};
use rand::seq::SliceRandom as _;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::node::{Crystal, Node};

/// Hub time of true time 0.
const ORIGIN_US: u64 = 1_700_000_000_000_000;
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

/// What waits in the reorder.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    node: usize,
    reached: Option<ResumePoint>,
    /// Whether it is one of the readings that are counted: not a first state.
    is_event: bool,
}

struct Hub {
    drivers: Vec<Box<dyn Driver>>,
    is_admitted: [bool; NODES],
    is_connected: [bool; NODES],
    reorder: Reorder<Waiting>,
    /// Ports have said something to the table that it has not looked at.
    has_news: bool,
    /// When it does something.
    wakes_us: Option<u64>,
    started_us: u64,
}

struct World {
    load: Load,
    rng: ChaCha8Rng,
    nodes: Vec<Node>,
    hub: Option<Hub>,
    /// What the journal holds: how far each node has come, and the time of the last reading.
    journal: ([Option<ResumePoint>; NODES], HubTime),
    /// The hub gets no processor until then.
    stalled_until_us: u64,
    told: Vec<Told>,
    asked: usize,
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
        Node::new(rng.random(), is_board, crystal, (load.up, load.down), 0.0, edges)
    });
    let nodes = nodes.collect();
    let journal = ([None; NODES], HubTime::ZERO);
    let (told, hub) = (Vec::new(), None);
    let mut world = World { load, rng, nodes, hub, journal, stalled_until_us: 0, told, asked: 0 };
    world.run();
    Run { truth, told: world.told, asked: world.asked }
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
                self.hub = None;
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
        let name = |index: usize| index.to_string();
        let sources: Vec<Source> =
            (0..NODES).map(|index| Source { node: name(index), tells: true }).collect();
        let carrier = if self.load.is_wire { Transport::Uart } else { Transport::Packets };
        let driver = |_| {
            let mut driver = DriverSettings::Twinboard.driver();
            driver.set_transport(carrier);
            driver.opened(hub_time(now_us));
            driver
        };
        self.hub = Some(Hub {
            drivers: (0..NODES).map(driver).collect(),
            is_admitted: [false; NODES],
            is_connected: [false; NODES],
            reorder: Reorder::new(&sources, self.journal.1, hub_time(now_us), 1.0),
            has_news: false,
            wakes_us: Some(now_us),
            started_us: now_us,
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
        let drivers = hub.drivers.iter().map(|driver| driver.next_due());
        let due = drivers.chain(hub.reorder.next_due(None));
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
        if let Some(hub) = self.hub.as_mut().filter(|hub| hub.has_news) {
            hub.wakes_us = Some(now_us + pause_us);
        }
    }

    fn port_turn(&mut self, now_us: u64, index: usize) {
        let Some(hub) = &mut self.hub else { return };
        let (node, driver) = (&mut self.nodes[index], &mut hub.drivers[index]);
        let now = hub_time(now_us);
        let received = node.up.receive(now_us);
        if !received.is_empty() {
            driver.receive(now, &received);
        }
        if driver.next_due() <= now {
            driver.poll(now);
        }
        while let Some(output) = driver.poll_output() {
            hub.has_news = true;
            match output {
                Output::Present(_) if !hub.is_admitted[index] => {
                    hub.is_admitted[index] = true;
                    let resume = self.journal.0[index];
                    driver.admit(Unit::ONLY, ConnectionState::New { resume, kept: None });
                }
                Output::Heard(_) if hub.is_admitted[index] && !hub.is_connected[index] => {
                    hub.is_connected[index] = true;
                    hub.reorder.note_state(&index.to_string(), NodeState::Connected, now);
                }
                Output::Watermark { until, .. } => hub.reorder.watermark(&index.to_string(), until),
                Output::Readings { readings, reached, .. } => {
                    let is_event = reached.is_some() && !readings.is_empty();
                    let at = readings.first().map_or(now, |(at, _)| *at);
                    hub.reorder.push(at, Waiting { node: index, reached, is_event });
                }
                _ => {}
            }
        }
    }

    /// The ports send what their drivers have to say.
    fn transmit(&mut self, now_us: u64) {
        let Some(hub) = &mut self.hub else { return };
        for (driver, node) in hub.drivers.iter_mut().zip(&mut self.nodes) {
            let mut bytes = [0; 1_024];
            let length = driver.transmit(&mut bytes);
            node.down.send(now_us, &bytes[..length]);
        }
    }

    fn table_turn(&mut self, now_us: u64) {
        let Some(hub) = &mut self.hub else { return };
        let now = hub_time(now_us);
        hub.has_news = false;
        let until = hub.reorder.safe_until(now, None);
        assert_eq!(hub.reorder.poll_late(), None, "all nodes are well");
        while let Some((at, Waiting { node, reached, is_event })) = hub.reorder.pop(until) {
            assert!(at >= self.journal.1 && at <= now);
            self.journal.1 = at;
            let Some(reached) = reached else { continue };
            self.journal.0[node] = Some(reached);
            hub.drivers[node].committed(Unit::ONLY, reached);
            let Some(&true_us) =
                self.nodes[node].truth.get((reached.sequence as usize).wrapping_sub(1))
            else {
                continue;
            };
            if is_event {
                self.told.push(Told {
                    what: (node, reached.sequence),
                    late_us: now_us - true_us,
                    is_settled: true_us >= hub.started_us + SETTLED_US,
                });
            }
        }
        if let Some(wanted) = hub.reorder.watermark_request(now, None) {
            self.asked += 1;
            for driver in &mut hub.drivers {
                driver.request_watermark(Unit::ONLY, now, wanted);
            }
        }
    }
}

fn hub_time(true_us: u64) -> HubTime {
    HubTime::from_micros(ORIGIN_US + true_us)
}
