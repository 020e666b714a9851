//! Illegality of a ply: whether, by which rule, why, and with which probability.
//!
//! Topics: `IllegalPly`, `DropSquares`, `MovesAndDrops`, `Passing`, `Promotion`, `PromotedCaptured`.

use rules::{
    IllegalReason, Ply,
    rulebook::{Cite, Finding, Topic},
};

use crate::{case::Case, input::AnomalyReport, timeline::TimedPly};

/// Whether a ply is illegal as far as known. Taking the king as a claim is none.
pub(crate) fn is_illegal(case: &Case<'_>, ply: &TimedPly) -> bool {
    !ply.is_king_capture_claim() && (ply.illegal.is_some() || reported(case, ply).is_some())
}

fn reported<'a>(case: &Case<'a>, ply: &TimedPly) -> Option<&'a AnomalyReport> {
    case.anomalies.about(Finding::IllegalMove, ply.report.id)
}

/// The rule that the ply breaks: the one that says what is wrong, or else the one about illegal plies.
pub(crate) fn rule(case: &Case<'_>, ply: &TimedPly) -> Option<Cite> {
    let topic = match ply.illegal {
        Some(IllegalReason::PawnDropRank | IllegalReason::DropOnOccupied) => {
            Some(Topic::DropSquares)
        }
        Some(IllegalReason::DropNotInReserve) if was_promoted(case, ply) => {
            Some(Topic::PromotedCaptured)
        }
        Some(IllegalReason::NoPiece | IllegalReason::DropOfKing) => Some(Topic::MovesAndDrops),
        Some(IllegalReason::DropNotInReserve) => Some(Topic::Passing),
        Some(IllegalReason::PromotionMissing | IllegalReason::PromotionImpossible) => {
            Some(Topic::Promotion)
        }
        _ => None,
    };
    topic.and_then(|topic| case.cite(topic)).or_else(|| case.finding(Finding::IllegalMove))
}

/// Whether a piece of the dropped role was captured for the player before, and was a promoted pawn.
fn was_promoted(case: &Case<'_>, drop: &TimedPly) -> bool {
    let Ply::Drop { role, .. } = drop.report.ply else { return false };
    let captures = case.timeline.on_board(drop.report.board.other());
    captures.take_while(|(_, ply)| ply.report.t_us <= drop.report.t_us).any(|(index, ply)| {
        let before = case.timeline.before(index).boards.position(ply.report.board);
        let to = ply.report.ply.to();
        before.promoted().contains(to)
            && before
                .piece_at(to)
                .is_some_and(|piece| piece.role == role && piece.color == drop.report.side)
    })
}

/// Reason why the ply is illegal, as the second half of a sentence.
pub(crate) fn why(case: &Case<'_>, ply: &TimedPly) -> String {
    match (ply.illegal, reported(case, ply)) {
        (Some(reason), _) => reason.explanation().to_owned(),
        (None, Some(anomaly)) => anomaly.evidence.trim_end_matches('.').to_owned(),
        (None, None) => String::new(),
    }
}

/// The probability that what was played was illegal: the sum over everything illegal that it may have been.
pub(crate) fn probability(case: &Case<'_>, index: usize, ply: &TimedPly) -> f64 {
    if let Some(anomaly) = reported(case, ply).filter(|_| !ply.is_pinned) {
        return anomaly.confidence;
    }
    let others = ply.report.alternatives.iter().filter(|alternative| {
        alternative.ply != ply.report.ply
            && case.timeline.is_illegal_instead(index, alternative.ply)
    });
    (ply.report.p + others.map(|alternative| alternative.p).sum::<f64>()).min(1.0)
}
