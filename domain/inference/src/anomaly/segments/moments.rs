//! Times at which the pieces of a ply were touched and released: the times from which windows for claims and
//! touch-move are counted.
//!
//! ```text
//! touched  = first lift of a piece of the ply: its source, its victim, a castling rook; of a drop, out of the tray
//! released = last landing of a piece of the ply: its target, a castling rook's target
//! ```
//!
//! A contact opens when a piece is lifted and closes when one is set down. A piece that is
//! exchanged unseen tells neither time.

use rules::{Ply, Square};

use crate::anomaly::segments::context::DetectorContext;
use crate::answers::published_plies::Moments;
use crate::hand_times::{BEGINS_EARLY_US, STOOD_READ_US};

/// The moments of each ply of a segment.
pub(crate) fn moments(context: DetectorContext<'_>) -> Vec<Moments> {
    let history = context.history;
    let mut since_us = context.segment.begun_us;
    let found = context.footprints().map(|(ply, footprint)| {
        let until_us = ply.t_us.min(context.layer.t_us);
        // A hand may be at its own piece before the opponent's press. The other squares belong to
        // the opponent's ply until then.
        let others = footprint.vacated | footprint.exchanged;
        let mut changes = history.between((since_us.saturating_sub(BEGINS_EARLY_US), until_us));
        let lift = changes.find(|event| {
            let is_own = Some(event.square) == ply.ply.from();
            !event.occupied && (is_own || event.t_us > since_us && others.contains(event.square))
        });
        let touched_us = lift.map(|event| event.t_us).or_else(|| match ply.ply {
            Ply::Drop { .. } => context.taken(ply.side, (since_us, until_us)),
            Ply::Move { .. } => None,
        });
        let span = (touched_us.unwrap_or(since_us), until_us);
        // Until the ply was complete, or soon after if nothing was read by then.
        let landed_us = |square: Square| {
            let late = (until_us, until_us.saturating_add(STOOD_READ_US));
            let in_time_us = history.filled(square, span).next_back();
            in_time_us.or_else(|| history.filled(square, late).next())
        };
        let landed = footprint.arrived | footprint.exchanged;
        let released_us = landed.into_iter().filter_map(landed_us).max();
        since_us = released_us.unwrap_or(until_us).min(until_us);
        Moments { touched_us, released_us }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anomaly::segments::context::tests::{Table, played, pressed};

    /// The moments, in milliseconds, of White's ply in the initial position after these plies:
    /// begun at 1 s and pressed at 5 s, with these changes.
    fn of(plies: &[&str], ply: &str, events: &[(u64, Square, bool)]) -> [Option<u64>; 2] {
        let mut table = Table::new(events);
        for ply in plies {
            table.segment.position.play(ply.parse().expect("a ply"));
        }
        let found = moments(table.context(&pressed(5_000), &played(ply, 5_000)));
        let [Moments { touched_us, released_us }] = found[..] else { panic!("{found:?}") };
        [touched_us, released_us].map(|t_us| t_us.map(|t_us| t_us / 1_000))
    }

    #[test]
    fn move_is_touched_when_its_piece_is_lifted_and_released_when_it_stands() {
        let events = [(2_000, Square::G1, false), (2_400, Square::F3, true)];
        assert_eq!(of(&[], "g1f3", &events), [Some(2_000), Some(2_400)]);
    }

    #[test]
    fn capture_is_touched_when_the_victim_is_lifted_first() {
        let events = [
            (700, Square::D5, true),
            (2_000, Square::D5, false),
            (2_200, Square::E4, false),
            (2_600, Square::D5, true),
        ];
        let moments = of(&["e2e4", "d7d5"], "e4d5", &events);
        assert_eq!(moments, [Some(2_000), Some(2_600)]);
    }

    #[test]
    fn castling_is_released_with_the_rook() {
        let plies = ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"];
        let events = [
            (2_000, Square::E1, false),
            (2_300, Square::G1, true),
            (2_600, Square::H1, false),
            (2_900, Square::F1, true),
        ];
        assert_eq!(of(&plies, "e1g1", &events), [Some(2_000), Some(2_900)]);
    }

    #[test]
    fn promotion_is_released_when_the_queen_stands_in_the_pawns_place() {
        let plies = ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "a7a6", "h6h7", "a6a5"];
        let events = [
            (1_500, Square::G8, false),
            (2_000, Square::H7, false),
            (2_300, Square::G8, true),
            (2_900, Square::G8, false),
            (3_500, Square::G8, true),
        ];
        assert_eq!(of(&plies, "h7g8q", &events), [Some(1_500), Some(3_500)]);
    }

    #[test]
    fn piece_that_is_read_after_the_press_is_released_then() {
        let events = [(4_800, Square::G1, false), (5_100, Square::F3, true)];
        assert_eq!(of(&[], "g1f3", &events), [Some(4_800), Some(5_100)]);
    }

    #[test]
    fn hand_that_was_at_its_piece_before_the_press_has_touched_it_then() {
        let events = [(600, Square::G1, false), (1_400, Square::F3, true)];
        assert_eq!(of(&[], "g1f3", &events), [Some(600), Some(1_400)]);
    }

    #[test]
    fn exchange_without_a_trace_tells_when_its_own_piece_was_lifted_and_no_more() {
        let moments = of(&["e2e4", "d7d5"], "e4d5", &[(2_000, Square::E4, false)]);
        assert_eq!(moments, [Some(2_000), None]);
    }
}
