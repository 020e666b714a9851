//! Reed contacts: what hands do to the pieces, as openings and closings of 64 contacts.
//!
//! An [`Act`] is a hand's touch of one square. Resolving the acts of a board gives its [`Edge`]s, the true changes of its
//! contacts, and every edge then bounces for a few milliseconds, as the metal of a reed does. The node's debouncer is not
//! modelled here.

use rand::RngExt;
use rules::{Bitboard, BoardId, Piece, Square};

use crate::chance::{Chance, Topic};

/// Manner of putting a piece on a square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// In the middle: the contact closes at once.
    Centred,
    /// Off centre: the contact closes this much later, as the piece is pushed or settles.
    Late {
        /// Delay, microseconds.
        us: u64,
    },
    /// On the edge of the contact's reach: it closes, and opens and closes at these offsets.
    Flickering {
        /// Offsets of the further changes, microseconds, ascending; an even number of them.
        toggles_us: Vec<u64>,
    },
    /// On its side: the contact does not see it.
    Unseen,
}

/// Change on a square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The piece leaves.
    Lift,
    /// A piece is put down.
    Put(Stand),
    /// A piece slides over the square.
    Pass {
        /// Time over the contact, microseconds.
        dwell_us: u64,
    },
    /// One piece replaces another within this time.
    Swap {
        /// Time without a piece, microseconds; 0 if they overlap.
        gap_us: u64,
    },
}

/// One change on one square of one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Act {
    /// Time, microseconds since the trace began.
    pub(crate) t_us: u64,
    /// Square.
    pub(crate) square: Square,
    /// Change.
    pub(crate) change: Change,
    /// The new piece; `None` for a lift, and while it is not needed.
    pub(crate) piece: Option<Piece>,
}

impl Act {
    /// The same act, this much later.
    pub(crate) fn shifted(self, by_us: u64) -> Act {
        Act { t_us: self.t_us + by_us, ..self }
    }
}

/// A change of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Time, microseconds since the trace began.
    pub t_us: u64,
    /// The square.
    pub square: Square,
    /// Whether the contact is closed (a piece is seen) from now on.
    pub closed: bool,
}

/// Longest bounce of a contact.
const BOUNCE_US: u64 = 3_000;
/// Maximum number of changes within one bounce, besides the change itself.
const BOUNCE_CHANGES: usize = 6;

/// The edges of one board in time order, with their bounce.
pub(crate) fn edges(initial: Bitboard, acts: &[Act], chance: &Chance, board: BoardId) -> Vec<Edge> {
    let mut acts: Vec<&Act> = acts.iter().collect();
    // Stable: acts of one instant keep the order in which the hands did them.
    acts.sort_by_key(|act| act.t_us);
    let mut out = Vec::new();
    for square in Square::ALL {
        let of_square = acts.iter().copied().filter(|act| act.square == square);
        let clean = resolve(initial.contains(square), of_square);
        bounce(square, &clean, chance, board, &mut out);
    }
    out.sort_by_key(|edge| (edge.t_us, edge.square));
    out
}

/// The contact's changes, alternating, in time order. A later act on the square overrides what an
/// earlier one had still to come (a late piece that is lifted before it was ever seen).
fn resolve<'a>(initial: bool, acts: impl Iterator<Item = &'a Act>) -> Vec<(u64, bool)> {
    let mut edges: Vec<(u64, bool)> = Vec::new();
    for Act { t_us, change, .. } in acts {
        let t = *t_us;
        edges.retain(|&(at, _)| at < t);
        let closed = edges.last().map_or(initial, |&(_, closed)| closed);
        match change {
            Change::Lift => edges.push((t, false)),
            Change::Put(Stand::Centred) => edges.push((t, true)),
            Change::Put(Stand::Late { us }) => edges.extend([(t, false), (t + us, true)]),
            Change::Put(Stand::Flickering { toggles_us }) => {
                edges.push((t, true));
                let mut state = true;
                edges.extend(toggles_us.iter().map(|offset| {
                    state = !state;
                    (t + offset, state)
                }));
            }
            Change::Put(Stand::Unseen) => edges.push((t, false)),
            Change::Pass { dwell_us } if !closed => {
                edges.extend([(t, true), (t + dwell_us, false)]);
            }
            Change::Pass { .. } => {}
            Change::Swap { gap_us: 0 } => edges.push((t, true)),
            Change::Swap { gap_us } => edges.extend([(t, false), (t + gap_us, true)]),
        }
    }
    let mut state = initial;
    edges.retain(|&(_, closed)| std::mem::replace(&mut state, closed) != closed);
    edges
}

fn bounce(
    square: Square,
    clean: &[(u64, bool)],
    chance: &Chance,
    board: BoardId,
    out: &mut Vec<Edge>,
) {
    let mut rng = chance.topic(board, usize::from(square), Topic::Bounce);
    for (index, &(t_us, closed)) in clean.iter().enumerate() {
        let until_next = clean.get(index + 1).map_or(u64::MAX, |&(next, _)| next - t_us);
        // A bounce never reaches the contact's next change.
        let window_us = BOUNCE_US.min(until_next / 2);
        out.push(Edge { t_us, square, closed });
        let changes = rng.random_range(0..=BOUNCE_CHANGES / 2) * 2;
        let mut offsets: Vec<u64> =
            (0..changes).map(|_| rng.random_range(1..=window_us.max(1))).collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets.truncate(offsets.len() / 2 * 2);
        if window_us <= BOUNCE_CHANGES as u64 {
            continue;
        }
        let mut state = closed;
        for offset in offsets {
            state = !state;
            out.push(Edge { t_us: t_us + offset, square, closed: state });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    fn act(t_us: u64, change: Change) -> Act {
        Act { t_us, square: Square::E4, change, piece: None }
    }

    fn resolved(initial: bool, acts: &[Act]) -> Vec<(u64, bool)> {
        resolve(initial, acts.iter())
    }

    #[test]
    fn a_late_piece_that_is_lifted_in_time_is_never_seen() {
        let acts = [act(100, Change::Put(Stand::Late { us: 500 })), act(400, Change::Lift)];
        assert_eq!(resolved(false, &acts), []);
    }

    #[test]
    fn a_swap_without_a_gap_changes_nothing() {
        assert_eq!(resolved(true, &[act(100, Change::Swap { gap_us: 0 })]), []);
    }

    #[test]
    fn a_piece_sliding_past_does_not_empty_an_occupied_square() {
        assert_eq!(resolved(true, &[act(100, Change::Pass { dwell_us: 30 })]), []);
        assert_eq!(
            resolved(false, &[act(100, Change::Pass { dwell_us: 30 })]),
            [(100, true), (130, false)]
        );
    }

    #[test]
    fn a_flickering_piece_ends_up_seen() {
        let stand = Stand::Flickering { toggles_us: vec![20, 50, 90, 200] };
        let edges = resolved(false, &[act(1000, Change::Put(stand))]);
        assert_eq!(edges.last(), Some(&(1200, true)));
        assert_eq!(edges.len(), 5);
    }

    #[test]
    fn every_bounce_ends_in_the_state_of_its_edge() {
        let chance = Chance::new(7, "bounce", Profile::Ideal);
        let acts = vec![act(10_000, Change::Lift), act(50_000, Change::Put(Stand::Centred))];
        let all = edges(Square::E4.into(), &acts, &chance, BoardId::A);
        let lifted = all.iter().rfind(|edge| edge.t_us < 50_000).unwrap();
        assert!(!lifted.closed && lifted.t_us <= 10_000 + BOUNCE_US);
        assert!(all.last().unwrap().closed);
        assert!(all.windows(2).all(|pair| pair[0].closed != pair[1].closed));
    }
}
