//! `early-press`: the lever was pressed before the pieces of the ply stood.
//!
//! ```text
//! confidence = P(early) · (1 − p(press without move) − p(nothing))
//! P(early)   = E / (E + S), all times in milliseconds since the press:
//! E = PRESSED_EARLY       · [ c(R) · e(R) + READ_LATE · Σ_{0 < L} c(L) · l(R − L) · e(L) · STEP_MS ]
//! S = (1 − PRESSED_EARLY) · READ_LATE · Σ_{L ≤ 0} c(L) · l(R − L) · h(−L) · STEP_MS
//! ```
//!
//! - R > 0: when the piece was read on its target. L: when it landed, unknown. E: it landed after
//!   the press. S: it stood before the press and was read late.
//! - c(L): density of the flight from the lift to L by this player's quickness
//!   ([`ReachTimes`](crate::anomaly::hands::reach_time::ReachTimes)), plus UNUSUAL; 0 if L is not after
//!   the lift, 1 if the lift was not seen.
//! - e, l: densities of a landing after an early press (EARLY_MS) and of the lateness of a reading
//!   (LATE_MS). Both are averaged over the unknown factor of the match's hands
//!   ([`even_of_any_hands`](crate::anomaly::hands::density::even_of_any_hands)).
//! - h(t): density of a press t after the landing, by the player's own hand or the waiting other
//!   hand (rate r): (1 − r) · own(t) + r · other(t) + UNUSUAL.
//!
//! If instead a victim that was pushed aside is taken off right after the press, P(early) is ASIDE.
//!
//! A piece read after the press may have stood before it, off the middle of its square, where its
//! contact closes late. The times tell the two apart. A piece in the hand was only carried between
//! lift and reading. A piece that stood was carried, left for the clock, and waited for its
//! contact. The lift of a drop is seen only where it comes out of a tray; elsewhere a late contact
//! stays possible.
//!
//! Serves the topic completion: the piece is released before the press completes the ply.

use rules::{Rank, Role, Square};

use crate::anomaly::{
    findings::finding::prelude::*,
    hands::density::{FACTOR, UNUSUAL, even_of_any_hands},
};
use crate::hand_times::{
    EARLY_MS, IN_HAND_READ_US, LATE_MS, OTHER_HAND_MS, PRESSED_EARLY, PUSHED_SURELY_US, READ_LATE,
    SURELY_OWN_US,
};

/// P(early) for a victim that is taken off after the press. The doubt: the opponent's hand. Assumed.
const ASIDE: f64 = 0.95;
/// Step of the sum over landings, milliseconds. Bound: on work.
const STEP_MS: f64 = 10.0;

/// A piece that was read on its target after the press.
#[derive(Clone, Copy, Debug)]
struct Late {
    /// None for a drop.
    from: Option<Square>,
    to: Square,
    /// Time at which it was lifted or taken out of the tray, if that was seen, microseconds.
    lifted_us: Option<u64>,
    /// Time at which it was read, microseconds.
    read_us: u64,
}

/// A finding for the presser's last ply, if a part of it was finished only after the press.
pub(crate) fn early_press(context: DetectorContext<'_>) -> Option<Finding> {
    let DetectorContext { layer, answer, segment, .. } = context;
    let (slot, ply) = context.own_ply()?;
    // Players mostly move the rook of a castling last.
    let rook = segment.castling_rook(ply.ply).map(|(from, to)| (Some(from), to));
    let mut ways = rook.into_iter().chain([(ply.ply.from(), ply.ply.to())]);
    let late = ways.find_map(|(from, to)| late_landing(ply.side, from, to, context));
    let (square, moved_us, confidence) = match late {
        Some(late) => (late.to, late.read_us, probability(ply.side, late, context)),
        None => lifted_from_aside(ply, context).map(|(at, t_us)| (at, t_us, ASIDE))?,
    };
    let taken_up = late.and_then(|late| layer.t_us.checked_sub(late.lifted_us?));
    let taken_up = taken_up.map_or_else(String::new, |us| {
        format!("the piece was taken up {} ms before the press, and ", us / 1_000)
    });
    let is_made = (1.0 - answer.press_without_move - answer.nothing).max(0.0);
    let (side, made) = (words::side(ply.side), words::ply(ply.ply));
    let (after_ms, p) = (moved_us.saturating_sub(layer.t_us) / 1_000, words::percent(confidence));
    let evidence = format!(
        "{side} pressed the clock after {made}; {taken_up}square {square} changed {after_ms} ms after the press \
             (probability {p})."
    );
    let finding = Finding::new(AnomalyCode::EarlyPress, layer.t_us, confidence * is_made, evidence);
    Some(finding.by(ply.side).at(slot))
}

/// A piece that was read on its target after the press. None if it stood before the press, or if
/// the reading may be another piece.
fn late_landing(
    player: Color,
    from: Option<Square>,
    to: Square,
    context: DetectorContext<'_>,
) -> Option<Late> {
    let (begun_us, press_us) = (context.segment.begun_us, context.layer.t_us);
    let until_us = press_us.saturating_add(IN_HAND_READ_US);
    let read_us =
        |since_us: u64| context.history.filled(to, (since_us.max(press_us), until_us)).next();
    // A rook that is moved second may even be lifted after the press.
    let last_us = read_us(begun_us)?.saturating_sub(1);
    let lifted_us = match from {
        Some(from) => Some(context.lifts(from, last_us).next_back()?),
        None => context.taken(player, (begun_us, last_us)),
    };
    let since_us = lifted_us.unwrap_or(begun_us);
    // Another piece may pass over the square that was left. That is no second lift of the piece
    // that stood there.
    let left_us = from.and_then(|from| context.lifts(from, press_us).next()).unwrap_or(since_us);
    let left_us = left_us.max(begun_us).min(since_us);
    if context.history.filled(to, (left_us, press_us)).next().is_some() {
        return None;
    }
    let late = Late { from, to, lifted_us, read_us: read_us(since_us)? };
    let at_once = late.read_us <= press_us.saturating_add(SURELY_OWN_US);
    (at_once || nobody_else_moved(late, context)).then_some(late)
}

/// Whether a reading on the target long after the press can only be the piece of this path: the
/// target was empty, and nothing else was lifted since. A promoted piece is excluded: it may have
/// lain and been set upright.
fn nobody_else_moved(late: Late, context: DetectorContext<'_>) -> bool {
    let DetectorContext { segment, history, layer, .. } = context;
    let before =
        history.between((segment.begun_us, layer.t_us)).rfind(|event| event.square == late.to);
    let stands =
        before.map_or(segment.position.occupied().contains(late.to), |event| event.occupied);
    let lifted = history.between((layer.t_us, late.read_us)).any(|event| !event.occupied);
    let piece = late.from.and_then(|from| segment.position.piece_at(from));
    let promotes = matches!(late.to.rank(), Rank::First | Rank::Eighth)
        && piece.is_some_and(|piece| piece.role == Role::Pawn);
    !stands && !lifted && !promotes
}

/// A square beside the target from which the victim was taken off after the press, and when, microseconds.
fn lifted_from_aside(ply: &PlyEstimate, context: DetectorContext<'_>) -> Option<(Square, u64)> {
    let DetectorContext { segment, history, .. } = context;
    let press_us = context.layer.t_us;
    let (_, landed_us) = context.way(ply.ply, press_us)?;
    let was_pushed_to = |square: Square| {
        let filled_us = history.filled(square, (segment.begun_us, press_us)).next_back();
        filled_us.is_some_and(|filled_us| {
            filled_us.abs_diff(landed_us) <= PUSHED_SURELY_US
                && history.lifted(square, (filled_us, press_us)).next().is_none()
        })
    };
    let mut changes = history.between((press_us, press_us.saturating_add(SURELY_OWN_US)));
    let lift = changes.find(|event| {
        !event.occupied
            && event.square.distance(ply.ply.to()) == 1
            && !segment.position.occupied().contains(event.square)
            && was_pushed_to(event.square)
    })?;
    Some((lift.square, lift.t_us))
}

/// P(early) of the module's formula.
fn probability(player: Color, late: Late, context: DetectorContext<'_>) -> f64 {
    let Late { from, to, lifted_us, read_us } = late;
    // Milliseconds since the press.
    let ms = |t_us: u64| (t_us as f64 - context.layer.t_us as f64) / 1_000.0;
    let read_ms = ms(read_us);
    let lifted_ms = lifted_us.map(ms);
    let DetectorContext { hands, other_hand_rate, .. } = context;
    let (flight_ms, way_ms) = (hands.flight_ms(player, from, to), hands.press_ms(player, to));
    let carried = |landed_ms: f64| match lifted_ms {
        Some(lifted_ms) if landed_ms > lifted_ms => {
            hands.density(landed_ms - lifted_ms, flight_ms) + UNUSUAL
        }
        Some(_) => 0.0,
        None => 1.0,
    };
    let pressed = |after_ms: f64| {
        let own = hands.density(after_ms, way_ms);
        let other = even_of_any_hands(after_ms, OTHER_HAND_MS);
        (1.0 - other_hand_rate) * own + other_hand_rate * other + UNUSUAL
    };
    let mut early = carried(read_ms) * even_of_any_hands(read_ms, EARLY_MS);
    let mut stood = 0.0;
    let mut landed_ms = read_ms - LATE_MS.1 * FACTOR.1;
    while landed_ms <= read_ms - LATE_MS.0 * FACTOR.0 {
        let read_late = even_of_any_hands(read_ms - landed_ms, LATE_MS);
        let late = READ_LATE * carried(landed_ms) * read_late * STEP_MS;
        if landed_ms > 0.0 {
            early += late * even_of_any_hands(landed_ms, EARLY_MS);
        } else {
            stood += late * pressed(-landed_ms);
        }
        landed_ms += STEP_MS;
    }
    let (early, stood) = (PRESSED_EARLY * early, (1.0 - PRESSED_EARLY) * stood);
    if early + stood > 0.0 { early / (early + stood) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anomaly::segments::context::tests::{Table, played, pressed};

    /// The confidence that White's press after 2.5 s was early, if these squares changed so (milliseconds).
    fn confidence(ply: &str, events: &[(u64, Square, bool)]) -> f64 {
        let table = Table::new(events);
        early_press(table.context(&pressed(2_500), &played(ply, 2_500)))
            .map_or(0.0, |finding| finding.confidence)
    }

    #[test]
    fn a_piece_that_lands_after_the_press_was_in_the_hand() {
        let carried = [(2_250, Square::B1, false), (2_600, Square::C3, true)];
        assert!(confidence("b1c3", &carried) > 0.95);
        let before = [(2_000, Square::B1, false), (2_350, Square::C3, true)];
        assert_eq!(confidence("b1c3", &before), 0.0);
    }

    #[test]
    fn a_piece_that_was_lifted_long_before_stood_off_the_middle_of_its_square() {
        let late = [(1_700, Square::B1, false), (2_600, Square::C3, true)];
        assert!(confidence("b1c3", &late) < 0.2);
    }

    #[test]
    fn a_press_right_after_the_lift_is_early_however_late_the_piece_is_read() {
        let late = [(2_350, Square::B1, false), (3_200, Square::C3, true)];
        assert!(confidence("b1c3", &late) > 0.9);
    }

    #[test]
    fn a_press_by_the_other_hand_right_after_a_late_contact_stays_possible() {
        let carried = [(2_180, Square::B1, false), (2_620, Square::C3, true)];
        let table = Table::new(&carried);
        let found = |other_hand_rate| {
            let (layer, answer) = (pressed(2_500), played("b1c3", 2_500));
            let context = DetectorContext { other_hand_rate, ..table.context(&layer, &answer) };
            early_press(context).map_or(0.0, |finding| finding.confidence)
        };
        assert!(found(0.3) < found(0.0), "{} {}", found(0.3), found(0.0));
    }

    #[test]
    fn a_piece_that_passes_over_the_square_that_was_left_does_not_lift_the_first_again() {
        let passed = [
            (1_300, Square::E2, false),
            (1_600, Square::E4, true),
            (2_300, Square::E2, true),
            (2_350, Square::E2, false),
            (2_510, Square::E4, false),
            (2_560, Square::E4, true),
        ];
        assert_eq!(confidence("e2e4", &passed), 0.0);
    }

    #[test]
    fn a_recapture_is_no_late_landing() {
        let exchange = [
            (2_200, Square::E2, false),
            (2_800, Square::D7, false),
            (2_900, Square::E4, false),
            (3_100, Square::E4, true),
        ];
        assert_eq!(confidence("e2e4", &exchange), 0.0);
    }

    #[test]
    fn of_a_drop_a_late_contact_stays_possible() {
        let drop = confidence("N@c6", &[(2_600, Square::C6, true)]);
        assert!(drop > 0.7 && drop < 0.97, "{drop}");
    }

    #[test]
    fn of_a_drop_out_of_a_tray_the_slot_tells_when_the_piece_was_lifted() {
        let taken_out = |taken_ms: u64| {
            let mut table = Table::new(&[(2_600, Square::C6, true)]);
            table.trays[0].as_mut().expect("a tray").slot(1_000 * taken_ms, false);
            early_press(table.context(&pressed(2_500), &played("N@c6", 2_500)))
                .map_or(0.0, |finding| finding.confidence)
        };
        assert!(taken_out(2_050) > 0.97, "{}", taken_out(2_050));
        // Carried, left for the clock and read late.
        assert!(taken_out(1_400) < 0.2, "{}", taken_out(1_400));
    }

    #[test]
    fn the_evidence_says_when_the_piece_was_taken_up() {
        let table = Table::new(&[(2_250, Square::B1, false), (2_600, Square::C3, true)]);
        let finding = early_press(table.context(&pressed(2_500), &played("b1c3", 2_500)));
        let evidence = finding.expect("an early press").evidence;
        assert!(evidence.contains("taken up 250 ms before the press"), "{evidence}");
        assert!(evidence.contains("square c3 changed 100 ms after the press"), "{evidence}");
    }

    #[test]
    fn the_rook_of_a_castling_counts_by_its_own_way() {
        let castling = [
            (1_500, Square::E1, false),
            (1_850, Square::G1, true),
            (2_300, Square::H1, false),
            (2_620, Square::F1, true),
        ];
        let table = Table::before_castling(&castling);
        let finding = early_press(table.context(&pressed(2_500), &played("e1g1", 2_500)));
        assert!(finding.expect("an early press").confidence > 0.9);
    }

    #[test]
    fn a_victim_taken_off_after_the_press_is_found_and_an_opponents_capture_is_not() {
        let aside = |pushed_ms| {
            [
                (1_700, Square::E2, false),
                (2_000, Square::E4, true),
                (pushed_ms, Square::D5, true),
                (2_600, Square::D5, false),
            ]
        };
        assert!(confidence("e2e4", &aside(2_010)) > 0.9);
        assert_eq!(confidence("e2e4", &aside(2_400)), 0.0);
    }
}
