//! Quality of the explanations of the segments around a segment.
//!
//! ```text
//! odd(segments) = min(ODD_AT_MOST, Σ max(0, ODD − log p(segment | all before)))
//! odd_before: over the BEFORE segments of the board before it;  odd_after: over the AFTER segments after it
//! ```
//!
//! A wrong type, a missed ply or a misplaced piece makes ply after ply look a little odd, and the
//! oddest of them looks like an offence. A detector of offences therefore asks first how well the
//! readings before and after it fit the belief. Where they fit badly, the belief is likelier to be
//! wrong than the player.
//!
//! ```text
//! mishap_share = (MISHAPS + number of segments with log p < MISHAP) / (SEGMENTS + number of segments)
//! ```
//!
//! Small hands touch, slip and forget in every fourth segment, careful ones in every twelfth. A
//! player who does none of that makes few illegal plies as well.

use rules::BoardId;

/// Segments of the board before the segment that count. Assumed.
const BEFORE: usize = 6;
/// Segments of the board after it that count. Assumed.
const AFTER: usize = 4;
/// Log probability below which a segment is odder than ordinary mishaps make it, natural logarithm. Assumed.
const ODD: f64 = -9.0;
/// Largest sum that counts, natural logarithm. Assumed.
const ODD_AT_MOST: f64 = 30.0;
/// Log probability below which a segment has some mishap, natural logarithm. Assumed.
const MISHAP: f64 = -5.0;
/// Number of segments that the prior counts as. Assumed.
const SEGMENTS: f64 = 10.0;
/// Those of them with a mishap. Assumed: a share between those of careful and of small hands.
const MISHAPS: f64 = 1.6;

/// The segments around one segment of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Surroundings {
    /// Oddness of the segments before it, natural logarithm, 0 or above.
    pub(crate) odd_before: f64,
    /// The same of the segments after it.
    pub(crate) odd_after: f64,
    /// Natural logarithm of its own probability, given all segments before.
    pub(crate) log: f64,
    /// Number of known segments of its board after it, at most [`AFTER`].
    pub(crate) later: usize,
    /// Whether the other board has had a segment since.
    pub(crate) is_answered_elsewhere: bool,
    /// The share of the match's segments with some mishap, 0 to 1.
    pub(crate) mishap_share: f64,
}

impl Surroundings {
    /// The surroundings of the segment at place `at`. `segments`: for each segment its board, none
    /// if that is not known any more, and the natural logarithm of its probability.
    pub(crate) fn of(
        segments: &[(Option<BoardId>, f64)],
        at: usize,
        board: BoardId,
    ) -> Surroundings {
        let (before, after) = (segments.iter().take(at), segments.iter().skip(at + 1));
        let on_board = |(of, log): &(Option<BoardId>, f64)| (*of == Some(board)).then_some(*log);
        let mishaps = segments.iter().filter(|(_, log)| *log < MISHAP);
        Surroundings {
            odd_before: odd(before.rev().filter_map(on_board).take(BEFORE)),
            odd_after: odd(after.clone().filter_map(on_board).take(AFTER)),
            log: segments.get(at).map_or(0.0, |(_, log)| *log),
            later: after.clone().filter_map(on_board).take(AFTER).count(),
            is_answered_elsewhere: after.clone().any(|(of, _)| of.is_some_and(|of| of != board)),
            mishap_share: mishaps.fold(MISHAPS, |sum, _| sum + 1.0)
                / (SEGMENTS + segments.len() as f64),
        }
    }
}

fn odd(logs: impl Iterator<Item = f64>) -> f64 {
    logs.map(|log| (ODD - log).max(0.0)).sum::<f64>().min(ODD_AT_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_odder_than_ordinary_mishaps_counts_and_only_of_the_same_board() {
        let segments = [
            (Some(BoardId::A), -2.0),
            (Some(BoardId::A), -14.0),
            (Some(BoardId::B), -80.0),
            (Some(BoardId::A), -10.1),
            (Some(BoardId::A), -11.0),
            (Some(BoardId::A), -3.0),
        ];
        let found = Surroundings::of(&segments, 3, BoardId::A);
        assert_eq!((found.odd_before, found.odd_after), (5.0, 2.0));
        assert_eq!((found.log, found.later, found.is_answered_elsewhere), (-10.1, 2, false));
        let found = Surroundings::of(&segments, 1, BoardId::A);
        assert!(found.is_answered_elsewhere);
    }

    #[test]
    fn segments_long_ago_do_not_count() {
        let odd = (Some(BoardId::A), -20.0);
        let plain = (Some(BoardId::A), -2.0);
        let segments = [&[odd][..], &[plain; BEFORE + 1]].concat();
        assert_eq!(Surroundings::of(&segments, BEFORE + 1, BoardId::A).odd_before, 0.0);
    }
}
