//! What happens in one run, drawn from its seed before anything moves: the equipment, when the node reads something, and
//! every incident with its time.

use proto::link::{BoardKind, ClockKind, NodeKind, PressKind, SensorKind};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::line::{Jitter, LineSpeed, WhenUnplugged, WriteFaults};
use crate::noise::ByteFault;

/// Shortest and longest time with faults, in µs.
const FAULTS_US: (f64, f64) = (1e6, 20e6);
/// Most readings in a run.
const READINGS_MAX: usize = 600;
/// Most incidents in a run.
const INCIDENTS_MAX: u32 = 14;
/// Most commands in a run.
const COMMANDS_MAX: u32 = 6;

/// From node to hub, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the node to the hub.
    Up,
    /// From the hub to the node.
    Down,
}

/// Which release a node's firmware is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// The hub's.
    Ours,
    /// Another, with other messages.
    Other,
}

/// Something that happens to node, hub or cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Incident {
    /// Faults befall this share of the bytes from now on.
    Noise(Direction, f64),
    /// Faults befall whole writes from now on.
    Writes(Direction, WriteFaults),
    /// Who receives does not read for this long, µs.
    Stall(Direction, u64),
    /// The cable is pulled. `seen`: the hub's port tells it.
    Unplug {
        /// Whether the hub is told.
        seen: bool,
    },
    /// The cable is plugged in again.
    PlugIn,
    /// The node loses its power.
    NodeOff,
    /// The node starts, with firmware of this release.
    NodeOn(Release),
    /// The hub is killed.
    HubOff,
    /// The hub starts from its journal.
    HubOn,
    /// While the hub is down its disk loses up to this many of the newest entries about the node's present boot.
    JournalSetBack(usize),
    /// The hub is asked to tell the node to do something.
    Command,
    /// All faults end: node and hub run, the cable is in and good.
    Calm,
}

/// How writes are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// A frame each.
    Frames,
    /// At most this many bytes, whatever they are.
    Bytes(usize),
}

/// Size of the node's event buffer in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BufferBytes {
    B256,
    B512,
    B1024,
    B4096,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Drawn from this.
    pub seed: u64,
    /// What the node is.
    pub kind: NodeKind,
    /// Its event buffer.
    pub buffer: BufferBytes,
    /// How fast its clock runs: 1 = exactly.
    pub node_rate: f64,
    /// What its 32-bit microsecond timer reads at its first start.
    pub timer_start: u32,
    /// The line to the hub.
    pub up: LineSpeed,
    /// The line to the node.
    pub down: LineSpeed,
    /// What becomes of bytes sent into a pulled cable.
    pub when_unplugged: WhenUnplugged,
    /// How both ends write.
    pub writes: Writes,
    /// The kinds of noise.
    pub noise: Vec<ByteFault>,
    /// Longest time until an entry is committed to the hub's journal, µs.
    pub commit_max_us: u64,
    /// When the node reads something, in order, µs.
    pub readings_us: Vec<u64>,
    /// What happens when, in order, µs; [`Incident::Calm`] is the last.
    pub incidents: Vec<(u64, Incident)>,
}

impl Plan {
    /// The plan of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Plan {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rng = &mut rng;
        let calm_us = log_uniform(rng, FAULTS_US) as u64;
        let (up, down, when_unplugged) = line(rng);
        Plan {
            seed,
            kind: kind(rng),
            buffer: buffer(rng),
            node_rate: 1.0 + between(rng, (-300e-6, 300e-6)),
            timer_start: timer_start(rng, calm_us),
            up,
            down,
            when_unplugged,
            writes: writes(rng),
            noise: ByteFault::ALL.into_iter().filter(|_| rng.random_bool(0.7)).collect(),
            commit_max_us: log_uniform(rng, (1e3, 3e5)) as u64,
            readings_us: readings(rng, calm_us),
            incidents: incidents(rng, calm_us),
        }
    }

    /// When all faults have ended, µs.
    #[must_use]
    pub fn calm_us(&self) -> u64 {
        self.incidents.last().map_or(0, |&(at_us, _)| at_us)
    }
}

fn between(rng: &mut ChaCha8Rng, (low, high): (f64, f64)) -> f64 {
    low + (high - low) * rng.random::<f64>()
}

fn log_uniform(rng: &mut ChaCha8Rng, (low, high): (f64, f64)) -> f64 {
    between(rng, (low.ln(), high.ln())).exp()
}

fn kind(rng: &mut ChaCha8Rng) -> NodeKind {
    if rng.random_bool(0.5) {
        let sensors = [SensorKind::Reed, SensorKind::HallPolarity, SensorKind::HallMagnitude];
        let sensor = sensors[rng.random_range(0..sensors.len())];
        NodeKind::Board(BoardKind { sensor, trays: rng.random_bool(0.5) })
    } else {
        NodeKind::Clock(ClockKind { press: PressKind::Lever, hand_sensor: true })
    }
}

fn buffer(rng: &mut ChaCha8Rng) -> BufferBytes {
    match rng.random_range(0..4) {
        0 => BufferBytes::B256,
        1 => BufferBytes::B512,
        2 => BufferBytes::B1024,
        _ => BufferBytes::B4096,
    }
}

/// Every second timer wraps within the run.
fn timer_start(rng: &mut ChaCha8Rng, calm_us: u64) -> u32 {
    if rng.random_bool(0.5) {
        return rng.random();
    }
    let before_wrap = rng.random_range(0..calm_us.min(u64::from(u32::MAX)));
    u32::MAX - before_wrap as u32
}

fn line(rng: &mut ChaCha8Rng) -> (LineSpeed, LineSpeed, WhenUnplugged) {
    if rng.random_bool(0.5) {
        // A UART at 115,200 baud, with an operating system on one side and a FIFO on the other.
        let jitter_us = log_uniform(rng, (10.0, 2e4)) as u64;
        let up = LineSpeed {
            byte_ns: 86_806,
            latency_us: 500,
            jitter: Jitter::Uniform(jitter_us),
            queue_bytes: 64,
            receive_bytes: 4_096,
        };
        let down = LineSpeed { queue_bytes: 4_096, receive_bytes: 64, ..up };
        (up, down, WhenUnplugged::Lost)
    } else {
        let jitter_us = log_uniform(rng, (100.0, 2e4)) as u64;
        let usb = LineSpeed {
            byte_ns: 1_000,
            latency_us: 125,
            jitter: Jitter::Uniform(jitter_us),
            queue_bytes: 256,
            receive_bytes: 4_096,
        };
        (usb, usb, WhenUnplugged::Refused)
    }
}

fn writes(rng: &mut ChaCha8Rng) -> Writes {
    if rng.random_bool(0.6) { Writes::Frames } else { Writes::Bytes(rng.random_range(1..=200)) }
}

/// Play, pauses and bursts; some after the faults have ended.
fn readings(rng: &mut ChaCha8Rng, calm_us: u64) -> Vec<u64> {
    let end_us = (calm_us as f64 * between(rng, (0.5, 1.3))) as u64;
    let mut readings = Vec::new();
    let mut now_us = 0.0;
    let mut pause_us = 1e6;
    while readings.len() < READINGS_MAX {
        if readings.is_empty() || rng.random_bool(0.05) {
            pause_us = log_uniform(rng, (1e3, 6e5));
        }
        now_us += -pause_us * (1.0 - rng.random::<f64>()).ln();
        if now_us as u64 >= end_us {
            break;
        }
        readings.push(now_us as u64);
    }
    readings
}

fn incidents(rng: &mut ChaCha8Rng, calm_us: u64) -> Vec<(u64, Incident)> {
    use Direction::{Down, Up};
    let mut incidents = Vec::new();
    for direction in [Up, Down] {
        if rng.random_bool(0.7) {
            incidents.push((0, Incident::Noise(direction, noise_rate(rng))));
        }
        if rng.random_bool(0.4) {
            incidents.push((0, Incident::Writes(direction, write_faults(rng))));
        }
    }
    for _ in 0..rng.random_range(0..=INCIDENTS_MAX) {
        let at_us = rng.random_range(0..calm_us);
        let lasts_us = log_uniform(rng, (1e3, 5e6)) as u64;
        let end_us = at_us + lasts_us;
        let direction = if rng.random_bool(0.5) { Up } else { Down };
        match rng.random_range(0..7) {
            0 => incidents.extend([
                (at_us, Incident::Noise(direction, noise_rate(rng))),
                (end_us, Incident::Noise(direction, 0.0)),
            ]),
            1 => incidents.extend([
                (at_us, Incident::Writes(direction, write_faults(rng))),
                (end_us, Incident::Writes(direction, WriteFaults::default())),
            ]),
            2 => incidents.push((at_us, Incident::Stall(direction, lasts_us))),
            3 => incidents.extend([
                (at_us, Incident::Unplug { seen: rng.random_bool(0.7) }),
                (end_us, Incident::PlugIn),
            ]),
            4 => {
                let other = rng.random_bool(0.2);
                let release = if other { Release::Other } else { Release::Ours };
                incidents.extend([(at_us, Incident::NodeOff), (end_us, Incident::NodeOn(release))]);
            }
            5 => incidents.extend([(at_us, Incident::HubOff), (end_us, Incident::HubOn)]),
            _ => incidents.extend([
                (at_us, Incident::HubOff),
                (at_us, Incident::JournalSetBack(rng.random_range(0..20))),
                (end_us, Incident::HubOn),
            ]),
        }
    }
    for _ in 0..rng.random_range(0..=COMMANDS_MAX) {
        incidents.push((rng.random_range(0..calm_us), Incident::Command));
    }
    incidents.retain(|&(at_us, _)| at_us < calm_us);
    incidents.sort_by_key(|&(at_us, _)| at_us);
    incidents.push((calm_us, Incident::Calm));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_plan_and_calm_comes_last() {
        for seed in 0..200 {
            let plan = Plan::new(seed);
            assert_eq!(plan, Plan::new(seed));
            let calm = |&(_, incident): &(u64, Incident)| incident == Incident::Calm;
            assert_eq!(plan.incidents.iter().position(calm), Some(plan.incidents.len() - 1));
            assert!(plan.incidents.is_sorted_by_key(|&(at_us, _)| at_us));
            assert!(plan.readings_us.is_sorted());
        }
    }

    #[test]
    fn plans_are_of_every_kind() {
        let plans: Vec<Plan> = (0..500).map(Plan::new).collect();
        let has = |wanted: fn(&Incident) -> bool| {
            plans.iter().any(|plan| plan.incidents.iter().any(|(_, incident)| wanted(incident)))
        };
        assert!(has(|incident| matches!(incident, Incident::NodeOn(Release::Other))));
        assert!(has(|incident| matches!(incident, Incident::JournalSetBack(1..))));
        assert!(has(|incident| matches!(incident, Incident::Unplug { seen: false })));
        assert!(has(|incident| matches!(incident, Incident::Stall(Direction::Down, _))));
        assert!(has(
            |incident| matches!(incident, Incident::Writes(_, WriteFaults { late, .. }) if *late > 0.0)
        ));
        let wraps =
            |plan: &&Plan| u64::from(plan.timer_start) + plan.calm_us() > u64::from(u32::MAX);
        assert!(plans.iter().filter(wraps).count() > 200);
    }
}
