//! The incidents and acts of one run, drawn from its seed before it begins.

mod link;
mod mixed;
mod order;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::floor::{FloorIncident, FloorPlan};
use crate::world::SETTLE_MAX_US;

/// A hub that waits longer for the processor may be seconds behind without any other trouble, µs.
pub(crate) const BUSY_US: u64 = 50_000;

pub use mixed::Ordered;

/// Shortest and longest time with faults, µs.
const FAULTS_US: (f64, f64) = (1e6, 60e6);
/// Maximum number of hubs.
const HUBS_MAX: usize = 4;
/// Maximum number of incidents.
const INCIDENTS_MAX: u32 = 12;
/// Seeds with a floor: every fourth, beginning with 2.
const FLOOR_EVERY: u64 = 4;
const FLOOR_AT: u64 = 2;
/// Share of the runs with a floor in which nothing happens at all.
const QUIET: f64 = 0.15;
/// Seeds with a floor of which the first hub's first table alone has trouble: the others may not show it.
const ONE_TABLE_EVERY: u64 = 16;
/// Seeds with a floor that has a control table, which no fault hits.
const SPARED_EVERY: u64 = 16;
const SPARED_AT: u64 = 10;
/// Time at which every hub has journalled the first state of its boards, however starved it is, µs.
const SET_UP_KNOWN_US: u64 = 6_000_000;
/// Maximum delay of a scanning board's reports, and the same where lines stall or disks are full, µs.
const HEARD_US: u64 = 1_000_000;
const STANDS_US: u64 = 40_000_000;
/// Maximum number of rows of a hub.
const ROWS_MAX: usize = 400;

/// Incident of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Incident {
    /// A hub is killed.
    HubOff(usize),
    /// A hub starts from its journal. Its clock reads this much less than it should, µs.
    HubOn(usize, u64),
    /// The journal of a hub that is off loses up to this many of its newest commits.
    JournalSetBack(usize, usize),
    /// The first hub, which is off, is another release from now on.
    OtherRelease,
    /// The first hub, which is off, has another configuration from now on.
    OtherConfiguration,
    /// A hub's disk is full, or not any more.
    JournalFull(usize, bool),
    /// Another hub with a hub's id is started, with a journal of its own, or stopped.
    Clone(usize, bool),
    /// A hub's connection breaks; whether the broker learns of it at once.
    HubCut(usize, bool),
    /// The adjudicator is killed.
    AdjudicatorOff,
    /// The adjudicator starts. Whether it is of a release that names no store.
    AdjudicatorOn(bool),
    /// The store of an adjudicator that is off is the one of this share of its commits, as from a backup.
    StoreSetBack(f64),
    /// The store refuses to commit, or not any more.
    StoreFull(bool),
    /// A commit of the store takes up to this long, µs.
    StoreSlow(u64),
    /// The adjudicator's connection breaks; whether the broker learns of it at once.
    AdjudicatorCut(bool),
    /// The broker is killed.
    BrokerOff,
    /// The broker starts; whether it has lost what it retained.
    BrokerOn(bool),
    /// A message travels up to this long, µs.
    Latency(u64),
    /// All faults end.
    Calm,
}

impl Incident {
    /// Whether a hub or its journal suffers it.
    fn is_of(&self, hub: usize) -> bool {
        match self {
            Incident::HubOff(of) | Incident::HubOn(of, _) => *of == hub,
            Incident::JournalSetBack(of, _) | Incident::JournalFull(of, _) => *of == hub,
            Incident::OtherRelease | Incident::OtherConfiguration => hub == 0,
            _ => false,
        }
    }
}

/// A table with nodes: its hub, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableAt {
    /// The hub.
    pub hub: usize,
    /// The table among those of the hub.
    pub table: usize,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Drawn from this.
    pub seed: u64,
    /// Times of the rows of each hub's table, in order, µs.
    pub rows_us: Vec<Vec<u64>>,
    /// Acknowledged rows that a journal keeps.
    pub rows_kept: usize,
    /// Messages that the broker keeps for a client that is slow.
    pub broker_queue: usize,
    /// Longest time until an entry is committed to a journal, µs.
    pub journal_commit_us: u64,
    /// Longest time until the store has committed, µs.
    pub store_commit_us: u64,
    /// Longest time that a message travels, µs.
    pub latency_us: u64,
    /// Incidents with their times, in order, µs; [`Incident::Calm`] is the last.
    pub incidents: Vec<(u64, Incident)>,
    /// The tables of the first hubs, hub by hub, with their nodes and lines, for every fourth seed. The tables of the other hubs, and all of
    /// the other seeds, just say something now and then.
    pub floors: Vec<FloorPlan>,
    /// Orders of directors with their times and tables, in order, µs.
    pub orders: Vec<(u64, TableAt, Ordered)>,
    /// A hub of a later release: some of its rows are unknown to the other programs of the hall.
    pub later_hub: Option<usize>,
    /// Whether the adjudicator has a later release, with messages unknown to hubs.
    pub later_adjudicator: bool,
    /// Longest time from the end of all faults until everything is where it belongs, µs.
    pub settle_max_us: u64,
}

impl Plan {
    /// The plan of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Plan {
        let mut plan = Plan::one_hub(seed);
        mixed::add_further_floors(&mut plan);
        plan
    }

    /// The plan of a seed in which no hub but the first has tables with nodes.
    #[must_use]
    pub fn one_hub(seed: u64) -> Plan {
        let mut plan = Plan::programs(seed);
        mixed::add_weak_board(&mut plan);
        mixed::add_found_ports(&mut plan);
        mixed::add_moves(&mut plan);
        plan
    }

    /// The plan of a seed without weak contacts, moved nodes and ports that are found.
    #[must_use]
    pub fn programs(seed: u64) -> Plan {
        let mut plan = Plan::makers(seed);
        mixed::add_dgt_clock(&mut plan);
        mixed::add_chessnut(&mut plan);
        if seed % SPARED_EVERY == SPARED_AT {
            mixed::add_spared_table(&mut plan);
        }
        if seed % ONE_TABLE_EVERY != FLOOR_AT && seed % SPARED_EVERY != SPARED_AT {
            mixed::add_other_programs(&mut plan);
        }
        plan
    }

    /// The plan of a seed without clocks at DGT boards and Chessnuts, without a spared table while the others of its hub have faults, and
    /// without a hub that comes back as another release.
    #[must_use]
    pub fn makers(seed: u64) -> Plan {
        let mut plan = Plan::mixed(seed);
        mixed::add_makers(&mut plan);
        plan
    }

    /// The plan of a seed without boards of DGT, ChessLink and Certabo.
    #[must_use]
    pub fn mixed(seed: u64) -> Plan {
        let mut plan = Plan::plain(seed);
        mixed::add(&mut plan);
        plan
    }

    /// The plan of a seed without orders and other releases.
    #[must_use]
    pub fn plain(seed: u64) -> Plan {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rng = &mut rng;
        let calm_us = log_uniform(rng, FAULTS_US) as u64;
        let hubs = rng.random_range(1..=HUBS_MAX);
        let mut plan = Plan {
            seed,
            rows_us: (0..hubs).map(|_| rows(rng, calm_us)).collect(),
            rows_kept: if rng.random_bool(0.5) { rng.random_range(0..50) } else { 20_000 },
            broker_queue: if rng.random_bool(0.5) { rng.random_range(5..50) } else { 1_000 },
            journal_commit_us: log_uniform(rng, (1e3, 3e5)) as u64,
            store_commit_us: log_uniform(rng, (5e2, 1e5)) as u64,
            latency_us: log_uniform(rng, (1e2, 5e4)) as u64,
            incidents: incidents(rng, hubs, calm_us),
            floors: Vec::new(),
            orders: Vec::new(),
            later_hub: None,
            later_adjudicator: false,
            settle_max_us: SETTLE_MAX_US,
        };
        if seed % FLOOR_EVERY == FLOOR_AT {
            plan.rows_us[0].clear();
            plan.floors.push(FloorPlan::new(rng, calm_us));
            if rng.random_bool(QUIET) {
                plan.be_quiet(calm_us);
            }
            if let Some(floor) = plan.floors.first_mut().filter(|_| rng.random_bool(0.5)) {
                floor.inputs_max = rng.random_range(1..16);
            }
            if seed % ONE_TABLE_EVERY == FLOOR_AT {
                plan.spare_all_but_one_table();
            }
        }
        plan
    }

    /// One hub with a floor, and no faults.
    fn of_floor(seed: u64, floor: FloorPlan) -> Plan {
        Plan {
            seed,
            rows_us: vec![Vec::new()],
            rows_kept: 20_000,
            broker_queue: 1_000,
            journal_commit_us: 0,
            store_commit_us: 10_000,
            latency_us: 1_000,
            incidents: Vec::new(),
            floors: vec![floor],
            orders: Vec::new(),
            later_hub: None,
            later_adjudicator: false,
            settle_max_us: SETTLE_MAX_US,
        }
    }

    /// No fault: then all readings must arrive in the order in which they happened.
    fn be_quiet(&mut self, calm_us: u64) {
        self.incidents = vec![(calm_us, Incident::Calm)];
        self.floors.iter_mut().for_each(|floor| floor.incidents.clear());
    }

    /// On the floor trouble comes to the first table alone, and none to the first hub.
    fn spare_all_but_one_table(&mut self) {
        self.spare_first_hub();
        if let Some(floor) = self.floors.first_mut() {
            floor.spare_all_but_one_table();
        }
    }

    /// The first hub is left alone until it has journalled how its boards stand, and its journal is not set back: what a hub has not seen of a set-up, nobody
    /// tells it later. Its clock is right: one that is behind at boot makes one moment of all readings meanwhile.
    fn spare_first_hubs_beginning(&mut self) {
        self.incidents.retain(|(at_us, incident)| {
            let is_set_back = matches!(incident, Incident::JournalSetBack(0, _));
            !incident.is_of(0) || (*at_us > SET_UP_KNOWN_US && !is_set_back)
        });
        for (_, incident) in &mut self.incidents {
            if let Incident::HubOn(0, behind_us) = incident {
                *behind_us = 0;
            }
        }
    }

    /// The first hub is not killed, and its journal is neither full nor set back.
    fn spare_first_hub(&mut self) {
        self.incidents.retain(|(_, incident)| !incident.is_of(0));
    }

    /// Whether a hub is killed, or its journal is full or set back.
    #[must_use]
    pub fn befalls(&self, hub: usize) -> bool {
        self.incidents.iter().any(|(_, incident)| incident.is_of(hub))
    }

    /// The same without faults.
    #[must_use]
    pub(crate) fn faultless(&self) -> Plan {
        let mut plan =
            Plan { later_hub: None, later_adjudicator: false, orders: Vec::new(), ..self.clone() };
        plan.be_quiet(self.calm_us());
        plan
    }

    /// Maximum delay of a reading of a board without memory, µs: a line may stall, and a port that waits for a full disk reads nothing.
    pub(crate) fn heard_within_us(&self, hub: usize) -> u64 {
        let Some(floor) = self.floors.get(hub) else { return 0 };
        let waits = |(_, incident): &(u64, Incident)| matches!(incident, Incident::JournalFull(of, _) if *of == hub);
        let stands =
            |(_, incident): &(u64, FloorIncident)| matches!(incident, FloorIncident::Stall(..));
        let is_late = self.incidents.iter().any(waits) || floor.incidents.iter().any(stands);
        let most_us = if is_late { STANDS_US } else { HEARD_US };
        most_us + 10 * (floor.processor_us + floor.jitter_us) + self.journal_commit_us
    }

    /// Whether hall and tables of a hub have no fault for this long before and after a time, µs.
    pub(crate) fn is_calm_around(&self, hub: usize, at_us: u64, most_us: u64) -> bool {
        let floor = self.floors.get(hub).into_iter();
        let of_floor = floor.flat_map(|floor| floor.incidents.iter().map(|it| it.0));
        let of_hall = self.incidents.iter().map(|it| it.0);
        of_floor.chain(of_hall).all(|incident_us| incident_us.abs_diff(at_us) > most_us)
    }

    /// Whether a hub's row may be missing in the end, or be there under another boot, and that is no fault.
    pub(crate) fn may_lose_rows_of(&self, slot: usize) -> bool {
        self.later_hub == Some(slot)
            || self.incidents.iter().any(
                |&(_, incident)| matches!(incident, Incident::JournalSetBack(of, _) if of == slot),
            )
    }

    /// Whether nothing happens at all.
    pub(crate) fn is_quiet(&self) -> bool {
        self.incidents.len() == 1
            && !self.floors.is_empty()
            && self.floors.iter().all(|floor| floor.incidents.is_empty())
    }

    /// Time at which all faults have ended, µs.
    #[must_use]
    pub fn calm_us(&self) -> u64 {
        self.incidents.last().map_or(0, |&(at_us, _)| at_us)
    }
}

pub(crate) fn log_uniform(rng: &mut ChaCha8Rng, (low, high): (f64, f64)) -> f64 {
    (low.ln() + (high.ln() - low.ln()) * rng.random::<f64>()).exp()
}

/// Play, pauses and bursts; some after the faults have ended.
fn rows(rng: &mut ChaCha8Rng, calm_us: u64) -> Vec<u64> {
    let end_us = (calm_us as f64 * (0.5 + 0.8 * rng.random::<f64>())) as u64;
    let (mut rows, mut now_us, mut pause_us) = (Vec::new(), 0.0, 1e6);
    while rows.len() < ROWS_MAX {
        if rows.is_empty() || rng.random_bool(0.05) {
            pause_us = log_uniform(rng, (3e2, 2e6));
        }
        now_us += -pause_us * (1.0 - rng.random::<f64>()).ln();
        if now_us as u64 >= end_us {
            break;
        }
        rows.push(now_us as u64);
    }
    rows
}

fn incidents(rng: &mut ChaCha8Rng, hubs: usize, calm_us: u64) -> Vec<(u64, Incident)> {
    let mut incidents = Vec::new();
    for _ in 0..rng.random_range(0..=INCIDENTS_MAX) {
        let at_us = rng.random_range(0..calm_us);
        let end_us = at_us + log_uniform(rng, (1e3, 3e7)) as u64;
        let hub = rng.random_range(0..hubs);
        match rng.random_range(0..10) {
            0 | 1 => {
                incidents.push((at_us, Incident::HubOff(hub)));
                if rng.random_bool(0.3) {
                    let commits = rng.random_range(1..20);
                    incidents.push((at_us, Incident::JournalSetBack(hub, commits)));
                }
                let behind_us =
                    if rng.random_bool(0.3) { log_uniform(rng, (1e3, 1e9)) as u64 } else { 0 };
                incidents.push((end_us, Incident::HubOn(hub, behind_us)));
            }
            2 => incidents.extend([
                (at_us, Incident::JournalFull(hub, true)),
                (end_us, Incident::JournalFull(hub, false)),
            ]),
            3 => incidents.extend([
                (at_us, Incident::Clone(hub, true)),
                (end_us, Incident::Clone(hub, false)),
            ]),
            4 => incidents.push((at_us, Incident::HubCut(hub, rng.random_bool(0.7)))),
            5 | 6 => {
                incidents.push((at_us, Incident::AdjudicatorOff));
                if rng.random_bool(0.4) {
                    let share = if rng.random_bool(0.3) { 0.0 } else { rng.random() };
                    incidents.push((at_us, Incident::StoreSetBack(share)));
                }
                incidents.push((end_us, Incident::AdjudicatorOn(rng.random_bool(0.1))));
            }
            7 => incidents
                .extend([(at_us, Incident::StoreFull(true)), (end_us, Incident::StoreFull(false))]),
            8 => {
                let slow_us = log_uniform(rng, (1e4, 3e6)) as u64;
                let late_us = log_uniform(rng, (1e3, 1e6)) as u64;
                incidents.extend([
                    (at_us, Incident::StoreSlow(slow_us)),
                    (rng.random_range(0..calm_us), Incident::Latency(late_us)),
                    (rng.random_range(0..calm_us), Incident::AdjudicatorCut(rng.random_bool(0.7))),
                ]);
            }
            _ => incidents.extend([
                (at_us, Incident::BrokerOff),
                (end_us, Incident::BrokerOn(rng.random_bool(0.5))),
            ]),
        }
    }
    incidents.retain(|&(at_us, _)| at_us < calm_us);
    incidents.sort_by_key(|&(at_us, _)| at_us);
    incidents.push((calm_us, Incident::Calm));
    incidents
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
        }
    }

    #[test]
    fn in_many_runs_further_hubs_have_tables_with_nodes_and_faults_and_orders() {
        let plans: Vec<Plan> = (0..400).map(Plan::new).filter(|it| it.floors.len() > 1).collect();
        assert!(plans.len() > 20, "{}", plans.len());
        let is_killed = |plan: &Plan| (1..plan.floors.len()).any(|hub| plan.befalls(hub));
        let has_faults =
            |plan: &Plan| plan.floors[1..].iter().any(|floor| !floor.incidents.is_empty());
        let has_orders = |plan: &Plan| plan.orders.iter().any(|(_, at, _)| at.hub > 0);
        for is_there in [is_killed, has_faults, has_orders] {
            assert!(plans.iter().filter(|&plan| is_there(plan)).count() > 5);
        }
    }
}
