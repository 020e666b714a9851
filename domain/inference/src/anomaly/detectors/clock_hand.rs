//! `clock-hand`: the clock was pressed with another hand than the one that moved the piece.
//!
//! ```text
//! confidence = P(other) · (1 − p(press without move))
//! P(other)   = other / (other + same + late)
//! other = r · F(f) · W(t) · k
//!       = r · F(f) · ((1 − FROM_LAP) · W(t) + FROM_LAP · R(t)) · s_other  with two sensors a player, unless it was seen to wait
//! same  = (1 − r − READ_LATE) · F(f) · (R(t) + UNUSUAL) · s_same
//! late  = READ_LATE · Σ_L F(f − L) · R(t + L) · LATE_STEP_MS / (LATE_MS.1 − LATE_MS.0) · s_same
//! s     = p(seen on the board's side) · p(seen on the side away from it), 1 without such sensors
//! ```
//!
//! - t: time from the landing to the press. f: time from the lift to the landing. L: lateness of a
//!   reading, from LATE_MS.0 to LATE_MS.1 in steps of LATE_STEP_MS. All in milliseconds.
//! - r: rate of presses by the other hand in this match, learnt from earlier findings.
//! - R(t): density of this player's own way from the target to the clock; F(f): density of carrying
//!   the piece, plus UNUSUAL, or 1 if the lift was not seen
//!   ([`ReachTimes`](crate::anomaly::hands::reach_time::ReachTimes)).
//! - W(t): density of a press by a hand that waits at the clock; it is constant up to OTHER_HAND_MS.1
//!   and falls to 0 at WAITING_AT_MOST_MS.
//! - k: 1 where the clock sees no hands. Where it sees hands: SEEN_WAITING if the hand was there
//!   before the landing (W is then at least DETAINED), otherwise NOT_SEEN_WAITING.
//!
//! - s: the hand that moved comes from the board; it may reach over the clock, and a sleeve or the
//!   opponent's arm is seen on either side ([`SAME_SEEN`], [`OTHER_SEEN`]). A hand from the lap comes in as
//!   good time as the hand that moved, so only these sensors tell it.
//!
//! No sensor sees whose fingers press. The hand that has just let go of a piece must travel to the
//! clock; another hand need not. The third explanation is a piece that stood off the middle of its
//! square and was read late: its flight then seems longer than usual.
//!
//! Serves the topic clock hand of the books: the hand that moved the piece presses.

use crate::anomaly::{
    findings::finding::prelude::*,
    hands::{density::UNUSUAL, reach_time::Carried},
};
use crate::hand_times::{LATE_MS, OTHER_HAND_MS, READ_LATE, WAITING_AT_MOST_MS};
use crate::sensing::hand_at_clock::SeenFrom;

/// Prior of the rate r, numerator: presses by the other hand. Assumed: the rate is 1 in 25 for
/// children and 1 in 200 in a club.
pub(crate) const OTHER_HANDS: f64 = 0.3;
/// Prior of the rate r, denominator: presses. Assumed.
pub(crate) const PRESSES: f64 = 20.0;
/// Step of the sum over lateness, milliseconds. Bound: on work.
const LATE_STEP_MS: f64 = 25.0;
/// Where the clock sees hands: likelihood ratio for a hand at the clock before the landing, waiting
/// hand to carrying hand. Assumed.
const SEEN_WAITING: f64 = 200.0;
/// Minimum density per millisecond of a press by a hand that was seen to wait and was detained. Assumed.
const DETAINED: f64 = 5e-4;
/// Likelihood of a waiting hand that the clock did not see, where the clock sees hands. Assumed.
const NOT_SEEN_WAITING: f64 = 0.02;

/// Share of the other hands that come from the lap after the landing, and do not wait. Assumed.
const FROM_LAP: f64 = 0.5;
/// Probabilities that the hand which moved is seen on the board's side, and on the other. Assumed: it passes the board's
/// side, and one in eight reaches over.
const SAME_SEEN: (f64, f64) = (0.98, 0.15);
/// The same of the other hand. Assumed: one in twelve crosses the board's side.
const OTHER_SEEN: (f64, f64) = (0.1, 0.95);

/// A finding for the presser's ply, if it is the segment's last and the press may have been the
/// other hand's. None if the press came later than a waiting hand presses and no hand was seen to
/// wait, or if the book allows both hands and the ply castles.
pub(crate) fn clock_hand(context: DetectorContext<'_>) -> Option<Finding> {
    let DetectorContext { segment, answer, hands, .. } = context;
    let (ply, carried) = context.carried()?;
    let castles = segment.castling_rook(ply.ply).is_some();
    if context.both_hands_when_castling && castles
        || carried.press_ms > WAITING_AT_MOST_MS
            && !waited(carried, context)
            && segment.seen_from.is_none()
    {
        return None;
    }
    let confidence = probability(ply, carried, context);
    let evidence = format!(
        "{} pressed the clock {:.0} ms after the piece stood on {}, {:.1} squares away; this player's hand takes about {:.0} ms for that \
         distance. Probability of the other hand: {}.",
        words::side(ply.side),
        carried.press_ms,
        carried.to,
        hands.reach(carried.to),
        hands.press_ms(ply.side, carried.to),
        words::percent(confidence),
    );
    let confidence = confidence * (1.0 - answer.press_without_move);
    let finding = Finding::new(AnomalyCode::ClockHand, ply.t_us, confidence, evidence);
    Some(finding.by(ply.side).at(answer.plies.len() - 1))
}

/// P(other) of the module's formula: the posterior probability that the other hand pressed.
fn probability(ply: &PlyEstimate, carried: Carried, context: DetectorContext<'_>) -> f64 {
    let Carried { from, to, flight_ms, press_ms } = carried;
    let hands = context.hands;
    let (flight_mean_ms, way_ms) =
        (hands.flight_ms(ply.side, from, to), hands.press_ms(ply.side, to));
    let flight = |flight_ms: f64| hands.density(flight_ms, flight_mean_ms) + UNUSUAL;
    let own_way = |press_ms: f64| hands.density(press_ms, way_ms);
    let flown = flight_ms.map_or(1.0, flight);
    let seen_from = context.segment.seen_from;
    let same = (1.0 - context.other_hand_rate - READ_LATE) * flown * (own_way(press_ms) + UNUSUAL);
    let mut late = 0.0;
    let mut late_ms = LATE_MS.0;
    while late_ms <= LATE_MS.1 {
        let flown = flight_ms.map_or(1.0, |flight_ms| flight(flight_ms - late_ms));
        late += flown * own_way(press_ms + late_ms);
        late_ms += LATE_STEP_MS;
    }
    late *= READ_LATE * LATE_STEP_MS / (LATE_MS.1 - LATE_MS.0);
    let mut other = context.other_hand_rate * flown * waiting_density(press_ms);
    if waited(carried, context) {
        let density = waiting_density(press_ms).max(DETAINED);
        other = context.other_hand_rate * flown * SEEN_WAITING * density;
    } else if seen_from.is_some() {
        let density = (1.0 - FROM_LAP) * waiting_density(press_ms) + FROM_LAP * own_way(press_ms);
        other = context.other_hand_rate * flown * density;
    } else if context.segment.hands_seen {
        other *= NOT_SEEN_WAITING;
    }
    if let Some(seen) = seen_from {
        other *= seen_likelihood(seen, OTHER_SEEN);
        return other / (other + (same + late) * seen_likelihood(seen, SAME_SEEN));
    }
    other / (other + same + late)
}

/// s of the module's formula, given both probabilities of being seen.
fn seen_likelihood(seen: SeenFrom, (board, away): (f64, f64)) -> f64 {
    let of = |seen: bool, p: f64| if seen { p } else { 1.0 - p };
    of(seen.board, board) * of(seen.away, away)
}

/// Whether the clock saw the hand that pressed while the piece was still in the air.
fn waited(carried: Carried, context: DetectorContext<'_>) -> bool {
    let landed_us = context.layer.t_us.saturating_sub((carried.press_ms * 1_000.0) as u64);
    context.segment.near_since_us.is_some_and(|since_us| since_us < landed_us)
}

/// W(t) of the module's formula, per millisecond: a trapezoid with area 1.
fn waiting_density(press_ms: f64) -> f64 {
    let falls_ms = WAITING_AT_MOST_MS - OTHER_HAND_MS.1;
    let whole = OTHER_HAND_MS.1 + falls_ms / 2.0;
    if press_ms <= OTHER_HAND_MS.1 {
        return 1.0 / whole;
    }
    (WAITING_AT_MOST_MS - press_ms).max(0.0) / falls_ms / whole
}

#[cfg(test)]
mod tests {
    use rules::{Color, Square};

    use super::*;
    use crate::anomaly::segments::context::tests::{Table, played, pressed};

    /// The confidence that White's other hand pressed, so many milliseconds after the landing.
    fn confidence(press_ms: u64, adapt: impl FnOnce(&mut Table)) -> f64 {
        let mut table = Table::new(&[(2_000, Square::B1, false), (2_350, Square::C3, true)]);
        adapt(&mut table);
        let t_ms = 2_350 + press_ms;
        clock_hand(table.context(&pressed(t_ms), &played("b1c3", t_ms)))
            .map_or(0.0, |finding| finding.confidence)
    }

    #[test]
    fn a_press_that_the_hand_cannot_have_made_is_the_other_hands() {
        assert!(confidence(80, |_| {}) > 0.7);
        assert_eq!(confidence(600, |_| {}), 0.0);
    }

    #[test]
    fn a_player_who_is_always_quick_is_not_flagged() {
        let quick = |table: &mut Table| {
            for square in Square::ALL.into_iter().step_by(2) {
                let carried = Carried {
                    from: Some(Square::E4),
                    to: square,
                    flight_ms: Some(170.0),
                    press_ms: 210.0,
                };
                table.hands.learn(Color::White, carried);
            }
        };
        assert!(confidence(210, quick) < 0.3 * confidence(210, |_| {}));
    }

    #[test]
    fn a_piece_that_was_on_its_way_for_too_long_was_read_late() {
        let late = Table::new(&[(2_000, Square::B1, false), (2_900, Square::C3, true)]);
        let found = clock_hand(late.context(&pressed(2_980), &played("b1c3", 2_980)));
        assert!(found.map_or(0.0, |finding| finding.confidence) < confidence(80, |_| {}));
    }

    #[test]
    fn castling_with_both_hands_is_judged_by_the_book() {
        let events = [(2_000, Square::E1, false), (2_350, Square::G1, true)];
        let table = Table::before_castling(&events);
        let (layer, answer) = (pressed(2_400), played("e1g1", 2_400));
        let context = table.context(&layer, &answer);
        assert_eq!(clock_hand(context), None);
        let strict = DetectorContext { both_hands_when_castling: false, ..context };
        assert!(clock_hand(strict).is_some());
    }

    #[test]
    fn hand_seen_only_away_from_the_board_is_the_other_one_in_good_time() {
        let seen = |board, away| {
            confidence(500, |table| {
                table.segment.hands_seen = true;
                table.segment.near_since_us = Some(2_760_000);
                table.segment.seen_from = Some(SeenFrom { board, away });
            })
        };
        assert!(seen(false, true) > 0.5, "{}", seen(false, true));
        assert!(seen(true, false) < 0.01 && seen(true, true) < 0.1, "{}", seen(true, true));
    }
}
