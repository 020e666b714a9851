//! Draws by material, by endings that the book names, and by a director who was asked.
//!
//! Topics: `MatingMaterial`, `MaterialDraw`, `IdenticalPieces`, `OppositeBishops`, `StoppedPawn`, `RookAndRookPawn`, `AskingForDraw`.

use rules::rulebook::{Offence, Topic};

use super::remedy::next_step;
use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Verdict},
    draws,
    offences::illegality::is_illegal,
};

pub(super) fn material(case: &Case<'_>, call: &Call) -> Verdict {
    let seat = call.seat();
    let because = [case.cite(Topic::MaterialDraw), case.cite(Topic::MatingMaterial)];
    let (claimant, other) = call.sides();
    let position = case.timeline.now().boards.position(seat.board);
    if draws::can_mate(case, position, seat.opponent().color) {
        return Verdict::denied(because, format!("{other} has enough left to mate with."));
    }
    let flag = case.flag(seat).is_some_and(|flag| flag.t_us <= call.stopped_us);
    let mut plies = case.timeline.on_board(seat.board).rev();
    let last = plies.find(|(_, ply)| ply.report.seat() == seat).map(|(_, ply)| ply);
    let illegal = last.filter(|ply| is_illegal(case, ply));
    let says = match (flag, illegal) {
        (true, _) => {
            format!("{claimant}'s flag is down, and {other} cannot mate with the pieces left.")
        }
        (false, Some(ply)) => {
            format!(
                "{claimant} played {} illegally, and {other} cannot mate with the pieces left.",
                ply.san
            )
        }
        (false, None) => {
            let says = format!(
                "{other} cannot mate with the pieces left, but nothing has happened that {other} could win by."
            );
            return Verdict::denied(because, says);
        }
    };
    Verdict::upheld(because, says).if_upheld(Remedy::Draw)
}

pub(super) fn ending(case: &Case<'_>, call: &Call) -> Verdict {
    let board = call.seat().board;
    match draws::named_ending(case, board) {
        Some(found) => {
            let says = format!("{} Unless a win can be shown.", found.says);
            Verdict::unclear([found.rule], says).if_upheld(Remedy::Draw)
        }
        None => Verdict::denied(
            [case.cite(Topic::Drawing)],
            "The book does not name this ending as drawn.",
        ),
    }
}

pub(super) fn by_director(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = case.cite(Topic::AskingForDraw);
    let wrong = next_step(case, Offence::AskedForDraw, call.seat());
    let board = call.seat().board;
    let named = draws::named_ending(case, board);
    let (because, says) = match named {
        Some(found) => ([found.rule, rule], found.says),
        None => {
            ([rule, None], "The director judges whether the position is clearly drawn.".to_owned())
        }
    };
    Verdict::unclear(because, says).if_upheld(Remedy::Draw).if_denied(wrong)
}
