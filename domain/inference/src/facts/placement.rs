//! The pieces on a board and in its players' reserves when the match ended.

use std::{collections::BTreeMap, fmt, str::FromStr};

use rules::{BoardId, Position, Reserve, Square, fen};
use shakmaty::{Board, ByColor};

/// The end of one board, in whole or in part.
///
/// Written as `PLACEMENT[RESERVES]`, with the letters and ranks of a FEN and the reserves of the
/// two players at this board. `PLACEMENT` alone leaves the reserves open, and `[RESERVES]` alone
/// the board. The further fields of a FEN may follow and are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalBoard {
    /// The pieces on their squares, if known. Promoted pawns need no mark.
    pub pieces: Option<Board>,
    /// The reserves of the players at this board, if known.
    pub reserves: Option<ByColor<Reserve>>,
}

/// A final board that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; expected \"PLACEMENT[RESERVES]\", \"PLACEMENT\" or \"[RESERVES]\", as in a FEN")]
pub struct FinalBoardError(fen::FenError);

impl FromStr for FinalBoard {
    type Err = FinalBoardError;

    fn from_str(text: &str) -> Result<FinalBoard, FinalBoardError> {
        let first = text.split_whitespace().next().unwrap_or_default();
        let with_reserves = first.contains('[') || first.matches('/').count() == 8;
        let reserves_alone = first.starts_with('[');
        let full = match (reserves_alone, text.split_whitespace().nth(1)) {
            (true, _) => format!("8/8/8/8/8/8/8/8{first} w"),
            (false, None) => format!("{first} w"),
            (false, Some(_)) => text.to_owned(),
        };
        let setup = fen::parse_board(&full).map_err(FinalBoardError)?;
        Ok(FinalBoard {
            pieces: (!reserves_alone).then(|| setup.position.board().clone()),
            reserves: with_reserves.then_some(setup.reserves),
        })
    }
}

impl fmt::Display for FinalBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(pieces) = &self.pieces {
            write!(f, "{pieces}")?;
        }
        if let Some(reserves) = &self.reserves {
            let black = reserves.black.to_string().to_lowercase();
            write!(f, "[{}{black}]", reserves.white)?;
        }
        Ok(())
    }
}

impl FinalBoard {
    /// Number of squares on which `position` differs.
    pub(crate) fn differing_squares(&self, position: &Position) -> usize {
        self.pieces.as_ref().map_or(0, |pieces| {
            let differs = |square: &Square| pieces.piece_at(*square) != position.piece_at(*square);
            Square::ALL.iter().filter(|square| differs(square)).count()
        })
    }

    /// Number of pieces too many or too few in these reserves, White's first.
    pub(crate) fn differing_reserves(&self, held: [Reserve; 2]) -> usize {
        let Some(asserted) = &self.reserves else { return 0 };
        let pairs = [(asserted.white, held[0]), (asserted.black, held[1])];
        let counts = pairs.into_iter().flat_map(|(a, b)| a.counts().into_iter().zip(b.counts()));
        counts.map(|(asserted, held)| usize::from(asserted.abs_diff(held.max(0)))).sum()
    }
}

/// The known final boards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinalFact {
    /// By board.
    pub boards: BTreeMap<BoardId, FinalBoard>,
}

impl fmt::Display for FinalFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (board, end)) in self.boards.iter().enumerate() {
            let lead = if index == 0 { "" } else { ", " };
            write!(f, "{lead}board {board} ended as {end}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[test]
    fn a_final_board_may_tell_the_pieces_the_reserves_or_both() {
        let both: FinalBoard = format!("{START}[QPn] b KQkq - 0 1").parse().expect("a FEN");
        assert_eq!(both.to_string(), format!("{START}[QPn]"));
        let pieces: FinalBoard = START.parse().expect("a placement");
        assert_eq!((pieces.reserves, pieces.pieces.is_some()), (None, true));
        let reserves: FinalBoard = "[QPn]".parse().expect("reserves");
        assert_eq!(reserves.to_string(), "[QPn]");
        assert!(reserves.pieces.is_none());
    }

    #[test]
    fn a_final_board_that_cannot_be_read_says_what_was_expected() {
        let error = "rnbqkbnr/ppp".parse::<FinalBoard>().expect_err("two ranks").to_string();
        assert!(error.contains("2 ranks instead of 8"), "{error}");
        assert!(error.contains("PLACEMENT[RESERVES]"), "{error}");
    }

    #[test]
    fn differences_are_counted_by_square_and_by_piece_held() {
        let asserted: FinalBoard = format!("{START}[QPP]").parse().expect("a FEN");
        let mut position = Position::initial();
        position.play("e2e4".parse().expect("a ply"));
        assert_eq!(asserted.differing_squares(&position), 2);
        let white = Reserve::from_counts([1, 1, 0, 0, 1]);
        assert_eq!(asserted.differing_reserves([white, Reserve::from_counts([-1, 0, 0, 0, 0])]), 2);
    }
}
