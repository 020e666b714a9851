//! `clock-hand`: the clock was pressed with another hand than the one that moved the piece.
//!
//! Serves the one-hand rules (`us-chess-bughouse-2018 13`, the same number of the other bughouse books,
//! `us-chess-blitz-2020 4`, `nc-blitz 3`). No sensor sees whose fingers press; but the hand that has just let go of a
//! piece must travel to the clock, and another one need not. The time from the landing to the press is
//! compared with this player's own time for that way, learnt while playing ([`ReachTimes`](super::ReachTimes)), and with
//! the explanation that the piece had stood off the middle of its square and was read late: then it was
//! on its way for longer than usual. Where the clock sees hands, a hand that was there while the piece
//! was still in the air settles it.

use super::support::{
    context::{DetectorContext, is_castling},
    finding::Finding,
    reach_time::Carried,
    words,
};
use crate::{
    answers::marginals::{PlyEstimate, SegmentEstimate},
    report::AnomalyCode,
    trellis::Layer,
};

/// Presses with the other hand that a match is thought to have had before anything was seen…
pub(crate) const OTHER_HANDS: f64 = 0.3;
/// …in so many presses: one in 25 of children's, one in 200 of a club's.
pub(crate) const PRESSES: f64 = 20.0;
/// Part of the pieces that are set down so that they are read late.
const READ_LATE: f64 = 0.01;
/// How late, milliseconds, evenly between these.
const LATE_MS: (f64, f64) = (50.0, 800.0);
/// Steps in which lateness is summed over, milliseconds.
const LATE_STEP_MS: f64 = 25.0;
/// A hand that waits at the clock presses within this time of the landing, milliseconds…
const WAITING_MS: f64 = 220.0;
/// …or a little later, ever more rarely until here.
const WAITING_AT_MOST_MS: f64 = 330.0;
/// Density per millisecond of what no habit explains: somebody else pressed, a piece was touched twice.
const UNUSUAL: f64 = 2e-6;
/// Where the clock sees hands: how much likelier a hand that waits is there before the piece lands than one that
/// carries it.
const SEEN_WAITING: f64 = 200.0;
/// Density per millisecond of a later press by a hand that was seen to wait: something detained it.
const DETAINED: f64 = 5e-4;
/// How much less likely a waiting hand is if the clock sees hands and saw none before the landing.
const NOT_SEEN_WAITING: f64 = 0.02;

/// A finding for the presser's ply if the press came sooner than the hand that moved could have made it.
pub(crate) fn clock_hand(
    layer: &Layer,
    answer: &SegmentEstimate,
    seen: DetectorContext<'_>,
) -> Option<Finding> {
    let presser = layer.presser?;
    let slot = answer.plies.iter().rposition(|ply| ply.side == presser)?;
    let ply = answer.plies.get(slot).filter(|_| slot + 1 == answer.plies.len())?;
    if seen.both_hands_when_castling && is_castling(ply.ply) {
        return None;
    }
    let carried = seen.carried(ply, layer.t_us)?;
    let waited = waited(carried, layer.t_us, seen);
    if carried.press_ms > WAITING_AT_MOST_MS && !waited {
        return None;
    }
    let confidence = probability(ply, carried, layer.t_us, seen);
    Some(Finding {
        code: AnomalyCode::ClockHand,
        side: Some(presser),
        t_us: ply.t_us,
        confidence: confidence * (1.0 - answer.press_without_move),
        slot: Some(slot),
        reason: None,
        evidence: format!(
            "{} pressed the clock {:.0} ms after the piece stood on {}, {:.1} squares away; this player's hand \
             takes about {:.0} ms for that way (probability of the other hand {}).",
            words::side(presser),
            carried.press_ms,
            carried.to,
            seen.hands.reach(carried.to),
            seen.hands.press_ms(presser, carried.to),
            words::percent(confidence),
        ),
    })
}

/// The posterior probability that the other hand pressed.
fn probability(
    ply: &PlyEstimate,
    carried: Carried,
    press_us: u64,
    seen: DetectorContext<'_>,
) -> f64 {
    let Carried { from, to, flight_ms, press_ms } = carried;
    let flight =
        |flight_ms: f64| seen.hands.flight_density(ply.side, from, to, flight_ms) + UNUSUAL;
    let flown = flight_ms.map_or(1.0, flight);
    let same = (1.0 - seen.other_hand_rate - READ_LATE)
        * flown
        * (seen.hands.press_density(ply.side, to, press_ms) + UNUSUAL);
    let mut late = 0.0;
    let mut late_ms = LATE_MS.0;
    while late_ms <= LATE_MS.1 {
        let flown = flight_ms.map_or(1.0, |flight_ms| flight(flight_ms - late_ms));
        late += flown * seen.hands.press_density(ply.side, to, press_ms + late_ms);
        late_ms += LATE_STEP_MS;
    }
    late *= READ_LATE * LATE_STEP_MS / (LATE_MS.1 - LATE_MS.0);
    let mut other = seen.other_hand_rate * flown * waiting_density(press_ms);
    if waited(carried, press_us, seen) {
        let density = waiting_density(press_ms).max(DETAINED);
        other = seen.other_hand_rate * flown * SEEN_WAITING * density;
    } else if seen.scene.hands_seen {
        other *= NOT_SEEN_WAITING;
    }
    other / (other + same + late)
}

/// Whether the clock saw the hand that pressed while the piece was still in the air.
fn waited(carried: Carried, press_us: u64, seen: DetectorContext<'_>) -> bool {
    let landed_us = press_us.saturating_sub((carried.press_ms * 1_000.0) as u64);
    seen.scene.near_since_us.is_some_and(|since_us| since_us < landed_us)
}

/// Density per millisecond of a press so long after the landing by a hand that waits at the clock.
fn waiting_density(press_ms: f64) -> f64 {
    let whole = WAITING_MS + (WAITING_AT_MOST_MS - WAITING_MS) / 2.0;
    if press_ms <= WAITING_MS {
        1.0 / whole
    } else {
        (WAITING_AT_MOST_MS - press_ms).max(0.0) / (WAITING_AT_MOST_MS - WAITING_MS) / whole
    }
}

#[cfg(test)]
mod tests {
    use rules::{Color, Square};

    use super::*;
    use crate::anomaly::support::context::tests::{Table, played, pressed};

    /// The confidence that White's other hand pressed, so many milliseconds after the landing.
    fn confidence(press_ms: u64, adapt: impl FnOnce(&mut Table)) -> f64 {
        let mut table = Table::new(&[(2_000, Square::B1, false), (2_350, Square::C3, true)]);
        adapt(&mut table);
        let t_ms = 2_350 + press_ms;
        clock_hand(&pressed(t_ms), &played("b1c3", t_ms), table.seen())
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
        let found = clock_hand(&pressed(2_980), &played("b1c3", 2_980), late.seen());
        assert!(found.map_or(0.0, |finding| finding.confidence) < confidence(80, |_| {}));
    }

    #[test]
    fn castling_with_both_hands_is_judged_by_the_book() {
        let table = Table::new(&[(2_000, Square::E1, false), (2_350, Square::G1, true)]);
        let answer = played("e1g1", 2_400);
        assert_eq!(clock_hand(&pressed(2_400), &answer, table.seen()), None);
        let strict = DetectorContext { both_hands_when_castling: false, ..table.seen() };
        assert!(clock_hand(&pressed(2_400), &answer, strict).is_some());
    }
}
