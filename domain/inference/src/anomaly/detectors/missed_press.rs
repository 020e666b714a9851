//! `missed-press`: a ply was made, the clock was not pressed after it, and play went on.
//!
//! ```text
//! confidence = min(AT_MOST, p(missed) + late)
//! late = p(answered)                          if the press belongs to the presser's next ply
//!      = p(answered) · share                  otherwise, two or more plies
//!      = p(one ply) · share                   otherwise, one ply
//! p(one ply) = max(0, 1 − p(missed) − p(press without move) − p(nothing) − p(out of turn))
//! ```
//!
//! p(missed) is the probability that no press followed the segment's first ply, p(answered) that
//! the opponent's ply stood before the press. `share` is the probability that a press which came
//! after the answer had begun had been forgotten until then ([`forgotten_share`]).
//!
//! A forgotten press leaves one of two traces. Nobody notices it, and one press ends two plies or
//! more. Or the forgetter notices when the opponent has moved, and presses late. Then both presses
//! come after both plies, as they also do when the opponent was only impatient; the times tell
//! these apart.
//!
//! Two plies before one press, the first by the player who had pressed last, are another case if
//! p(missed) > p(answered): the opponent's press for the ply before them is missing, with
//! confidence p(missed). There is no finding if the first ply was on its way when the earlier press
//! came: then that press belongs to it.
//!
//! Serves the topic completion: a ply is complete only when the opponent's clock has been started.
//! Until then the mover's own time ran, and the captured piece was not yet the partner's to drop.

use crate::anomaly::{
    findings::finding::prelude::*,
    segments::press_timing::{forgotten_share, was_on_its_way},
};

/// Greatest confidence, 0 to 1. Fitted: so many of those that seemed certain were true on drawn
/// scholastic hands, reed boards, seeds 1 to 12.
const AT_MOST: f64 = 0.94;
/// A ply without a press counts as complete this long before its answer lands, microseconds. Assumed.
const BEFORE_THE_ANSWER_US: u64 = 500_000;

/// Findings for the plies of the segment that were left without a press: the first one, and each
/// later one by the same player except the last of the segment. One ply counts too if its answer
/// had begun before the press.
pub(crate) fn missed_press(context: DetectorContext<'_>) -> Vec<Finding> {
    let DetectorContext { layer, answer, presses, .. } = context;
    let others = answer.missed_press + answer.press_without_move + answer.nothing;
    let one_ply = (1.0 - others - answer.out_of_turn).max(0.0);
    let begun_before = if answer.plies.len() == 1 { one_ply } else { answer.answered };
    let made_up_for = match pressed_for_next(context) {
        true => answer.answered,
        false => begun_before * forgotten_share(context),
    };
    let confidence = (answer.missed_press + made_up_for).min(AT_MOST);
    if confidence <= 0.0 {
        return Vec::new();
    }
    if let ([first, _], Some((presser, press_us))) = (&answer.plies[..], presses.previous_press)
        && presser == first.side
        && answer.missed_press > answer.answered
    {
        let is_missing = !was_on_its_way(presser, first.ply, press_us, context);
        return is_missing.then(|| press_before(context, first, press_us)).into_iter().collect();
    }
    let found = |(slot, ply): (usize, &PlyEstimate)| {
        let (side, made) = (words::side(ply.side), words::ply(ply.ply));
        let (board, p) = (layer.board, words::percent(confidence));
        let count = answer.plies.len();
        let evidence = if made_up_for > answer.missed_press {
            format!(
                "{side} pressed the clock on board {board} after {made} only when the answer had begun (probability {p})."
            )
        } else {
            format!(
                "{count} plies were made on board {board} before one press: {side} did not press the clock after {made} \
                 (probability {p})."
            )
        };
        Finding::new(AnomalyCode::MissedPress, ply.t_us, confidence, evidence).by(ply.side).at(slot)
    };
    // Every second ply is left without a press: for the answers between them the lever is down already.
    let last = answer.plies.len().max(2) - 1;
    answer.plies.iter().enumerate().take(last).step_by(2).map(found).collect()
}

/// Whether the press that ends a segment of two plies was meant for the presser's next ply, which
/// landed right after it. Then nobody pressed for the first one.
fn pressed_for_next(context: DetectorContext<'_>) -> bool {
    let DetectorContext { layer, answer, .. } = context;
    let ([first, _], Some(next)) = (answer.plies.as_slice(), answer.reply) else { return false };
    let own = layer.presser == Some(next.side) && first.side == next.side;
    // The next ply has no press of its own, so its answer stands in the same segment.
    own && next.answered && was_on_its_way(next.side, next.ply, layer.t_us, context)
}

/// The finding for two plies before one press, the first by the player who had pressed last. That
/// player's side of the lever was down already, so the opponent's press for the ply before them is
/// missing.
fn press_before(context: DetectorContext<'_>, first: &PlyEstimate, press_us: u64) -> Finding {
    let (presser, opponent) = (first.side, first.side.other());
    let confidence = context.answer.missed_press.min(AT_MOST);
    let (side, other) = (words::side(presser), words::side(opponent));
    let (board, made) = (context.layer.board, words::ply(first.ply));
    let p = words::percent(confidence);
    let evidence = format!(
        "On board {board} {side} pressed the clock twice in a row and played {made} in between: {other} did not press \
             it before that (probability {p})."
    );
    let t_us = press_us.max(first.landed_us.saturating_sub(BEFORE_THE_ANSWER_US));
    Finding::new(AnomalyCode::MissedPress, t_us, confidence, evidence).by(opponent).at(0)
}

#[cfg(test)]
mod tests {
    use rules::{BoardId, Color, Square};

    use super::*;
    use crate::{
        anomaly::segments::context::tests::{Table, played, pressed},
        answers::marginals::{Reply, SegmentEstimate},
        trellis::Layer,
    };

    fn ply(uci: &str, side: Color) -> PlyEstimate {
        PlyEstimate {
            ply: uci.parse().expect("a ply"),
            side,
            p: 0.9,
            t_us: 40,
            landed_us: 40,
            legal: true,
            illegal: None,
            captured: None,
            is_unsupplied: false,
            claimed: 0.0,
            alternatives: Vec::new(),
        }
    }

    fn layer() -> Layer {
        Layer {
            board: BoardId::B,
            presser: Some(Color::Black),
            t_us: 50,
            explanations: Vec::new(),
            edges: Vec::new(),
            forward: vec![1.0],
        }
    }

    #[test]
    fn two_plies_and_one_press_name_the_player_who_forgot() {
        let plies = vec![ply("e2e4", Color::White), ply("e7e5", Color::Black)];
        let answer = SegmentEstimate { plies, missed_press: 0.93, ..SegmentEstimate::default() };
        let found = missed_press(Table::new(&[]).context(&layer(), &answer));
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.side, Some(Color::White));
        assert!(finding.evidence.starts_with("2 plies were made on board B"));
    }

    #[test]
    fn the_press_of_the_player_who_did_not_press_in_between_is_the_missing_one() {
        let plies = vec![ply("e2e4", Color::White), ply("e7e5", Color::Black)];
        let answer = SegmentEstimate { plies, missed_press: 0.93, ..SegmentEstimate::default() };
        let mut table = Table::new(&[]);
        table.presses.previous_press = Some((Color::White, 20));
        let found = missed_press(table.context(&layer(), &answer));
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.side, Some(Color::Black));
    }

    #[test]
    fn a_ply_with_its_press_is_no_finding() {
        let plies = vec![ply("e2e4", Color::White)];
        let answer = SegmentEstimate { plies, ..SegmentEstimate::default() };
        assert_eq!(missed_press(Table::new(&[]).context(&layer(), &answer)), []);
    }

    #[test]
    fn who_forgets_twice_in_a_row_is_named_twice() {
        let plies = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4"].into_iter().zip(0..);
        let side = |nth: i32| if nth % 2 == 0 { Color::White } else { Color::Black };
        let plies = plies.map(|(uci, nth)| ply(uci, side(nth))).collect();
        let answer = SegmentEstimate { plies, missed_press: 0.9, ..SegmentEstimate::default() };
        let found = missed_press(Table::new(&[]).context(&layer(), &answer));
        let slots: Vec<_> = found.iter().map(|finding| (finding.slot, finding.side)).collect();
        assert_eq!(slots, [(Some(0), Some(Color::White)), (Some(2), Some(Color::White))]);
    }

    fn reply(uci: &str, side: Color) -> Reply {
        Reply { side, ply: uci.parse().expect("a ply"), answered: side.is_white() }
    }

    /// The findings for White's e2e4, landed after 2 s and pressed for after 5 s, with these
    /// changes, milliseconds.
    fn pressed_late(answer: &SegmentEstimate, events: &[(u64, Square, bool)]) -> Vec<Finding> {
        let mut all = vec![(1_700, Square::E2, false), (2_000, Square::E4, true)];
        all.extend(events);
        missed_press(Table::new(&all).context(&pressed(5_000), answer))
    }

    #[test]
    fn an_answer_that_is_begun_before_a_late_press_shows_that_it_was_forgotten() {
        let reply = Some(reply("e7e5", Color::Black));
        let answer = SegmentEstimate { reply, ..played("e2e4", 5_000) };
        assert_eq!(pressed_late(&answer, &[]), [], "nothing was begun");
        let found = pressed_late(&answer, &[(4_450, Square::E7, false), (4_800, Square::E5, true)]);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert!(finding.side == Some(Color::White) && finding.confidence > 0.5, "{finding:?}");
        assert!(
            finding
                .evidence
                .starts_with("White pressed the clock on board A after e2 to e4 only when")
        );
    }

    #[test]
    fn a_press_that_was_meant_for_the_next_ply_leaves_the_first_without_one() {
        let mut answer = played("e2e4", 5_000);
        answer.plies.push(ply("e7e5", Color::Black));
        answer.answered = 0.9;
        answer.reply = Some(reply("N@f5", Color::White));
        let found = pressed_late(&answer, &[(5_150, Square::F5, true)]);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((finding.side, finding.confidence), (Some(Color::White), 0.9));
    }

    #[test]
    fn a_piece_that_lands_right_after_the_own_press_leaves_no_press_missing_before_it() {
        let plies = vec![ply("N@f5", Color::White), ply("e7e5", Color::Black)];
        let answer = SegmentEstimate { plies, missed_press: 0.93, ..SegmentEstimate::default() };
        let found = |landed_ms| {
            let mut table = Table::new(&[(landed_ms, Square::F5, true)]);
            table.presses.previous_press = Some((Color::White, 2_000_000));
            missed_press(table.context(&pressed(6_000), &answer)).len()
        };
        assert_eq!((found(2_150), found(4_000)), (0, 1));
    }
}
