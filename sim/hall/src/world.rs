//! One run: what is due is done, in order of time, and every step is checked.

mod check;
mod final_hall;
mod floor;
mod incidents;
mod network;
mod orders;
mod steps;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Instant;

use delivery::{ACKNOWLEDGEMENT_TIMEOUT, Transmit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::adjudicator;
use crate::broker::Broker;
use crate::director::Desk;
use crate::floor::Floor;
use crate::hub::{self, Hub};
use crate::journal::Journal;
use crate::outcome::{Counts, Failure, Observer, Outcome, Violation};
use crate::plan::{Incident, Plan};
use crate::sabotage::Sabotage;
use crate::store::Store;
use crate::truth::Truth;

/// Longest time from the end of all faults, and of the rows, until everything is where it belongs, µs. The slowest way: the broker holds on
/// to a dead connection for one and a half keep-alives, and a hub that has just begun to wait replaces its client; then come the
/// retries of what the broker drops meanwhile.
pub const SETTLE_MAX_US: u64 =
    KEEP_ALIVE_US + ACKNOWLEDGEMENT_TIMEOUT.as_micros() as u64 + RETRIES_US;
/// Time after which a broker closes a connection that is silent: one and a half keep-alives of 10 s, µs.
const KEEP_ALIVE_US: u64 = 15_000_000;
/// First pause of the adjudicator's client after a connection that failed, µs.
const ADJUDICATOR_PAUSE_US: u64 = 500_000;
/// Time of the first retries of a hub, µs: after 2 s each, for messages that a crowded broker drops.
const RETRIES_US: u64 = 5_000_000;
/// Time for which a settled run is watched for duplicates.
const WATCH_US: u64 = 3_000_000;
/// Time after the last act in which matches begin and end by time alone: a match that was put back but for a square ends after 8 s.
const QUIET_US: u64 = 10_000_000;
/// Steps after which a run is taken to hang in one moment.
const STEPS_MAX: u64 = 3_000_000;
/// Finished matches that a journal keeps: all of a run.
const MATCHES_KEPT: usize = 1_000;
/// Rows of clones are numbered from here on: more than a run has others.
const CLONE_ROWS_FROM: u32 = 1 << 20;
/// Wall clock at the beginning of a run, Unix µs.
const EPOCH_US: u64 = 1_700_000_000_000_000;

/// A client of the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Hub(usize),
    Adjudicator,
}

/// An event that is due at a time.
#[derive(Clone, Debug)]
enum Event {
    Incident(usize),
    /// A hub's table says something.
    Row(usize),
    /// Event at a hub's floor.
    OfFloor(usize, FloorEvent),
    /// A hub's writer commits.
    Commit(usize, u64),
    /// A hub's uplink checks its client.
    Tick(usize, u64),
    /// A director orders something.
    Order(usize),
    /// The adjudicator looks what is to be sent down.
    Look(u64),
    /// The adjudicator's store has done its work.
    WorkDone(u64),
    /// A client of this generation tries to connect.
    Connect(Who, u64),
    /// The broker's answer reaches the client.
    Accepted(Who, u64, u64),
    /// A client gives its next request to the connection.
    Send(Who, u64),
    /// A request reaches the broker.
    ToBroker(Who, u64, Transmit),
    /// A message reaches a client.
    ToClient(Who, u64, Message),
    /// A client learns that its connection is closed.
    Closed(Who, u64),
    /// The broker learns that a connection is closed.
    Expired(u64),
}

/// An event at the tables of a hub.
#[derive(Clone, Copy, Debug)]
enum FloorEvent {
    /// A hand acts at a node.
    Act,
    Incident(usize),
    /// A node's main loop goes round.
    Node(usize),
    /// A port's task gets the processor.
    Port(u64, usize),
    /// The hub searches for new devices.
    Discover(u64),
    /// A table's task gets the processor.
    Table(u64, usize),
}

/// A message on its way to a client.
#[derive(Clone, Debug)]
struct Message {
    topic: String,
    payload: Vec<u8>,
    retained: bool,
}

/// Present delays, µs.
#[derive(Clone, Copy, Debug)]
struct Pace {
    latency_us: u64,
    store_us: u64,
}

struct World<'a, O> {
    plan: &'a Plan,
    sabotage: Sabotage,
    observer: &'a mut O,
    log: DefaultHasher,
    rng: ChaCha8Rng,
    start: Instant,
    now_us: u64,
    queue: BTreeMap<(u64, u64), Event>,
    scheduled: u64,
    /// The hubs, and behind them as many clones.
    hubs: Vec<Hub>,
    broker: Broker,
    store: Store,
    adjudicator: Option<adjudicator::AdjudicatorProcess>,
    truth: Truth,
    desk: Desk,
    counts: Counts,
    pace: Pace,
    /// Numbers incarnations, generations of clients, connections.
    names: u64,
    rows: u32,
    clone_rows: u32,
    /// The tables of the first hubs, by hub, as far as the plan has them. A floor is taken out while something happens there.
    floors: BTreeMap<usize, Floor>,
    /// Arrival of the last message, by connection and direction: no message overtakes another.
    arrivals: BTreeMap<(u64, bool), u64>,
    /// The client at the other end of each connection.
    ends: BTreeMap<u64, Who>,
    is_calm: bool,
}

/// Runs a plan to its end.
///
/// # Errors
///
/// When something was lost in silence, came twice, grew without bound or did not come in time.
pub fn run(plan: &Plan, observer: &mut impl Observer) -> Result<Outcome, Failure> {
    run_sabotaged(plan, Sabotage::None, observer)
}

/// Runs a plan with something broken on purpose.
///
/// # Errors
///
/// As [`run`].
pub fn run_sabotaged(
    plan: &Plan,
    sabotage: Sabotage,
    observer: &mut impl Observer,
) -> Result<Outcome, Failure> {
    let mut world = World::new(plan, sabotage, observer);
    let outcome = world.play();
    let outcome = outcome
        .and_then(|outcome| Ok((outcome, world.check_against_faultless()?)))
        .map_err(|what| Failure { seed: plan.seed, at_us: world.now_us, what })?;
    let (outcome, same_plies) = outcome;
    Ok(Outcome { counts: Counts { same_plies, ..outcome.counts }, ..outcome })
}

impl<'a, O: Observer> World<'a, O> {
    fn new(plan: &'a Plan, sabotage: Sabotage, observer: &'a mut O) -> Self {
        let count = plan.rows_us.len();
        let is_set_back =
            |(_, incident): &(u64, Incident)| matches!(incident, Incident::JournalSetBack(..));
        let keeps_history = plan.incidents.iter().any(is_set_back);
        let hub = |slot: usize| Hub {
            id: hub::id(slot % count),
            journal: Journal::new(plan.rows_kept, MATCHES_KEPT)
                .with_history(keeps_history)
                .with_entries(slot < plan.floors.len())
                .of_later_release(plan.later_hub == Some(slot)),
            was_set_back: false,
            offered: Default::default(),
            process: None,
        };
        let floors = plan.floors.iter().enumerate();
        let mut world = World {
            plan,
            sabotage,
            observer,
            log: DefaultHasher::new(),
            rng: ChaCha8Rng::seed_from_u64(!plan.seed),
            start: Instant::now(),
            now_us: 0,
            queue: BTreeMap::new(),
            scheduled: 0,
            hubs: (0..2 * count).map(hub).collect(),
            broker: Broker::new(plan.broker_queue),
            store: Store::default(),
            adjudicator: None,
            truth: Truth::default(),
            desk: Desk::default(),
            counts: Counts::default(),
            pace: Pace { latency_us: plan.latency_us, store_us: plan.store_commit_us },
            names: 0,
            rows: 0,
            clone_rows: CLONE_ROWS_FROM,
            floors: floors.map(|(hub, floor)| (hub, Floor::new(floor, plan.seed, hub))).collect(),
            arrivals: BTreeMap::new(),
            ends: BTreeMap::new(),
            is_calm: false,
        };
        for (index, (at_us, _)) in plan.incidents.iter().enumerate() {
            world.at(*at_us, Event::Incident(index));
        }
        for (slot, rows_us) in plan.rows_us.iter().enumerate() {
            rows_us.iter().for_each(|&at_us| world.at(at_us, Event::Row(slot)));
        }
        for (index, (at_us, ..)) in plan.orders.iter().enumerate() {
            world.at(*at_us, Event::Order(index));
        }
        world.start_floors();
        (0..count).for_each(|slot| world.start_hub(slot, 0));
        world.start_adjudicator(false);
        world
    }

    fn at(&mut self, at_us: u64, event: Event) {
        self.scheduled += 1;
        self.queue.insert((at_us.max(self.now_us), self.scheduled), event);
    }

    fn after(&mut self, wait_us: u64, event: Event) {
        self.at(self.now_us + wait_us, event);
    }

    /// Some time up to `most_us`.
    fn some(&mut self, most_us: u64) -> u64 {
        self.rng.random_range(most_us.min(50)..=most_us.max(51))
    }

    fn name(&mut self) -> u64 {
        self.names += 1;
        self.names
    }

    fn instant(&self) -> Instant {
        hub::instant(self.start, self.now_us)
    }

    fn log(&mut self, who: &str, what: &str) {
        (self.now_us, who, what).hash(&mut self.log);
        self.observer.log(self.now_us, who, what);
    }

    fn play(&mut self) -> Result<Outcome, Violation> {
        let last_row_us = self.plan.rows_us.iter().filter_map(|rows_us| rows_us.last()).max();
        let last_act_us =
            self.plan.floors.iter().filter_map(|it| it.acts.last().map(|&(at_us, ..)| at_us)).max();
        let calm_us = self
            .plan
            .calm_us()
            .max(last_row_us.copied().unwrap_or(0))
            .max(last_act_us.unwrap_or(0));
        let mut settled_us = None;
        // A run that is compared goes on until no deadline is left.
        let quiet_us = last_act_us.filter(|_| self.is_compared()).map_or(0, |it| it + QUIET_US);
        for _ in 0..STEPS_MAX {
            let end_us = settled_us.map_or(calm_us + self.plan.settle_max_us, |settled: u64| {
                (settled + WATCH_US).max(quiet_us)
            });
            let Some(&(next_us, _)) = self.queue.keys().next() else { break };
            // An order of which nobody waits to hear may have been answered just now: its row has as long again to arrive.
            if next_us > end_us
                && (settled_us.is_none() || next_us > end_us + WATCH_US || self.is_settled())
            {
                break;
            }
            let Some(((at_us, _), event)) = self.queue.pop_first() else { break };
            self.now_us = at_us;
            let may_settle = matches!(
                event,
                Event::Commit(..)
                    | Event::WorkDone(_)
                    | Event::Incident(_)
                    | Event::OfFloor(_, FloorEvent::Node(_))
            );
            self.step(event)?;
            self.check_bounds()?;
            if settled_us.is_none() && may_settle && at_us >= calm_us && self.is_settled() {
                settled_us = Some(at_us);
                self.log("all", "everything is where it belongs");
            }
        }
        let Some(settled_us) = settled_us else {
            self.check_store()?;
            self.check_floors()?;
            self.check_orders()?;
            return Err(Violation::NotSettled(self.unsettled()));
        };
        self.check_store()?;
        self.check_floors()?;
        self.check_orders()?;
        Ok(Outcome {
            counts: self.counts,
            settled_after_us: settled_us.saturating_sub(calm_us),
            log_hash: self.log.finish(),
        })
    }
}
