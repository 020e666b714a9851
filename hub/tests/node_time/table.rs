//! A board and a clock at one hub, in virtual time: each reading's hub time against the true one.

use hub::drivers::{ConnectionState, Driver, DriverSettings, Output, Transport, Unit};
use link_sim::line::{Jitter, LineSpeed};
use proto::link::HubTime;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::node::{Crystal, Node};

/// Hub time of true time 0.
const ORIGIN_US: u64 = 1_700_000_000_000_000;

/// When the hub gets the processor after there is something for it to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Processor {
    /// After an exponentially distributed time of this mean, µs.
    Shared(f64),
    /// After a time between these, µs.
    Starved(u64, u64),
}

/// A node's cable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cable {
    pub(crate) up: LineSpeed,
    pub(crate) down: LineSpeed,
    /// What the hub takes the line for.
    pub(crate) carrier: Transport,
}

/// A hall's equipment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equipment {
    pub(crate) name: &'static str,
    /// The board's, and the clock's.
    pub(crate) cables: [Cable; 2],
    pub(crate) processor: Processor,
    /// Whether the hub now and then does not read for up to half a second.
    pub(crate) stalls: bool,
}

/// What befalls a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Troubles {
    pub(crate) board: Crystal,
    pub(crate) clock: Crystal,
    /// Share of the writes that are lost.
    pub(crate) lost: f64,
    /// When the nodes lose their power for a moment, µs.
    pub(crate) restart_us: Option<u64>,
    pub(crate) lasts_us: u64,
    /// Longest time between an event of the board and one of the clock, if they come in pairs, µs.
    pub(crate) pairs_within_us: Option<u64>,
}

/// A reading that was handed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) is_board: bool,
    /// When it was made, true time in µs.
    pub(crate) at_us: u64,
    /// When what it is about happened, true time in µs: up to a scan before.
    pub(crate) happened_us: u64,
    /// From the node's first frame in this boot until it was made, µs; 0 if it was made before.
    pub(crate) known_for_us: u64,
    /// Its hub time, minus the true one, µs.
    pub(crate) error_us: i64,
    /// Largest error that the driver has published, µs.
    pub(crate) stated_us: Option<u32>,
}

struct Port {
    node: Node,
    driver: Box<dyn Driver>,
    met_us: Option<u64>,
    is_admitted: bool,
    stated_us: Option<u32>,
}

struct Table {
    rng: ChaCha8Rng,
    equipment: Equipment,
    ports: [Port; 2],
    /// When the hub's turn comes.
    wakes_us: Option<u64>,
    stall_us: u64,
    placed: Vec<Placed>,
}

/// Plays a run.
pub(crate) fn play(seed: u64, equipment: Equipment, troubles: Troubles) -> Vec<Placed> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut earlier: Vec<u64> = Vec::new();
    let ports = [(true, troubles.board), (false, troubles.clock)].map(|(is_board, crystal)| {
        let cable = equipment.cables[usize::from(!is_board)];
        let edges = match troubles.pairs_within_us.filter(|_| !is_board) {
            Some(within_us) => {
                let beside =
                    |at_us: &u64| (at_us + rng.random_range(0..=2 * within_us)) - within_us;
                earlier.iter().map(beside).collect()
            }
            None => edges(&mut rng, &troubles),
        };
        earlier.clone_from(&edges);
        let lines = (cable.up, cable.down);
        let node_seed = rng.random();
        let node = Node::new(node_seed, is_board, crystal, lines, troubles.lost, edges);
        let mut driver = DriverSettings::Twinboard.driver();
        driver.set_transport(cable.carrier);
        driver.opened(HubTime::from_micros(ORIGIN_US));
        Port { node, driver, met_us: None, is_admitted: false, stated_us: None }
    });
    let mut table =
        Table { rng, equipment, ports, wakes_us: Some(0), stall_us: 5_000_000, placed: Vec::new() };
    table.run(troubles);
    table.placed
}

/// Times of a node's events.
fn edges(rng: &mut ChaCha8Rng, troubles: &Troubles) -> Vec<u64> {
    let apart_us = match troubles.pairs_within_us {
        // Far enough apart for both of a pair to be nearer to each other than to any other.
        Some(within_us) => 4 * within_us..1_500_000,
        None => 6_000..1_500_000,
    };
    let mut edges = Vec::new();
    let mut edge_us = rng.random_range(0..500_000) + troubles.pairs_within_us.unwrap_or(0);
    while edge_us < troubles.lasts_us {
        edges.push(edge_us);
        edge_us += rng.random_range(apart_us.clone());
    }
    edges
}

impl Table {
    fn run(&mut self, troubles: Troubles) {
        let mut now_us = 0;
        let mut restart_us = troubles.restart_us;
        while now_us < troubles.lasts_us {
            if restart_us.is_some_and(|at_us| at_us <= now_us) {
                restart_us = None;
                for port in &mut self.ports {
                    port.node.start(now_us);
                    port.met_us = None;
                }
            }
            if self.equipment.stalls && now_us >= self.stall_us {
                let lasts_us = self.rng.random_range(50_000..500_000);
                let port = self.rng.random_range(0..self.ports.len());
                self.ports[port].node.up.stall(now_us + lasts_us);
                self.stall_us = now_us + self.rng.random_range(500_000..8_000_000);
            }
            self.ports.iter_mut().for_each(|port| port.node.turn(now_us));
            if self.wakes_us.is_some_and(|at_us| at_us <= now_us) {
                self.wakes_us = None;
                self.hub_turn(now_us);
            }
            if self.wakes_us.is_none() && self.hub_ready_us() <= now_us {
                self.wakes_us = Some(now_us + self.until_processor());
            }
            let nodes_us = self.ports.iter().map(|port| port.node.next_us(now_us)).min();
            let hub_us = self.wakes_us.unwrap_or_else(|| self.hub_ready_us());
            now_us = nodes_us.unwrap_or(u64::MAX).min(hub_us).max(now_us + 1);
        }
    }

    fn until_processor(&mut self) -> u64 {
        match self.equipment.processor {
            Processor::Shared(mean_us) => {
                let uniform: f64 = self.rng.random();
                (-mean_us * (1.0 - uniform).ln()) as u64
            }
            Processor::Starved(least_us, most_us) => self.rng.random_range(least_us..most_us),
        }
    }

    /// When there is something for the hub to do.
    fn hub_ready_us(&self) -> u64 {
        let arrivals = self.ports.iter().filter_map(|port| port.node.up.next_arrival_us());
        let due = self.ports.iter().map(|port| port.driver.next_due().micros_since(hub_time(0)));
        arrivals.chain(due).min().unwrap_or(u64::MAX)
    }

    fn hub_turn(&mut self, now_us: u64) {
        let now = hub_time(now_us);
        for port in &mut self.ports {
            let received = port.node.up.receive(now_us);
            if !received.is_empty() {
                port.driver.receive(now, &received);
            }
            if port.driver.next_due() <= now {
                port.driver.poll(now);
            }
            while let Some(output) = port.driver.poll_output() {
                port.take(now_us, output, &mut self.placed);
            }
            let mut bytes = [0; 1_024];
            let length = port.driver.transmit(&mut bytes);
            port.node.down.send(now_us, &bytes[..length]);
        }
    }
}

impl Port {
    fn take(&mut self, now_us: u64, output: Output, placed: &mut Vec<Placed>) {
        match output {
            Output::Present(device) => {
                if !std::mem::replace(&mut self.is_admitted, true) {
                    self.driver
                        .admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
                }
                if device.boot_id == Some(self.node.boot_id()) {
                    self.met_us.get_or_insert(now_us);
                }
            }
            Output::Readings { readings, reached, .. } => {
                let Some(reached) = reached else { return };
                self.driver.committed(Unit::ONLY, reached);
                // One event has one reading here; what is told with HELLO has none.
                let is_present = reached.boot_id == self.node.boot_id();
                if let ([(at, _)], true) = (&readings[..], is_present)
                    && let Some(index) = reached.sequence.checked_sub(1)
                    && let Some(&(true_us, happened_us)) = self.node.truth.get(index as usize)
                {
                    placed.push(Placed {
                        is_board: self.node.is_board(),
                        at_us: true_us,
                        happened_us,
                        known_for_us: self
                            .met_us
                            .map_or(0, |met_us| true_us.saturating_sub(met_us)),
                        error_us: at.as_micros() as i64 - (ORIGIN_US + true_us) as i64,
                        stated_us: self.stated_us,
                    });
                }
            }
            Output::Timed { error_us, .. } => self.stated_us = Some(error_us),
            _ => {}
        }
    }
}

fn hub_time(true_us: u64) -> HubTime {
    HubTime::from_micros(ORIGIN_US + true_us)
}

/// A line that carries packets: USB.
pub(crate) const fn usb(jitter: Jitter) -> LineSpeed {
    LineSpeed { byte_ns: 1_000, latency_us: 125, jitter, queue_bytes: 4_096, receive_bytes: 4_096 }
}

/// A UART at 115,200 baud.
pub(crate) const fn uart(jitter: Jitter) -> LineSpeed {
    LineSpeed { byte_ns: 86_806, latency_us: 0, jitter, queue_bytes: 4_096, receive_bytes: 4_096 }
}
