//! What a player holds whose partner's board has no sensors: nobody knows, so every role may be dropped, the rarer ones
//! less often.
//!
//! The weight of a drop is what it would be if one piece of each role were held, times how often its role is at hand:
//!
//! ```text
//! weight(drop of role) = weight(position) × factor(class | one of each held) × AT_HAND[role]
//! ```
//!
//! The numbers are those that make what was played likeliest, moves and drops together, in the 240 engine matches in `sim/games`
//! with reserves hidden from the model:
//!
//! ```text
//! cargo run --release -p action-model --features training --example learn_at_hand -- sim/games/engine-*.bpgn
//! ```

use super::{ActionClass, Factors};

/// Pawn, knight, bishop, rook, queen.
const AT_HAND: [f64; 5] = [0.166, 0.128, 0.088, 0.121, 0.037];

/// What [`Factors`] for a player with one of each role become where nobody knows what is held.
#[must_use]
pub fn unseen(factors: Factors) -> Factors {
    let mut unseen = factors;
    for class in ActionClass::ALL {
        if let Some(slot) = class.slot() {
            unseen[class.index()] *= AT_HAND[slot];
        }
    }
    unseen
}

#[cfg(test)]
mod tests {
    use rules::{Position, Reserve, Supply};

    use super::*;
    use crate::{ActionPrior, Circumstances, LearntPrior, Recent, RoleSet};

    #[test]
    fn pawn_is_dropped_more_often_than_a_queen_where_nobody_knows_what_is_held() {
        let mut position = Position::initial();
        for ply in ["e2e4", "e7e5", "g1f3", "b8c6"] {
            position.play(ply.parse().expect("a ply"));
        }
        let prior = LearntPrior::default();
        let held = Supply::Unseen.droppable(&Reserve::EMPTY);
        let factors = prior.factors(&Circumstances { held, ..Circumstances::default() });
        let totals = *prior.action_weights(&position, &Recent::default(), RoleSet::ALL).totals();
        let share = |slot: usize| totals.of_slot(&unseen(factors), slot);
        assert!(share(0) > 2.0 * share(4), "{} {}", share(0), share(4));
        assert_eq!(totals.of_moves(&unseen(factors)), totals.of_moves(&factors));
    }
}
