//! ```text
//! weight(ply_1 .. ply_n) = max over cuts PROD_i p(squares of part i | ply_i) * p(ply_i)
//! cut between events e and f:  e fills a square and does not only pass it,  or  t_f > t_e + PAUSE
//! passes:                      the square of e changes again within DRAG
//! ```
//!
//! Places where a segment may be cut between the plies of a [sequence](crate::proposal::sequences), and
//! what explains it then.
//!
//! Each part is explained by one ply. It is observed once for all hypotheses, as if the clock had
//! been pressed before and after it. A piece may also land after the press: then it is the last
//! part by itself, or it belongs to an earlier ply and is read late. Of more cuts than are allowed,
//! those before the longest pauses are used.

use rules::Bitboard;

use crate::{
    observation::summary::{DRAG_US, Observation},
    sensing::{segment::Segment, square_sensor::SquareEvent},
};

/// Maximum number of cuts of one segment. The cuts before the longest pauses are used. Bound: on work.
pub(crate) const MAX_CUTS: usize = 7;
/// The same where more plies than [`USUAL_PLIES`](crate::explanation::USUAL_PLIES) are searched.
/// Bound: on work.
pub(crate) const MAX_CUTS_OF_MANY: usize = 10;
/// After a pause longer than this, microseconds, a piece that was lifted may stand unread somewhere. Assumed.
const PAUSE_US: u64 = 500_000;
/// The points at which one segment may be cut.
pub(crate) struct SplitPoints {
    /// Event counts at which the segment may be cut, ascending; the first is 0, the last is all.
    pub(crate) points: Vec<usize>,
    /// For each point, the times of the events before and after it, microseconds.
    pub(crate) times_us: Vec<(u64, u64)>,
    parts: Vec<Observation>,
    /// Squares that did not change before the press and on which a piece was read soon after it.
    pub(crate) landed_later: Bitboard,
}

impl SplitPoints {
    /// A limited number of inner points of the first `count` events, and the observations between them.
    /// `end_us` is the time of the press.
    pub(crate) fn new(most: usize, segment: &Segment, count: usize, end_us: u64) -> SplitPoints {
        let (events, later) = segment.events.split_at(count.min(segment.events.len()));
        let mut beyond = Observation::between(segment, events.len(), events.len());
        beyond.look_ahead(end_us, later);
        let untouched = !Observation::between(segment, 0, events.len()).touched;
        let landed_later = beyond.filled_soon & untouched;
        let mut inner: Vec<(u64, usize)> = events
            .windows(2)
            .enumerate()
            .filter(|&(index, pair)| {
                let stands = pair[0].occupied && !is_passing(&segment.events[index..]);
                stands || pair[1].t_us > pair[0].t_us + PAUSE_US
            })
            .map(|(index, pair)| (pair[1].t_us.saturating_sub(pair[0].t_us), index + 1))
            .collect();
        inner.sort_by_key(|&(pause, point)| (std::cmp::Reverse(pause), point));
        inner.truncate(most);
        let mut points: Vec<usize> = inner.into_iter().map(|(_, point)| point).collect();
        points.push(0);
        points.push(events.len());
        points.sort_unstable();
        points.dedup();
        let mut parts = Vec::with_capacity(points.len() * points.len());
        for &from in &points {
            for (at, &to) in points.iter().enumerate() {
                let mut part = Observation::between(segment, from, to.max(from));
                if at + 1 == points.len() {
                    part.look_ahead(end_us, later);
                } else {
                    part.filled_soon = landed_later;
                }
                parts.push(part);
            }
        }
        let times_us = points
            .iter()
            .map(|&point| {
                let next_us = events.get(point).map_or(end_us, |event| event.t_us);
                let last = point.checked_sub(1).and_then(|last| events.get(last));
                (last.map_or(next_us, |event| event.t_us), next_us)
            })
            .collect();
        SplitPoints { points, times_us, parts, landed_later }
    }

    /// The observation between two points, by their indices.
    pub(crate) fn part(&self, from: usize, to: usize) -> &Observation {
        &self.parts[from * self.points.len() + to]
    }
}

/// Whether the first of these events is a dragged piece that only passes its square.
fn is_passing(events: &[SquareEvent]) -> bool {
    let Some((first, later)) = events.split_first() else { return false };
    later
        .iter()
        .take_while(|event| event.t_us < first.t_us + DRAG_US)
        .any(|event| event.square == first.square)
}

#[cfg(test)]
mod tests {
    use rules::{Position, Square};

    use super::*;

    #[test]
    fn squares_that_a_dragged_piece_only_passes_are_no_cuts() {
        let mut segment = Segment::new(Position::initial().occupied());
        let dragged =
            [(Square::E2, false), (Square::E3, true), (Square::E3, false), (Square::E4, true)];
        for ((square, occupied), t_ms) in dragged.into_iter().zip([0, 200, 240, 400]) {
            segment.read_square(t_ms * 1_000, square, occupied);
        }
        segment.read_square(1_000_000, Square::E7, false);
        assert_eq!(SplitPoints::new(MAX_CUTS, &segment, 5, u64::MAX).points, [0, 4, 5]);
    }

    #[test]
    fn a_piece_that_lands_after_the_press_may_belong_to_any_part() {
        let mut segment = Segment::new(Position::initial().occupied());
        for (t_ms, square, occupied) in
            [(0, Square::E2, false), (200, Square::E4, true), (900, Square::E5, true)]
        {
            segment.read_square(t_ms * 1_000, square, occupied);
        }
        let split_points = SplitPoints::new(MAX_CUTS, &segment, 2, 800_000);
        assert_eq!(split_points.points, [0, 2]);
        assert_eq!(split_points.landed_later, Bitboard::from_square(Square::E5));
        let last = split_points.part(0, 1).filled_at_once;
        assert_eq!(last, Bitboard::from_square(Square::E5));
    }
}
