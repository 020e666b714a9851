//! Alerts about a board, a seat, a ply, and what the hub reports.

use rules::{BoardId, Seat, rulebook::Finding};

use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    input::AnomalyReport,
    names,
    timeline::TimedPly,
};

/// An alert about a board, without evidence.
pub(super) fn about_board(
    case: &Case<'_>,
    finding: Finding,
    board: BoardId,
    (t_us, confidence): (u64, f64),
) -> Alert {
    Alert {
        id: format!("{}:{board}", finding.code()),
        revision: 0,
        code: finding.code().to_owned(),
        rule: case.finding(finding),
        further: case.further(finding),
        board,
        side: None,
        ply: None,
        t_us,
        confidence,
        claim: ClaimState::NotClaimable,
        silent: false,
        evidence: String::new(),
        retracted: false,
    }
}

/// An alert about a seat, without evidence.
pub(super) fn about_seat(case: &Case<'_>, finding: Finding, seat: Seat, when: (u64, f64)) -> Alert {
    let about = about_board(case, finding, seat.board, when);
    let id = format!("{}:{}", about.id, names::side(seat.color).to_lowercase());
    Alert { id, side: Some(seat.color), ..about }
}

/// An alert about a ply, without evidence.
pub(super) fn about_ply(case: &Case<'_>, ply: &TimedPly, finding: Finding) -> Alert {
    let report = &ply.report;
    Alert {
        id: format!("{}:{}", finding.code(), report.id),
        side: Some(report.side),
        ply: Some(report.id),
        ..about_board(case, finding, report.board, (report.t_us, report.p))
    }
}

/// An alert that passes on what the hub reports.
pub(super) fn about_anomaly(case: &Case<'_>, anomaly: &AnomalyReport, claim: ClaimState) -> Alert {
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
pub(super) fn about_last_plies(
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

/// State of a claim that only the match's end closes.
pub(super) fn open_until_over(case: &Case<'_>) -> ClaimState {
    if case.is_over { ClaimState::Closed } else { ClaimState::Open }
}
