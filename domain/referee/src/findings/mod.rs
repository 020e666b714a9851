//! Everything that is found in a match, from the whole match, one file a finding.
//!
//! Each finding looks at plies, clocks and anomalies as they stand now. Which were there
//! before, and which are gone, is found by comparison (see [`Referee`](crate::Referee)). What the tracker finds in the readings and
//! the plies say nothing about is passed on by [`reported`] with the book's clause.

mod blockable_check;
mod both_flags;
mod clock_set_wrong;
mod dead_position;
pub(crate) mod drawn_ending;
mod fifty_moves;
mod flag_fallen;
pub(crate) mod illegal_move;
pub(crate) mod king_beside_king;
mod king_captured;
mod late_arrival;
mod mate;
pub(crate) mod pawn_left_on_last_rank;
mod plies_after_end;
mod repetition;
mod reported;
mod setup_wrong;
mod stalemate;
mod stopped_with_open_claim;
mod touch_move;

use std::collections::BTreeMap;

use rules::rulebook::Finding;

use crate::{
    AnomalyReport,
    alert::{Alert, ClaimState},
    case::Case,
    timeline::TimedPly,
};

/// All alerts by id, with revision 0.
pub(crate) fn all(case: &Case<'_>) -> BTreeMap<String, Alert> {
    let found = Finding::ALL.iter().flat_map(|&finding| find(finding, case));
    let unknown = reported::unknown(case);
    found.chain(unknown).map(|alert| (alert.id.clone(), alert)).collect()
}

/// What there is of a finding.
fn find(finding: Finding, case: &Case<'_>) -> Vec<Alert> {
    match finding {
        Finding::IllegalMove => illegal_move::find(case),
        Finding::TouchMove => touch_move::find(case),
        Finding::ClockSetWrong => clock_set_wrong::find(case),
        Finding::SetupWrong => setup_wrong::find(case),
        Finding::FlagFallen => flag_fallen::find(case),
        Finding::BothFlags => both_flags::find(case),
        Finding::Mate => mate::find(case),
        Finding::KingCaptured => king_captured::find(case),
        Finding::BlockableCheck => blockable_check::find(case),
        Finding::StoppedWithOpenClaim => stopped_with_open_claim::find(case),
        Finding::PliesAfterEnd => plies_after_end::find(case),
        Finding::Stalemate => stalemate::find(case),
        Finding::Repetition => repetition::find(case),
        Finding::FiftyMoves => fifty_moves::find(case),
        Finding::DeadPosition => dead_position::find(case),
        Finding::DrawnEnding => drawn_ending::find(case),
        Finding::KingBesideKing => king_beside_king::find(case),
        Finding::PawnLeftOnLastRank => pawn_left_on_last_rank::find(case),
        Finding::LateArrival => late_arrival::find(case),
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

/// An alert about a ply, without evidence.
fn about_ply(case: &Case<'_>, ply: &TimedPly, finding: Finding) -> Alert {
    Alert {
        id: format!("{}:{}", finding.code(), ply.report.id),
        revision: 0,
        code: finding.code().to_owned(),
        rule: case.finding(finding),
        further: case.further(finding),
        board: ply.report.board,
        side: Some(ply.report.side),
        ply: Some(ply.report.id),
        t_us: ply.report.t_us,
        confidence: ply.report.p,
        claim: ClaimState::NotClaimable,
        silent: false,
        evidence: String::new(),
        retracted: false,
    }
}

/// An alert that passes on what the hub reports.
fn about_anomaly(case: &Case<'_>, anomaly: &AnomalyReport, claim: ClaimState) -> Alert {
    let finding = Finding::from_code(&anomaly.code);
    Alert {
        id: format!("{}:anomaly-{}", anomaly.code, anomaly.id),
        revision: 0,
        code: anomaly.code.clone(),
        rule: finding.and_then(|finding| case.finding(finding)),
        further: finding.map(|finding| case.further(finding)).unwrap_or_default(),
        board: anomaly.board,
        side: anomaly.side,
        ply: anomaly.ply,
        t_us: anomaly.t_us,
        confidence: anomaly.confidence,
        claim,
        silent: claim != ClaimState::NotClaimable && !case.td_calls(),
        evidence: anomaly.evidence.clone(),
        retracted: false,
    }
}

/// An alert about the last ply of each board that ends with a position of some kind.
fn about_last_plies(
    case: &Case<'_>,
    finding: Finding,
    mut says: impl FnMut(usize, &TimedPly) -> Option<String>,
) -> Vec<Alert> {
    let last = case.boards().iter().filter_map(|&board| case.timeline.on_board(board).next_back());
    last.filter_map(|(index, ply)| {
        let evidence = says(index, ply)?;
        Some(Alert { evidence, ..about_ply(case, ply, finding) })
    })
    .collect()
}
