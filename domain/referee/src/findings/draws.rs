//! Draws: stalemate and dead positions, which end a game, and what a player has to claim.
//!
//! Topics: `Stalemate`, `Drawing`, `FiftyMoves`, `Repetition`, `IdenticalPieces`, `OppositeBishops`, `StoppedPawn`, `RookAndRookPawn`.

use rules::{
    BoardState,
    draw::{FIVEFOLD, THREEFOLD},
    rulebook::{Finding, terms::DrawRule},
};

use super::about::{about_last_plies, open_until_over};
use crate::{alert::Alert, case::Case, draws, timeline::TimedPly};

/// A player who is not in check has no legal ply, and no piece can be supplied. In bughouse a piece may still come, so that it
/// ends nothing there.
pub(super) fn stalemate(case: &Case<'_>) -> Vec<Alert> {
    find(case, Finding::Stalemate, &[DrawRule::Stalemate], |_, ply| {
        (ply.state == BoardState::Stalemate && ply.king_taken.is_none())
            .then(|| format!("{} leaves no legal ply and no check.", ply.san))
    })
}

/// No sequence of legal plies leads to a mate. The game is over without a claim.
pub(super) fn dead_position(case: &Case<'_>) -> Vec<Alert> {
    find(case, Finding::DeadPosition, &[DrawRule::DeadPosition], |_, ply| {
        let position = ply.after.boards.position(ply.report.board);
        position
            .has_dead_material()
            .then(|| format!("After {} neither side can mate with the pieces left.", ply.san))
    })
}

/// Each side has made fifty moves without a capture or a pawn move.
pub(super) fn fifty_moves(case: &Case<'_>) -> Vec<Alert> {
    let rules = [DrawRule::FiftyMoves, DrawRule::FiftyMovesOnScoreSheet];
    claimable(
        case,
        find(case, Finding::FiftyMoves, &rules, |_, ply| {
            let position = ply.after.boards.position(ply.report.board);
            position.is_fifty_moves().then(|| {
                let moves = position.halfmove_clock() / 2;
                format!(
                    "After {} each side has made {moves} moves without a capture or a pawn move.",
                    ply.san
                )
            })
        }),
    )
}

/// The same position with the same player on move stood for the third time.
pub(super) fn repetition(case: &Case<'_>) -> Vec<Alert> {
    let rules =
        [DrawRule::Repetition, DrawRule::RepetitionCounted, DrawRule::RepetitionOnScoreSheet];
    claimable(
        case,
        find(case, Finding::Repetition, &rules, |index, ply| {
            let stood = draws::occurrences(case.timeline, ply.report.board, index);
            (stood >= THREEFOLD)
                .then(|| format!("After {} the same position has stood {stood} times.", ply.san))
        }),
    )
}

/// The same position stood for the fifth time: the game is over without a claim.
pub(super) fn fivefold_repetition(case: &Case<'_>) -> Vec<Alert> {
    find(case, Finding::FivefoldRepetition, &[DrawRule::FivefoldRepetition], |index, ply| {
        draws::is_fivefold(case, ply.report.board, index).then(|| {
            format!("After {} the same position has stood {FIVEFOLD} times: a draw.", ply.san)
        })
    })
}

/// Each side has made 75 moves without a capture or a pawn move: the game is over without a claim.
pub(super) fn seventy_five_moves(case: &Case<'_>) -> Vec<Alert> {
    find(case, Finding::SeventyFiveMoves, &[DrawRule::SeventyFiveMoves], |_, ply| {
        let position = ply.after.boards.position(ply.report.board);
        position.is_seventy_five_moves().then(|| {
            let moves = position.halfmove_clock() / 2;
            format!(
                "After {} each side has made {moves} moves without a capture or a pawn move: a draw.",
                ply.san
            )
        })
    })
}

/// An illegal position that the next completed ply left as it was. The director declares the draw.
pub(super) fn illegal_position(case: &Case<'_>) -> Vec<Alert> {
    find(case, Finding::IllegalPosition, &[DrawRule::IllegalPosition], |index, ply| {
        draws::illegal_position(case, ply.report.board, index)
            .map(|what| format!("After {} {what}, as before that move: a draw.", ply.san))
    })
}

/// An ending that the book names as drawn. A player has to claim it, and the opponent may show a win.
pub(super) fn drawn_ending(case: &Case<'_>) -> Vec<Alert> {
    let mut rule = None;
    let alerts = about_last_plies(case, Finding::DrawnEnding, |_, ply| {
        let found = draws::named_ending(case, ply.report.board)?;
        rule = found.rule;
        Some(found.says)
    });
    let of_ending = alerts.into_iter().map(|alert| Alert { rule, further: Vec::new(), ..alert });
    claimable(case, of_ending.collect())
}

/// Alerts about the last plies, if the book draws by any of these rules.
fn find(
    case: &Case<'_>,
    finding: Finding,
    rules: &[DrawRule],
    says: impl FnMut(usize, &TimedPly) -> Option<String>,
) -> Vec<Alert> {
    match draws::has_any(case, rules) {
        true => about_last_plies(case, finding, says),
        false => Vec::new(),
    }
}

/// Alerts about draws that a player has to claim.
fn claimable(case: &Case<'_>, alerts: Vec<Alert>) -> Vec<Alert> {
    let claim = open_until_over(case);
    alerts.into_iter().map(|alert| Alert { claim, silent: true, ..alert }).collect()
}
