//! The class of runs in which a serial link is under fire: one table, whose nodes have every kind of sensor and buffers of every size, on lines that
//! do everything to bytes and writes. The rest of the hall is spared, but for the hub's process and its journal.

use link_sim::line::{Jitter, LineSpeed, WriteFaults};
use link_sim::{ByteFault, Writes};
use proto::link::SensorKind;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::ledger::Lateness;
use super::plan::{FloorIncident, FloorPlan, acts, nodes};
use crate::plan::log_uniform;

/// A node's event buffer, bytes: half a minute of furious play does not fit.
const BUFFER_BYTES: usize = 1_024;
/// Further sizes in this class, bytes.
const BUFFERS_BYTES: [usize; 4] = [256, 512, 1_024, 4_096];
/// Size of a UART's FIFO, and of a USB packet endpoint's buffer, bytes.
const FIFO_BYTES: usize = 64;
const PACKETS_BYTES: usize = 256;
/// Shortest and longest pause between two acts in the mean, µs.
const PAUSES_US: (f64, f64) = (1e3, 6e5);
/// Shortest and longest jitter of a line, µs.
const JITTER_US: (f64, f64) = (1e1, 2e4);
/// Longest time until a task of the hub gets the processor, µs: shortest and longest of the runs.
const PROCESSOR_US: (f64, f64) = (1e2, 2e4);
/// Interval between incidents, and duration of one, µs.
const INCIDENTS_MAX: u32 = 12;
const LASTS_US: (f64, f64) = (1e3, 5e6);

/// Distributions of nodes and their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineClass {
    /// Bytes of a node's event buffer.
    pub buffer_bytes: usize,
    /// Way in which both ends write.
    pub writes: Writes,
    /// Faults of bytes on a noisy line.
    pub noise: Vec<ByteFault>,
    /// Whether what is on the far side of a line has the queues of a microcontroller.
    pub has_short_queues: bool,
    /// Interval at which the adapters of UARTs deliver, if there are any, µs.
    pub adapter_us: Option<u64>,
    /// Range of timers that wrap within the time with faults, of every second node, µs.
    pub wraps_within_us: Option<u64>,
}

impl Default for LineClass {
    fn default() -> LineClass {
        LineClass {
            buffer_bytes: BUFFER_BYTES,
            writes: Writes::Frames,
            noise: ByteFault::ALL.to_vec(),
            has_short_queues: false,
            adapter_us: None,
            wraps_within_us: None,
        }
    }
}

impl LineClass {
    fn new(rng: &mut ChaCha8Rng, calm_us: u64) -> LineClass {
        LineClass {
            buffer_bytes: BUFFERS_BYTES[rng.random_range(0..BUFFERS_BYTES.len())],
            writes: match rng.random_bool(0.6) {
                true => Writes::Frames,
                false => Writes::Bytes(rng.random_range(1..=200)),
            },
            noise: ByteFault::ALL.into_iter().filter(|_| rng.random_bool(0.7)).collect(),
            has_short_queues: true,
            adapter_us: None,
            wraps_within_us: Some(calm_us),
        }
    }

    /// The speed of a line with the queues of this class; `is_up`: from a node to the hub.
    pub(super) fn queued(&self, speed: LineSpeed, is_usb: bool, is_up: bool) -> LineSpeed {
        match (self.has_short_queues, is_usb, is_up) {
            (false, false, true) => {
                let jitter = self.adapter_us.map_or(speed.jitter, Jitter::Timer);
                LineSpeed { jitter, ..speed }
            }
            (false, ..) => speed,
            (true, true, _) => LineSpeed { queue_bytes: PACKETS_BYTES, ..speed },
            (true, false, true) => LineSpeed { queue_bytes: FIFO_BYTES, ..speed },
            (true, false, false) => LineSpeed { receive_bytes: FIFO_BYTES, ..speed },
        }
    }

    /// Start value of a node's timer, µs.
    pub(crate) fn timer_start(&self, rng: &mut ChaCha8Rng) -> u32 {
        match self.wraps_within_us {
            Some(within_us) if rng.random_bool(0.5) => {
                u32::MAX - rng.random_range(0..within_us.min(u64::from(u32::MAX))) as u32
            }
            _ => rng.random(),
        }
    }
}

impl FloorPlan {
    /// Draws a floor of this class; faults end at `calm_us`.
    pub(crate) fn of_line_class(rng: &mut ChaCha8Rng, calm_us: u64) -> FloorPlan {
        let mut nodes = nodes(rng, 0);
        for node in nodes.iter_mut().filter(|node| !node.is_clock) {
            let sensors = [SensorKind::Reed, SensorKind::HallPolarity, SensorKind::HallMagnitude];
            node.senses.sensor = sensors[rng.random_range(0..sensors.len())];
            node.senses.trays = rng.random_bool(0.5);
        }
        FloorPlan {
            processor_us: log_uniform(rng, PROCESSOR_US) as u64,
            jitter_us: log_uniform(rng, JITTER_US) as u64,
            line: LineClass::new(rng, calm_us),
            acts: acts(rng, &nodes, 0, calm_us, PAUSES_US),
            incidents: incidents(rng, nodes.len(), calm_us),
            ..FloorPlan::of_nodes(nodes)
        }
    }

    /// Largest delay of bytes.
    pub(crate) fn lateness(&self) -> Lateness {
        let longest = |of: fn(&FloorIncident) -> u64| {
            self.incidents.iter().map(|(_, incident)| of(incident)).max().unwrap_or(0)
        };
        let late_us = longest(|incident| match incident {
            FloorIncident::Writes(_, faults) => faults.window_us,
            _ => 0,
        });
        let stall_us = longest(|incident| match incident {
            FloorIncident::Stall(_, lasts_us) | FloorIncident::NodeStall(_, lasts_us) => *lasts_us,
            _ => 0,
        });
        Lateness {
            line_us: self.jitter_us + late_us + self.line.adapter_us.unwrap_or(0),
            processor_us: self.processor_us,
            // In other runs a line stalls in one direction, and seldom when its node is met.
            stall_us: if self.line == LineClass::default() { 0 } else { stall_us },
        }
    }
}

fn incidents(rng: &mut ChaCha8Rng, nodes: usize, calm_us: u64) -> Vec<(u64, FloorIncident)> {
    let mut incidents = Vec::new();
    for port in 0..nodes {
        if rng.random_bool(0.6) {
            incidents.push((0, FloorIncident::Noise(port, noise_rate(rng))));
        }
        if rng.random_bool(0.4) {
            incidents.push((0, FloorIncident::Writes(port, write_faults(rng))));
        }
    }
    for _ in 0..rng.random_range(0..=INCIDENTS_MAX) {
        let at_us = rng.random_range(0..calm_us);
        let lasts_us = log_uniform(rng, LASTS_US) as u64;
        let (end_us, node) = (at_us + lasts_us, rng.random_range(0..nodes));
        match rng.random_range(0..7) {
            0 => incidents.extend([
                (at_us, FloorIncident::Noise(node, noise_rate(rng))),
                (end_us, FloorIncident::Noise(node, 0.0)),
            ]),
            1 => incidents.extend([
                (at_us, FloorIncident::Writes(node, write_faults(rng))),
                (end_us, FloorIncident::Writes(node, WriteFaults::default())),
            ]),
            2 => incidents.push((at_us, FloorIncident::Stall(node, lasts_us))),
            3 => incidents.push((at_us, FloorIncident::NodeStall(node, lasts_us))),
            4 => incidents.extend([
                (at_us, FloorIncident::Unplug(node)),
                (end_us, FloorIncident::PlugIn(node)),
            ]),
            5 if rng.random_bool(0.2) => incidents.extend([
                (at_us, FloorIncident::OtherRelease(node)),
                (end_us, FloorIncident::NodeOff(node)),
                (end_us + 1, FloorIncident::NodeOn(node)),
            ]),
            _ => incidents.extend([
                (at_us, FloorIncident::NodeOff(node)),
                (end_us, FloorIncident::NodeOn(node)),
            ]),
        }
    }
    incidents.retain(|&(at_us, _)| at_us < calm_us);
    incidents.sort_by_key(|&(at_us, _)| at_us);
    incidents
}

fn noise_rate(rng: &mut ChaCha8Rng) -> f64 {
    log_uniform(rng, (1e-4, 5e-2))
}

fn write_faults(rng: &mut ChaCha8Rng) -> WriteFaults {
    let mut chance = || if rng.random_bool(0.5) { log_uniform(rng, (1e-3, 0.3)) } else { 0.0 };
    let (lost, doubled, late) = (chance(), chance(), chance());
    WriteFaults { lost, doubled, late, window_us: log_uniform(rng, (1e3, 3e5)) as u64 }
}
