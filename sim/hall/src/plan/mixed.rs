//! Later parts of a plan: orders of directors, programs of other releases, boards of other makers, a control table. Each is drawn from a
//! stream of its own, so that the plans of seeds that failed before stay the same.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Incident, Plan, TableAt, log_uniform};
use crate::floor::{Act, FloorIncident, FloorPlan, ForeignPlan, Maker};

/// Makes the stream another one than the rest of the plan is drawn from.
const STREAM: u64 = 0x6f72_6465_7273_0001;
/// Share of the plans with a floor at which directors order something.
const ORDERED: f64 = 0.6;
/// Maximum number of orders.
const ORDERS_MAX: usize = 12;
/// Earliest time of an order, µs: a match is open by then.
const FIRST_ORDER_US: u64 = 2_500_000;
/// Share of the plans with a hub of a later release, with such an adjudicator, and, of those with a floor, with such a node.
const LATER_HUB: f64 = 0.15;
const LATER_ADJUDICATOR: f64 = 0.15;
const OTHER_NODE: f64 = 0.15;

/// Order of a director.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordered {
    /// A clock is to be changed by as many milliseconds as the order's number; on board B, where none takes commands.
    Clock {
        /// On board B.
        on_b: bool,
    },
    /// A fact of the open match.
    Fact,
    /// The last fact is none.
    FactWithdrawn,
}

/// Share of the plans with a floor that has a board of another maker.
const FOREIGN: f64 = 0.2;

/// The same for the boards of three more makers.
const MAKERS_STREAM: u64 = 0x6f72_6465_7273_0002;
/// Share of the plans with a floor that has a board of these makers.
const MAKERS: f64 = 0.35;

/// Makes a board one of three makers'. Some are known by their port alone, so cables are not exchanged.
pub(super) fn add_makers(plan: &mut Plan) {
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ MAKERS_STREAM);
    let Some(floor) = plan.floors.first_mut().filter(|_| rng.random_bool(MAKERS)) else { return };
    let node = match floor.foreign {
        Some(foreign) => foreign.node,
        None => {
            let boards: Vec<usize> =
                (0..floor.nodes.len()).filter(|&node| !floor.nodes[node].is_clock).collect();
            boards[rng.random_range(0..boards.len())]
        }
    };
    let maker = [Maker::Dgt, Maker::ChessLink, Maker::Certabo][rng.random_range(0..3)];
    keep_cable(floor, node);
    floor.foreign = Some(ForeignPlan { node, maker, reversed: rng.random_bool(0.5), clock: false });
}

/// For Chessnut boards.
const CHESSNUT_STREAM: u64 = 0x6f72_6465_7273_0006;
/// Share of the plans with a floor that has no board of another maker, on which one is a Chessnut.
const CHESSNUT: f64 = 0.25;

/// A board is a Chessnut: a device of its own on USB, whose reports arrive whole or not at all.
pub(super) fn add_chessnut(plan: &mut Plan) {
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ CHESSNUT_STREAM);
    let floor = plan.floors.first_mut().filter(|floor| floor.foreign.is_none());
    let Some(floor) = floor.filter(|_| rng.random_bool(CHESSNUT)) else { return };
    let boards = (0..floor.nodes.len()).filter(|&node| !floor.nodes[node].is_clock);
    let boards: Vec<usize> = boards.collect();
    let node = boards[rng.random_range(0..boards.len())];
    keep_cable(floor, node);
    floor.incidents.retain(|(_, it)| !matches!(it, FloorIncident::Noise(port, _) if *port == node));
    floor.nodes[node].is_usb = true;
    let reversed = rng.random_bool(0.5);
    floor.foreign = Some(ForeignPlan { node, maker: Maker::Chessnut, reversed, clock: false });
}

/// No cables are exchanged, and a node stays what it is.
fn keep_cable(floor: &mut FloorPlan, node: usize) {
    floor.incidents.retain(|(_, incident)| match incident {
        FloorIncident::Swap(..) => false,
        FloorIncident::OtherRelease(of) => *of != node,
        _ => true,
    });
}

/// For clocks at DGT boards.
const DGT_CLOCK_STREAM: u64 = 0x6f72_6465_7273_0004;
/// Share of the plans with a board B on which it is a DGT board with its clock: beside board A stands a clock of ours.
const DGT_CLOCK: f64 = 0.4;
/// Shortest and longest pause between two presses in the mean, µs.
const PRESSES_US: (f64, f64) = (2e5, 4e6);
/// Time of further presses after the last fault, µs: each of them must be journalled.
const PRESSED_AFTER_US: u64 = 9_000_000;
/// Maximum number of acts at such a clock.
const CLOCK_ACTS_MAX: usize = 60;

/// A board B is a DGT board with its clock, unless the floor has another board of another maker.
pub(super) fn add_dgt_clock(plan: &mut Plan) {
    let calm_us = plan.calm_us();
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ DGT_CLOCK_STREAM);
    let rng = &mut rng;
    let Some(floor) = plan.floors.first_mut().filter(|_| rng.random_bool(DGT_CLOCK)) else {
        return;
    };
    let boards = (0..floor.nodes.len()).filter(|&node| floor.nodes[node].on_b);
    let boards: Vec<usize> =
        boards.filter(|&node| floor.foreign.is_none_or(|foreign| foreign.node == node)).collect();
    if boards.is_empty() {
        return;
    }
    let node = boards[rng.random_range(0..boards.len())];
    keep_cable(floor, node);
    let reversed = rng.random_bool(0.5);
    floor.foreign = Some(ForeignPlan { node, maker: Maker::Dgt, reversed, clock: true });
    let (mut now_us, pause_us) = (FIRST_ORDER_US, log_uniform(rng, PRESSES_US));
    let end_us = calm_us + PRESSED_AFTER_US;
    let mut acts = vec![(now_us, node, Act::Start)];
    while acts.len() < CLOCK_ACTS_MAX {
        now_us += (-pause_us * (1.0 - rng.random::<f64>()).ln()) as u64;
        if now_us >= end_us {
            break;
        }
        let act = match rng.random_range(0..10) {
            0 => Act::Stop,
            1 => Act::Start,
            _ => Act::Lever,
        };
        acts.push((now_us, node, act));
    }
    // In the end it is stopped, so that its display is constant.
    let last_us = floor.acts.last().map_or(0, |&(at_us, ..)| at_us).max(now_us);
    acts.push((last_us + 1, node, Act::Stop));
    floor.acts.append(&mut acts);
    // Stable: at one node nothing is turned round.
    floor.acts.sort_by_key(|&(at_us, ..)| at_us);
}

/// For the acts at a control table.
const SPARED_STREAM: u64 = 0x6f72_6465_7273_0003;

/// Share of those plans in which its hub is spared, too; in the others it is killed and its disk is full, once it knows the set-up.
const HUB_SPARED: f64 = 0.5;

/// Adds a control table.
pub(super) fn add_spared_table(plan: &mut Plan) {
    let calm_us = plan.calm_us();
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ SPARED_STREAM);
    if rng.random_bool(HUB_SPARED) {
        plan.spare_first_hub();
    } else {
        plan.spare_first_hubs_beginning();
    }
    if let Some(floor) = plan.floors.first_mut() {
        floor.add_spared_table(&mut rng, calm_us);
    }
}

/// For hubs that come back as another release, or with another configuration.
const PROGRAMS_STREAM: u64 = 0x6f72_6465_7273_0005;
/// Share of the plans, of those with a floor of which no table is spared.
const PROGRAMS: f64 = 0.5;
/// Maximum number of such starts.
const PROGRAMS_MAX: u32 = 3;

/// The first hub comes back as another release, or with another configuration: once or more often, in the middle of matches.
pub(super) fn add_other_programs(plan: &mut Plan) {
    let calm_us = plan.calm_us();
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ PROGRAMS_STREAM);
    let rng = &mut rng;
    if plan.floors.is_empty() || calm_us <= FIRST_ORDER_US || !rng.random_bool(PROGRAMS) {
        return;
    }
    for _ in 0..rng.random_range(1..=PROGRAMS_MAX) {
        let at_us = rng.random_range(FIRST_ORDER_US..calm_us);
        let other = match rng.random_bool(0.5) {
            true => Incident::OtherRelease,
            false => Incident::OtherConfiguration,
        };
        let off_us = log_uniform(rng, (1e4, 3e6)) as u64;
        let on_us = (at_us + off_us).min(calm_us - 1);
        plan.incidents.extend([
            (at_us, Incident::HubOff(0)),
            (at_us, other),
            (on_us, Incident::HubOn(0, 0)),
        ]);
    }
    // Stable: what happens at one time keeps its order.
    plan.incidents.sort_by_key(|&(at_us, _)| at_us);
}

/// For contacts that are weak.
const WEAK_STREAM: u64 = 0x6f72_6465_7273_0007;
/// Share of the plans with a floor at which a board of ours has a weak contact.
const WEAK: f64 = 0.3;

/// A board of ours has a weak contact, and reports it.
pub(super) fn add_weak_board(plan: &mut Plan) {
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ WEAK_STREAM);
    let Some(floor) = plan.floors.first_mut().filter(|_| rng.random_bool(WEAK)) else { return };
    let is_foreign = |node| floor.foreign.is_some_and(|foreign| foreign.node == node);
    let boards = (0..floor.nodes.len()).filter(|&it| !floor.nodes[it].is_clock && !is_foreign(it));
    let boards: Vec<usize> = boards.collect();
    floor.weak = (!boards.is_empty()).then(|| boards[rng.random_range(0..boards.len())]);
}

/// For nodes that are plugged into the spare port.
const MOVES_STREAM: u64 = 0x6f72_6465_7273_000a;
/// Share of the plans with a floor at which a node is moved, and the maximum number of moves.
const MOVED: f64 = 0.3;
const MOVES_MAX: u32 = 3;

/// A node of ours on a UART is plugged in elsewhere: its old port stays open, and nobody speaks there.
pub(super) fn add_moves(plan: &mut Plan) {
    let (calm_us, is_quiet) = (plan.calm_us(), plan.is_quiet());
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ MOVES_STREAM);
    let floor = plan.floors.first_mut().filter(|_| rng.random_bool(MOVED) && !is_quiet);
    let Some(floor) = floor else { return };
    let is_foreign = |node| floor.foreign.is_some_and(|foreign| foreign.node == node);
    let wired = (0..floor.nodes.len())
        .filter(|&it| floor.nodes[it].table == 0 && !floor.nodes[it].is_usb && !is_foreign(it));
    let wired: Vec<usize> = wired.collect();
    if wired.is_empty() {
        return;
    }
    floor.has_spare_port = true;
    let node = wired[rng.random_range(0..wired.len())];
    for _ in 0..rng.random_range(1..=MOVES_MAX) {
        floor.incidents.push((rng.random_range(0..calm_us), FloorIncident::Move(node)));
    }
    floor.incidents.sort_by_key(|&(at_us, _)| at_us);
}

/// For ports that no configuration names.
const FOUND_STREAM: u64 = 0x6f72_6465_7273_0008;
/// Share of the plans with a floor whose USB devices are found.
const FOUND: f64 = 0.3;

/// The hub finds the nodes of ours on USB, whose ports have another name at each plugging. Cables are not exchanged.
pub(super) fn add_found_ports(plan: &mut Plan) {
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ FOUND_STREAM);
    let Some(floor) = plan.floors.first_mut().filter(|_| rng.random_bool(FOUND)) else { return };
    let is_foreign = |node| floor.foreign.is_some_and(|foreign| foreign.node == node);
    let found = (0..floor.nodes.len()).filter(|&it| floor.nodes[it].is_usb && !is_foreign(it));
    floor.found = found.collect();
    floor.incidents.retain(|(_, incident)| !matches!(incident, FloorIncident::Swap(..)));
}

/// For further hubs with tables.
const FURTHER_STREAM: u64 = 0x6f72_6465_7273_000b;
/// Share of the plans with a floor at which the next hub has tables with nodes, too.
const FURTHER: f64 = 0.5;

/// Further hubs have tables with nodes, lines, faults and orders of their own. A hub of a later release has none.
pub(super) fn add_further_floors(plan: &mut Plan) {
    let (calm_us, is_quiet) = (plan.calm_us(), plan.is_quiet());
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ FURTHER_STREAM);
    let rng = &mut rng;
    for hub in 1..plan.rows_us.len() {
        if plan.floors.len() != hub || plan.later_hub == Some(hub) || !rng.random_bool(FURTHER) {
            break;
        }
        let mut floor = FloorPlan::new(rng, calm_us);
        if is_quiet {
            floor.incidents.clear();
        }
        if rng.random_bool(ORDERED) {
            plan.orders.extend(orders(rng, &floor, hub, calm_us));
        }
        plan.rows_us[hub].clear();
        plan.floors.push(floor);
    }
    // Stable: what is ordered at one time keeps its order.
    plan.orders.sort_by_key(|&(at_us, ..)| at_us);
}

/// Adds all of it.
pub(super) fn add(plan: &mut Plan) {
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ STREAM);
    let rng = &mut rng;
    let calm_us = plan.calm_us();
    let first = usize::from(!plan.floors.is_empty());
    if rng.random_bool(LATER_HUB) && first < plan.rows_us.len() {
        plan.later_hub = Some(rng.random_range(first..plan.rows_us.len()));
    }
    plan.later_adjudicator = rng.random_bool(LATER_ADJUDICATOR);
    let is_quiet = plan.is_quiet();
    let Some(floor) = plan.floors.first_mut() else { return };
    if rng.random_bool(ORDERED) {
        plan.orders = orders(rng, floor, 0, calm_us);
    }
    if !is_quiet && rng.random_bool(OTHER_NODE) {
        add_other_node(rng, floor, calm_us);
    }
    if rng.random_bool(FOREIGN) {
        add_foreign(rng, floor);
    }
}

/// Orders for a hub's tables.
fn orders(
    rng: &mut ChaCha8Rng,
    floor: &FloorPlan,
    hub: usize,
    calm_us: u64,
) -> Vec<(u64, TableAt, Ordered)> {
    if calm_us <= FIRST_ORDER_US {
        return Vec::new();
    }
    let mut at: Vec<u64> = (0..rng.random_range(1..=ORDERS_MAX))
        .map(|_| rng.random_range(FIRST_ORDER_US..calm_us))
        .collect();
    at.sort_unstable();
    let order = |at_us| {
        let what = match rng.random_range(0..10) {
            0..6 => Ordered::Clock { on_b: false },
            6 => Ordered::Clock { on_b: true },
            7 | 8 => Ordered::Fact,
            _ => Ordered::FactWithdrawn,
        };
        (at_us, TableAt { hub, table: rng.random_range(0..floor.tables) }, what)
    };
    at.into_iter().map(order).collect()
}

/// Makes a board a Sentio. It is known by its port alone, and its bytes have no checksum: cables are not exchanged, and its line loses nothing.
fn add_foreign(rng: &mut ChaCha8Rng, floor: &mut FloorPlan) {
    let boards: Vec<usize> =
        (0..floor.nodes.len()).filter(|&node| !floor.nodes[node].is_clock).collect();
    let board = boards[rng.random_range(0..boards.len())];
    floor.incidents.retain(|(_, incident)| match incident {
        FloorIncident::Swap(..) => false,
        FloorIncident::Noise(node, _)
        | FloorIncident::Stall(node, _)
        | FloorIncident::OtherRelease(node) => *node != board,
        _ => true,
    });
    floor.foreign =
        Some(ForeignPlan { node: board, maker: Maker::Sentio, reversed: false, clock: false });
}

/// A node of the first table is given the firmware of another release, and some time later the right one again.
fn add_other_node(rng: &mut ChaCha8Rng, floor: &mut FloorPlan, calm_us: u64) {
    let of_first: Vec<usize> =
        (0..floor.nodes.len()).filter(|&node| floor.nodes[node].table == 0).collect();
    let node = of_first[rng.random_range(0..of_first.len())];
    let at_us = rng.random_range(0..calm_us);
    let end_us = at_us + log_uniform(rng, (1e6, 3e7)) as u64;
    floor.incidents.extend([
        (at_us, FloorIncident::OtherRelease(node)),
        (end_us, FloorIncident::NodeOff(node)),
        (end_us + 1, FloorIncident::NodeOn(node)),
    ]);
    floor.incidents.retain(|&(at_us, _)| at_us < calm_us);
    floor.incidents.sort_by_key(|&(at_us, _)| at_us);
}
