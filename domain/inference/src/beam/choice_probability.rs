//! Odds of a ply's choice against an average one, for every joint hypothesis.
//!
//! ```text
//! preference(ply) = (1 - l) * min(q, (1 / PLY)^(3/4)) + l * (1 / (n * PLY))^(3/4)
//! q of a move     = (p(ply | a move)  / PLY)^(3/4) * p(a move)^(1/4)
//! q of a drop     = (p(ply | a drop)  / PLY)^(3/4) * p(a drop)^(1/4) * p(role | a drop on the square)^(1/4)
//! p(ply | kind)   = w(ply) * f(class of ply) / SUM over the actions of that kind of w * f
//! ```
//!
//! - `w`: weight of an action in its position, from the action model
//! - `f`: factor of its class in these circumstances: who holds what, what has just arrived, what
//!   the clocks' times
//! - `l`, [`PLY`](params::PLY): [lapse rate](params::LAPSE_RATE) and probability of an average ply
//! - `n`: number of actions that the player had
//!
//! The role that was dropped on its square counts in full, since 3/4 + 1/4 = 1.
//! [`params::choice_speaks`] says why the rest does not.
//!
//! The [weights](action_model::ActionWeights) belong to a position and the
//! [factors](action_model::Factors) to circumstances that many hypotheses share. So each sum over
//! all actions is found once for each pair of both.

use action_model::{ActionPrior, ActionTotals, Circumstances, Factors, RoleSet, unseen};
use rules::{Color, Reserve, Supply};
use rustc_hash::FxHashMap;

use crate::{
    params,
    proposal::{closed_segment::ClosedSegment, transitions::ChosenAction},
    state::joint_state::JointState,
};

/// The circumstances in which a ply was made, beside the position.
#[derive(Clone, Copy, Debug)]
struct Situation {
    factors: Factors,
    /// The factors as [evidence](params::choice_speaks).
    speaking: Factors,
    held: RoleSet,
}

/// The sums over everything that a player could have done, as factors. A weight times its factor is
/// the probability of the ply as evidence, relative to that of an average ply.
#[derive(Clone, Copy, Debug)]
struct Normaliser {
    /// If it was a move.
    moved: f64,
    /// The same if it was a drop, of any role.
    dropped: f64,
    /// The relative probability of each ply if all were equally likely.
    any: f64,
}

/// Holdings of the player and the other player, as numbers, the side of the ply, and whether it is the first
/// of the segment.
type CircumstancesKey = (u64, u64, Color, bool);
/// Totals, situation, and the slot of a role that was dropped without being held.
type NormaliserKey = (u32, u32, Option<usize>);

/// The probabilities of choices in one segment.
pub(crate) struct ChoiceProbability<'a> {
    prior: &'a ActionPrior,
    closed: &'a ClosedSegment,
    /// The totals of the positions in which plies were made.
    totals: &'a [ActionTotals],
    numbers: FxHashMap<CircumstancesKey, u32>,
    situations: Vec<Situation>,
    normalisers: FxHashMap<NormaliserKey, Normaliser>,
    /// The greatest relative probability: that of the only action a player had.
    most: f64,
}

impl<'a> ChoiceProbability<'a> {
    /// Probabilities in a segment. The positions have these totals.
    pub(crate) fn new(
        prior: &'a ActionPrior,
        closed: &'a ClosedSegment,
        totals: &'a [ActionTotals],
    ) -> ChoiceProbability<'a> {
        let most = params::choice_speaks(1.0 / params::PLY);
        let (numbers, normalisers) = (FxHashMap::default(), FxHashMap::default());
        let situations = Vec::new();
        ChoiceProbability { prior, closed, totals, numbers, situations, normalisers, most }
    }

    /// The number of the circumstances in which `side` makes a ply in `state`. The clocks give the
    /// time of the first ply of a segment only.
    pub(crate) fn circumstances(&mut self, state: &JointState, side: Color, first: bool) -> u32 {
        let ClosedSegment { board, supply, timing, .. } = *self.closed;
        let held = *state.holding(board, side);
        let against = state.holding(board, side.other()).settled();
        let next = self.situations.len() as u32;
        let key = (held.bits(), against.bits(), side, first);
        *self.numbers.entry(key).or_insert_with(|| {
            let [white, black] = timing.left_ms;
            let left = if side.is_white() { white.zip(black) } else { black.zip(white) };
            let circumstances = Circumstances {
                held: supply.droppable(&without_debts(held.reserve)),
                fresh: held.fresh,
                against: supply.droppable(&without_debts(against.reserve)),
                thought_ms: timing.thought_ms.filter(|_| first),
                left_ms: left.filter(|_| first).map(|(own, other)| [own, other]),
            };
            let known = self.prior.factors(&circumstances);
            let factors = if supply == Supply::Unseen { unseen(known) } else { known };
            let speaking = factors.map(params::choice_speaks);
            let held = held.droppable(supply);
            self.situations.push(Situation { factors, speaking, held });
            next
        })
    }

    /// Odds of a legal ply's choice in these circumstances against an [average
    /// one](params::PLY), as [evidence](params::choice_speaks): above 0, by the formula of this
    /// module. A dropped role that is not held counts as if it were.
    pub(crate) fn preference(&mut self, made: &ChosenAction, circumstances: u32) -> f64 {
        let situation = &self.situations[circumstances as usize];
        let actions = &self.totals[made.totals as usize];
        let slot = made.drop.map(|(slot, _)| usize::from(slot));
        let credit = slot.filter(|&slot| !situation.held.has_slot(slot));
        let key = (made.totals, circumstances, credit);
        let of_actions = || Normaliser::of(actions, situation, credit);
        let total = *self.normalisers.entry(key).or_insert_with(of_actions);
        let weight = made.weight * situation.speaking[made.class.index()];
        let chosen = match &made.drop {
            None => weight * total.moved,
            Some((slot, there)) => {
                // Square and role have counted together with a power of 3/4. The role still lacks 1/4.
                let role = there.share(usize::from(*slot), &situation.factors, situation.held);
                weight * total.dropped * params::fourth_root(role)
            }
        };
        (1.0 - params::LAPSE_RATE) * chosen.min(self.most) + params::LAPSE_RATE * total.any
    }
}

impl Normaliser {
    /// The sums in a situation. `credit` is the slot of one more role than is held.
    fn of(actions: &ActionTotals, situation: &Situation, credit: Option<usize>) -> Normaliser {
        let Situation { factors, held, .. } = situation;
        let moves = actions.of_moves(factors);
        let mut drops = actions.of_drops(factors, *held);
        let mut count = actions.count(*held);
        if let Some(slot) = credit {
            drops += actions.of_slot(factors, slot);
            count += usize::from(actions.drops[slot]);
        }
        let relative = |share: f64| params::choice_speaks(share / params::PLY);
        let of_kind = |sum: f64| match sum {
            0.0 => 0.0,
            _ => relative(1.0 / sum) * params::fourth_root(sum / (moves + drops)),
        };
        Normaliser {
            moved: of_kind(moves),
            dropped: of_kind(drops),
            any: relative(1.0 / count.max(1) as f64),
        }
    }
}

fn without_debts(reserve: Reserve) -> Reserve {
    Reserve::from_counts(reserve.counts().map(|count| count.max(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use action_model::ActionPrior;
    use action_model::{ActionClass, DropsThere};

    use rules::{Bitboard, BoardId};

    use crate::sensing::segment::Segment;

    fn closed_segment() -> ClosedSegment {
        let segment = Segment::new(Bitboard::EMPTY);
        ClosedSegment::of_squares(BoardId::A, Color::White, 0, &segment)
    }

    /// The preferences of a player without pieces in hand, whose only moves have these weights.
    fn preferences(weights: &[f64]) -> Vec<f64> {
        let mut actions = ActionTotals { moves: weights.len() as u16, ..ActionTotals::default() };
        actions.sums[ActionClass::QUIET.index()] = weights.iter().sum();
        let totals = [actions];
        let prior = ActionPrior::uniform();
        let closed = closed_segment();
        let mut choice_probability = ChoiceProbability::new(&prior, &closed, &totals);
        let state = JointState::empty_handed([0; 2]);
        let number = choice_probability.circumstances(&state, Color::White, true);
        let made = |weight: f64| ChosenAction {
            weight: params::choice_speaks(weight),
            ..ChosenAction::average(0)
        };
        weights.iter().map(|&weight| choice_probability.preference(&made(weight), number)).collect()
    }

    #[test]
    fn a_ply_among_as_many_alike_as_there_are_on_average_counts_as_an_average_one() {
        for preference in preferences(&[3.0; 50]) {
            assert!((preference - 1.0).abs() < 1e-12, "{preference}");
        }
    }

    #[test]
    fn a_choice_speaks_but_not_in_full() {
        let [twice, once] = preferences(&[2.0, 1.0])[..] else { panic!("two plies") };
        assert!(twice > 1.6 * once && twice < 1.9 * once, "{twice} {once}");
    }

    #[test]
    fn the_role_dropped_on_a_square_counts_in_full_and_the_square_does_not() {
        // Pawn and knight on two squares; the knight is four times likelier than the pawn on one of
        // them, as likely on the other, and both squares are as likely.
        let squares = [[2.0, 8.0, 0.0, 0.0, 0.0], [5.0, 5.0, 0.0, 0.0, 0.0]];
        let classes = [0, 1].map(|slot| ActionClass::drop(slot, false));
        let mut actions =
            ActionTotals { moves: 1, drops: [2, 2, 0, 0, 0], ..ActionTotals::default() };
        actions.sums[ActionClass::QUIET.index()] = 5.0;
        actions.sums[classes[0].index()] = 7.0;
        actions.sums[classes[1].index()] = 13.0;
        let totals = [actions];
        let prior = ActionPrior::uniform();
        let closed = closed_segment();
        let mut choice_probability = ChoiceProbability::new(&prior, &closed, &totals);
        let mut state = JointState::empty_handed([0; 2]);
        for role in [rules::Role::Pawn, rules::Role::Knight] {
            state.holding_mut(BoardId::A, Color::White).add(role);
        }
        let number = choice_probability.circumstances(&state, Color::White, true);
        let mut weigh = |square: usize, slot: usize| {
            let weights = squares[square];
            let there = DropsThere { weights, checks: [false; 5] };
            let weight = params::choice_speaks(f64::from(weights[slot]));
            let drop = Some((slot as u8, there));
            let preference = choice_probability.preference(
                &ChosenAction { weight, class: classes[slot], totals: 0, drop },
                number,
            );
            preference - params::LAPSE_RATE * params::choice_speaks(0.2 / params::PLY)
        };
        let [[pawn, knight], [other, _]] =
            [0, 1].map(|square| [0, 1].map(|slot| weigh(square, slot)));
        assert!((knight / pawn - 4.0).abs() < 1e-9, "{knight} {pawn}");
        assert!((pawn + knight - 2.0 * other).abs() < 1e-9, "{pawn} {knight} {other}");
    }

    #[test]
    fn a_ply_that_the_model_holds_for_impossible_is_still_possible() {
        let [sure, unlikely] = preferences(&[1.0, 1e-30])[..] else { panic!("two plies") };
        assert!(unlikely > 1e-3 * sure && unlikely < 0.1 * sure, "{unlikely} {sure}");
    }
}
