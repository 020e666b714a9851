//! Joint hypotheses after a segment: who holds what decides how likely a drop was, equal results are
//! merged, and the beam is cut.

use std::ops::Range;

use action_model::{ActionPrior, RoleSet};
use rules::{BoardId, Reserve, Seat, Supply};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{
    beam::{
        choice_probability::Shares,
        expansion::Expansion,
        resample::{Ranked, Survivor, select},
    },
    explanation::Choice,
    params,
    proposal::{
        closed_segment::Breadth,
        transitions::{Exchange, Successor, Ways},
    },
    sensing::clock::Timing,
    state::{
        joint_state::JointState,
        position_table::{PositionId, Positions},
        trays::{Deed, TrayStep},
    },
    trellis::Edge,
};

/// Ways less likely than this, relative to the likeliest, are left out.
const NEGLIGIBLE: f64 = 1e-10;
/// Ways followed for each place in the beam, at most.
const WAYS_PER_PLACE: usize = 10;
/// Room is made at once for as many hypotheses as there are ways to them, but for no more than this.
const MAX_ROOM: usize = 2_048;

/// What to rank by instead of the probability.
pub(crate) struct Guiding<'a> {
    /// The ranks of the hypotheses.
    pub(crate) ranks: &'a [f64],
    /// Factors of the choices.
    pub(crate) factors: Vec<f64>,
}

/// What a way makes of the rank of any hypothesis, before it is followed. Nearly all ways are looked at by nothing else, so these numbers
/// stand side by side.
struct Promise {
    /// If every ply counts as an average one.
    first: f64,
    /// At most.
    most: f64,
}

/// The hypotheses and the ways that their positions have.
pub(crate) struct Joining<'a> {
    pub(crate) board: BoardId,
    pub(crate) states: &'a [JointState],
    pub(crate) forward: &'a [f64],
    pub(crate) supply: Supply,
    /// For each position of the partner board, the roles of each colour that may be on their way.
    pub(crate) supported: &'a FxHashMap<PositionId, [RoleSet; 2]>,
    pub(crate) ways: &'a Ways,
    pub(crate) prior: &'a dyn ActionPrior,
    pub(crate) timing: Timing,
    pub(crate) beam: usize,
    pub(crate) guiding: Option<&'a Guiding<'a>>,
}

impl Joining<'_> {
    fn ways_of(&self, state: &JointState) -> &[Successor] {
        self.ways.from(state.boards[self.board.index()])
    }

    /// What a hypothesis is ranked by.
    fn rank(&self, index: usize) -> f64 {
        self.guiding.map_or(self.forward[index], |guiding| guiding.ranks[index])
    }

    /// What a way does to the rank, beside its weight.
    fn lead(&self, way: &Successor) -> f64 {
        self.guiding.map_or(1.0, |guiding| guiding.factors[way.choice as usize])
    }

    /// How likely what was read is in the settled way of a hypothesis that fits best, what players choose left out.
    pub(crate) fn cleanest(&self, state: &JointState) -> f64 {
        let supported = self.supported_by(state);
        let mut clean = 0.0f64;
        for way in self.ways_of(state).iter().filter(|way| way.settled) {
            // Where a ply was due elsewhere in the beam, that there was none is no cleaner than a ply.
            let no_ply = way.exchanges.is_empty();
            let most = if no_ply { way.weight * params::PLY } else { way.weight };
            if most > clean {
                let mut next = *state;
                let exchanges = way.exchanges.iter();
                let possible =
                    exchanges.map(|exchange| self.exchange(&mut next, exchange, &supported));
                clean = clean.max(most * possible.product::<f64>());
            }
        }
        clean
    }

    /// The roles of each colour that may be on their way, White's first.
    fn supported_by(&self, state: &JointState) -> [RoleSet; 2] {
        let partner = state.boards[self.board.other().index()];
        self.supported.get(&partner).copied().unwrap_or_default()
    }

    /// Follows the ways of every hypothesis and merges equal results.
    pub(crate) fn join(&self, trays: &mut TrayStep<'_>) -> Joined {
        let numbers: Vec<Range<usize>> =
            self.states.iter().map(|state| self.numbers_of(state)).collect();
        let promises: Vec<Promise> =
            self.ways.successors.iter().map(|way| self.promise(way)).collect();
        let count = numbers.iter().map(Range::len).sum();
        let least = self.least_promising(&numbers, &promises, count);
        let mut joined = Joined::with_room(count.min(MAX_ROOM));
        let of_table = (self.board, self.supply);
        let mut shares = Shares::new(self.prior, of_table, self.timing, &self.ways.menus);
        for (index, (state, numbers)) in self.states.iter().zip(numbers).enumerate() {
            let supported = self.supported_by(state);
            let rank = self.rank(index);
            let entered = trays.enter(state.trays);
            for (number, promise) in numbers.clone().zip(&promises[numbers]) {
                if rank * promise.first < least {
                    continue;
                }
                for &(now, arrived) in &entered {
                    if rank * promise.most * arrived <= joined.best * NEGLIGIBLE {
                        continue;
                    }
                    let way = &self.ways.successors[number];
                    let before = (JointState { trays: now, ..*state }, arrived);
                    let (state, choice, weight) =
                        self.follow(before, way, &supported, (trays, &mut shares));
                    let ranked = rank * self.lead(way) * weight;
                    if ranked <= joined.best * NEGLIGIBLE {
                        continue;
                    }
                    let edge = Edge { from: index as u16, to: 0, choice, weight };
                    let reached = self.forward[index] * weight;
                    joined.add(edge, state, way.settled, (reached, ranked));
                }
            }
        }
        joined
    }

    /// Where a way leads from one hypothesis that has some probability by now, by which choice, and the probability of both.
    #[inline]
    fn follow(
        &self,
        (mut state, mut chosen): (JointState, f64),
        way: &Successor,
        supported: &[RoleSet; 2],
        (trays, shares): (&mut TrayStep<'_>, &mut Shares<'_>),
    ) -> (JointState, u32, f64) {
        let (mut possible, mut choice) = (way.weight, way.choice);
        for (at, exchange) in way.exchanges.iter().enumerate() {
            if let Some(made) = &exchange.made {
                let number = shares.circumstances(&state, exchange.side, at == 0);
                chosen *= shares.preference(made, number);
            }
            if self.is_on_credit(&state, exchange) {
                choice = way.on_credit;
            }
            if trays.are_used() {
                chosen *= self.lay_and_take(trays, &mut state, exchange);
            }
            possible *= self.exchange(&mut state, exchange, supported);
        }
        state.boards[self.board.index()] = way.target;
        (state, choice, possible * chosen)
    }

    fn promise(&self, way: &Successor) -> Promise {
        let first = self.lead(way) * way.weight;
        // No more than if everything done had been the only thing to do.
        Promise { first, most: first * params::power(1.0 / params::PLY, way.exchanges.len()) }
    }

    /// The numbers of the ways that the position of a hypothesis has.
    fn numbers_of(&self, state: &JointState) -> Range<usize> {
        self.ways.numbers_from(state.boards[self.board.index()])
    }

    /// Below this probability, before choices are weighed, a way is not followed: there are more than
    /// enough better ones to fill the beam.
    fn least_promising(&self, numbers: &[Range<usize>], promises: &[Promise], count: usize) -> f64 {
        let enough = self.beam * WAYS_PER_PLACE;
        if count <= enough {
            return 0.0;
        }
        let mut promising: Vec<f64> = Vec::with_capacity(count);
        for (index, numbers) in numbers.iter().enumerate() {
            let rank = self.rank(index);
            promising.extend(promises[numbers.clone()].iter().map(|way| rank * way.first));
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

    /// Whether a piece is dropped before the ply was complete that captured it. Only of partners' captures that is known.
    fn is_on_credit(&self, state: &JointState, exchange: &Exchange) -> bool {
        if self.supply != Supply::Partner {
            return false;
        }
        let held = |role| state.holding(self.board, exchange.side).count(role) > 0;
        exchange.drop.is_some_and(|role| !held(role))
    }

    /// Moves pieces between the players' reserves; returns how likely it is that they could. Reserves that do not exist, or that
    /// nobody can know, stay empty.
    fn exchange(
        &self,
        state: &mut JointState,
        exchange: &Exchange,
        supported: &[RoleSet; 2],
    ) -> f64 {
        if self.supply != Supply::Partner {
            return 1.0;
        }
        let mut weight = 1.0;
        let own = state.holding_mut(self.board, exchange.side);
        if let Some(role) = exchange.drop {
            let slot = Reserve::slot(role);
            if !slot.is_some_and(|slot| own.held().has_slot(slot)) {
                let supported = supported[usize::from(exchange.side.is_black())];
                let in_the_making = slot.is_some_and(|slot| supported.has_slot(slot));
                weight *=
                    if in_the_making { params::DEBT_SUPPORTED } else { params::DEBT_UNSUPPORTED };
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
            weight *= params::DEBT_UNPAID;
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
    /// What each is ranked by.
    ranks: Vec<f64>,
    /// From, to, choice, weight.
    edges: Vec<(u16, u32, u32, f64)>,
    best: f64,
    evidence: f64,
    settled: f64,
}

impl Joined {
    /// Nothing yet, with room for so many hypotheses.
    fn with_room(count: usize) -> Joined {
        Joined {
            nodes: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
            states: Vec::with_capacity(count),
            masses: Vec::with_capacity(count),
            ranks: Vec::with_capacity(count),
            edges: Vec::with_capacity(count),
            ..Joined::default()
        }
    }

    fn add(&mut self, edge: Edge, state: JointState, settled: bool, (reached, ranked): (f64, f64)) {
        let next = self.states.len() as u32;
        let node = *self.nodes.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.masses.push(0.0);
            self.ranks.push(0.0);
            next
        });
        self.masses[node as usize] += reached;
        self.ranks[node as usize] += ranked;
        self.best = self.best.max(ranked);
        self.evidence += reached;
        if settled {
            self.settled += reached;
        }
        self.edges.push((edge.from, node, edge.choice, edge.weight));
    }

    /// Keeps the likeliest `beam` hypotheses, and the edges to them.
    pub(crate) fn prune(self, beam: usize, positions: &Positions, ways: Ways) -> Expansion {
        let mut survivors = select(&self.ranks, beam, |node| self.layout(node, positions));
        let mass = |survivor: &Survivor| self.masses[survivor.node as usize] * survivor.factor;
        let rank = |survivor: &Survivor| self.ranks[survivor.node as usize] * survivor.factor;
        survivors.sort_by_cached_key(|survivor| Ranked::new(survivor.node, rank(survivor)));
        let total: f64 = survivors.iter().map(mass).sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut places = vec![None; self.states.len()];
        for (place, survivor) in survivors.iter().enumerate() {
            places[survivor.node as usize] = Some((place as u16, survivor.factor));
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        let mut numbers: Vec<Option<u32>> = vec![None; ways.choices.len()];
        let mut used = 0;
        for &(from, node, choice, weight) in &self.edges {
            if let Some((to, factor)) = places[node as usize] {
                let number = numbers[choice as usize].get_or_insert_with(|| {
                    used += 1;
                    used - 1
                });
                edges.push(Edge { from, to, choice: *number, weight: weight * factor });
            }
        }
        edges.shrink_to_fit();
        let mut kept: Vec<(u32, Choice)> = numbers
            .into_iter()
            .zip(&ways.choices)
            .filter_map(|(number, choice)| Some((number?, choice.clone())))
            .collect();
        kept.sort_unstable_by_key(|&(number, _)| number);
        let total_rank: f64 = survivors.iter().map(rank).sum();
        let rank_scale = if total_rank > 0.0 { 1.0 / total_rank } else { 0.0 };
        Expansion {
            breadth: Breadth::default(),
            ranks: survivors.iter().map(|survivor| rank(survivor) * rank_scale).collect(),
            kept: total,
            states: survivors.iter().map(|survivor| self.states[survivor.node as usize]).collect(),
            forward: survivors.iter().map(|survivor| mass(survivor) * scale).collect(),
            choices: kept.into_iter().map(|(_, choice)| choice).collect(),
            edges,
            ways,
            evidence: self.evidence,
            settled: self.settled,
        }
    }

    /// Equal for hypotheses whose pieces and kings stand alike on both boards.
    fn layout(&self, node: u32, positions: &Positions) -> [u16; 2] {
        self.states[node as usize].boards.map(|id| positions.get(id).layout)
    }
}
