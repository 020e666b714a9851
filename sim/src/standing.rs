//! Pieces that sensors see on each square, for boards that can distinguish pieces.
//!
//! The contacts of a reed board ([`crate::contact`]) forget what closed them. Here the same acts are
//! resolved with the piece that each puts down.

use rules::{Piece, Position, Square};

use crate::contact::{Act, Change, Stand};

/// A square's reading from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Time, microseconds since the trace began.
    pub t_us: u64,
    /// The square.
    pub square: Square,
    /// The piece; none if nothing is seen.
    pub piece: Option<Piece>,
}

/// All readings of one board after `start`, in time order. A swap without a gap changes the piece
/// at once.
pub(crate) fn standings(start: &Position, acts: &[Act]) -> Vec<Standing> {
    let mut acts: Vec<&Act> = acts.iter().collect();
    // Stable: acts of one instant keep the order in which the hands did them.
    acts.sort_by_key(|act| act.t_us);
    let mut all = Vec::new();
    for square in Square::ALL {
        let of_square = acts.iter().copied().filter(|act| act.square == square);
        let seen = resolve(start.piece_at(square), of_square);
        all.extend(seen.into_iter().map(|(t_us, piece)| Standing { t_us, square, piece }));
    }
    all.sort_by_key(|standing| (standing.t_us, standing.square));
    all
}

/// The square's contact over time, with pieces: a later act overrides the pending part of an earlier one.
fn resolve<'a>(
    initial: Option<Piece>,
    acts: impl Iterator<Item = &'a Act>,
) -> Vec<(u64, Option<Piece>)> {
    let mut seen: Vec<(u64, Option<Piece>)> = Vec::new();
    for Act { t_us, change, piece, .. } in acts {
        let t = *t_us;
        seen.retain(|&(at, _)| at < t);
        let before = seen.last().map_or(initial, |&(_, piece)| piece);
        match change {
            Change::Lift | Change::Put(Stand::Unseen) => seen.push((t, None)),
            Change::Put(Stand::Centred) | Change::Swap { gap_us: 0 } => seen.push((t, *piece)),
            Change::Put(Stand::Late { us }) => seen.extend([(t, None), (t + us, *piece)]),
            Change::Put(Stand::Flickering { toggles_us }) => {
                seen.push((t, *piece));
                for (nth, offset) in toggles_us.iter().enumerate() {
                    seen.push((t + offset, piece.filter(|_| nth % 2 == 1)));
                }
            }
            Change::Pass { dwell_us } if before.is_none() => {
                seen.extend([(t, *piece), (t + dwell_us, None)]);
            }
            Change::Pass { .. } => {}
            Change::Swap { gap_us } => seen.extend([(t, None), (t + gap_us, *piece)]),
        }
    }
    let mut state = initial;
    seen.retain(|&(_, piece)| std::mem::replace(&mut state, piece) != piece);
    seen
}

#[cfg(test)]
mod tests {
    use rules::Color;

    use super::*;

    #[test]
    fn a_swap_without_a_gap_changes_the_piece_and_nothing_else() {
        let (pawn, knight) = (Color::Black.pawn(), Color::White.knight());
        let swap = Act {
            t_us: 7,
            square: Square::D7,
            change: Change::Swap { gap_us: 0 },
            piece: Some(knight),
        };
        assert_eq!(
            standings(&Position::initial(), std::slice::from_ref(&swap)),
            [Standing { t_us: 7, square: Square::D7, piece: Some(knight) }]
        );
        let same = Act { piece: Some(pawn), ..swap };
        assert_eq!(standings(&Position::initial(), &[same]), []);
    }

    #[test]
    fn a_flickering_piece_is_the_same_piece_each_time() {
        let knight = Some(Color::White.knight());
        let stand = Stand::Flickering { toggles_us: vec![20, 50] };
        let put = Act { t_us: 10, square: Square::E4, change: Change::Put(stand), piece: knight };
        let seen: Vec<_> = standings(&Position::initial(), &[put])
            .into_iter()
            .map(|standing| (standing.t_us, standing.piece))
            .collect();
        assert_eq!(seen, [(10, knight), (30, None), (60, knight)]);
    }
}
