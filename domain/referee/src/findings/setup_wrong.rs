//! The pieces did not stand as they should when play began.
//!
//! Topics: `SetUp`, `SwappedSetUp`. It can be claimed until each side of the board has completed a ply. Sensors that tell no types do not see
//! a king and a queen on each other's squares: the plies do.

use rules::{
    BoardId,
    rulebook::{ClaimKind, Finding, Topic, terms::WrongKingCastling},
};

use super::about::{about_anomaly, about_board};
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    window,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let seen = case.anomalies.of(Finding::SetupWrong);
    let reported = seen.map(|anomaly| {
        let alert = about_anomaly(case, anomaly, claim_state(case, anomaly.board));
        let swapped = case.cite(Topic::SwappedSetUp);
        Alert {
            further: swapped.filter(|cite| Some(*cite) != alert.rule).into_iter().collect(),
            ..alert
        }
    });
    let boards = case.boards().iter().filter(|&&board| case.is_swapped(board));
    reported.chain(boards.map(|&board| swapped(case, board))).collect()
}

fn claim_state(case: &Case<'_>, board: BoardId) -> ClaimState {
    match case.book().claim(ClaimKind::SetUp) {
        Some(_) => window::of_set_up(case, board, case.as_of_us(board)).state(),
        None => ClaimState::NotClaimable,
    }
}

/// King and queen on each other's squares, as the plies say.
fn swapped(case: &Case<'_>, board: BoardId) -> Alert {
    let claim = claim_state(case, board);
    let first = case.timeline.on_board(board).next().map(|(_, ply)| &ply.report);
    let when = first.map_or((0, 0.0), |report| (report.t_us, report.p));
    Alert {
        rule: case.cite(Topic::SwappedSetUp).or_else(|| case.finding(Finding::SetupWrong)),
        further: Vec::new(),
        claim,
        silent: claim != ClaimState::NotClaimable && !case.td_calls(),
        evidence: format!(
            "Board {board}: the plies show a king and a queen on each other's squares. {}",
            match case.terms().set_up.castling {
                WrongKingCastling::Lost => "If they stay there, that king may not castle.",
                WrongKingCastling::OtherWayRound | WrongKingCastling::NotRuled => {
                    "They stay there, and the king castles short to the queen's side."
                }
            }
        ),
        ..about_board(case, Finding::SetupWrong, board, when)
    }
}
