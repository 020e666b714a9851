//! ```text
//! T(piece) = max(p(readings | piece) / max over pieces p(readings | piece), FLOOR)
//! ```
//!
//! Twelve likelihoods, one for each type and colour of a piece. Only their ratios count.

use rules::{Color, Piece, Role};

/// Minimum likelihood of a piece relative to the one that fits best. Pieces come from another set, magnets fall
/// out, and a piece stands on the wrong square for a moment. Assumed: set by hand.
const FLOOR: f64 = 5e-4;

/// Twelve likelihoods relative to the greatest, none below [`FLOOR`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Table([f64; 12]);

impl Table {
    /// Unknown.
    pub(crate) const FLAT: Table = Table([1.0; 12]);

    /// A table from likelihoods in any unit. If none is above 0, nothing is known.
    pub(crate) fn new(likelihood: impl Fn(Piece) -> f64) -> Table {
        let mut table = [0.0; 12];
        for (of_piece, piece) in table.iter_mut().zip(pieces()) {
            *of_piece = likelihood(piece);
        }
        let best = table.iter().copied().fold(0.0, f64::max);
        if best <= 0.0 {
            return Table::FLAT;
        }
        Table(table.map(|likelihood| (likelihood / best).max(FLOOR)))
    }

    /// The likelihood of a piece, relative to the greatest.
    pub(crate) fn of(&self, piece: Piece) -> f64 {
        self.0[place(piece)]
    }

    /// The ratio of this table to the table of the readings `known` already, scaled so that the
    /// greatest is 1.
    pub(crate) fn beyond(&self, known: &Table) -> Table {
        let mut ratios = self.0;
        ratios.iter_mut().zip(known.0).for_each(|(ratio, before)| *ratio /= before);
        let best = ratios.iter().copied().fold(0.0, f64::max);
        Table(ratios.map(|ratio| ratio / best))
    }
}

/// All types of both colours, White's first.
pub(super) fn pieces() -> impl Iterator<Item = Piece> {
    let of = |color| Role::ALL.into_iter().map(move |role| Piece { color, role });
    Color::ALL.into_iter().flat_map(of)
}

/// The index of a piece among all [`pieces`].
pub(super) fn place(piece: Piece) -> usize {
    piece.role as usize - 1 + if piece.color.is_white() { 0 } else { 6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_excluded_and_the_best_counts_one() {
        let knight = Color::White.knight();
        let table = Table::new(|piece| if piece == knight { 7.0 } else { 0.0 });
        assert_eq!(table.of(knight), 1.0);
        assert_eq!(table.of(Color::Black.queen()), FLOOR);
        assert_eq!(Table::new(|_| f64::NAN), Table::FLAT);
    }

    #[test]
    fn what_is_beyond_makes_up_the_whole() {
        let (knight, bishop) = (Color::White.knight(), Color::White.bishop());
        let first = Table::new(|piece| if piece == knight { 1.0 } else { 0.5 });
        let whole = Table::new(|piece| if piece == knight { 1.0 } else { 0.1 });
        let beyond = whole.beyond(&first);
        let ratio = |table: &Table| table.of(bishop) / table.of(knight);
        assert!((ratio(&first) * ratio(&beyond) - ratio(&whole)).abs() < 1e-12);
    }
}
