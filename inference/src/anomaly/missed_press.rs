//! `missed-press`: a ply was made, the clock was not pressed after it, and play went on.
//!
//! Serves the rules by which a ply is complete only when the opponent's clock has been started:
//! `us-chess-bughouse-2018 6` and the same numbers of `mcsc-bughouse` and `uscf-bughouse`. Until
//! then the mover's own time ran, and the captured piece was not yet the partner's to drop.

use super::{Finding, words};
use crate::{answer::SegmentAnswer, output::AnomalyCode, trellis::Layer};

/// A finding for the segment's first ply, if another one followed in the same segment.
pub(super) fn missed_press(layer: &Layer, answer: &SegmentAnswer) -> Option<Finding> {
    let first = answer.plies.first()?;
    if answer.missed_press <= 0.0 || answer.plies.len() < 2 {
        return None;
    }
    Some(Finding {
        code: AnomalyCode::MissedPress,
        side: Some(first.side),
        t_us: first.t_us,
        confidence: answer.missed_press,
        slot: Some(0),
        reason: None,
        evidence: format!(
            "{} plies were made on board {} before one press: {} did not press the clock after {} \
             (probability {}).",
            answer.plies.len(),
            layer.board,
            words::side(first.side),
            words::ply(first.ply),
            words::percent(answer.missed_press),
        ),
    })
}

#[cfg(test)]
mod tests {
    use rules::{BoardId, Color};

    use super::*;
    use crate::answer::PlyAnswer;

    fn ply(uci: &str, side: Color) -> PlyAnswer {
        PlyAnswer {
            ply: uci.parse().expect("a ply"),
            side,
            p: 0.9,
            t_us: 40,
            legal: true,
            illegal: None,
            alternatives: Vec::new(),
        }
    }

    fn layer() -> Layer {
        Layer {
            board: BoardId::B,
            presser: Some(Color::Black),
            t_us: 50,
            choices: Vec::new(),
            edges: Vec::new(),
            forward: vec![1.0],
        }
    }

    #[test]
    fn two_plies_and_one_press_name_the_player_who_forgot() {
        let plies = vec![ply("e2e4", Color::White), ply("e7e5", Color::Black)];
        let answer = SegmentAnswer { plies, press_without_move: 0.0, missed_press: 0.93 };
        let finding = missed_press(&layer(), &answer).expect("a finding");
        assert_eq!(finding.side, Some(Color::White));
        assert!(finding.evidence.starts_with("2 plies were made on board B"));
    }

    #[test]
    fn a_ply_with_its_press_is_no_finding() {
        let plies = vec![ply("e2e4", Color::White)];
        let answer = SegmentAnswer { plies, press_without_move: 0.0, missed_press: 0.0 };
        assert_eq!(missed_press(&layer(), &answer), None);
    }
}
