//! `touch-move`: a player touched one piece, put it back, and moved another.
//!
//! ```text
//! confidence = touched(d) · (1 − p(press without move))
//! ```
//!
//! d is the time that an own piece was away from its square before the ply and came back, the last
//! one if there were several. touched(d) is the posterior probability that the player meant to move
//! it, against adjusting it ([`TouchHabits::touched`]).
//!
//! An adjusted piece looks the same, and no sensor shows whether the player announced it; a finding is
//! therefore never conclusive. Time tells them apart. An adjusted piece is nudged within its square
//! and is away from the sensor for a moment. A player who thinks better of a move has to choose
//! again with the piece in the hand. Both times depend on the [pace](crate::anomaly::hands::pace) and on
//! the [habits](crate::anomaly::hands::touch_habits) of the match's hands.
//!
//! Serves the topic touch-move. Books in which the clock completes a move have no such rule: the
//! finding is reported there as well, for whoever has to settle a dispute, and cites nothing.

use rules::Square;

use crate::anomaly::{
    detectors::displaced_pieces::fell_together,
    findings::finding::prelude::*,
    hands::touch_habits::{Held, PutBack, TouchHabits},
    segments::square_history::Span,
};
use crate::hand_times::TOUCHES_EARLY_US;

/// A square filled less than this before it was emptied holds a piece off its middle that flickers,
/// microseconds. Assumed.
const FLICKER_US: u64 = 900_000;

/// Pieces of one group that are kept, the latest. Bound: on memory.
const MAX_PIECES: usize = 8;

/// A finding for each ply before which its player held an own piece and put it back. Learns from
/// them at first.
pub(crate) fn touch_moves(context: DetectorContext<'_>, habits: &mut TouchHabits) -> Vec<Finding> {
    let DetectorContext { index, answer, .. } = context;
    let put_back = put_back(context);
    habits.learn(index, put_back.clone());
    let found = put_back.held.iter().map(|held| {
        let ply = &answer.plies[held.slot];
        let confidence = habits.touched(index, held) * (1.0 - answer.press_without_move);
        let (side, made) = (words::side(ply.side), words::ply(ply.ply));
        let (square, away_ms) = (held.square, held.away_us / 1_000);
        let evidence = format!(
            "{side} had the piece on {square} in the hand for {away_ms} ms, put it back, and played {made}. Adjusting a \
                 piece looks alike, but is mostly over sooner."
        );
        let finding = Finding::new(AnomalyCode::TouchMove, ply.t_us, confidence, evidence);
        finding.by(ply.side).at(held.slot)
    });
    found.collect()
}

/// The pieces that players put back before the plies of a segment, each player's before the own ply.
fn put_back(context: DetectorContext<'_>) -> PutBack {
    let DetectorContext { layer, answer, segment, .. } = context;
    let (mut held, mut before) = (Vec::new(), Vec::new());
    let mut begun_us = segment.begun_us.saturating_sub(TOUCHES_EARLY_US);
    for (slot, ply) in answer.plies.iter().enumerate() {
        let until_us = ply.t_us.min(layer.t_us);
        let landed_us = context.way(ply.ply, until_us).map(|(_, landed_us)| landed_us);
        let until_us = landed_us.filter(|&landed_us| landed_us > begun_us).unwrap_or(until_us);
        let mut touched = absences(context, ply.side, (begun_us, until_us));
        begun_us = until_us;
        let Some((square, away_us)) = touched.pop() else { continue };
        held.push(Held { slot, square, away_us, after_others: !touched.is_empty() });
        before.extend(touched);
    }
    // After the landing the waiting player's hand may be on its way to the next ply.
    let waiting = match answer.plies.as_slice() {
        [ply] if layer.presser == Some(ply.side) => {
            let until_us = ply.landed_us.min(layer.t_us);
            absences(context, ply.side.other(), (segment.begun_us, until_us))
        }
        _ => Vec::new(),
    };
    let nudged = waiting.into_iter().chain(before);
    PutBack { held, nudged_us: nudged.map(|(_, away_us)| away_us).collect() }
}

/// The pieces of one side that left their squares within a time and came back, each with the time
/// that it was away, microseconds. Pieces that flicker, that fell, or that a ply concerns do not
/// count.
fn absences(context: DetectorContext<'_>, side: Color, span: Span) -> Vec<(Square, u64)> {
    let pieces = context.segment.position.board().by_color(side) & !context.meant();
    let mut absences = context.history.absences(pieces, span);
    absences.retain(|absence| {
        let before_us = |us: u64| absence.lifted_us.saturating_sub(us);
        let mut filled =
            context.history.filled(absence.square, (before_us(FLICKER_US), before_us(1)));
        filled.next().is_none() && !fell_together(context, *absence)
    });
    let kept = absences.iter().skip(absences.len().saturating_sub(MAX_PIECES));
    kept.filter_map(|absence| Some((absence.square, absence.filled_us? - absence.lifted_us)))
        .collect()
}

#[cfg(test)]
mod tests {
    use rules::Square;

    use super::*;
    use crate::anomaly::{
        hands::pace::Pace,
        segments::context::tests::{Table, played, pressed},
    };

    /// The confidence that White touched a piece before a knight's move, when these squares changed before.
    fn confidence(before: &[(u64, Square, bool)]) -> f64 {
        let ply = [(4_000, Square::B1, false), (4_400, Square::C3, true)];
        let table = Table::new(&[before, &ply].concat());
        let mut habits = TouchHabits::new(Pace::BLITZ);
        let played = played("b1c3", 5_000);
        let found = touch_moves(table.context(&pressed(5_000), &played), &mut habits);
        found.first().map_or(0.0, |finding| finding.confidence)
    }

    #[test]
    fn a_piece_held_for_long_was_meant_to_move_and_a_nudged_one_was_not() {
        assert!(confidence(&[(2_000, Square::E2, false), (2_700, Square::E2, true)]) > 0.85);
        assert!(confidence(&[(2_000, Square::E2, false), (2_100, Square::E2, true)]) < 0.25);
    }

    #[test]
    fn the_opponents_pieces_and_the_piece_that_moves_do_not_count() {
        assert_eq!(confidence(&[(2_000, Square::E7, false), (2_700, Square::E7, true)]), 0.0);
        assert_eq!(confidence(&[(2_000, Square::B1, false), (2_700, Square::B1, true)]), 0.0);
    }

    #[test]
    fn pieces_that_fell_were_not_touched() {
        let fallen = [
            (2_000, Square::D2, false),
            (2_040, Square::E2, false),
            (2_700, Square::D2, true),
            (2_900, Square::E2, true),
        ];
        assert_eq!(confidence(&fallen), 0.0);
    }

    #[test]
    fn a_hand_that_was_there_before_the_press_counts_too() {
        assert!(confidence(&[(900, Square::E2, false), (1_600, Square::E2, true)]) > 0.85);
    }
}
