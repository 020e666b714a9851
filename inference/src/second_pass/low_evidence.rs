//! Which segments the second pass explains anew.
//!
//! ```text
//! surprise(s) if log p(s) < SURPRISING
//!             or SUM of log p over the last TOGETHER segments of its board < SURPRISING_TOGETHER
//! ```
//!
//! `p(s)` is the probability of a segment, given all before. The last `DOUBTED` segments of the board up to a surprise
//! are explained anew.
//!
//! A press that one ply explains well is explained at once, without a search for alternatives. That keeps pace with the
//! match and is nearly always right. Where it is wrong, later segments fit badly: a piece moves as it cannot, or stands
//! where none should, or ply after ply is a little odd. At the end of the match such a surprise is cheap to see, and
//! the few segments before it are cheap to explain with everything that is too expensive at every press.

use rules::BoardId;

/// A segment is a surprise if the natural logarithm of its probability is below this: less likely than a forgotten
/// press, and about as likely as an illegal ply together with another rare event. Assumed.
const SURPRISING: f64 = -16.0;
/// Several segments in a row are a surprise together if their logarithms add up to less than this. A piece that stands
/// wrongly makes ply after ply a little odd. Assumed.
const SURPRISING_TOGETHER: f64 = -33.0;
/// Number of segments in a row that are added up. Assumed.
const TOGETHER: usize = 3;
/// Number of segments of the board that are explained anew, the surprise included. A piece that stands wrongly mostly
/// shows within some plies. Bound: on work.
const DOUBTED: usize = 8;

/// The indices of the segments that are to be explained anew, ascending. `segments` has the board of each step of the
/// match and the natural logarithm of its probability, or none for a step that is no segment.
pub(crate) fn what_led_to_surprises(segments: &[Option<(BoardId, f64)>]) -> Vec<usize> {
    let mut doubted = vec![false; segments.len()];
    let mut lately = [[0.0; TOGETHER]; 2];
    for (at, segment) in segments.iter().enumerate() {
        let Some((board, log_evidence)) = *segment else { continue };
        let lately = &mut lately[board.index()];
        lately.rotate_left(1);
        lately[TOGETHER - 1] = log_evidence;
        if log_evidence >= SURPRISING && lately.iter().sum::<f64>() >= SURPRISING_TOGETHER {
            continue;
        }
        let of_board = |&before: &usize| segments[before].is_some_and(|(of, _)| of == board);
        for before in (0..=at).rev().filter(of_board).take(DOUBTED) {
            doubted[before] = true;
        }
    }
    (0..segments.len()).filter(|&at| doubted[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segments_of_the_board_that_led_to_a_surprise_are_doubted_and_no_others() {
        let (ordinary, surprise) = (-3.0, SURPRISING - 1.0);
        let mut segments = vec![Some((BoardId::A, ordinary)); 2 * DOUBTED];
        segments[DOUBTED + 1] = Some((BoardId::A, surprise));
        segments[DOUBTED] = Some((BoardId::B, ordinary));
        segments[DOUBTED - 1] = None;
        let expected: Vec<usize> = (0..DOUBTED - 1).chain([DOUBTED + 1]).collect();
        assert_eq!(what_led_to_surprises(&segments), expected);
    }

    #[test]
    fn segments_of_a_board_that_are_each_a_little_odd_are_a_surprise_together() {
        let odd = SURPRISING_TOGETHER / TOGETHER as f64 - 0.1;
        assert!(odd > SURPRISING);
        let mut segments = vec![Some((BoardId::A, -3.0)); 2 * DOUBTED];
        segments[DOUBTED..DOUBTED + TOGETHER].fill(Some((BoardId::A, odd)));
        let last = DOUBTED + TOGETHER - 1;
        let expected: Vec<usize> = (last + 1 - DOUBTED..=last).collect();
        assert_eq!(what_led_to_surprises(&segments), expected);
        // The same segments on both boards in turn are no surprise.
        segments[DOUBTED + 1] = Some((BoardId::B, odd));
        assert_eq!(what_led_to_surprises(&segments), [0usize; 0]);
    }

    #[test]
    fn a_match_without_surprises_is_not_doubted() {
        assert_eq!(what_led_to_surprises(&[Some((BoardId::A, -9.0)), None]), [0usize; 0]);
    }
}
