//! Castling rights, also for a side whose king and queen were swapped at set-up.
//!
//! The rook never leaves its corner before castling, so a right is named by its corner. The king's square decides the rest. From the
//! e-file it castles as usual. From the d-file (swapped at set-up, `us-chess-bughouse-2018 8c`) short is to the queen's side and long
//! to the king's side. In both cases the king goes two squares towards the rook, and the rook to the square it crossed.

use shakmaty::{CastlingSide, Color, File, Square};

/// Corners whose rooks may still castle. Four bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No side may castle.
    pub const NONE: CastlingRights = CastlingRights(0);
    /// Every side may castle both ways, as at the start of a game.
    pub const ALL: CastlingRights = CastlingRights(0b1111);

    const fn bit(color: Color, side: CastlingSide) -> u8 {
        1 << ((if color.is_white() { 0 } else { 2 }) + side.is_queen_side() as u8)
    }

    /// Whether `color` may still castle with the rook of `side`: `KingSide` is the h-file's rook,
    /// `QueenSide` the a-file's, wherever the king started.
    #[must_use]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 & Self::bit(color, side) != 0
    }

    /// Whether `color` may still castle at all.
    #[must_use]
    pub const fn any(self, color: Color) -> bool {
        self.has(color, CastlingSide::KingSide) || self.has(color, CastlingSide::QueenSide)
    }

    /// The same rights and this one.
    #[must_use]
    pub const fn with(self, color: Color, side: CastlingSide) -> CastlingRights {
        CastlingRights(self.0 | Self::bit(color, side))
    }

    /// The same rights without this one.
    #[must_use]
    pub const fn without(self, color: Color, side: CastlingSide) -> CastlingRights {
        CastlingRights(self.0 & !Self::bit(color, side))
    }

    /// The same rights without those of `color`.
    #[must_use]
    pub const fn without_color(self, color: Color) -> CastlingRights {
        self.without(color, CastlingSide::KingSide).without(color, CastlingSide::QueenSide)
    }

    /// The same rights after a piece left or reached `square`: without those of its corner.
    #[must_use]
    pub(crate) const fn without_corner(self, square: Square) -> CastlingRights {
        match square {
            Square::H1 => self.without(Color::White, CastlingSide::KingSide),
            Square::A1 => self.without(Color::White, CastlingSide::QueenSide),
            Square::H8 => self.without(Color::Black, CastlingSide::KingSide),
            Square::A8 => self.without(Color::Black, CastlingSide::QueenSide),
            _ => self,
        }
    }
}

/// The squares of one castling ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CastlingMove {
    pub(crate) side: CastlingSide,
    pub(crate) king_to: Square,
    pub(crate) rook_from: Square,
    pub(crate) rook_to: Square,
}

impl CastlingMove {
    /// Castling of a king standing on `king_from` with the rook of `side`; none unless the king
    /// stands on the d- or e-file of its back rank.
    pub(crate) fn new(color: Color, king_from: Square, side: CastlingSide) -> Option<CastlingMove> {
        let (file, rank) = king_from.coords();
        if rank != color.backrank() || !matches!(file, File::D | File::E) {
            return None;
        }
        let (corner, step) = match side {
            CastlingSide::KingSide => (File::H, 1),
            CastlingSide::QueenSide => (File::A, -1),
        };
        Some(CastlingMove {
            side,
            king_to: king_from.offset(2 * step)?,
            rook_from: Square::from_coords(corner, rank),
            rook_to: king_from.offset(step)?,
        })
    }

    /// The castling that a king's move from `from` to `to` would be, by its squares alone.
    pub(crate) fn of_squares(color: Color, from: Square, to: Square) -> Option<CastlingMove> {
        [CastlingSide::KingSide, CastlingSide::QueenSide]
            .into_iter()
            .filter_map(|side| CastlingMove::new(color, from, side))
            .find(|castling| castling.king_to == to)
    }
}
