//! The same position three times; fifty moves without a capture or a pawn move.
//!
//! Topics: `Repetition`, `FiftyMoves`.

use rules::{
    Ply,
    draw::THREEFOLD,
    rulebook::{
        Cite, Offence, Topic,
        terms::{DrawClaims, DrawRule},
    },
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

/// Verdict about a claimant who is not on move, where only the player on move claims.
fn not_on_move(case: &Case<'_>, call: &Call, rule: [Option<Cite>; 1]) -> Option<Verdict> {
    let position = case.timeline.now().boards.position(call.seat().board);
    let must_be = case.terms().draw_claims == DrawClaims::PlayerOnMove;
    let (claimant, _) = call.sides();
    (must_be && position.turn() != call.seat().color).then(|| {
        Verdict::denied(rule, format!("{claimant} is not on move, and only that player may claim."))
    })
}

/// Verdict about a claim that a ply would make right which is written down and not made.
fn after_next_ply(
    case: &Case<'_>,
    rule: [Option<Cite>; 1],
    is_right: bool,
    next: impl FnOnce() -> Option<Ply>,
    wrong: &Remedy,
) -> Option<Verdict> {
    if is_right || case.terms().draw_claims != DrawClaims::PlayerOnMove {
        return None;
    }
    let ply = next()?;
    let says = format!(
        "The position on the board does not draw, but it would after {ply}. Whether that move was written down before the \
         claim the boards do not show."
    );
    Some(Verdict::unclear(rule, says).if_upheld(Remedy::Draw).if_denied(wrong.clone()))
}

pub(super) fn repetition(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::Repetition)];
    let board = call.seat().board;
    let last = case.timeline.on_board(board).next_back().map(|(index, _)| index);
    let stood = last.map_or(1, |index| draws::occurrences(case.timeline, board, index));
    let wrong = next_step(case, Offence::WrongDrawClaim, call.seat());
    if let Some(verdict) = not_on_move(case, call, rule) {
        return verdict;
    }
    let next = || draws::repeating_ply(case, board);
    if let Some(verdict) = after_next_ply(case, rule, stood >= THREEFOLD, next, &wrong) {
        return verdict;
    }
    if stood < THREEFOLD {
        let times = if stood == 1 { "once".to_owned() } else { format!("{stood} times") };
        let because = [rule[0], case.cite(Topic::WrongDrawClaim)];
        return Verdict::denied(because, format!("This position has stood {times}."))
            .if_denied(wrong);
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
    if let Some(verdict) = not_on_move(case, call, rule) {
        return verdict;
    }
    let wrong = next_step(case, Offence::WrongDrawClaim, call.seat());
    let next = || draws::fiftieth_ply(case, call.seat().board);
    if let Some(verdict) = after_next_ply(case, rule, position.is_fifty_moves(), next, &wrong) {
        return verdict;
    }
    if !position.is_fifty_moves() {
        let says = format!("A piece was captured or a pawn moved {} moves ago.", plies / 2);
        let because = [rule[0], case.cite(Topic::WrongDrawClaim)];
        return Verdict::denied(because, says).if_denied(wrong);
    }
    let says =
        format!("The last {} moves of each side captured nothing and moved no pawn.", plies / 2);
    match draws::has_any(case, &[DrawRule::FiftyMovesOnScoreSheet]) {
        true => Verdict::unclear(rule, format!("{says} {ON_SCORE_SHEET}")),
        false => Verdict::upheld(rule, says),
    }
    .if_upheld(Remedy::Draw)
}
