//! The same position three times; fifty moves without a capture or a pawn move.
//!
//! Topics: `Repetition`, `FiftyMoves`.

use rules::{
    draw::THREEFOLD,
    rulebook::{Offence, Topic, terms::DrawRule},
};

use super::remedy::next_step;
use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Verdict},
    draws,
};

/// Caveat where the book requires a score sheet.
const ON_SCORE_SHEET: &str = "Whether the claimant kept score the boards do not show.";

pub(super) fn repetition(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::Repetition)];
    let board = call.seat().board;
    let last = case.timeline.on_board(board).next_back().map(|(index, _)| index);
    let stood = last.map_or(1, |index| draws::occurrences(case.timeline, board, index));
    let wrong = next_step(case, Offence::WrongDrawClaim, call.seat());
    if stood < THREEFOLD {
        let times = if stood == 1 { "once".to_owned() } else { format!("{stood} times") };
        return Verdict::denied(rule, format!("This position has stood {times}.")).if_denied(wrong);
    }
    let says = format!("This position has stood {stood} times.");
    let open_question = if draws::has_any(case, &[DrawRule::RepetitionCounted]) {
        "Whether it was counted aloud the boards do not show."
    } else if draws::has_any(case, &[DrawRule::RepetitionOnScoreSheet]) {
        ON_SCORE_SHEET
    } else {
        return Verdict::upheld(rule, says).if_upheld(Remedy::Draw);
    };
    Verdict::unclear(rule, format!("{says} {open_question}")).if_upheld(Remedy::Draw)
}

pub(super) fn fifty_moves(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::FiftyMoves)];
    let position = case.timeline.now().boards.position(call.seat().board);
    let plies = position.halfmove_clock();
    if !position.is_fifty_moves() {
        let says = format!("A piece was captured or a pawn moved {} moves ago.", plies / 2);
        let wrong = next_step(case, Offence::WrongDrawClaim, call.seat());
        return Verdict::denied(rule, says).if_denied(wrong);
    }
    let says =
        format!("The last {} moves of each side captured nothing and moved no pawn.", plies / 2);
    match draws::has_any(case, &[DrawRule::FiftyMovesOnScoreSheet]) {
        true => Verdict::unclear(rule, format!("{says} {ON_SCORE_SHEET}")),
        false => Verdict::upheld(rule, says),
    }
    .if_upheld(Remedy::Draw)
}
