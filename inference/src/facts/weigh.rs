//! How likely what people say is, given what happened: the named likelihoods of facts.

use rules::{BoardId, BoardState, Color, Ply, Supply};

use super::{EndingFact, Fact, Facts, FinalFact, MatchResult, PlyFact};
use crate::{
    explanation::{ExplainedPly, PressPattern},
    state::{joint_state::JointState, position_table::PositionTable},
};

/// That somebody says this of a ply of which it is not true. Small enough to outweigh what is merely
/// rare, a piece that nobody was known to hold included, and too great to outweigh the squares: a piece
/// on a square where none is read takes more than one person's word.
const MISTAKEN: f64 = 1e-6;
/// Decimal orders of magnitude that a square told wrongly costs: people mistake a piece now and then.
const SQUARE_SLIP: usize = 3;
/// Decimal orders of magnitude that a piece more or less in a reserve costs: it may lie under the table.
const RESERVE_SLIP: usize = 2;
/// Decimal orders of magnitude that a mate which is none costs: children call what the rules do not.
const NO_MATE: usize = 3;

/// A fact about a ply, brought to a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    pub(crate) fact: &'a PlyFact,
    /// Whether its time comes after the segment's end: then it can only mean an answer that was made
    /// before the press and is dated by its own.
    pub(crate) later: bool,
}

impl About<'_> {
    /// Whether the fact holds, or says nothing, if the segment was explained so.
    pub(crate) fn agrees(
        &self,
        pattern: PressPattern,
        presser: Option<Color>,
        plies: &[ExplainedPly],
    ) -> bool {
        let concerns = |side: Color| self.fact.side.is_none_or(|of| of == side);
        if self.later {
            let answer = plies.last().filter(|_| pattern == PressPattern::Answered);
            return answer
                .filter(|made| concerns(made.side))
                .is_none_or(|made| self.fact.said.holds_of(made.ply));
        }
        // A press without a ply that was due: the ply had been made before, and was judged there.
        let confirms = pattern == PressPattern::Nothing && presser.is_some_and(concerns);
        confirms || self.fact.agrees(plies)
    }

    /// What `side` is said to have played in the segment itself.
    pub(crate) fn said_of(&self, side: Color) -> Option<Ply> {
        let fact = self.fact;
        let concerns = fact.said.made && !self.later && fact.side.is_none_or(|of| of == side);
        fact.said.uci.filter(|_| concerns)
    }
}

/// Probability of what is said of the plies of one segment, if it was explained so.
pub(crate) fn likelihood(
    facts: &[About<'_>],
    pattern: PressPattern,
    presser: Option<Color>,
    plies: &[ExplainedPly],
) -> f64 {
    let agrees = |about: &About<'_>| about.agrees(pattern, presser, plies);
    facts.iter().fold(1.0, |p, about| if agrees(about) { p } else { p * MISTAKEN })
}

/// The facts about how the match ended, ready to weigh what stood there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weighing<'a> {
    pub(crate) positions: &'a PositionTable,
    pub(crate) states: &'a [JointState],
}

impl Weighing<'_> {
    /// Likelihood of all that is said of the end, for each state, relative to the one that agrees best;
    /// none if nothing is said of it.
    pub(crate) fn of_ends(&self, facts: &Facts) -> Option<Vec<f64>> {
        let told = |fact: &&Fact| fact.is_of_end();
        facts.iter().find(told)?;
        let costs: Vec<usize> = self
            .states
            .iter()
            .map(|state| facts.iter().map(|fact| self.cost(fact, state)).sum())
            .collect();
        let least = costs.iter().copied().min().unwrap_or(0);
        Some(costs.into_iter().map(|cost| crate::params::power(0.1, cost - least)).collect())
    }

    /// Orders of magnitude that the fact speaks against the state.
    fn cost(&self, fact: &Fact, state: &JointState) -> usize {
        match fact {
            Fact::Ply(_) | Fact::Stands(_) => 0,
            Fact::Final(end) => {
                let (squares, reserves) = self.differences(end, state);
                squares * SQUARE_SLIP + reserves * RESERVE_SLIP
            }
            Fact::Ending(ending) => {
                if self.ended_so(ending, state) {
                    0
                } else {
                    NO_MATE
                }
            }
        }
    }

    /// Squares and held pieces that are otherwise in this state.
    pub(crate) fn differences(&self, end: &FinalFact, state: &JointState) -> (usize, usize) {
        end.boards.iter().fold((0, 0), |(squares, reserves), (&board, told)| {
            let position = &self.positions.get(state.boards[board.index()]).position;
            let held = Color::ALL.map(|color| state.holding(board, color).reserve());
            let differing = match self.positions.supply() {
                Supply::Partner => told.differing_reserves(held),
                // Nothing is known of reserves here.
                Supply::Unseen | Supply::Nobody => 0,
            };
            (squares + told.differing_squares(position), reserves + differing)
        })
    }

    /// Whether the match may have ended so. Who moves is not looked at: the mating ply may have had no
    /// press. A mate that only a piece the partner has yet to supply could end counts too.
    pub(crate) fn ended_so(&self, ending: &EndingFact, state: &JointState) -> bool {
        if ending.result != MatchResult::Mate {
            return true;
        }
        BoardId::ALL.into_iter().filter(|&board| ending.board.is_none_or(|at| at == board)).any(
            |board| {
                let position = &self.positions.get(state.boards[board.index()]).position;
                Color::ALL
                    .into_iter()
                    .filter(|&color| ending.side.is_none_or(|side| side == color))
                    .any(|color| {
                        let position = position.clone().with_turn(color);
                        let held = state.holding(board, color).reserve();
                        matches!(
                            position.state(&held, self.positions.supply()),
                            BoardState::Mate | BoardState::BlockableCheck
                        )
                    })
            },
        )
    }
}
