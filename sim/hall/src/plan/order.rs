//! The plans in which four nodes of a table read things some milliseconds apart, while the hub is starved of its processor, its lines stall, and it is
//! killed. The journal has all of it once and in the order in which it happened, at a healthy hub soon.

use proto::link::{BoardKind, SensorKind};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Incident, Plan, log_uniform};
use crate::floor::{Act, FloorIncident, FloorPlan, LineClass, NodePlan};

/// Makes the stream another one than other plans are drawn from.
const STREAM: u64 = 0x6f72_6465_7273_0009;
/// Time of the first act, and of the last one, µs.
const ACTS_US: (u64, u64) = (300_000, 20_000_000);
/// Shortest time between two readings of any nodes, mostly up to three times that, now and then up to the longest, µs.
const APART_US: (u64, u64) = (6_000, 200_000);
/// Share of the runs without faults, and of those with UARTs behind adapters.
const CALM: f64 = 0.4;
const WIRED: f64 = 0.4;
/// Longest time until a task of the hub gets the processor: at a healthy hub, and the range of starved ones, µs.
const HEALTHY_US: u64 = 200;
const STARVED_US: (f64, f64) = (1e3, 3e5);
/// Longest jitter of a line, and interval at which an adapter of a UART delivers, µs.
const JITTER_US: u64 = 300;
const ADAPTER_US: u64 = 16_000;
/// Time for which the hub is off, µs.
const OFF_US: u64 = 700_000;
/// Maximum number of stalls of lines, and their longest duration, µs.
const STALLS_MAX: u32 = 12;
const STALL_US: u64 = 500_000;

impl Plan {
    /// The plan of a seed in which the order of all readings must be the true one.
    #[must_use]
    pub fn order(seed: u64) -> Plan {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ STREAM);
        let rng = &mut rng;
        let (is_calm, is_wired) = (rng.random_bool(CALM), rng.random_bool(WIRED));
        let (mut floor, mut incidents) = (floor(rng, is_wired), Vec::new());
        if !is_calm {
            floor.processor_us = log_uniform(rng, STARVED_US) as u64;
            let at_us = rng.random_range(0..ACTS_US.1 - OFF_US);
            incidents.push((at_us, Incident::HubOff(0)));
            incidents.push((at_us + OFF_US, Incident::HubOn(0, 0)));
            for _ in 0..rng.random_range(0..=STALLS_MAX) {
                let (at_us, port) = (rng.random_range(0..ACTS_US.1), rng.random_range(0..4));
                let stall = FloorIncident::Stall(port, rng.random_range(0..STALL_US));
                floor.incidents.push((at_us, stall));
            }
            floor.incidents.sort_by_key(|&(at_us, _)| at_us);
        }
        incidents.push((ACTS_US.1, Incident::Calm));
        Plan { journal_commit_us: 1, incidents, ..Plan::of_floor(seed, floor) }
    }
}

/// Two boards and two clocks at one table, with their acts.
fn floor(rng: &mut ChaCha8Rng, is_wired: bool) -> FloorPlan {
    let senses = BoardKind { sensor: SensorKind::Reed, trays: false };
    let node = |(on_b, is_clock)| NodePlan { table: 0, on_b, is_clock, is_usb: !is_wired, senses };
    let nodes = [(false, false), (false, true), (true, false), (true, true)].map(node).to_vec();
    let (mut at_us, mut acts) = (ACTS_US.0, Vec::new());
    while at_us < ACTS_US.1 {
        acts.push((at_us, rng.random_range(0..nodes.len()), Act::Touch));
        let most_us = if rng.random_bool(0.5) { APART_US.0 * 3 } else { APART_US.1 };
        at_us += rng.random_range(APART_US.0..most_us);
    }
    let adapter_us = is_wired.then_some(ADAPTER_US);
    FloorPlan {
        processor_us: HEALTHY_US,
        jitter_us: JITTER_US,
        line: LineClass { adapter_us, ..LineClass::default() },
        is_exact: true,
        acts,
        ..FloorPlan::of_nodes(nodes)
    }
}
