//! Costs of an offence under the book.

use rules::{
    Seat,
    rulebook::{Cite, Offence, Topic},
};

use crate::{act::Remedy, case::Case};

/// The next step of the book's ladder for an offence, as a remedy against a player.
pub(super) fn next_step(case: &Case<'_>, offence: Offence, whom: Seat) -> Remedy {
    match case.decisions.next_penalty(case.book(), offence, whom, 0) {
        (_, Some(penalty)) => Remedy::Penalty { whom, penalty },
        (_, None) => Remedy::Nothing,
    }
}

/// The player loses, or the game is drawn because the winner could not have mated.
pub(super) fn loses_or_draws(
    case: &Case<'_>,
    loser: Seat,
    can_mate: bool,
) -> (Remedy, [Option<Cite>; 2]) {
    match can_mate {
        true => (Remedy::LosesGame(loser), [None; 2]),
        false => (
            Remedy::Draw,
            [Topic::MaterialDraw, Topic::MatingMaterial].map(|topic| case.cite(topic)),
        ),
    }
}
