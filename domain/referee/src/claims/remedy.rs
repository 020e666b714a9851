//! Costs of an offence under the book.

use rules::{
    Seat,
    rulebook::{Cite, Offence, Penalty, Topic},
};

use crate::{act::Remedy, case::Case};

/// The next step of the book's ladder for an offence, as a remedy against a player.
pub(super) fn next_step(case: &Case<'_>, offence: Offence, whom: Seat) -> Remedy {
    match case.decisions.next_penalty(case.book(), offence, whom, 0) {
        (_, Some(penalty)) => Remedy::Penalty { whom, penalty },
        (_, None) => Remedy::Nothing,
    }
}

/// Cost of an illegal move where the first gives time and the second the game, with the clauses that make it a draw.
pub(super) fn illegal_move(
    case: &Case<'_>,
    offender: Seat,
    can_mate: bool,
    first: impl FnOnce(Option<Penalty>) -> Remedy,
) -> (Remedy, [Option<Cite>; 2]) {
    match case.decisions.next_penalty(case.book(), Offence::IllegalMove, offender, 0) {
        (_, Some(Penalty::LosesGame)) => loses_or_draws(case, offender, can_mate),
        (_, penalty) => (first(penalty), [None; 2]),
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
