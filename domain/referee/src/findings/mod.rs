//! Findings of a match, from the whole match.
//!
//! Each finding reads plies, clocks and anomalies as they are known now. [`Referee`](crate::Referee) compares them with those
//! of before. [`reported`] passes the tracker's own findings on with the book's clause.

mod about;
mod clocks;
mod draws;
mod endings;
pub(crate) mod illegal_move;
mod kings;
mod pawn_left_on_last_rank;
mod reported;
mod setup_wrong;

use std::collections::BTreeMap;

use rules::rulebook::Finding;

use crate::{alert::Alert, case::Case};

/// All alerts by id, with revision 0.
pub(crate) fn all(case: &Case<'_>) -> BTreeMap<String, Alert> {
    let found = Finding::ALL.iter().flat_map(|&finding| find(finding, case));
    let unknown = reported::unknown(case);
    found.chain(unknown).map(|alert| (alert.id.clone(), alert)).collect()
}

/// Alerts of one finding.
fn find(finding: Finding, case: &Case<'_>) -> Vec<Alert> {
    match finding {
        Finding::IllegalMove => illegal_move::find(case),
        Finding::TouchMove => reported::touch_move(case),
        Finding::ClockSetWrong => clocks::set_wrong(case),
        Finding::SetupWrong => setup_wrong::find(case),
        Finding::FlagFallen => clocks::flag_fallen(case),
        Finding::BothFlags => clocks::both_flags(case),
        Finding::Mate => kings::mate(case),
        Finding::KingCaptured => kings::captured(case),
        Finding::BlockableCheck => kings::blockable_check(case),
        Finding::StoppedWithOpenClaim => endings::stopped_with_open_claim(case),
        Finding::PliesAfterEnd => endings::plies_after_end(case),
        Finding::Stalemate => draws::stalemate(case),
        Finding::Repetition => draws::repetition(case),
        Finding::FiftyMoves => draws::fifty_moves(case),
        Finding::DeadPosition => draws::dead_position(case),
        Finding::DrawnEnding => draws::drawn_ending(case),
        Finding::KingBesideKing => kings::beside_king(case),
        Finding::PawnLeftOnLastRank => pawn_left_on_last_rank::find(case),
        Finding::LateArrival => endings::late_arrival(case),
        Finding::FivefoldRepetition => draws::fivefold_repetition(case),
        Finding::SeventyFiveMoves => draws::seventy_five_moves(case),
        Finding::IllegalPosition => draws::illegal_position(case),
        Finding::ClockHand
        | Finding::EarlyPress
        | Finding::MissedPress
        | Finding::PressWithoutMove
        | Finding::DoublePress
        | Finding::OutOfTurn
        | Finding::EarlyPass
        | Finding::HiddenPiece
        | Finding::DisplacedPieces
        | Finding::PressAfterDisplacing
        | Finding::ClockKnockedOver
        | Finding::ClockHover
        | Finding::ClockJump
        | Finding::ClockDrift
        | Finding::BoardTurned
        | Finding::ClockTurned
        | Finding::SensorFault => reported::find(finding, case),
    }
}
