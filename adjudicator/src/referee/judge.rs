//! Every alert of a match, from the whole match.
//!
//! Each finding is one function that looks at plies, clocks and anomalies as they stand now. Which were there
//! before, and which are gone, is found by comparison (see [`Referee`]).

use std::collections::BTreeMap;

use rules::{BoardId, BoardState, Color, IllegalReason};

use super::{
    Alert, AnomalyReport, ClaimState, Phase, PlyId, Proposal, Referee, ResultReason, claims,
    result::flags_of, timeline::TimedPly,
};

/// The id of the alert about an illegal ply.
pub(super) fn illegal_ply_alert(id: PlyId) -> String {
    format!("illegal-move:{id}")
}

/// All alerts by id, with revision 0.
pub(super) fn alerts(referee: &Referee, proposal: Option<&Proposal>) -> BTreeMap<String, Alert> {
    let mut alerts = Vec::new();
    illegal_plies(referee, &mut alerts);
    decisive_plies(referee, proposal, &mut alerts);
    plies_after_end(referee, proposal, &mut alerts);
    fallen_flags(referee, proposal, &mut alerts);
    stopped_boards(referee, &mut alerts);
    other_anomalies(referee, &mut alerts);
    alerts.into_iter().map(|alert| (alert.id.clone(), alert)).collect()
}

fn side_name(side: Color) -> &'static str {
    match side {
        Color::White => "White",
        Color::Black => "Black",
    }
}

fn about_ply(ply: &TimedPly, code: &str, rule: String) -> Alert {
    Alert {
        id: format!("{code}:{}", ply.report.id),
        revision: 0,
        code: code.to_owned(),
        rule,
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

/// Rule 8: illegal plies lose if they are claimed in time.
fn illegal_plies(referee: &Referee, alerts: &mut Vec<Alert>) {
    for (index, ply) in referee.timeline.plies().iter().enumerate() {
        let reported = referee
            .anomalies()
            .find(|anomaly| anomaly.code == "illegal-move" && anomaly.ply == Some(ply.report.id));
        // Taking the king is the claim against the illegal ply before it, not an offence (15d).
        if ply.king_taken.is_some() || (ply.illegal.is_none() && reported.is_none()) {
            continue;
        }
        let number = ply.illegal.map_or("8", rule_about);
        let (claim, answer) =
            claims::against_ply(referee.timeline.plies(), index, referee.is_over());
        let mut alert = about_ply(ply, "illegal-move", referee.terms.rule(number));
        alert.confidence = match reported {
            Some(anomaly) => anomaly.confidence,
            None => illegal_probability(referee, index, ply),
        };
        alert.silent = !referee.terms.td_calls;
        alert.claim = claim;
        alert.evidence = illegal_evidence(referee, ply, reported, claim, answer);
        alerts.push(alert);
    }
}

/// The rule that a reason concerns, where another than 8 says what is wrong.
fn rule_about(reason: IllegalReason) -> &'static str {
    match reason {
        IllegalReason::PawnDropRank => "10a",
        IllegalReason::DropNotInReserve => "9",
        IllegalReason::PromotionMissing | IllegalReason::PromotionImpossible => "10c",
        _ => "8",
    }
}

/// Sum of the probabilities of everything illegal that the ply may have been.
fn illegal_probability(referee: &Referee, index: usize, ply: &TimedPly) -> f64 {
    let others = ply.report.alternatives.iter().filter(|alternative| {
        alternative.ply != ply.report.ply
            && referee.timeline.is_illegal_instead(index, alternative.ply)
    });
    (ply.report.p + others.map(|alternative| alternative.p).sum::<f64>()).min(1.0)
}

fn illegal_evidence(
    referee: &Referee,
    ply: &TimedPly,
    reported: Option<&AnomalyReport>,
    claim: ClaimState,
    answer: Option<usize>,
) -> String {
    let side = side_name(ply.report.side);
    let why = match (ply.illegal, reported) {
        (Some(reason), _) => reason.explanation().to_owned(),
        (None, Some(anomaly)) => anomaly.evidence.clone(),
        (None, None) => String::new(),
    };
    let window = match (claim, answer.map(|answer| &referee.timeline.plies()[answer])) {
        (ClaimState::Closed, Some(answer)) => format!(
            "{} has completed {}, so it can no longer be claimed ({}).",
            side_name(answer.report.side),
            answer.san,
            referee.terms.rule("8a")
        ),
        (ClaimState::Closed, None) => "The match is over.".to_owned(),
        _ => format!("{} may claim until completing a ply.", side_name(ply.report.side.other())),
    };
    format!("Board {}: {side} played {}: {why}. {window}", ply.report.board, ply.san)
}

/// Rules 15a and 15d: mate, and a king taken.
fn decisive_plies(referee: &Referee, proposal: Option<&Proposal>, alerts: &mut Vec<Alert>) {
    for ply in referee.timeline.plies() {
        let (code, number, what) = match (ply.king_taken, ply.state) {
            (Some(_), _) => ("king-captured", "15d", "took the king"),
            (None, BoardState::Mate) => ("mate", "15a", "gave mate"),
            _ => continue,
        };
        let mut alert = about_ply(ply, code, referee.terms.rule(number));
        let proposed = proposal.filter(|proposal| proposal.ply == Some(ply.report.id));
        if let Some(proposal) = proposed {
            alert.confidence = proposal.confidence;
        }
        let side = side_name(ply.report.side);
        let then =
            if proposed.is_some() { "" } else { " Play went on, so the table did not see it so." };
        alert.evidence =
            format!("Board {}: {side} {what} with {}.{then}", ply.report.board, ply.san);
        alerts.push(alert);
    }
}

/// Rule 7: what is played after the first game won does not count.
fn plies_after_end(referee: &Referee, proposal: Option<&Proposal>, alerts: &mut Vec<Alert>) {
    let plies = referee.timeline.plies();
    let Some(end) = proposal.and_then(|proposal| referee.timeline.index_of(proposal.ply?)) else {
        return;
    };
    let Some(first) = plies.get(end + 1) else { return };
    let count = plies.len() - end - 1;
    let mut alert = about_ply(first, "plies-after-end", referee.terms.rule("7"));
    alert.id = "plies-after-end".to_owned();
    alert.side = None;
    alert.confidence = proposal.map_or(0.0, |proposal| proposal.confidence);
    let mated = plies[end].report.board;
    alert.evidence = format!(
        "Board {} played on after board {mated} was decided ({count} so far): kept in the record, \
         marked after the end.",
        first.report.board
    );
    alerts.push(alert);
}

/// Rules 15c and 16b: one flag down can be claimed while the other is up; both down draw.
fn fallen_flags(referee: &Referee, proposal: Option<&Proposal>, alerts: &mut Vec<Alert>) {
    for board in BoardId::ALL {
        let flags = flags_of(referee, board);
        let both = flags.iter().all(Option::is_some);
        let claimed = proposal.is_some_and(|proposal| {
            proposal.reason == ResultReason::Flag && proposal.board == board
        });
        for (color, flag) in Color::ALL.into_iter().zip(flags) {
            let Some(flag) = flag else { continue };
            let open = !both && !claimed && !referee.is_over();
            alerts.push(Alert {
                id: format!("flag-fallen:{board}:{}", side_name(color).to_lowercase()),
                revision: 0,
                code: "flag-fallen".to_owned(),
                rule: referee.terms.rule(if both { "16b" } else { "15c" }),
                board,
                side: Some(color),
                ply: None,
                t_us: flag.t_us,
                confidence: flag.confidence,
                claim: if open { ClaimState::Open } else { ClaimState::Closed },
                silent: !referee.terms.td_calls,
                evidence: flag.evidence,
                retracted: false,
            });
        }
    }
}

/// Rule 15a: clocks stopped where a supplied piece could still block the check, or while a claim is
/// open. Both say what a claim made now would rest on.
fn stopped_boards(referee: &Referee, alerts: &mut Vec<Alert>) {
    if !referee.phase.is_stopped() {
        return;
    }
    let plies = referee.timeline.plies();
    for board in BoardId::ALL {
        let last = plies.iter().enumerate().rev().find(|(_, ply)| ply.report.board == board);
        let Some((index, ply)) = last else { continue };
        if ply.state == BoardState::BlockableCheck {
            let mut alert = about_ply(ply, "blockable-check", referee.terms.rule("15a"));
            alert.evidence = format!(
                "Board {board}: play stopped after {}. It is check without a legal reply, and a piece from the \
                 partner could still block: not mate while time remains.",
                ply.san
            );
            alerts.push(alert);
        }
        let unanswered = claims::against_ply(plies, index, false).0 == ClaimState::Open;
        if ply.illegal.is_some() && ply.king_taken.is_none() && unanswered {
            let mut alert = about_ply(ply, "stopped-with-open-claim", referee.terms.rule("15d"));
            alert.confidence = illegal_probability(referee, index, ply);
            alert.evidence = format!(
                "Board {board}: play stopped after {}, which was illegal and had not been answered. If {} claimed \
                 it, the claim was in time.",
                ply.san,
                side_name(ply.report.side.other())
            );
            alerts.push(alert);
        }
    }
}

/// What the hub reports beside the boards: passed on with its rule and claim window.
fn other_anomalies(referee: &Referee, alerts: &mut Vec<Alert>) {
    let judged_here = |anomaly: &&AnomalyReport| match anomaly.code.as_str() {
        "flag-fallen" => anomaly.side.is_some(),
        "illegal-move" => anomaly.ply.is_some_and(|id| referee.timeline.index_of(id).is_some()),
        _ => false,
    };
    for anomaly in referee.anomalies().filter(|anomaly| !judged_here(anomaly)) {
        let claim = match anomaly.code.as_str() {
            "setup-wrong" | "clock-set-wrong" => {
                claims::against_set_up(referee.timeline.plies(), anomaly.board, referee.is_over())
            }
            "illegal-move" | "touch-move" if referee.phase != Phase::Ended => ClaimState::Open,
            _ => ClaimState::NotClaimable,
        };
        alerts.push(Alert {
            id: format!("{}:anomaly-{}", anomaly.code, anomaly.id),
            revision: 0,
            code: anomaly.code.clone(),
            rule: anomaly.rule.clone().unwrap_or_default(),
            board: anomaly.board,
            side: anomaly.side,
            ply: anomaly.ply,
            t_us: anomaly.t_us,
            confidence: anomaly.confidence,
            claim,
            silent: claim != ClaimState::NotClaimable && !referee.terms.td_calls,
            evidence: anomaly.evidence.clone(),
            retracted: false,
        });
    }
}
