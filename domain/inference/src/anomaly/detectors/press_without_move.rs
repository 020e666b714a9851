//! `press-without-move`: a player pressed the clock and had made no ply.
//!
//! ```text
//! confidence = min(AT_MOST, (p(press without move) + back) · k)
//! back = p(nothing) · p(the press before was bare)   if the other player made the press before, otherwise 0
//! k    = BY_HAND if the lever may have sprung back, CARRIES_ON if the presser lifts an own piece within
//!        CARRIES_ON_US of the press, otherwise 1
//! ```
//!
//! The lever may have sprung back if the other player made the press before, and this press or that
//! one came within SPRINGS_BACK_US of the opposite press before it.
//!
//! Who lifts an own piece right after the press was about to move and pressed too early: the press
//! belongs to the ply that follows.
//!
//! Who presses a bare press back has made no ply either: `back` is the probability of that.
//!
//! Serves the topic displaced pieces: such a press is proper as an answer to displaced pieces,
//! which the culprit restores on the own time. A director sees whether it was.

use crate::anomaly::findings::finding::prelude::*;
use crate::hand_times::SPRINGS_BACK_US;

/// Greatest confidence, 0 to 1. Fitted: so many of those that seemed certain were true on drawn
/// scholastic hands, reed boards, seeds 1 to 12.
const AT_MOST: f64 = 0.95;
/// Probability that a hand pressed all the same. Assumed.
const BY_HAND: f64 = 0.03;

/// Longest time from an early press to the lift of the piece that it was for, microseconds.
/// Assumed: the way of a slow hand.
const CARRIES_ON_US: u64 = 500_000;
/// Probability that such a press was for no ply all the same. Assumed.
const CARRIES_ON: f64 = 0.1;

/// A finding for a press by the side to move without a ply before it, or for a press that answers
/// such a press.
pub(crate) fn press_without_move(context: DetectorContext<'_>) -> Option<Finding> {
    let DetectorContext { layer, answer, presses, .. } = context;
    let presser = layer.presser?;
    let after_us = match presses.previous_press {
        Some((previous, t_us)) if previous != presser => Some(layer.t_us.saturating_sub(t_us)),
        _ => None,
    };
    let back = after_us.map_or(0.0, |_| answer.nothing * presses.previous_was_bare);
    let is_soon = |after_us: Option<u64>| after_us.is_some_and(|us| us <= SPRINGS_BACK_US);
    let sprang_back =
        after_us.is_some() && (is_soon(after_us) || is_soon(presses.previous_after_us));
    let own = context.segment.position.board().by_color(presser);
    let soon = (layer.t_us, layer.t_us.saturating_add(CARRIES_ON_US));
    let mut lifts = context.history.between(soon).filter(|event| !event.occupied);
    let carries_on = lifts.any(|event| own.contains(event.square));
    let likely = match (sprang_back, carries_on) {
        (true, _) => BY_HAND,
        (false, true) => CARRIES_ON,
        (false, false) => 1.0,
    };
    let confidence = ((answer.press_without_move + back) * likely).min(AT_MOST);
    if confidence <= 0.0 {
        return None;
    }
    let (side, board, p) = (words::side(presser), layer.board, words::percent(confidence));
    let evidence = format!(
        "{side} pressed the clock on board {board} and no ply is seen on the board (probability {p})."
    );
    let finding = Finding::new(AnomalyCode::PressWithoutMove, layer.t_us, confidence, evidence);
    Some(finding.by(presser))
}

#[cfg(test)]
mod tests {
    use rules::{BoardId, Color, Square};

    use super::*;
    use crate::{
        anomaly::segments::{
            context::tests::{Table, pressed},
            judged_segments::PressContext,
        },
        answers::marginals::SegmentEstimate,
        trellis::Layer,
    };

    fn layer(presser: Option<Color>) -> Layer {
        Layer {
            board: BoardId::A,
            presser,
            t_us: 50,
            explanations: Vec::new(),
            edges: Vec::new(),
            forward: vec![1.0],
        }
    }

    fn answer(press_without_move: f64) -> SegmentEstimate {
        SegmentEstimate { press_without_move, ..SegmentEstimate::default() }
    }

    #[test]
    fn a_press_after_nothing_is_found() {
        let finding =
            press_without_move(Table::new(&[]).context(&layer(Some(Color::Black)), &answer(0.8)))
                .expect("one");
        assert_eq!((finding.side, finding.t_us), (Some(Color::Black), 50));
    }

    #[test]
    fn a_lever_that_springs_back_and_is_pressed_again_was_pressed_by_nobody_else() {
        let found = |presses: PressContext| {
            let mut table = Table::new(&[]);
            table.presses = presses;
            press_without_move(table.context(&layer(Some(Color::Black)), &answer(0.99)))
                .map_or(0.0, |finding| finding.confidence)
        };
        let previous_press = Some((Color::White, 0));
        let sprung = PressContext { previous_press, ..PressContext::default() };
        assert!(found(sprung) < 0.1, "50 µs after White's press");
        let long_ago = PressContext { previous_press: Some((Color::Black, 0)), ..sprung };
        assert!(found(long_ago) > 0.9);
        let again = PressContext { previous_after_us: Some(120_000), ..sprung };
        assert!(found(again) < 0.1);
    }

    #[test]
    fn a_stopped_clock_is_no_press() {
        assert_eq!(press_without_move(Table::new(&[]).context(&layer(None), &answer(0.8))), None);
        assert_eq!(
            press_without_move(Table::new(&[]).context(&layer(Some(Color::Black)), &answer(0.0))),
            None
        );
    }

    #[test]
    fn a_press_right_before_the_own_piece_is_lifted_belongs_to_its_ply() {
        let found = |lifted_ms| {
            let table = Table::new(&[(lifted_ms, Square::B1, false)]);
            press_without_move(table.context(&pressed(5_000), &answer(0.99)))
                .map_or(0.0, |finding| finding.confidence)
        };
        assert!(found(5_200) < 0.2 && found(7_000) > 0.9);
    }
}
