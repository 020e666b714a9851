//! `press-without-move`: a player pressed the clock and had made no ply.
//!
//! Proper as an answer to displaced pieces, which the culprit restores on their own time
//! (`us-chess-bughouse-2018 17` and the same numbers of `mcsc-bughouse`, `uscf-bughouse` and
//! `nc-bughouse`; `us-chess-blitz-2020 9`, `nc-blitz 9`). Whether it was is for the director to see.

use super::{Evidence, Finding, words};
use crate::{answer::SegmentAnswer, output::AnomalyCode, trellis::Layer};

/// A finding for a press by the side to move after which nothing had been played.
///
/// Who presses a bare press back has made no ply either.
pub(super) fn press_without_move(
    layer: &Layer,
    answer: &SegmentAnswer,
    evidence: &Evidence,
) -> Option<Finding> {
    let presser = layer.presser?;
    let other = evidence.previous_press.is_some_and(|(previous, _)| previous != presser);
    let back = if other { answer.nothing * evidence.previous_was_bare } else { 0.0 };
    let confidence = answer.press_without_move + back;
    (confidence > 0.0).then(|| Finding {
        code: AnomalyCode::PressWithoutMove,
        side: Some(presser),
        t_us: layer.t_us,
        confidence,
        slot: None,
        reason: None,
        evidence: format!(
            "{} pressed the clock on board {} and no ply is seen on the board (probability {}).",
            words::side(presser),
            layer.board,
            words::percent(confidence),
        ),
    })
}

#[cfg(test)]
mod tests {
    use rules::{BoardId, Color};

    use super::*;

    fn layer(presser: Option<Color>) -> Layer {
        Layer {
            board: BoardId::A,
            presser,
            t_us: 50,
            choices: Vec::new(),
            edges: Vec::new(),
            forward: vec![1.0],
        }
    }

    fn answer(press_without_move: f64) -> SegmentAnswer {
        SegmentAnswer { press_without_move, ..SegmentAnswer::default() }
    }

    #[test]
    fn a_press_after_nothing_is_found() {
        let finding =
            press_without_move(&layer(Some(Color::Black)), &answer(0.8), &Evidence::default())
                .expect("one");
        assert_eq!((finding.side, finding.t_us), (Some(Color::Black), 50));
    }

    #[test]
    fn a_stopped_clock_is_no_press() {
        assert_eq!(press_without_move(&layer(None), &answer(0.8), &Evidence::default()), None);
        assert_eq!(
            press_without_move(&layer(Some(Color::Black)), &answer(0.0), &Evidence::default()),
            None
        );
    }
}
