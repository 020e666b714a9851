//! ```text
//! weight(drop of role) = weight(drop | position) · factor(class | one of each role held) · AT_HAND[role]
//! ```
//!
//! Drops of a player whose partner's board has no sensors. Nobody knows that reserve, so every role may be dropped,
//! and the rarer ones less often. `AT_HAND` says how much less a drop weighs than a drop of a piece in a known reserve.
//!
//! The numbers maximise the likelihood of all moves and drops in the 240 engine matches in `sim/games`, with reserves
//! hidden from the model:
//!
//! ```text
//! cargo run --release -p action-model --features training --example learn_at_hand -- sim/games/engine-*.bpgn
//! ```

use super::{ActionClass, Factors};

/// Factors of the drops of pawn, knight, bishop, rook and queen. Fitted: on the 240 engine matches in `sim/games`.
const AT_HAND: [f64; 5] = [0.166, 0.128, 0.088, 0.121, 0.037];

/// The [`Factors`] of a player with an unknown reserve, from the factors of a player with one piece of each role.
#[must_use]
pub fn unseen(mut factors: Factors) -> Factors {
    for class in ActionClass::all() {
        if let Some(slot) = class.slot() {
            factors[class.index()] *= AT_HAND[slot];
        }
    }
    factors
}

#[cfg(test)]
mod tests {
    use rules::{Position, Reserve, Supply};

    use super::*;
    use crate::{ActionPrior, Circumstances, Recent, RoleSet};

    #[test]
    fn pawn_is_dropped_more_often_than_a_queen_where_nobody_knows_what_is_held() {
        let mut position = Position::initial();
        for ply in ["e2e4", "e7e5", "g1f3", "b8c6"] {
            position.play(ply.parse().expect("a ply"));
        }
        let prior = ActionPrior::of(rules::Game::Bughouse);
        let held = Supply::Unseen.droppable(&Reserve::EMPTY);
        let factors = prior.factors(&Circumstances { held, ..Circumstances::default() });
        let totals = prior.action_weights(&position, &Recent::default(), RoleSet::ALL).totals;
        let share = |slot: usize| totals.of_slot(&unseen(factors), slot);
        assert!(share(0) > 2.0 * share(4), "{} {}", share(0), share(4));
        assert_eq!(totals.of_moves(&unseen(factors)), totals.of_moves(&factors));
    }
}
