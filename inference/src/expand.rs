//! One step of the beam: all hypotheses explain one closed segment.
//!
//! What a board's squares say depends only on that board's position, so each position of the beam is
//! explained once; the joint hypotheses that share it differ only in who holds what.

use rules::{BoardId, Color, Role, Seat};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::{
    boards::{PositionId, Positions},
    candidates::{Explanation, FLOOR, Roles, Scene},
    joint::JointState,
    legality,
    observation::Observation,
    prior::ActionPrior,
    segment::Segment,
    sequence::{Cuts, MAX_PLIES, Sequence, Step},
    trellis::{Choice, Edge, MadePly, Pattern},
};

/// A segment about to be closed.
pub(crate) struct Closing<'a> {
    pub(crate) board: BoardId,
    /// Who pressed; none when the clock was stopped.
    pub(crate) presser: Option<Color>,
    pub(crate) t_us: u64,
    pub(crate) segment: &'a Segment,
    /// How many of its events belong to it.
    pub(crate) count: usize,
    /// Squares of the partner board that have changed since its last press.
    pub(crate) partner_touched: rules::Bitboard,
}

/// How far to look for explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// At most one ply, whose target has been read.
    Settled,
    /// Also targets not yet read, silent exchanges, and several plies.
    Full,
}

/// The hypotheses after a segment and the ways to them.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) states: Vec<JointState>,
    pub(crate) forward: Vec<f64>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) edges: Vec<Edge>,
    /// Probability of the segment, given all before.
    pub(crate) evidence: f64,
    /// The part of it in which everything had settled.
    pub(crate) settled: f64,
}

/// Positions for which sequences of plies are tried: the likeliest.
const MAX_SEQUENCE_POSITIONS: usize = 48;
/// Ways less likely than this, relative to the likeliest, are left out.
const NEGLIGIBLE: f64 = 1e-10;

/// One place in so many of the beam is kept for other layouts of the pieces.
const RESERVED_PART: usize = 4;
/// Places that one layout can get of those.
const LAYOUT_PLACES: usize = 24;
/// So many squares that read otherwise than expected are pieces out of place.
const DISPLACED: usize = 3;

/// Ways followed for each place in the beam, at most.
const WAYS_PER_PLACE: usize = 10;
/// Explanations less likely than this, relative to the likeliest of a likelier position, are left out.
const HOPELESS: f64 = 1e-8;

/// What a player's ply does to the reserves.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    side: Color,
    /// Role dropped, and where the weights of the roles for this drop stand.
    drop: Option<(Role, u32)>,
    captured: Option<Role>,
}

/// One way to explain the segment from one position.
#[derive(Clone, Debug)]
struct Successor {
    weight: f64,
    target: PositionId,
    choice: u32,
    settled: bool,
    exchanges: SmallVec<[Exchange; MAX_PLIES]>,
}

/// Expands the beam over one segment.
pub(crate) struct Expander<'a> {
    pub(crate) closing: &'a Closing<'a>,
    pub(crate) states: &'a [JointState],
    pub(crate) forward: &'a [f64],
    pub(crate) prior: &'a dyn ActionPrior,
    pub(crate) beam: usize,
}

/// What is found while expanding.
#[derive(Default)]
struct Work {
    choices: Vec<Choice>,
    choice_ids: FxHashMap<ChoiceKey, u32>,
    drop_weights: Vec<[f64; 5]>,
    successors: Vec<Successor>,
    plies: Vec<rules::Ply>,
    explanations: Vec<Explanation>,
    /// The likeliest explanation so far.
    best: f64,
}

type ChoiceKey =
    (Pattern, SmallVec<[(rules::Ply, Color, Option<rules::IllegalReason>); MAX_PLIES]>);

impl Expander<'_> {
    /// Explains the segment from every hypothesis and keeps the likeliest `beam` results.
    pub(crate) fn run(&self, positions: &mut Positions, breadth: Breadth) -> Expansion {
        let observation = self.closing.segment.observe(self.closing.count);
        let ranked = self.ranked_positions(positions.len());
        let roles = self.droppable(positions);
        let cuts =
            (breadth == Breadth::Full).then(|| Cuts::new(self.closing.segment, self.closing.count));
        let mut work = Work::default();
        let mut spans = vec![(0u32, 0u32); positions.len()];
        for (rank, &id) in ranked.iter().enumerate() {
            let begin = work.successors.len();
            let cuts = cuts.as_ref().filter(|_| rank < MAX_SEQUENCE_POSITIONS);
            self.explain(positions, id, &observation, &roles, breadth, cuts, &mut work);
            spans[usize::from(id.0)] = (begin as u32, work.successors.len() as u32);
        }
        let supported = self.supported(positions);
        self.join(&work, &spans, &supported).prune(self.beam, positions, work.choices)
    }

    /// The positions of the closing board, likeliest first.
    fn ranked_positions(&self, known: usize) -> Vec<PositionId> {
        let mut masses = vec![0.0; known];
        let mut ids = Vec::new();
        for (state, mass) in self.states.iter().zip(self.forward) {
            let id = state.boards[self.closing.board.index()];
            let sum: &mut f64 = &mut masses[usize::from(id.0)];
            if *sum == 0.0 {
                ids.push(id);
            }
            // A hypothesis whose probability has vanished still counts as present.
            *sum += mass.max(f64::MIN_POSITIVE);
        }
        ids.sort_by(|a, b| {
            masses[usize::from(b.0)].total_cmp(&masses[usize::from(a.0)]).then(a.cmp(b))
        });
        ids
    }

    /// What each colour may drop in some hypothesis; everything when nobody is known to hold anything.
    fn droppable(&self, positions: &Positions) -> [Roles; 2] {
        [Color::White, Color::Black].map(|color| {
            let mut roles = self.states.iter().fold(Roles::NONE, |roles, state| {
                roles.union(Roles::held(state.reserve(self.closing.board, color)))
            });
            for state in self.states {
                let id = state.boards[self.closing.board.other().index()];
                roles = roles.union(self.in_the_making(positions, id, color));
            }
            if roles.is_empty() { Roles::ALL } else { roles }
        })
    }

    /// Roles of `color` whose capture at the partner board may be under way, for each position there.
    fn supported(&self, positions: &Positions) -> Vec<[Roles; 2]> {
        let mut supported = vec![[Roles::NONE; 2]; positions.len()];
        if self.closing.partner_touched.any() {
            for state in self.states {
                let id = state.boards[self.closing.board.other().index()];
                supported[usize::from(id.0)] = [Color::White, Color::Black]
                    .map(|color| self.in_the_making(positions, id, color));
            }
        }
        supported
    }

    fn in_the_making(&self, positions: &Positions, id: PositionId, color: Color) -> Roles {
        let mut roles = Roles::NONE;
        if self.closing.partner_touched.is_empty() {
            return roles;
        }
        let position = &positions.get(id).position;
        let touched = self.closing.partner_touched & position.board().by_color(color);
        for square in touched {
            if position.promoted().contains(square) {
                roles.add(Role::Pawn);
            } else if let Some(role) = position.board().role_at(square) {
                roles.add(role);
            }
        }
        roles
    }

    #[allow(clippy::too_many_arguments)]
    fn explain(
        &self,
        positions: &mut Positions,
        id: PositionId,
        observation: &Observation,
        roles: &[Roles; 2],
        breadth: Breadth,
        cuts: Option<&Cuts>,
        work: &mut Work,
    ) {
        let known = positions.get(id).clone();
        let turn = known.position.turn();
        let color_roles = |color: Color| roles[usize::from(color.is_black())];
        let presser = self.closing.presser.unwrap_or(turn);
        let single = match self.closing.presser {
            None => [Some((turn, legality::stopped::ONE_PLY, Pattern::Regular)), None],
            Some(presser) if presser == turn => [Some((turn, 1.0, Pattern::Regular)), None],
            Some(presser) => [
                Some((turn, legality::other_turn::PRESSED_FOR_OTHER, Pattern::PressedForOther)),
                Some((presser, legality::other_turn::OUT_OF_TURN, Pattern::OutOfTurn)),
            ],
        };
        for (side, weight, pattern) in single.into_iter().flatten() {
            let position = known.position.clone().with_turn(side);
            let scene = Scene {
                position: &position,
                expected: &known.expected,
                observation,
                presser,
                roles: color_roles(side),
            };
            let mut explanations = std::mem::take(&mut work.explanations);
            explanations.clear();
            scene.settled(&mut explanations);
            let settled = explanations.len();
            if breadth == Breadth::Full && pattern == Pattern::Regular {
                scene.unsettled(&mut work.plies, &mut explanations);
            }
            for explanation in &explanations {
                work.best = work.best.max(weight * explanation.weight);
            }
            for (index, &explanation) in explanations.iter().enumerate() {
                if weight * explanation.weight < work.best * HOPELESS {
                    continue;
                }
                let step = Step { side, explanation, t_us: None };
                let weight = weight * explanation.weight;
                let seen = observation.filled_soon.contains(explanation.ply.to());
                let settled = index < settled || seen;
                self.add(positions, &position, &[step], weight, pattern, settled, work);
            }
            work.explanations = explanations;
        }
        self.explain_without_ply(&known, id, observation, presser, work);
        if let (Some(cuts), Some(presser)) = (cuts, self.closing.presser) {
            self.explain_with_several(
                positions,
                &known.position,
                cuts,
                presser,
                &color_roles,
                work,
            );
        }
    }

    fn explain_without_ply(
        &self,
        known: &crate::boards::Known,
        id: PositionId,
        observation: &Observation,
        presser: Color,
        work: &mut Work,
    ) {
        let (weight, pattern) = match self.closing.presser {
            None => (legality::stopped::NO_PLY, Pattern::Nothing),
            Some(presser) if presser == known.position.turn() => {
                let displaced = known.expected.occupied ^ observation.before;
                let weight = if displaced.count() >= DISPLACED {
                    legality::own_turn::NO_PLY_DISPLACED
                } else {
                    legality::own_turn::NO_PLY
                };
                (weight, Pattern::PressWithoutMove)
            }
            Some(_) => (legality::other_turn::NO_PLY, Pattern::Nothing),
        };
        let scene = Scene {
            position: &known.position,
            expected: &known.expected,
            observation,
            presser,
            roles: Roles::NONE,
        };
        let choice = work.choice(Choice { plies: SmallVec::new(), pattern });
        work.successors.push(Successor {
            // Never quite impossible, so that no segment can empty the beam.
            weight: (weight * scene.without_ply()).max(FLOOR),
            target: id,
            choice,
            settled: pattern == Pattern::Nothing,
            exchanges: SmallVec::new(),
        });
    }

    fn explain_with_several(
        &self,
        positions: &mut Positions,
        position: &rules::Position,
        cuts: &Cuts,
        presser: Color,
        roles: &dyn Fn(Color) -> Roles,
        work: &mut Work,
    ) {
        let (turn, other) = (position.turn(), position.turn().other());
        let patterns: &[(&[Color], f64, Pattern)] = if presser == turn {
            &[
                (&[turn, other], legality::own_turn::ANSWERED, Pattern::Answered),
                (&[turn, other, turn], legality::own_turn::MISSED_PRESS, Pattern::MissedPress),
            ]
        } else {
            &[(&[turn, other], legality::other_turn::MISSED_PRESS, Pattern::MissedPress)]
        };
        for &(sides, weight, pattern) in patterns {
            for Sequence { steps, weight: seen } in cuts.explain(position, sides, roles) {
                self.add(positions, position, &steps, weight * seen, pattern, true, work);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn add(
        &self,
        positions: &mut Positions,
        position: &rules::Position,
        steps: &[Step],
        weight: f64,
        pattern: Pattern,
        settled: bool,
        work: &mut Work,
    ) {
        let mut position = position.clone();
        let mut plies = SmallVec::new();
        let mut exchanges: SmallVec<[Exchange; MAX_PLIES]> = smallvec![];
        for step in steps {
            position = position.with_turn(step.side);
            let ply = step.explanation.ply;
            let drop = match ply {
                rules::Ply::Drop { role, to } => {
                    Some((role, work.weights_of_drop(self.prior, &position, to)))
                }
                rules::Ply::Move { .. } => None,
            };
            let captured = position
                .play(ply)
                .captured
                .filter(|captured| captured.piece.color != step.side)
                .and_then(|captured| captured.role_to_reserve);
            exchanges.push(Exchange { side: step.side, drop, captured });
            plies.push(MadePly {
                ply,
                side: step.side,
                illegal: step.explanation.illegal,
                t_us: step.t_us.unwrap_or(self.closing.t_us),
            });
        }
        let Some(target) = positions.intern(position) else { return };
        let choice = work.choice(Choice { plies, pattern });
        work.successors.push(Successor { weight, target, choice, settled, exchanges });
    }

    /// Applies the successors of each position to the joint hypotheses and merges equal results.
    fn join(&self, work: &Work, spans: &[(u32, u32)], supported: &[[Roles; 2]]) -> Joined {
        let mut joined = Joined::default();
        let board = self.closing.board;
        let least = self.least_promising(work, spans);
        for (index, (state, &mass)) in self.states.iter().zip(self.forward).enumerate() {
            let (begin, end) = spans[usize::from(state.boards[board.index()].0)];
            let supported = supported
                .get(usize::from(state.boards[board.other().index()].0))
                .copied()
                .unwrap_or_default();
            for successor in &work.successors[begin as usize..end as usize] {
                let mut weight = successor.weight;
                if mass * weight < least {
                    continue;
                }
                let mut next = *state;
                for exchange in &successor.exchanges {
                    weight *= self.exchange(&mut next, exchange, &supported, work);
                }
                let reached = mass * weight;
                if reached <= joined.best * NEGLIGIBLE {
                    continue;
                }
                next.boards[board.index()] = successor.target;
                joined.add(index as u16, next, successor, weight, reached);
            }
        }
        joined
    }

    /// Below this probability, before types are weighed, a way is not followed: there are more than
    /// enough better ones to fill the beam.
    fn least_promising(&self, work: &Work, spans: &[(u32, u32)]) -> f64 {
        let enough = self.beam * WAYS_PER_PLACE;
        let ways = |state: &JointState| {
            let (begin, end) = spans[usize::from(state.boards[self.closing.board.index()].0)];
            &work.successors[begin as usize..end as usize]
        };
        let count: usize = self.states.iter().map(|state| ways(state).len()).sum();
        if count <= enough {
            return 0.0;
        }
        let mut promising: Vec<f64> = Vec::with_capacity(count);
        for (state, &mass) in self.states.iter().zip(self.forward) {
            promising.extend(ways(state).iter().map(|way| mass * way.weight));
        }
        let (_, least, _) = promising.select_nth_unstable_by(enough, |a, b| b.total_cmp(a));
        *least
    }

    /// Moves pieces between the players' hands; returns how likely the types are.
    fn exchange(
        &self,
        state: &mut JointState,
        exchange: &Exchange,
        supported: &[Roles; 2],
        work: &Work,
    ) -> f64 {
        let board = self.closing.board;
        let mut weight = 1.0;
        if let Some((role, weights)) = exchange.drop {
            let reserve = state.reserve_mut(board, exchange.side);
            let supported = supported[usize::from(exchange.side.is_black())];
            weight *= drop_share(
                role,
                &work.drop_weights[weights as usize],
                Roles::held(reserve),
                supported,
            );
            reserve.take(role);
        }
        let seat = Seat { board, color: exchange.side };
        let partner = seat.partner();
        let reserve = state.reserve_mut(partner.board, partner.color);
        let owed = reserve.debt();
        if let Some(role) = exchange.captured {
            reserve.add(role);
        }
        if owed > 0 && reserve.debt() == owed {
            weight *= legality::DEBT_UNPAID;
        }
        weight
    }
}

/// Probability that a drop is of `role`, by the weights of the roles on this square, what is held and
/// what may be on its way.
fn drop_share(role: Role, weights: &[f64; 5], held: Roles, supported: Roles) -> f64 {
    let slot = rules::RESERVE_ROLES.iter().position(|&known| known == role).unwrap_or(0);
    let held_sum: f64 = (0..5).filter(|&slot| held.has_slot(slot)).map(|slot| weights[slot]).sum();
    let all: f64 = weights.iter().sum();
    let norm = if held_sum > 0.0 { held_sum } else { all };
    let availability = if held.has_slot(slot) {
        1.0
    } else if supported.has_slot(slot) {
        legality::DEBT_SUPPORTED
    } else {
        legality::DEBT_UNSUPPORTED
    };
    availability * weights[slot] / norm
}

impl Work {
    fn choice(&mut self, choice: Choice) -> u32 {
        let key: ChoiceKey = (
            choice.pattern,
            choice.plies.iter().map(|made| (made.ply, made.side, made.illegal)).collect(),
        );
        let next = self.choices.len() as u32;
        *self.choice_ids.entry(key).or_insert_with(|| {
            self.choices.push(choice);
            next
        })
    }

    fn weights_of_drop(
        &mut self,
        prior: &dyn ActionPrior,
        position: &rules::Position,
        to: rules::Square,
    ) -> u32 {
        self.drop_weights.push(prior.drop_weights(position, to));
        self.drop_weights.len() as u32 - 1
    }
}

/// Joint hypotheses after the segment, before the beam is cut.
#[derive(Default)]
struct Joined {
    nodes: FxHashMap<JointState, u32>,
    states: Vec<JointState>,
    masses: Vec<f64>,
    edges: Vec<(u16, u32, u32, f64)>,
    best: f64,
    evidence: f64,
    settled: f64,
}

impl Joined {
    fn add(&mut self, from: u16, state: JointState, way: &Successor, weight: f64, reached: f64) {
        let next = self.states.len() as u32;
        let node = *self.nodes.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.masses.push(0.0);
            next
        });
        self.masses[node as usize] += reached;
        self.best = self.best.max(reached);
        self.evidence += reached;
        if way.settled {
            self.settled += reached;
        }
        self.edges.push((from, node, way.choice, weight));
    }

    /// Chooses `beam` hypotheses: mostly the likeliest, but with places kept for those that have the
    /// pieces of either colour elsewhere. Unknown types alone would fill any beam, while the next
    /// plies tell where pieces stand much sooner than what they are.
    fn select(
        &self,
        order: &mut Vec<u32>,
        beam: usize,
        positions: &Positions,
        by_mass: impl Fn(&u32, &u32) -> std::cmp::Ordering,
    ) {
        let certain = beam - beam / RESERVED_PART;
        order.select_nth_unstable_by(certain, &by_mass);
        let mut rest = order.split_off(certain);
        let mut layouts: FxHashMap<[rules::Bitboard; 4], usize> = FxHashMap::default();
        let layout = |node: u32| {
            let [a, b] = self.states[node as usize].boards.map(|id| &positions.get(id).expected);
            let (white, black) = (Color::White, Color::Black);
            [a.side(white), a.side(black), b.side(white), b.side(black)]
        };
        for &node in order.iter() {
            *layouts.entry(layout(node)).or_default() += 1;
        }
        rest.sort_unstable_by(&by_mass);
        let mut passed_over = Vec::new();
        for node in rest {
            let known = layouts.entry(layout(node)).or_default();
            if order.len() < beam && *known < LAYOUT_PLACES {
                *known += 1;
                order.push(node);
            } else {
                passed_over.push(node);
            }
        }
        let free = beam - order.len();
        order.extend(passed_over.into_iter().take(free));
    }

    /// Keeps the likeliest `beam` hypotheses and the edges to them.
    fn prune(self, beam: usize, positions: &Positions, choices: Vec<Choice>) -> Expansion {
        let mut order: Vec<u32> = (0..self.states.len() as u32).collect();
        let by_mass = |a: &u32, b: &u32| {
            self.masses[*b as usize].total_cmp(&self.masses[*a as usize]).then(a.cmp(b))
        };
        if order.len() > beam {
            self.select(&mut order, beam, positions, by_mass);
        }
        order.sort_unstable_by(by_mass);
        let total: f64 = order.iter().map(|&node| self.masses[node as usize]).sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut places = vec![None; self.states.len()];
        for (place, &node) in order.iter().enumerate() {
            places[node as usize] = Some(place as u16);
        }
        let edges = self
            .edges
            .iter()
            .filter_map(|&(from, node, choice, weight)| {
                Some(Edge { from, to: places[node as usize]?, choice, weight })
            })
            .collect();
        Expansion {
            states: order.iter().map(|&node| self.states[node as usize]).collect(),
            forward: order.iter().map(|&node| self.masses[node as usize] * scale).collect(),
            choices,
            edges,
            evidence: self.evidence,
            settled: self.settled,
        }
    }
}
