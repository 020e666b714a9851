//! A dragged piece closes the squares that it crosses.

use rules::Square;

use super::{Situation, Technique};
use crate::{
    chance::between_ms,
    contact::{Act, Change},
    hand::Motion,
    profile::Behaviour,
};

impl Technique<'_> {
    /// Closes the empty squares on a dragged piece's way, unless the piece lies unseen.
    pub(super) fn drag(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        (from, to): (Square, Square),
        (lifted_us, landed_us): (u64, u64),
    ) {
        if situation.lying.contains(from) || !self.happens(Behaviour::Drag) {
            return;
        }
        hand.shows.push(Behaviour::Drag);
        let mut rng = self.form(Behaviour::Drag);
        let way = way(from, to);
        let each_us = (landed_us - lifted_us) / (way.len() as u64 + 1);
        for (nth, square) in way.into_iter().enumerate() {
            let dwell_us = between_ms(&mut rng, 10, 60).min(each_us);
            if situation.before.piece_at(square).is_none() {
                let t_us = lifted_us + each_us * (nth as u64 + 1) - dwell_us / 2;
                hand.acts.push(Act {
                    t_us,
                    square,
                    change: Change::Pass { dwell_us },
                    piece: None,
                });
            }
        }
    }
}

/// The squares a straight line between the middles of two squares crosses, without those two.
fn way(from: Square, to: Square) -> Vec<Square> {
    /// Points looked at along the line; enough that none of at most 14 squares is jumped over.
    const POINTS: u32 = 64;
    let coordinate = |square: Square| {
        let (file, rank) = square.coords();
        (f64::from(u32::from(file)), f64::from(u32::from(rank)))
    };
    let ((x0, y0), (x1, y1)) = (coordinate(from), coordinate(to));
    let mut squares = Vec::new();
    for point in 1..POINTS {
        let part = f64::from(point) / f64::from(POINTS);
        let x = libm::round(x0 + (x1 - x0) * part) as u32;
        let y = libm::round(y0 + (y1 - y0) * part) as u32;
        let square = Square::new(y * 8 + x);
        if square != from && square != to && squares.last() != Some(&square) {
            squares.push(square);
        }
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dragged_rook_crosses_the_squares_between() {
        assert_eq!(way(Square::A1, Square::A4), [Square::A2, Square::A3]);
        assert_eq!(way(Square::C1, Square::F4), [Square::D2, Square::E3]);
    }

    #[test]
    fn a_dragged_knight_crosses_neighbours() {
        let way = way(Square::G1, Square::F3);
        assert!(!way.is_empty() && way.iter().all(|square| square.distance(Square::G2) <= 1));
    }
}
