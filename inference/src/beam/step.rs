//! One step of the filter: all hypotheses explain one closed segment.
//!
//! ```text
//! clean = SUM over h of p(h) * max over settled transitions of h of weight(transition) * p(reserves) [* PLY if no ply]
//! ```
//!
//! `clean` says how well the readings are explained, before the choice of players is weighed. `weight(transition)` is
//! the formula of [`explain`](crate::proposal::explain), `p(reserves)` that of [`combine`](crate::beam::combine).
//!
//! The readings of a board depend on that board's position alone. So each position of the beam is
//! [explained](crate::proposal::explain) once. The joint hypotheses that share it differ in who holds what, and are
//! [combined](crate::beam::combine) with its transitions.

use action_model::{ActionPrior, RoleSet};
use rules::{Color, Ply, Role, Supply};
use rustc_hash::FxHashMap;

use crate::{
    beam::{
        action_weight_cache::ActionWeightCache,
        choice_weights::ChoiceWeights,
        combine::Combiner,
        expansion::Expansion,
        set_ups::{self, SetUp},
    },
    proposal::{
        closed_segment::{ClosedSegment, SearchEffort},
        explain::Proposer,
        transitions::{SourcePosition, Transitions},
    },
    state::{
        joint_state::JointState,
        position_table::{PositionId, PositionTable},
        trays::{TrayBook, TrayStep},
    },
};

/// The explanations of a segment, before choices and reserves are weighed.
#[derive(Debug)]
pub(crate) struct Proposal {
    effort: SearchEffort,
    supply: Supply,
    transitions: Transitions,
    /// The positions of the closing board, those first that stand best in their set-up.
    sources: Vec<SourcePosition>,
    /// The roles of each colour whose capture at the partner board may be under way, by the position there.
    supported: FxHashMap<PositionId, [RoleSet; 2]>,
    /// What it took to find them: nodes of the search, one for each position among them, and transitions.
    pub(crate) work: usize,
}

/// Expands the beam over one segment.
pub(crate) struct FilterStep<'a> {
    pub(crate) closing: &'a ClosedSegment,
    pub(crate) states: &'a [JointState],
    /// Of each state the number of its set-up.
    pub(crate) set_ups: &'a [u8],
    pub(crate) roots: &'a [SetUp],
    pub(crate) forward: &'a [f64],
    pub(crate) prior: &'a ActionPrior,
    pub(crate) beam: usize,
}

impl FilterStep<'_> {
    /// Explains the segment from every position. `known` are transitions of the same segment, found with the same
    /// effort.
    pub(crate) fn find(&self, positions: &mut PositionTable, effort: SearchEffort) -> Proposal {
        let supply = positions.supply();
        let sources = self.ranked_positions(supply);
        let roles = self.droppable(positions);
        let supported = self.supported(positions);
        let transitions = Transitions::new(sources.len(), roles);
        let mut proposer = Proposer::new(self.closing, transitions, effort, positions);
        sources.iter().for_each(|from| proposer.explain(from));
        let nodes = sources.len() + proposer.nodes_spent();
        let transitions = proposer.finish();
        let work = nodes + transitions.list.len();
        Proposal { effort, supply, transitions, sources, supported, work }
    }

    /// How well the readings are explained, 0 to 1: `clean` of this module.
    pub(crate) fn clean(&self, found: &Proposal) -> f64 {
        let combiner = self.combiner(found);
        let cleanest = |(state, mass): (&JointState, &f64)| mass * combiner.cleanest(state);
        self.states.iter().zip(self.forward).map(cleanest).sum()
    }

    /// Weighs the transitions for every hypothesis, merges equal results, and cuts to the beam.
    pub(crate) fn weigh(
        &self,
        mut found: Proposal,
        positions: &PositionTable,
        action_weights: &mut ActionWeightCache,
        trays: &mut TrayBook,
    ) -> Expansion {
        let Proposal { transitions, sources, .. } = &mut found;
        ChoiceWeights { sources, prior: self.prior }
            .weigh(transitions, (positions, action_weights));
        let mut trays = TrayStep::new(trays, &self.closing.tray_events, self.closing.t_us);
        let combined = self.combiner(&found).join(&mut trays);
        let Proposal { effort, transitions, .. } = found;
        Expansion { effort, ..combined.prune(self.beam, positions, &transitions) }
    }

    fn combiner<'b>(&'b self, found: &'b Proposal) -> Combiner<'b> {
        Combiner {
            board: self.closing.board,
            states: self.states,
            set_ups: self.set_ups,
            standing: set_ups::factors(self.forward, self.set_ups),
            forward: self.forward,
            supply: found.supply,
            supported: &found.supported,
            transitions: &found.transitions,
            prior: self.prior,
            timing: self.closing.timing,
            beam: self.beam,
        }
    }

    /// Of each state the number of a set-up of the closing board alone.
    fn set_ups_of_board(&self) -> Vec<u8> {
        let number = |[white, black]: [bool; 2]| u8::from(white) + 2 * u8::from(black);
        let of = |&set_up: &u8| number(self.roots[usize::from(set_up)][self.closing.board.index()]);
        self.set_ups.iter().map(of).collect()
    }

    /// The positions of the closing board, those first that stand best in their set-up of this board.
    fn ranked_positions(&self, supply: Supply) -> Vec<SourcePosition> {
        let board = self.closing.board;
        let mut places: FxHashMap<PositionId, usize> = FxHashMap::default();
        let mut ranked: Vec<SourcePosition> = Vec::new();
        let standing = set_ups::factors(self.forward, &self.set_ups_of_board());
        for ((state, mass), factor) in self.states.iter().zip(self.forward).zip(standing) {
            let id = state.boards[board.index()];
            let place = *places.entry(id).or_insert_with(|| {
                ranked.push(SourcePosition { id, mass: 0.0, held: [RoleSet::NONE; 2] });
                ranked.len() - 1
            });
            let from = &mut ranked[place];
            from.mass += mass * factor;
            for (side, color) in from.held.iter_mut().zip([Color::White, Color::Black]) {
                *side = side.union(state.holding(board, color).droppable(supply));
            }
        }
        ranked.sort_by(|a, b| b.mass.total_cmp(&a.mass));
        ranked
    }

    /// Roles that each colour may drop in some hypothesis, White first. All roles where partners supply the pieces and
    /// no hypothesis has any.
    fn droppable(&self, positions: &PositionTable) -> [RoleSet; 2] {
        let supply = positions.supply();
        [Color::White, Color::Black].map(|color| {
            let mut roles = self.states.iter().fold(RoleSet::NONE, |roles, state| {
                roles.union(state.holding(self.closing.board, color).droppable(supply))
            });
            if supply != Supply::Partner {
                return roles;
            }
            for state in self.states {
                let id = state.boards[self.closing.board.other().index()];
                roles = roles.union(self.in_the_making(positions, id, color));
            }
            if roles.is_empty() {
                return RoleSet::ALL;
            }
            for ply in self.closing.said_of(color) {
                if let Ply::Drop { role, .. } = ply {
                    roles.add(role);
                }
            }
            roles
        })
    }

    /// The roles of each colour whose capture at the partner board may be under way, by the position there.
    fn supported(&self, positions: &PositionTable) -> FxHashMap<PositionId, [RoleSet; 2]> {
        let mut supported = FxHashMap::default();
        if self.closing.partner_touched.any() {
            for state in self.states {
                let id = state.boards[self.closing.board.other().index()];
                supported.entry(id).or_insert_with(|| {
                    [Color::White, Color::Black]
                        .map(|color| self.in_the_making(positions, id, color))
                });
            }
        }
        supported
    }

    fn in_the_making(&self, positions: &PositionTable, id: PositionId, color: Color) -> RoleSet {
        let mut roles = RoleSet::NONE;
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
}
