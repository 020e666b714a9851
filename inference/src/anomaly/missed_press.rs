//! `missed-press`: a ply was made, the clock was not pressed after it, and play went on.
//!
//! Serves the rules by which a ply is complete only when the opponent's clock has been started:
//! `us-chess-bughouse-2018 6` and the same numbers of `mcsc-bughouse` and `uscf-bughouse`. Until
//! then the mover's own time ran, and the captured piece was not yet the partner's to drop.
//!
//! A forgotten press leaves one of two traces. Nobody notices: one press ends two plies or three. Or
//! the forgetter notices when the opponent has moved, and presses late: then both presses come after both
//! plies, as they do when the opponent was merely impatient. The time from the first ply's landing to its
//! press tells: a forgetter needed until after the answer, an impatient opponent was waiting for a press
//! that came as quickly as ever ([`Rhythm`](crate::rhythm::Rhythm)).

use super::{Evidence, Finding, words};
use crate::{
    answer::{PlyAnswer, SegmentAnswer},
    output::AnomalyCode,
    rhythm::log_normal,
    trellis::Layer,
};

/// Of answers that stand before the press, so many follow a forgotten press that is made up for, to
/// each that was impatient: 40 % of 1.5 % of the plies of children, against 1 %.
const FORGOTTEN_ODDS: f64 = 0.6;
/// From a ply's landing to a press that was forgotten first, logarithm of milliseconds: the way not
/// taken, the opponent's look at the clock, a ply, and the forgetter's start, about 2.2 s together.
const FORGOTTEN_MEAN_LN_MS: f64 = 7.7;
/// Its spread towards shorter times…
const FORGOTTEN_SPREAD_LN: f64 = 0.4;
/// …and towards longer ones: the opponent may have thought for long before the answer.
const FORGOTTEN_LONG_SPREAD_LN: f64 = 1.2;
/// Who forgot wakes up when the answer lands, at the latest this much later, microseconds.
const WAKES_WITHIN_US: u64 = 650_000;
/// How much rarer a forgotten press is that comes later than that.
const WAKES_LATER: f64 = 0.05;
/// The opponent, who did not expect to have to press, does so within these times after the late press,
/// microseconds; who was impatient presses at once or in the ordinary time.
const ANSWERED_WITHIN_US: (u64, u64) = (140_000, 700_000);
/// How much likelier a forgotten press is if the second press comes so…
const ANSWERED_SO: f64 = 1.5;
/// …and how much rarer if it comes sooner…
const ANSWERED_SOONER: f64 = 0.05;
/// …or later.
const ANSWERED_LATER: f64 = 0.3;
/// Density of an interval that no habit explains.
const UNUSUAL: f64 = 0.1;

/// How much likelier a forgotten press is by the time until the second press.
const fn pressed_in_answer(interval_us: u64) -> f64 {
    if interval_us < ANSWERED_WITHIN_US.0 {
        ANSWERED_SOONER
    } else if interval_us > ANSWERED_WITHIN_US.1 {
        ANSWERED_LATER
    } else {
        ANSWERED_SO
    }
}

/// Probability that the first ply's press was forgotten and came late, if the opponent's answer stood
/// before it.
pub(super) fn forgotten_share(layer: &Layer, answer: &SegmentAnswer, evidence: &Evidence) -> f64 {
    let Some(first) = answer.plies.first() else { return 0.0 };
    let interval_us = layer.t_us.saturating_sub(first.landed_us);
    let longer = log_normal(interval_us, FORGOTTEN_MEAN_LN_MS, FORGOTTEN_LONG_SPREAD_LN);
    let late = log_normal(interval_us, FORGOTTEN_MEAN_LN_MS, FORGOTTEN_SPREAD_LN).max(longer);
    let usual = evidence.rhythm(first.side).density(interval_us) + UNUSUAL;
    let answer_us = answer.plies.last().map_or(layer.t_us, |second| second.landed_us);
    let woke = if layer.t_us > answer_us + WAKES_WITHIN_US { WAKES_LATER } else { 1.0 };
    let pressed = match evidence.next_press {
        Some((side, t_us)) if side != first.side => {
            pressed_in_answer(t_us.saturating_sub(layer.t_us))
        }
        _ => 1.0,
    };
    let odds = FORGOTTEN_ODDS * late / usual * woke * pressed;
    odds / (1.0 + odds)
}

/// A finding for the segment's first ply, if another one followed in the same segment, and for each that the same
/// player left without a press after it.
pub(super) fn missed_press(
    layer: &Layer,
    answer: &SegmentAnswer,
    evidence: &Evidence,
) -> Vec<Finding> {
    let made_up_for = answer.answered * forgotten_share(layer, answer, evidence);
    let confidence = answer.missed_press + made_up_for;
    if confidence <= 0.0 {
        return Vec::new();
    }
    let count = answer.plies.len();
    if let Some(finding) = press_before(layer, answer, evidence) {
        return vec![finding];
    }
    let found = |(slot, ply): (usize, &PlyAnswer)| Finding {
        code: AnomalyCode::MissedPress,
        side: Some(ply.side),
        t_us: ply.t_us,
        confidence,
        slot: Some(slot),
        reason: None,
        evidence: format!(
            "{count} plies were made on board {} before one press: {} {} after {} (probability {}).",
            layer.board,
            words::side(ply.side),
            if made_up_for > answer.missed_press {
                "pressed the clock only when the answer stood,"
            } else {
                "did not press the clock"
            },
            words::ply(ply.ply),
            words::percent(confidence),
        ),
    };
    // A ply that is answered without a press, every second one: for the answer the lever is down already.
    let unpressed = answer.plies.iter().enumerate().take(count.saturating_sub(1)).step_by(2);
    unpressed.map(found).collect()
}

/// Two plies before one press, the first by the player who had pressed last: that player's side of the lever was down
/// already, so it is the opponent's press for the ply before them that is missing.
fn press_before(layer: &Layer, answer: &SegmentAnswer, evidence: &Evidence) -> Option<Finding> {
    let [first, _] = answer.plies.as_slice() else { return None };
    let (presser, press_us) = evidence.previous_press?;
    let is_missing = presser == first.side && answer.missed_press > answer.answered;
    is_missing.then(|| Finding {
        code: AnomalyCode::MissedPress,
        side: Some(presser.other()),
        t_us: press_us.max(first.landed_us.saturating_sub(BEFORE_THE_ANSWER_US)),
        confidence: answer.missed_press,
        slot: Some(0),
        reason: None,
        evidence: format!(
            "On board {} {} pressed the clock twice in a row and played {} in between: {} did not press it before \
             that (probability {}).",
            layer.board,
            words::side(presser),
            words::ply(first.ply),
            words::side(presser.other()),
            words::percent(answer.missed_press),
        ),
    })
}

/// About so long before an answer lands the ply before it is complete without a press, microseconds.
const BEFORE_THE_ANSWER_US: u64 = 500_000;

#[cfg(test)]
mod tests {
    use rules::{BoardId, Color};

    use super::*;

    fn ply(uci: &str, side: Color) -> PlyAnswer {
        PlyAnswer {
            ply: uci.parse().expect("a ply"),
            side,
            p: 0.9,
            t_us: 40,
            landed_us: 40,
            legal: true,
            illegal: None,
            captures: false,
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
        let answer = SegmentAnswer { plies, missed_press: 0.93, ..SegmentAnswer::default() };
        let found = missed_press(&layer(), &answer, &Evidence::default());
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.side, Some(Color::White));
        assert!(finding.evidence.starts_with("2 plies were made on board B"));
    }

    #[test]
    fn the_press_of_the_player_who_did_not_press_in_between_is_the_missing_one() {
        let plies = vec![ply("e2e4", Color::White), ply("e7e5", Color::Black)];
        let answer = SegmentAnswer { plies, missed_press: 0.93, ..SegmentAnswer::default() };
        let previous_press = Some((Color::White, 20));
        let evidence = Evidence { previous_press, ..Evidence::default() };
        let found = missed_press(&layer(), &answer, &evidence);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.side, Some(Color::Black));
    }

    #[test]
    fn a_ply_with_its_press_is_no_finding() {
        let plies = vec![ply("e2e4", Color::White)];
        let answer = SegmentAnswer { plies, ..SegmentAnswer::default() };
        assert_eq!(missed_press(&layer(), &answer, &Evidence::default()), []);
    }

    #[test]
    fn who_forgets_twice_in_a_row_is_named_twice() {
        let plies = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4"].into_iter().zip(0..);
        let side = |nth: i32| if nth % 2 == 0 { Color::White } else { Color::Black };
        let plies = plies.map(|(uci, nth)| ply(uci, side(nth))).collect();
        let answer = SegmentAnswer { plies, missed_press: 0.9, ..SegmentAnswer::default() };
        let found = missed_press(&layer(), &answer, &Evidence::default());
        let slots: Vec<_> = found.iter().map(|finding| (finding.slot, finding.side)).collect();
        assert_eq!(slots, [(Some(0), Some(Color::White)), (Some(2), Some(Color::White))]);
    }
}
