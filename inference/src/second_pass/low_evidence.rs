//! Which segments are to be explained anew when a match is followed again.
//!
//! A press that is well explained by one ply is explained at once, and nobody asks what else it might have been: that keeps
//! pace with the match and is nearly always right. Where it is wrong, what follows fits badly, some plies later:
//! a piece moves as it cannot, or stands where none should, or ply after ply is a little odd. Such a surprise is cheap to see at the end of the match, and the
//! few segments before it are cheap to explain with everything that is too dear to be tried at every press.

use rules::BoardId;

/// A segment is a surprise if the logarithm of its probability is below this: less likely than a forgotten press, and about as
/// likely as an illegal ply with something else that went wrong.
const SURPRISING: f64 = -16.0;
/// So are several in a row if their logarithms add up to less than this, even if none is a surprise by itself: what stands wrongly makes
/// ply after ply look a little odd.
const SURPRISING_TOGETHER: f64 = -33.0;
/// How many in a row are added up.
const TOGETHER: usize = 3;
/// How many segments of the board are doubted, the surprise included: a piece that stands wrongly is mostly noticed
/// within some plies.
const DOUBTED: usize = 8;

/// The places of the segments that are to be doubted, ascending. Of each step of the match its board and the logarithm of
/// its probability; none for a step that is no segment.
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
        // The same on one board and the other in turn is none.
        segments[DOUBTED + 1] = Some((BoardId::B, odd));
        assert_eq!(what_led_to_surprises(&segments), [0usize; 0]);
    }

    #[test]
    fn a_match_without_surprises_is_not_doubted() {
        assert_eq!(what_led_to_surprises(&[Some((BoardId::A, -9.0)), None]), [0usize; 0]);
    }
}
