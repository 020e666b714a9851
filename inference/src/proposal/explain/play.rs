//! An explanation played on its position: where it leads, how it changes the reserves, and what it is called.
//!
//! The weight of an explanation is known before it is played. Playing gives it what the later steps need: the new
//! position, the reserve changes, and the choice points of its plies.

use action_model::{Recent, RoleSet};
use rules::{Bitboard, IllegalReason, Ply, Position, Role, Supply};
use smallvec::SmallVec;

use super::Proposer;
use crate::{
    explanation::{ExplainedPly, Explanation, ExplanationKey, PressPattern, USUAL_PLIES},
    proposal::{
        candidates::Candidate,
        sequences::SequenceStep,
        transitions::{ReserveChange, Transition},
        unweighed::{ChoicePlace, UnweighedPly},
    },
    state::takeback::Takeback,
};

/// The plies of a transition are weighed among their alternatives if the probability of its position times its weight
/// is at least this, relative to the greatest so far. Otherwise each counts as an average ply. An odd ply weighs less
/// than an average one, so the bound must lie far below everything that is believed. Bound: on work.
const WORTH_WEIGHING: f64 = 1e-9;

/// An explanation as far as it has been played.
struct Played {
    position: Position,
    takeback: Takeback,
    /// Squares on which the last ply of each side arrived, White's first.
    recent: [Bitboard; 2],
    plies: SmallVec<[ExplainedPly; USUAL_PLIES]>,
    reserve_changes: SmallVec<[ReserveChange; 1]>,
    chosen: SmallVec<[(ChoicePlace, RoleSet, UnweighedPly); 1]>,
}

impl Proposer<'_> {
    /// Plays the plies of an explanation and adds the transition.
    pub(super) fn add(
        &mut self,
        (position, takeback): (&Position, Takeback),
        steps: &[SequenceStep],
        weight: f64,
        pattern: PressPattern,
        settled: bool,
    ) {
        let supply = self.positions.supply();
        self.transitions.best = self.transitions.best.max(weight);
        self.likeliest = self.likeliest.max(self.mass * weight);
        let worth_weighing = self.mass * weight >= self.likeliest * WORTH_WEIGHING;
        let mut played = Played {
            position: position.clone(),
            takeback,
            recent: self.closing.recent,
            plies: SmallVec::new(),
            reserve_changes: SmallVec::new(),
            chosen: SmallVec::new(),
        };
        for step in steps {
            self.play(step, worth_weighing, &mut played);
        }
        let Played { position, takeback, plies, reserve_changes, chosen, .. } = played;
        let arrivals = steps.iter().map(|step| step.candidate.ply.to());
        let weight = weight * self.closing.identity_likelihood(&position, arrivals);
        let Some(target) = self.positions.intern(position, takeback) else { return };
        let on_credit = if supply == Supply::Partner { on_credit(&plies) } else { None };
        let explanation = self.explanation(Explanation { plies, pattern });
        let on_credit =
            on_credit.map_or(explanation, |plies| self.explanation(Explanation { plies, pattern }));
        chosen.into_iter().for_each(|ply| self.transitions.unweighed.note(ply));
        self.transitions.list.push(Transition {
            weight,
            target,
            explanation,
            on_credit,
            settled,
            reserve_changes,
        });
    }

    /// Plays one ply of an explanation. Its alternatives are noted if it is a legal one whose weight is
    /// `worth_weighing`.
    fn play(&mut self, step: &SequenceStep, worth_weighing: bool, played: &mut Played) {
        let SequenceStep { side, candidate, .. } = *step;
        let Candidate { ply, illegal, takes_back, .. } = candidate;
        played.position = played.position.clone().with_turn(side);
        played.takeback = played.takeback.after(ply, illegal);
        if worth_weighing && illegal.is_none() && !takes_back {
            let reserve_change = played.reserve_changes.len();
            let chosen = self.chosen(reserve_change, &played.position, ply, &played.recent);
            played.chosen.extend(chosen);
        }
        let drop = match ply {
            Ply::Drop { role, .. } => Some(role),
            Ply::Move { .. } => None,
        };
        let captured = played
            .position
            .play_with(ply, self.positions.supply())
            .captured
            .filter(|captured| captured.piece.color != side);
        let captures = captured.is_some_and(|captured| captured.piece.role != Role::King);
        let captured = captured.and_then(|captured| captured.role_to_reserve);
        played.reserve_changes.push(ReserveChange { side, drop, captured, made: None });
        played.recent[usize::from(side.is_black())] = Bitboard::from_square(ply.to());
        played.plies.push(ExplainedPly { captures, ..self.explained(step) });
    }

    /// A ply with its times, as if it captured nothing.
    fn explained(&self, step: &SequenceStep) -> ExplainedPly {
        let Candidate { ply, illegal, .. } = step.candidate;
        let (landed_us, t_us) = step.times_us.unwrap_or((self.landed_us, self.closing.t_us));
        ExplainedPly { ply, side: step.side, illegal, captures: false, landed_us, t_us }
    }

    /// A legal ply with the index of its reserve change and the position that it was chosen in, after plies that
    /// arrived on the `recent` squares. None if the table has no room for the position.
    fn chosen(
        &mut self,
        reserve_change: usize,
        position: &Position,
        ply: Ply,
        recent: &[Bitboard; 2],
    ) -> Option<(ChoicePlace, RoleSet, UnweighedPly)> {
        let turn = position.turn();
        // Taking back is no choice, so positions that differ only in what may be taken back share their action weights.
        let from = self.positions.get(self.from);
        let unchanged = reserve_change == 0
            && from.position.turn() == turn
            && from.takeback == Takeback::Nothing;
        let id = if unchanged {
            self.from
        } else {
            self.positions.intern(position.clone(), Takeback::Nothing)?
        };
        let [white, black] = *recent;
        let recent = if turn.is_white() {
            Recent { by_opponent: black, by_mover: white }
        } else {
            Recent { by_opponent: white, by_mover: black }
        };
        let side = usize::from(turn.is_black());
        let roles = match ply {
            // The dropped role may be owed, so all roles that may be dropped are weighed together.
            Ply::Drop { role, .. } => {
                self.held[side].union(self.transitions.roles[side]).with(role)
            }
            Ply::Move { .. } => self.held[side],
        };
        let mover = ply.from().and_then(|from| position.board().role_at(from));
        let unweighed = UnweighedPly {
            transition: self.transitions.list.len() as u32,
            reserve_change: reserve_change as u32,
            from: self.from,
            kind: (ply, turn, mover),
        };
        Some(((id, recent), roles, unweighed))
    }

    /// Likelihood of the facts about the segment, if these were its plies.
    pub(super) fn fact_likelihood(&self, pattern: PressPattern, steps: &[SequenceStep]) -> f64 {
        if self.closing.facts.is_empty() {
            return 1.0;
        }
        let plies: SmallVec<[ExplainedPly; USUAL_PLIES]> =
            steps.iter().map(|step| self.explained(step)).collect();
        self.closing.fact_likelihood(pattern, &plies)
    }

    pub(super) fn explanation(&mut self, explanation: Explanation) -> u32 {
        let explanations = &mut self.transitions.explanations;
        *self.explanation_ids.entry(ExplanationKey::of(&explanation)).or_insert_with(|| {
            explanations.push(explanation);
            explanations.len() as u32 - 1
        })
    }
}

/// The same plies, with their drop illegal because its piece was not in the reserve. None unless exactly one is a drop,
/// and a legal one otherwise.
fn on_credit(
    plies: &SmallVec<[ExplainedPly; USUAL_PLIES]>,
) -> Option<SmallVec<[ExplainedPly; USUAL_PLIES]>> {
    let mut drops = plies.iter().enumerate().filter(|(_, made)| made.ply.is_drop());
    let (at, made) = drops.next()?;
    (drops.next().is_none() && made.illegal.is_none()).then(|| {
        let mut plies = plies.clone();
        plies[at].illegal = Some(IllegalReason::DropNotInReserve);
        plies
    })
}
