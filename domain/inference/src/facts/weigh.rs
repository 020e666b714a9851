//! ```text
//! p(facts | explanation) = MISTAKEN^(number of facts about its plies that do not hold)
//! p(facts | end state) ∝ 10^-(3 · differing squares + 2 · differing reserve pieces + 3 · [asserted mate is none])
//! ```
//!
//! The likelihood of facts, given what happened. The end state that agrees best has likelihood 1.
//! In chess, and with an unseen partner, no reserve is known and none counts.

use rules::{BoardState, Color, Ply, Seat, Supply};

use super::{EndingFact, Fact, Facts, FinalFact, MatchResult, PlyFact};
use crate::{
    explanation::{ExplainedPly, PressPattern},
    state::{joint_state::JointState, position_table::PositionTable},
};

/// Probability that an asserted fact about a ply is not true. It is small enough that a fact
/// outweighs rare events, for example a drop on credit. It is large enough that the squares
/// outweigh a fact: one person's word puts no piece on a square that reads empty. Assumed: set by
/// hand.
const MISTAKEN: f64 = 1e-6;
/// Decimal orders of magnitude for a square that was asserted wrongly: people mistake a piece now
/// and then. Assumed: set by hand.
const SQUARE_SLIP: usize = 3;
/// Decimal orders of magnitude for each piece too many or too few in a reserve: it may lie under the table.
/// Assumed: set by hand.
const RESERVE_SLIP: usize = 2;
/// Decimal orders of magnitude for an asserted mate that is none: children call mate too early.
/// Assumed: set by hand.
const NO_MATE: usize = 3;

/// A fact about a ply, and the segment that it may be about.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) fact: PlyFact,
    /// Whether its time is after the segment's end. Then it can only mean an answer that stood
    /// before the press and has the time of its own press.
    pub(crate) later: bool,
}

impl About {
    /// Whether the fact holds, or says nothing, under this explanation of the segment.
    pub(crate) fn agrees(
        &self,
        pattern: PressPattern,
        presser: Option<Color>,
        plies: &[ExplainedPly],
    ) -> bool {
        let concerns = |side: Color| self.fact.side.is_none_or(|of| of == side);
        if self.later {
            let said = &self.fact.said;
            let answer = plies.last().filter(|_| pattern == PressPattern::Answered);
            let meant = answer.filter(|made| concerns(made.side));
            return meant.is_none_or(|made| said.unmade != said.fits(made.ply));
        }
        // No ply was due at this press: the ply stood in an earlier segment, and the fact was judged there.
        let confirms = pattern == PressPattern::Nothing && presser.is_some_and(concerns);
        confirms || self.fact.agrees(plies)
    }

    /// The ply that `side` played in the segment itself, by this fact.
    pub(crate) fn stated_of(&self, side: Color) -> Option<Ply> {
        let fact = &self.fact;
        let concerns = !fact.said.unmade && !self.later && fact.side.is_none_or(|of| of == side);
        fact.said.uci.filter(|_| concerns)
    }
}

/// Likelihood of the facts about one segment under this explanation, 0 to 1.
pub(crate) fn likelihood(
    facts: &[About],
    pattern: PressPattern,
    presser: Option<Color>,
    plies: &[ExplainedPly],
) -> f64 {
    let agrees = |about: &About| about.agrees(pattern, presser, plies);
    facts.iter().fold(1.0, |p, about| if agrees(about) { p } else { p * MISTAKEN })
}

/// Weighs end states by the facts about the end of the match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weighing<'a> {
    pub(crate) positions: &'a PositionTable,
    pub(crate) states: &'a [JointState],
    /// Source of droppable pieces.
    pub(crate) supply: Supply,
}

impl Weighing<'_> {
    /// Likelihood of all facts about the end for each state, relative to the state that agrees best. None
    /// without such facts.
    pub(crate) fn of_ends(&self, facts: &Facts) -> Option<Vec<f64>> {
        facts.iter().find(|fact| fact.is_of_end())?;
        let costs: Vec<usize> = self
            .states
            .iter()
            .map(|state| facts.iter().map(|fact| self.cost(fact, state)).sum())
            .collect();
        let least = costs.iter().copied().min().unwrap_or(0);
        Some(costs.into_iter().map(|cost| crate::params::power(0.1, cost - least)).collect())
    }

    /// Decimal orders of magnitude by which the fact speaks against the state.
    fn cost(&self, fact: &Fact, state: &JointState) -> usize {
        match fact {
            Fact::Final(end) => {
                let (squares, reserves) = self.differences(end, state);
                squares * SQUARE_SLIP + reserves * RESERVE_SLIP
            }
            Fact::Ending(ending) if !self.ended_so(ending, state) => NO_MATE,
            _ => 0,
        }
    }

    /// Numbers of squares and of reserve pieces in which this state differs from the fact.
    pub(crate) fn differences(&self, end: &FinalFact, state: &JointState) -> (usize, usize) {
        end.boards.iter().fold((0, 0), |(squares, reserves), (&board, asserted)| {
            let position = &self.positions.get(state.boards[board.index()]).position;
            let held = Color::ALL.map(|color| state.holding(board, color).reserve);
            let differing = match self.supply {
                Supply::Partner => asserted.differing_reserves(held),
                // No reserve is known here.
                Supply::Unseen | Supply::Nobody => 0,
            };
            (squares + asserted.differing_squares(position), reserves + differing)
        })
    }

    /// Whether the match may have ended so. The side to move does not matter, because the mating
    /// ply may have had no press. A check that only a piece from the partner could block counts as
    /// mate too.
    pub(crate) fn ended_so(&self, ending: &EndingFact, state: &JointState) -> bool {
        if ending.result != MatchResult::Mate {
            return true;
        }
        let concerned = Seat::ALL.into_iter().filter(|seat| {
            ending.board.is_none_or(|board| board == seat.board)
                && ending.side.is_none_or(|side| side == seat.color)
        });
        let mut ends = concerned.map(|Seat { board, color }| {
            let known = self.positions.get(state.boards[board.index()]);
            let held = state.holding(board, color).reserve;
            known.position.clone().with_turn(color).state(&held, self.supply)
        });
        ends.any(|end| matches!(end, BoardState::Mate | BoardState::BlockableCheck))
    }
}
