//! The squares of a board that somebody else built: as the device names them, and as they are.
//!
//! A device numbers its squares for life, but a board can be put on the table either way round, and
//! sources disagree on which way some devices count their files. Which way it is shows in the set-up: the pieces
//! of both sides on their first two ranks say which side of the board is White's, and kings and queens say whether
//! files count from the other end. What was seen is kept until a set-up says otherwise.

use inference::record::{Occupancy, ReadingKind, SquareReading};
use rules::{Bitboard, Color, Piece, Role, Square};
use serde::{Deserialize, Serialize};

/// What the 64 squares say, from a1 on.
pub(super) type Squares = [SquareReading; 64];

/// Pieces of a side that must stand on its first two ranks for the set-up to count: one may be missing or wrong.
const AT_HOME_MIN: usize = 15;

/// How the device's squares lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Lie {
    /// White sits where the device has its eighth rank.
    pub(super) turned: bool,
    /// The device counts its files from the other end.
    pub(super) mirrored: bool,
}

impl Lie {
    /// The square of the board that the device calls `square`, and the other way round.
    pub(super) fn square(self, square: Square) -> Square {
        let turned = if self.turned { 63 } else { 0 };
        let mirrored = if self.mirrored { 7 } else { 0 };
        Square::new(u32::from(square) ^ turned ^ mirrored)
    }
}

/// What is fixed of [`Lie`] by the configuration; the rest is found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) turned: Option<bool>,
    pub(super) mirrored: Option<bool>,
}

/// A board and what it has shown.
#[derive(Clone, Debug)]
pub(super) struct Board {
    /// By the device's names of squares; none until all were read.
    squares: Option<Squares>,
    /// Its squares say occupied or not, and no more.
    occupancy_only: bool,
    lie: Lie,
    fixed: Fixed,
    /// A set-up has shown how the files lie.
    files_known: bool,
}

impl Board {
    /// A board that knows its pieces.
    pub(super) fn new(fixed: Fixed) -> Board {
        let lie = Lie {
            turned: fixed.turned.unwrap_or(false),
            mirrored: fixed.mirrored.unwrap_or(false),
        };
        Board { squares: None, occupancy_only: false, lie, fixed, files_known: false }
    }

    /// A board that only knows where something stands: how it lies cannot be found out.
    pub(super) fn of_occupancy(turned: bool) -> Board {
        let fixed = Fixed { turned: Some(turned), mirrored: Some(false) };
        Board { occupancy_only: true, ..Board::new(fixed) }
    }

    pub(super) fn lie(&self) -> Lie {
        self.lie
    }

    /// What was seen in an earlier run of the hub.
    pub(super) fn recall(&mut self, lie: Lie) {
        self.lie.turned = self.fixed.turned.unwrap_or(lie.turned);
        self.lie.mirrored = self.fixed.mirrored.unwrap_or(lie.mirrored);
        self.files_known = true;
    }

    /// What the device's squares say.
    pub(super) fn squares(&self) -> Option<&Squares> {
        self.squares.as_ref()
    }

    /// Nothing is known of the squares any more.
    pub(super) fn forget(&mut self) {
        self.squares = None;
    }

    /// One of the device's squares changed: what that says. Nothing before all squares were read.
    pub(super) fn set(&mut self, square: Square, says: SquareReading) -> Option<ReadingKind> {
        let known = &mut self.squares.as_mut()?[usize::from(square)];
        if *known == says {
            return None;
        }
        *known = says;
        if self.find_out() {
            return self.snapshot();
        }
        let square = self.lie.square(square);
        Some(ReadingKind::Square { square, reading: Some(says), level: None })
    }

    /// All of the device's squares at once: a snapshot, if that is news.
    pub(super) fn set_all(&mut self, squares: Squares) -> Option<ReadingKind> {
        if self.squares == Some(squares) {
            return None;
        }
        self.squares = Some(squares);
        self.find_out();
        self.snapshot()
    }

    /// All of the device's squares at once: the changes since the last time, squares that were emptied first; a
    /// snapshot the first time.
    pub(super) fn compare(&mut self, squares: Squares) -> Vec<ReadingKind> {
        let Some(before) = self.squares else { return self.set_all(squares).into_iter().collect() };
        let mut news = Vec::new();
        for emptied in [true, false] {
            for square in Square::ALL {
                let now = squares[usize::from(square)];
                if now != before[usize::from(square)] && (now == SquareReading::Empty) == emptied {
                    news.extend(self.set(square, now));
                }
            }
        }
        news
    }

    /// All squares as they are on the board.
    fn snapshot(&self) -> Option<ReadingKind> {
        let squares = self.squares.as_ref()?;
        let on = |square| squares[usize::from(self.lie.square(square))];
        if self.occupancy_only {
            let occupied = |square: &Square| on(*square) != SquareReading::Empty;
            let occupied: Bitboard = Square::ALL.into_iter().filter(occupied).collect();
            return Some(ReadingKind::Snapshot {
                occupied: Some(Occupancy(occupied)),
                squares: None,
            });
        }
        Some(ReadingKind::Snapshot {
            occupied: None,
            squares: Some(Square::ALL.into_iter().map(on).collect()),
        })
    }

    /// Looks whether the squares are a set-up, and how they lie then. Whether that is news.
    fn find_out(&mut self) -> bool {
        let Some(squares) = &self.squares else { return false };
        let at_home = |color: Color, turned: bool| {
            let low = color.is_white() != turned;
            let home = |square: &Square| {
                let rank = u32::from(*square) / 8;
                if low { rank < 2 } else { rank >= 6 }
            };
            let own = |square: &Square| matches!(squares[usize::from(*square)], SquareReading::Piece(piece) if piece.color == color);
            Square::ALL.into_iter().filter(home).filter(own).count()
        };
        let set_up = |turned| {
            at_home(Color::White, turned) >= AT_HOME_MIN
                && at_home(Color::Black, turned) >= AT_HOME_MIN
        };
        let Some(turned) = [false, true].into_iter().find(|&turned| set_up(turned)) else {
            return false;
        };
        let before = self.lie;
        if self.fixed.turned.is_none() {
            self.lie.turned = turned;
        }
        if self.fixed.mirrored.is_none() && !self.files_known {
            // Both kings on what the device calls d and both queens beside them, seen from White's side.
            let seen = Lie { turned: self.lie.turned, mirrored: true };
            let holds = |square, color, role| {
                squares[usize::from(seen.square(square))]
                    == SquareReading::Piece(Piece { color, role })
            };
            let royal = |color: Color, king, queen| {
                holds(king, color, Role::King) && holds(queen, color, Role::Queen)
            };
            self.lie.mirrored = royal(Color::White, Square::E1, Square::D1)
                && royal(Color::Black, Square::E8, Square::D8);
            self.files_known = true;
        }
        self.lie != before
    }
}

/// What stands on the squares of a position's first FEN field, for tests.
#[cfg(test)]
pub(super) fn squares(placement: &str) -> Squares {
    let mut squares = [SquareReading::Empty; 64];
    for (row, rank) in placement.split('/').enumerate() {
        let mut file = 0;
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(skip) => file += skip as usize,
                None => {
                    let piece = Piece::from_char(letter).unwrap();
                    squares[(7 - row) * 8 + file] = SquareReading::Piece(piece);
                    file += 1;
                }
            }
        }
    }
    squares
}

/// The set-up position, for tests.
#[cfg(test)]
pub(super) const SET_UP: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[cfg(test)]
mod tests {
    use super::*;

    /// What a device that lies so would say of squares that say so.
    fn seen(squares: &Squares, lie: Lie) -> Squares {
        let mut seen = [SquareReading::Empty; 64];
        for square in Square::ALL {
            seen[usize::from(lie.square(square))] = squares[usize::from(square)];
        }
        seen
    }

    fn said(kind: Option<ReadingKind>) -> Vec<SquareReading> {
        match kind {
            Some(ReadingKind::Snapshot { squares: Some(squares), .. }) => squares,
            other => panic!("no snapshot: {other:?}"),
        }
    }

    #[test]
    fn a_set_up_tells_how_the_board_lies() {
        let set_up = squares(SET_UP);
        for turned in [false, true] {
            for mirrored in [false, true] {
                let lie = Lie { turned, mirrored };
                let mut board = Board::new(Fixed::default());
                let said = said(board.set_all(seen(&set_up, lie)));
                assert_eq!(board.lie(), lie);
                assert_eq!(said, set_up, "{lie:?}");
            }
        }
    }

    #[test]
    fn a_board_that_is_put_the_other_way_round_is_noticed_while_it_is_set_up() {
        let turned = Lie { turned: true, mirrored: false };
        let set_up = seen(&squares(SET_UP), turned);
        let mut board = Board::new(Fixed { turned: None, mirrored: Some(false) });
        board.set_all([SquareReading::Empty; 64]);
        let mut snapshots = 0;
        for square in Square::ALL {
            let news = board.set(square, set_up[usize::from(square)]);
            snapshots += usize::from(matches!(news, Some(ReadingKind::Snapshot { .. })));
        }
        assert_eq!((snapshots, board.lie()), (1, turned));
    }

    #[test]
    fn king_and_queen_set_up_wrong_later_do_not_mirror_the_board() {
        let mut board = Board::new(Fixed::default());
        board.set_all(squares(SET_UP));
        board.set_all([SquareReading::Empty; 64]);
        board.set_all(squares("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR"));
        assert_eq!(board.lie(), Lie::default());
    }

    #[test]
    fn what_the_configuration_fixes_is_not_found_out() {
        let mut board = Board::new(Fixed { turned: Some(false), mirrored: Some(false) });
        board.set_all(seen(&squares(SET_UP), Lie { turned: true, mirrored: true }));
        assert_eq!(board.lie(), Lie::default());
    }

    #[test]
    fn a_comparison_says_what_changed_emptied_squares_first() {
        let mut board = Board::new(Fixed::default());
        board.set_all(squares(SET_UP));
        let news = board.compare(squares("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"));
        let changed: Vec<String> = news
            .iter()
            .map(|kind| match kind {
                ReadingKind::Square { square, .. } => square.to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(changed, ["e2", "e4"]);
    }
}
