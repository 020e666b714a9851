//! ```text
//! linked(a, b) = b moves the piece that a moved, and does not put it back, or
//!                a and b are of different sides and have a square in common
//! ```
//!
//! The plies of a match that are believed to be illegal, and which of them one wrong belief would
//! explain together.
//!
//! A player slips now and then, each time with another piece. A wrong belief goes on: a piece of a
//! wrong type, or one that a failing square did not show, moves oddly again and again, and the
//! other side answers what is not believed. So illegal plies on one board speak against each other,
//! and those that are linked do so most. `a` is the earlier ply.

use rules::{BoardId, Color, IllegalReason, Ply};

use crate::answers::marginals::{PlyEstimate, SegmentEstimate};

/// Posterior above which a ply counts as believed to be illegal, 0 to 1. Assumed: likelier than not.
const LIKELY: f64 = 0.5;
/// Time for which a king left in check counts as shortly before, microseconds. Assumed.
const SHORTLY_US: u64 = 60_000_000;
/// Plies remembered of a match, the latest. Bound: on memory and on the work of one ply.
const REMEMBERED: usize = 256;

/// A ply and the side that made it.
type Made = (Color, Ply);

/// An illegal ply.
#[derive(Clone, Copy, Debug)]
struct IllegalPly {
    /// Layer of the trellis and place in it.
    place: (usize, usize),
    board: BoardId,
    made: Made,
    t_us: u64,
    reason: IllegalReason,
}

/// Evidence of other illegal plies about one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Others {
    /// Number of others on its board, but for one that puts it back or that it puts back.
    pub(crate) on_board: usize,
    /// Those of them that are linked to it.
    pub(crate) linked: usize,
    /// Number of times that its player left the king in check shortly before.
    pub(crate) left_in_check: usize,
}

/// The illegal plies believed so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct IllegalHistory {
    plies: Vec<IllegalPly>,
}

impl IllegalHistory {
    /// Takes what is believed of a layer now, instead of what was believed of it before.
    pub(crate) fn note(&mut self, layer: usize, board: BoardId, answer: &SegmentEstimate) {
        self.plies.retain(|known| known.place.0 != layer);
        for (slot, ply) in answer.plies.iter().enumerate() {
            if let Some((reason, _)) = ply.illegal.filter(|(_, posterior)| *posterior > LIKELY) {
                let (place, made, t_us) = ((layer, slot), (ply.side, ply.ply), ply.t_us);
                self.plies.push(IllegalPly { place, board, made, t_us, reason });
            }
        }
        let excess = self.plies.len().saturating_sub(REMEMBERED);
        self.plies.drain(..excess);
    }

    /// Evidence of the others about a ply at this place that may be illegal.
    pub(crate) fn others(
        &self,
        place: (usize, usize),
        board: BoardId,
        ply: &PlyEstimate,
    ) -> Others {
        let made = (ply.side, ply.ply);
        let mut others = Others::default();
        for other in self.plies.iter().filter(|of| of.board == board && of.place != place) {
            let is_earlier = other.place < place;
            let (first, second) = if is_earlier { (other.made, made) } else { (made, other.made) };
            if puts_back(first, second) {
                continue;
            }
            others.on_board += 1;
            others.linked += usize::from(are_linked(first, second));
            let is_shortly_before = other.place.0 < place.0
                && other.t_us.saturating_add(SHORTLY_US) >= ply.t_us
                && other.made.0 == ply.side
                && other.reason == IllegalReason::KingLeftInCheck;
            others.left_in_check += usize::from(is_shortly_before);
        }
        others
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.plies.capacity() * size_of::<IllegalPly>()
    }
}

/// Whether a later ply takes the piece of an earlier one back.
fn puts_back(earlier: Made, later: Made) -> bool {
    moves_on(earlier, later) && earlier.1.from() == Some(later.1.to())
}

/// Whether a later ply moves the piece of an earlier one.
fn moves_on(earlier: Made, later: Made) -> bool {
    earlier.0 == later.0 && later.1.from() == Some(earlier.1.to())
}

fn are_linked(earlier: Made, later: Made) -> bool {
    let squares = |ply: Ply| [Some(ply.to()), ply.from()].into_iter().flatten();
    let meet = || squares(later.1).any(|square| squares(earlier.1).any(|of| of == square));
    moves_on(earlier, later) || earlier.0 != later.0 && meet()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REASON: IllegalReason = IllegalReason::WrongGeometry;

    fn ply(side: Color, uci: &str, t_s: u64) -> PlyEstimate {
        PlyEstimate {
            ply: uci.parse().expect("a ply"),
            side,
            p: 1.0,
            t_us: t_s * 1_000_000,
            landed_us: t_s * 1_000_000,
            legal: false,
            illegal: Some((REASON, 0.99)),
            captured: None,
            is_unsupplied: false,
            claimed: 0.0,
            alternatives: Vec::new(),
        }
    }

    fn history(plies: &[PlyEstimate]) -> IllegalHistory {
        let mut history = IllegalHistory::default();
        for (layer, ply) in plies.iter().enumerate() {
            let answer = SegmentEstimate { plies: vec![ply.clone()], ..Default::default() };
            history.note(layer, BoardId::A, &answer);
        }
        history
    }

    #[test]
    fn a_piece_that_moves_oddly_twice_is_linked_and_one_that_is_put_back_is_not() {
        let plies = [ply(Color::White, "g1e3", 1), ply(Color::White, "e3h3", 9)];
        let of = |plies: &[PlyEstimate], at: usize| {
            history(plies).others((at, 0), BoardId::A, &plies[at])
        };
        let linked = Others { on_board: 1, linked: 1, left_in_check: 0 };
        assert_eq!((of(&plies, 0), of(&plies, 1)), (linked, linked));
        let put_back = [ply(Color::White, "g1e3", 1), ply(Color::White, "e3g1", 9)];
        assert_eq!(of(&put_back, 0), Others::default());
        let captured = [ply(Color::White, "g1e3", 1), ply(Color::Black, "a6e3", 9)];
        assert_eq!(of(&captured, 1), linked);
        let apart = [ply(Color::White, "g1e3", 1), ply(Color::White, "a2b4", 9)];
        assert_eq!(of(&apart, 1), Others { on_board: 1, ..Others::default() });
    }

    #[test]
    fn only_the_present_belief_about_a_layer_counts_and_only_its_board() {
        let slip = ply(Color::White, "g1e3", 1);
        let mut history = history(std::slice::from_ref(&slip));
        let later = ply(Color::White, "a2b4", 9);
        let others = |history: &IllegalHistory, board| history.others((5, 0), board, &later);
        assert_eq!(others(&history, BoardId::A).on_board, 1);
        assert_eq!(others(&history, BoardId::B).on_board, 0);
        history.note(0, BoardId::A, &SegmentEstimate::default());
        assert_eq!(others(&history, BoardId::A), Others::default());
    }

    #[test]
    fn a_king_left_in_check_counts_for_a_minute() {
        let check = IllegalReason::KingLeftInCheck;
        let first = PlyEstimate { illegal: Some((check, 0.9)), ..ply(Color::Black, "g8f6", 1) };
        let history = history(&[first]);
        let left_in_check = |t_s| {
            let next = ply(Color::Black, "b8c6", t_s);
            history.others((4, 0), BoardId::A, &next).left_in_check
        };
        assert_eq!((left_in_check(60), left_in_check(62)), (1, 0));
    }
}
