//! `press-after-displacing`: the clock was pressed before displaced pieces stood again.
//!
//! ```text
//! confidence = c(fall) · NONE_STOOD   if none of the fallen pieces stood at the press
//!            = c(fall) · SOME_STOOD   if some stood
//!            = no finding             if all stood, or if another player is the culprit
//! ```
//!
//! c(fall) is the confidence that the pieces [fell](super::displaced_pieces).
//!
//! Serves the topic displaced pieces: to press with pieces knocked over is an offence, with a
//! ladder of penalties.

use crate::anomaly::{
    detectors::displaced_pieces::{Fall, fall},
    findings::finding::prelude::*,
};

/// Confidence if some of the pieces stood. The doubt: the others may stand off the middle of their
/// squares, unread. Assumed.
const SOME_STOOD: f64 = 0.75;
/// Confidence if none stood. Assumed.
const NONE_STOOD: f64 = 0.99;

/// A finding for a press while pieces that fell before it were still off their squares.
pub(crate) fn press_after_displacing(context: DetectorContext<'_>) -> Option<Finding> {
    let layer = context.layer;
    let presser = layer.presser?;
    let Fall { t_us, pieces, standing, squares, culprit, confidence } = fall(context)?;
    let off = pieces - standing;
    if off == 0 || culprit != Some(presser) {
        return None;
    }
    let confidence = confidence * if standing == 0 { NONE_STOOD } else { SOME_STOOD };
    let (side, board) = (words::side(presser), layer.board);
    let after_ms = layer.t_us.saturating_sub(t_us) / 1_000;
    let evidence = format!(
        "{side} pressed the clock of board {board} {after_ms} ms after {pieces} pieces had left their squares at once \
             ({squares}); {off} of them did not stand again."
    );
    let code = AnomalyCode::PressAfterDisplacing;
    let finding = Finding::new(code, layer.t_us, confidence, evidence).by(presser);
    Some(finding.at(context.own_ply().map(|(slot, _)| slot)))
}

#[cfg(test)]
mod tests {
    use rules::{Color, Square};

    use super::*;
    use crate::anomaly::segments::context::tests::{Table, played, pressed};

    fn found(fallen: &[(u64, Square, bool)]) -> Option<Finding> {
        let ply = [(2_000, Square::B1, false), (2_400, Square::C3, true)];
        let table = Table::new(&[&ply, fallen].concat());
        press_after_displacing(table.context(&pressed(3_000), &played("b1c3", 3_000)))
    }

    #[test]
    fn a_press_while_pieces_lie_about_is_found() {
        let fallen = [(2_430, Square::D2, false), (2_470, Square::C2, false)];
        let finding = found(&fallen).expect("a finding");
        assert_eq!((finding.side, finding.t_us), (Some(Color::White), 3_000_000));
        assert!(finding.evidence.contains("570 ms after 2 pieces"), "{}", finding.evidence);
    }

    #[test]
    fn a_press_after_all_stand_again_is_not() {
        let fallen = [
            (2_430, Square::D2, false),
            (2_470, Square::C2, false),
            (2_800, Square::D2, true),
            (2_900, Square::C2, true),
        ];
        assert_eq!(found(&fallen), None);
    }

    #[test]
    fn what_falls_after_the_press_was_not_there_to_be_put_back() {
        assert_eq!(found(&[(3_430, Square::D2, false), (3_470, Square::C2, false)]), None);
    }
}
