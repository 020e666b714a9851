//! One step of the filter: all hypotheses explain one closed segment.
//!
//! ```text
//! clean = SUM over h of p(h) * max over settled transitions of h of weight(transition) * p(reserves) [* PLY if no ply]
//! ```
//!
//! `clean` says how well the readings are explained, before the choice of players is weighed.
//! `weight(transition)` is the formula of [`explain`](crate::proposal::explain), `p(reserves)` that
//! of [`combine`](crate::beam::combine).
//!
//! The readings of a board depend on that board's position alone. So each position of the beam is
//! [explained](crate::proposal::explain) once. The joint hypotheses that share it differ in who
//! holds what, and are [combined](crate::beam::combine) with its transitions.

use action_model::RoleSet;
use rules::{Color, Ply, Role, Supply};
use rustc_hash::FxHashMap;

use crate::{
    beam::{Beam, choice_weights::Proposal, combine::Combiner, expansion::Expansion, set_ups},
    proposal::{
        closed_segment::{ClosedSegment, SearchEffort},
        explain::Proposer,
        transitions::SourcePosition,
    },
    state::{position_table::PositionId, trays::TrayStep},
};

impl Beam {
    /// The explanations of the segment from every position, if it is closed like this.
    pub(crate) fn find(&mut self, closed: &ClosedSegment, effort: SearchEffort) -> Proposal {
        self.make_room();
        let sources = self.ranked_positions(closed);
        let supported = self.supported(closed);
        let roles = Beam::droppable(closed, &sources, &supported);
        let mut proposer = Proposer::new(closed, roles, effort, &mut self.positions);
        sources.iter().for_each(|&from| proposer.explain(from));
        let Proposer { transitions, nodes, .. } = proposer;
        self.work += sources.len() + nodes.spent() + transitions.list.len();
        Proposal { effort, transitions, sources, supported }
    }

    /// Quality of the readings' explanation, 0 to 1: `clean` of this module.
    pub(crate) fn clean(&self, closed: &ClosedSegment, found: &Proposal) -> f64 {
        let Beam { filter, prior, width, .. } = self;
        let combiner = Combiner { closed, filter, prior, width: *width, found };
        let weighed = filter.states.iter().zip(filter.trellis.forward());
        weighed.map(|(state, mass)| mass * combiner.cleanest(state)).sum()
    }

    /// Weighs the transitions for every hypothesis, merges equal results, and cuts to the beam: the
    /// hypotheses that would follow if this explains the segment.
    pub(crate) fn propose(&mut self, closed: &ClosedSegment, mut found: Proposal) -> Expansion {
        let Beam { filter, prior, width, positions, .. } = self;
        let action_weights = &mut self.action_weights[closed.board.index()];
        found.weigh_choices(prior, positions, action_weights);
        let mut trays = TrayStep::new(&mut self.trays, &closed.tray_events, closed.t_us);
        let combiner = Combiner { closed, filter, prior, width: *width, found: &found };
        combiner.join(&mut trays).prune(*width, closed, &found, positions)
    }

    /// The positions of the closing board, those first that stand best in their set-up of this board.
    fn ranked_positions(&self, closed: &ClosedSegment) -> Vec<SourcePosition> {
        let ClosedSegment { board, supply, .. } = *closed;
        let mut places: FxHashMap<PositionId, usize> = FxHashMap::default();
        let mut ranked: Vec<SourcePosition> = Vec::new();
        // Number of each state's set-up of this board alone.
        let roots = &self.filter.roots;
        let first = |set_up: usize| {
            let ranks = roots[set_up][board.index()];
            roots.iter().position(|known| known[board.index()] == ranks).unwrap_or(set_up) as u8
        };
        let numbers: Vec<u8> = (0..roots.len()).map(first).collect();
        let of = |&set_up: &u8| numbers[usize::from(set_up)];
        let set_ups: Vec<u8> = self.filter.set_ups.iter().map(of).collect();
        let forward = self.filter.trellis.forward();
        let standing = set_ups::factors(forward, &set_ups);
        for ((state, mass), factor) in self.filter.states.iter().zip(forward).zip(standing) {
            let id = state.boards[board.index()];
            let place = *places.entry(id).or_insert_with(|| {
                ranked.push(SourcePosition { id, ..SourcePosition::default() });
                ranked.len() - 1
            });
            let from = &mut ranked[place];
            from.mass += mass * factor;
            for (side, color) in from.held.iter_mut().zip(Color::ALL) {
                *side = side.union(state.holding(board, color).droppable(supply));
            }
        }
        ranked.sort_by(|a, b| b.mass.total_cmp(&a.mass));
        ranked
    }

    /// Roles that each colour may drop in some hypothesis, White first. All roles where partners
    /// supply the pieces and no hypothesis has any.
    fn droppable(
        closed: &ClosedSegment,
        sources: &[SourcePosition],
        supported: &FxHashMap<PositionId, [RoleSet; 2]>,
    ) -> [RoleSet; 2] {
        Color::ALL.map(|color| {
            let side = usize::from(color.is_black());
            let all = sources.iter().map(|from| &from.held).chain(supported.values());
            let mut roles = all.fold(RoleSet::NONE, |all, roles| all.union(roles[side]));
            if closed.supply != Supply::Partner {
                return roles;
            }
            if roles.is_empty() {
                return RoleSet::ALL;
            }
            for ply in closed.stated_of(color) {
                if let Ply::Drop { role, .. } = ply {
                    roles.add(role);
                }
            }
            roles
        })
    }

    /// The roles of each colour whose capture at the partner board may be under way, by the position there.
    fn supported(&self, closed: &ClosedSegment) -> FxHashMap<PositionId, [RoleSet; 2]> {
        let mut supported = FxHashMap::default();
        if closed.supply == Supply::Partner && closed.partner_touched.any() {
            for state in &self.filter.states {
                let id = state.boards[closed.board.other().index()];
                supported.entry(id).or_insert_with(|| {
                    Color::ALL.map(|color| self.in_the_making(closed, id, color))
                });
            }
        }
        supported
    }

    fn in_the_making(&self, closed: &ClosedSegment, id: PositionId, color: Color) -> RoleSet {
        let position = &self.positions.get(id).position;
        let role = |square| match position.promoted().contains(square) {
            true => Some(Role::Pawn),
            false => position.board().role_at(square),
        };
        let touched = closed.partner_touched & position.board().by_color(color);
        touched.into_iter().filter_map(role).fold(RoleSet::NONE, RoleSet::with)
    }
}
