//! The plans in which a serial link is under fire: one hub with one table. Its process is killed and its journal set back; there are no faults of
//! broker,
//! adjudicator and store.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Incident, Ordered, Plan, TableAt, log_uniform};
use crate::floor::FloorPlan;

/// Makes the stream another one than other plans are drawn from.
const STREAM: u64 = 0x6f72_6465_7273_0006;
/// Shortest and longest time with faults, µs.
const FAULTS_US: (f64, f64) = (3e6, 3e7);
/// Longest time from the end of all faults and acts until every reading is where it belongs, µs. The slowest way: a hub has just met a
/// node and waits until it knows its clock; or the last acknowledgement was lost, and the node waits for its resend timer.
const SETTLE_MAX_US: u64 = 8_000_000;
/// Number of kills of the hub, and the time that it is off, µs.
const KILLS_MAX: u32 = 4;
const OFF_US: (f64, f64) = (1e3, 5e6);
/// Share of those kills that set the journal back, and commits that it loses.
const SET_BACK: f64 = 0.3;
const SET_BACK_MAX: usize = 20;
/// Maximum number of orders to a clock, and the earliest time of the first: a match is open then, µs.
const ORDERS_MAX: u32 = 6;
const FIRST_ORDER_US: u64 = 2_500_000;

impl Plan {
    /// The plan of a seed in which a serial link is under fire.
    #[must_use]
    pub fn link(seed: u64) -> Plan {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ STREAM);
        let rng = &mut rng;
        let calm_us = log_uniform(rng, FAULTS_US) as u64;
        let journal_commit_us = log_uniform(rng, (1e3, 3e5)) as u64;
        let incidents = incidents(rng, calm_us);
        let floor = FloorPlan::of_line_class(rng, calm_us);
        let (orders, settle_max_us) = (orders(rng, calm_us), SETTLE_MAX_US);
        let plan = Plan::of_floor(seed, floor);
        Plan { journal_commit_us, incidents, orders, settle_max_us, ..plan }
    }
}

fn incidents(rng: &mut ChaCha8Rng, calm_us: u64) -> Vec<(u64, Incident)> {
    let mut incidents = Vec::new();
    for _ in 0..rng.random_range(0..=KILLS_MAX) {
        let at_us = rng.random_range(0..calm_us);
        incidents.push((at_us, Incident::HubOff(0)));
        if rng.random_bool(SET_BACK) {
            let commits = rng.random_range(1..SET_BACK_MAX);
            incidents.push((at_us, Incident::JournalSetBack(0, commits)));
        }
        incidents.push((at_us + log_uniform(rng, OFF_US) as u64, Incident::HubOn(0, 0)));
    }
    incidents.retain(|&(at_us, _)| at_us < calm_us);
    incidents.sort_by_key(|&(at_us, _)| at_us);
    incidents.push((calm_us, Incident::Calm));
    incidents
}

fn orders(rng: &mut ChaCha8Rng, calm_us: u64) -> Vec<(u64, TableAt, Ordered)> {
    if calm_us <= FIRST_ORDER_US {
        return Vec::new();
    }
    let count = rng.random_range(0..=ORDERS_MAX);
    let mut orders: Vec<(u64, TableAt, Ordered)> = (0..count)
        .map(|_| rng.random_range(FIRST_ORDER_US..calm_us))
        .map(|at_us| (at_us, TableAt { hub: 0, table: 0 }, Ordered::Clock { on_b: false }))
        .collect();
    orders.sort_by_key(|&(at_us, ..)| at_us);
    orders
}
