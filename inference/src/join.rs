//! Joint hypotheses after a segment: who holds what decides how likely a drop was, equal results are
//! merged, and the beam is cut.

use std::cmp::Ordering;

use rules::{Bitboard, BoardId, Color, Seat};
use rustc_hash::FxHashMap;

use crate::{
    boards::Positions,
    expand::Expansion,
    joint::JointState,
    legality,
    prior::{ActionPrior, RoleSet, slot},
    shares::{Shares, Timing},
    successors::{Exchange, Successor, Ways},
    tray::{Deed, TrayStep},
    trellis::{Choice, Edge},
};

/// Ways less likely than this, relative to the likeliest, are left out.
const NEGLIGIBLE: f64 = 1e-10;
/// Ways followed for each place in the beam, at most.
const WAYS_PER_PLACE: usize = 10;
/// One place in so many of the beam is kept for other layouts of the pieces.
const RESERVED_PART: usize = 4;
/// Places that one layout can get of those.
const LAYOUT_PLACES: usize = 24;

/// The hypotheses and the ways that their positions have.
pub(crate) struct Joining<'a> {
    pub(crate) board: BoardId,
    pub(crate) states: &'a [JointState],
    pub(crate) forward: &'a [f64],
    /// For each position of the partner board, the roles of each colour that may be on their way.
    pub(crate) supported: &'a [[RoleSet; 2]],
    /// Whether the partner board has a press to explain, whose capture may have come before the drop.
    pub(crate) partner_pressed: bool,
    pub(crate) ways: &'a Ways,
    pub(crate) prior: &'a dyn ActionPrior,
    pub(crate) timing: Timing,
    pub(crate) beam: usize,
}

impl Joining<'_> {
    fn ways_of(&self, state: &JointState) -> &[Successor] {
        self.ways.from(state.boards[self.board.index()])
    }

    /// Follows the ways of every hypothesis and merges equal results.
    pub(crate) fn join(&self, trays: &mut TrayStep<'_>) -> Joined {
        let mut joined = Joined::default();
        let mut shares = Shares::new(self.prior, self.board, self.timing, &self.ways.menus);
        let least = self.least_promising();
        for (index, (state, &mass)) in self.states.iter().zip(self.forward).enumerate() {
            let partner = state.boards[self.board.other().index()];
            let supported = self.supported.get(usize::from(partner.0)).copied().unwrap_or_default();
            let mut clean = 0.0f64;
            let entered = trays.enter(state.trays);
            for (successor, &(now, arrived)) in
                self.ways_of(state).iter().flat_map(|way| entered.iter().map(move |on| (way, on)))
            {
                if mass * successor.weight < least {
                    continue;
                }
                let mut next = JointState { trays: now, ..*state };
                let (mut possible, mut chosen) = (successor.weight, arrived);
                let mut choice = successor.choice;
                for (at, exchange) in successor.exchanges.iter().enumerate() {
                    if let Some(made) = &exchange.made {
                        let number = shares.circumstances(&next, exchange.side, at == 0);
                        chosen *= shares.share(made, number) / legality::PLY;
                    }
                    if self.is_on_credit(&next, exchange) {
                        choice = successor.on_credit;
                    }
                    chosen *= self.lay_and_take(trays, &mut next, exchange);
                    possible *= self.exchange(&mut next, exchange, &supported);
                }
                if successor.settled {
                    // Where a ply was due elsewhere in the beam, that there was none is no cleaner than a ply.
                    let no_ply = successor.exchanges.is_empty();
                    clean = clean.max(if no_ply { possible * legality::PLY } else { possible });
                }
                let weight = possible * chosen;
                let reached = mass * weight;
                if reached <= joined.best * NEGLIGIBLE {
                    continue;
                }
                next.boards[self.board.index()] = successor.target;
                let edge = Edge { from: index as u16, to: 0, choice, weight };
                joined.add(edge, next, successor.settled, reached);
            }
            joined.clean += mass * clean;
        }
        joined
    }

    /// Below this probability, before choices are weighed, a way is not followed: there are more than
    /// enough better ones to fill the beam.
    fn least_promising(&self) -> f64 {
        let enough = self.beam * WAYS_PER_PLACE;
        let count: usize = self.states.iter().map(|state| self.ways_of(state).len()).sum();
        if count <= enough {
            return 0.0;
        }
        let mut promising: Vec<f64> = Vec::with_capacity(count);
        for (state, &mass) in self.states.iter().zip(self.forward) {
            promising.extend(self.ways_of(state).iter().map(|way| mass * way.weight));
        }
        let (_, least, _) = promising.select_nth_unstable_by(enough, |a, b| b.total_cmp(a));
        *least
    }

    /// Moves pieces between the trays; returns how likely that is by what the slots did.
    fn lay_and_take(
        &self,
        trays: &mut TrayStep<'_>,
        state: &mut JointState,
        exchange: &Exchange,
    ) -> f64 {
        let own = Seat { board: self.board, color: exchange.side };
        let partner = own.partner();
        let theirs = match exchange.captured {
            Some(role) => {
                let owed = state.holding(partner.board, partner.color).count(role) < 0;
                Deed::Gets(role, owed)
            }
            None => Deed::GetsNothing,
        };
        trays.follow(&mut state.trays, own, exchange.drop.map_or(Deed::Other, Deed::Drop))
            * trays.follow(&mut state.trays, partner, theirs)
    }

    /// Whether a piece is dropped before the ply was complete that captured it.
    fn is_on_credit(&self, state: &JointState, exchange: &Exchange) -> bool {
        let held = |role| state.holding(self.board, exchange.side).count(role) > 0;
        !self.partner_pressed && exchange.drop.is_some_and(|role| !held(role))
    }

    /// Moves pieces between the players' reserves; returns how likely it is that they could.
    fn exchange(
        &self,
        state: &mut JointState,
        exchange: &Exchange,
        supported: &[RoleSet; 2],
    ) -> f64 {
        let mut weight = 1.0;
        let own = state.holding_mut(self.board, exchange.side);
        if let Some(role) = exchange.drop {
            let slot = slot(role);
            if !slot.is_some_and(|slot| own.held().has_slot(slot)) {
                let supported = supported[usize::from(exchange.side.is_black())];
                let in_the_making = slot.is_some_and(|slot| supported.has_slot(slot));
                weight *= if in_the_making {
                    legality::DEBT_SUPPORTED
                } else {
                    legality::DEBT_UNSUPPORTED
                };
            }
            own.take(role);
        }
        own.settle();
        let partner = Seat { board: self.board, color: exchange.side }.partner();
        let theirs = state.holding_mut(partner.board, partner.color);
        let owed = theirs.debt();
        if let Some(role) = exchange.captured {
            theirs.add(role);
        }
        if owed > 0 && theirs.debt() == owed {
            weight *= legality::DEBT_UNPAID;
        }
        weight
    }
}

/// Joint hypotheses after the segment, before the beam is cut.
#[derive(Default)]
pub(crate) struct Joined {
    nodes: FxHashMap<JointState, u32>,
    states: Vec<JointState>,
    masses: Vec<f64>,
    /// From, to, choice, weight.
    edges: Vec<(u16, u32, u32, f64)>,
    best: f64,
    evidence: f64,
    settled: f64,
    clean: f64,
}

impl Joined {
    fn add(&mut self, edge: Edge, state: JointState, settled: bool, reached: f64) {
        let next = self.states.len() as u32;
        let node = *self.nodes.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.masses.push(0.0);
            next
        });
        self.masses[node as usize] += reached;
        self.best = self.best.max(reached);
        self.evidence += reached;
        if settled {
            self.settled += reached;
        }
        self.edges.push((edge.from, node, edge.choice, edge.weight));
    }

    fn by_mass(&self, a: u32, b: u32) -> Ordering {
        self.masses[b as usize].total_cmp(&self.masses[a as usize]).then(a.cmp(&b))
    }

    /// Keeps the likeliest `beam` hypotheses and the edges to them.
    pub(crate) fn prune(
        self,
        beam: usize,
        positions: &Positions,
        choices: Vec<Choice>,
    ) -> Expansion {
        let mut order: Vec<u32> = (0..self.states.len() as u32).collect();
        if order.len() > beam {
            self.select(&mut order, beam, positions);
        }
        order.sort_unstable_by(|&a, &b| self.by_mass(a, b));
        let total: f64 = order.iter().map(|&node| self.masses[node as usize]).sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut places = vec![None; self.states.len()];
        for (place, &node) in order.iter().enumerate() {
            places[node as usize] = Some(place as u16);
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        let mut numbers: Vec<Option<u32>> = vec![None; choices.len()];
        let mut used = 0;
        for &(from, node, choice, weight) in &self.edges {
            if let Some(to) = places[node as usize] {
                let number = numbers[choice as usize].get_or_insert_with(|| {
                    used += 1;
                    used - 1
                });
                edges.push(Edge { from, to, choice: *number, weight });
            }
        }
        edges.shrink_to_fit();
        let mut kept: Vec<(u32, Choice)> = numbers
            .into_iter()
            .zip(choices)
            .filter_map(|(number, choice)| Some((number?, choice)))
            .collect();
        kept.sort_unstable_by_key(|&(number, _)| number);
        Expansion {
            states: order.iter().map(|&node| self.states[node as usize]).collect(),
            forward: order.iter().map(|&node| self.masses[node as usize] * scale).collect(),
            choices: kept.into_iter().map(|(_, choice)| choice).collect(),
            edges,
            evidence: self.evidence,
            settled: self.settled,
            clean: self.clean,
        }
    }

    /// Chooses `beam` hypotheses: mostly the likeliest, but with places kept for those that have the
    /// pieces of either colour elsewhere. Unknown types alone would fill any beam, while the next
    /// plies tell where pieces stand much sooner than what they are.
    fn select(&self, order: &mut Vec<u32>, beam: usize, positions: &Positions) {
        let certain = beam - beam / RESERVED_PART;
        order.select_nth_unstable_by(certain, |&a, &b| self.by_mass(a, b));
        let mut rest = order.split_off(certain);
        rest.sort_unstable_by(|&a, &b| self.by_mass(a, b));
        let layout = |node: u32| -> [Bitboard; 4] {
            let [a, b] = self.states[node as usize].boards.map(|id| &positions.get(id).expected);
            let (white, black) = (Color::White, Color::Black);
            [a.side(white), a.side(black), b.side(white), b.side(black)]
        };
        let mut layouts: FxHashMap<[Bitboard; 4], usize> = FxHashMap::default();
        for &node in order.iter() {
            *layouts.entry(layout(node)).or_default() += 1;
        }
        let mut passed_over = Vec::new();
        for node in rest {
            let places = layouts.entry(layout(node)).or_default();
            if order.len() < beam && *places < LAYOUT_PLACES {
                *places += 1;
                order.push(node);
            } else {
                passed_over.push(node);
            }
        }
        let free = beam - order.len();
        order.extend(passed_over.into_iter().take(free));
    }
}
