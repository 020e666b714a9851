//! An explanation played on its position: where it leads, how it changes the reserves, and what it is called.
//!
//! The weight of an explanation is known before it is played. Playing gives it what the later steps
//! need: the new position, the reserve changes, and the choice points of its plies.

use action_model::Recent;
use rules::{Bitboard, Color, IllegalReason, Played, Ply, Position, Role, Supply};
use smallvec::{SmallVec, smallvec};

use super::Proposer;
use crate::{
    explanation::{ExplainedPly, Explanation, Plies, PressPattern},
    facts, params,
    proposal::{
        candidates::Candidate,
        sequences::SequenceStep,
        transitions::{ChoicePoint, ReserveChange, Transition, UnweighedPly},
    },
    state::{position_table::PositionEntry, takeback::Takeback},
};

/// The plies of a transition are weighed among their alternatives if the probability of its
/// position times its weight is at least this, relative to the greatest so far. Otherwise each
/// counts as an average ply. An odd ply weighs less than an average one, so the bound must lie far
/// below everything that is believed. Bound: on work.
const WORTH_WEIGHING: f64 = 1e-9;

impl Proposer<'_> {
    /// Plays the plies of an explanation and adds the transition. With the pattern
    /// [`Nothing`](PressPattern::Nothing) they change the board and count as no plies.
    pub(super) fn add(
        &mut self,
        (position, mut takeback): (&Position, Takeback),
        steps: &[SequenceStep],
        weight: f64,
        pattern: PressPattern,
        settled: bool,
    ) {
        let supply = self.closed.supply;
        self.transitions.best = self.transitions.best.max(weight);
        self.likeliest = self.likeliest.max(self.from.mass * weight);
        let worth_weighing = self.from.mass * weight >= self.likeliest * WORTH_WEIGHING;
        let mut position = position.clone();
        let mut recent = self.closed.recent;
        let mut plies = Plies::new();
        let mut reserve_changes: SmallVec<[ReserveChange; 1]> = SmallVec::new();
        let mut chosen: SmallVec<[ChoicePoint; 1]> = SmallVec::new();
        for step in steps {
            let SequenceStep {
                side, candidate: Candidate { ply, illegal, is_unchosen, .. }, ..
            } = *step;
            position = position.with_turn(side);
            takeback = takeback.after(ply, illegal);
            // The alternatives of a legal ply are noted.
            if worth_weighing && illegal.is_none() && !is_unchosen {
                chosen.extend(self.chosen(reserve_changes.len(), &position, ply, recent));
            }
            let drop = if let Ply::Drop { role, .. } = ply { Some(role) } else { None };
            let (captured, to_reserve) = captured(&position.play_with(ply, supply), side);
            reserve_changes.push(ReserveChange { side, drop, captured: to_reserve, made: None });
            recent[usize::from(side.is_black())] = Bitboard::from_square(ply.to());
            plies.push(ExplainedPly { captured, ..self.explained(step) });
        }
        if pattern == PressPattern::Nothing {
            plies.clear();
            takeback = Takeback::Over;
        }
        let arrivals = steps.iter().map(|step| step.candidate.ply.to());
        let weight = weight
            * self.closed.identity_likelihood(&position, arrivals)
            * self.stop_likelihood(&position);
        let Some(target) = self.positions.intern(PositionEntry { position, takeback }) else {
            return;
        };
        let on_credit = if supply == Supply::Partner { on_credit(&plies) } else { None };
        let explanation = self.explanation(Explanation { plies, pattern });
        let on_credit =
            on_credit.map_or(explanation, |plies| self.explanation(Explanation { plies, pattern }));
        chosen.into_iter().for_each(|point| self.transitions.unweighed.note(point));
        self.transitions.list.push(Transition {
            weight,
            target,
            explanation,
            on_credit,
            settled,
            reserve_changes,
        });
    }

    /// Likelihood ratio of an end of the segment by a stop of the clock in this position to one in play.
    pub(super) fn stop_likelihood(&self, position: &Position) -> f64 {
        let is_stopped = self.closed.presser.is_none();
        if is_stopped && position.board().kings().count() < 2 {
            params::STOPPED_AFTER_KING
        } else {
            1.0
        }
    }

    /// A ply with its times, as if it captured nothing.
    fn explained(&self, step: &SequenceStep) -> ExplainedPly {
        let Candidate { ply, illegal, .. } = step.candidate;
        let (landed_us, t_us) = step.times_us.unwrap_or((self.landed_us, self.closed.t_us));
        ExplainedPly { ply, side: step.side, illegal, captured: None, landed_us, t_us }
    }

    /// A legal ply with the index of its reserve change and the position that it was chosen in,
    /// after plies that arrived on the `recent` squares, White's first. None if the table has no
    /// room for the position.
    fn chosen(
        &mut self,
        reserve_change: usize,
        position: &Position,
        ply: Ply,
        [white, black]: [Bitboard; 2],
    ) -> Option<ChoicePoint> {
        let turn = position.turn();
        // Taking back is no choice, so positions that differ only in what may be taken back share
        // their action weights.
        let from = self.positions.get(self.from.id);
        let is_unchanged = reserve_change == 0
            && from.position.turn() == turn
            && from.takeback == Takeback::Nothing;
        let id = match is_unchanged {
            true => self.from.id,
            false => self.positions.intern(PositionEntry::of(position.clone()))?,
        };
        let recent = if turn.is_white() {
            Recent { by_opponent: black, by_mover: white }
        } else {
            Recent { by_opponent: white, by_mover: black }
        };
        let side = usize::from(turn.is_black());
        let roles = match ply {
            // The dropped role may be owed, so all roles that may be dropped are weighed together.
            Ply::Drop { role, .. } => {
                self.from.held[side].union(self.transitions.roles[side]).with(role)
            }
            Ply::Move { .. } => self.from.held[side],
        };
        let mover = ply.from().and_then(|from| position.board().role_at(from));
        let unweighed = UnweighedPly {
            transition: self.transitions.list.len() as u32,
            reserve_change: reserve_change as u32,
            from: self.from.id,
            kind: (ply, turn, mover),
        };
        Some(ChoicePoint { place: (id, recent), roles, plies: smallvec![unweighed] })
    }

    /// Likelihood of the facts about the segment, if these were its plies.
    pub(super) fn fact_likelihood(&self, pattern: PressPattern, steps: &[SequenceStep]) -> f64 {
        if self.closed.facts.is_empty() {
            return 1.0;
        }
        let plies: Plies = steps.iter().map(|step| self.explained(step)).collect();
        facts::likelihood(&self.closed.facts, pattern, self.closed.presser, &plies)
    }

    pub(super) fn explanation(&mut self, explanation: Explanation) -> u32 {
        let explanations = &mut self.transitions.explanations;
        *self.explanation_ids.entry(explanation.key()).or_insert_with(|| {
            explanations.push(explanation);
            explanations.len() as u32 - 1
        })
    }
}

/// The role that a ply of this side took, and the role that a reserve gets.
fn captured(played: &Played, side: Color) -> (Option<Role>, Option<Role>) {
    let taken = played.captured.filter(|taken| taken.piece.color != side);
    let to_reserve = taken.and_then(|taken| taken.role_to_reserve);
    (taken.map(|taken| to_reserve.unwrap_or(taken.piece.role)), to_reserve)
}

/// The same plies, with their drop illegal because its piece was not in the reserve. None unless
/// exactly one is a drop, and a legal one otherwise.
fn on_credit(plies: &Plies) -> Option<Plies> {
    let mut drops = plies.iter().enumerate().filter(|(_, made)| made.ply.is_drop());
    let (at, _) = drops.next().filter(|(_, drop)| drop.illegal.is_none())?;
    drops.next().is_none().then(|| {
        let mut plies = plies.clone();
        plies[at].illegal = Some(IllegalReason::DropNotInReserve);
        plies
    })
}
