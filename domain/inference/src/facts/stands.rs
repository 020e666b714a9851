//! A position that a director has had reinstated on a board in the middle of a match.
//!
//! The tracker cannot find this position by itself, because hands that take pieces back make no
//! plies. From the time of the fact it waits until the squares show the position, or until play
//! goes on. Then it follows the match from there. Earlier plies stay in the record.

use std::{collections::BTreeMap, fmt};

use rules::{Bitboard, BoardId, Position, Reserve, fen};
use shakmaty::ByColor;

/// A position that is reinstated.
#[derive(Clone, Debug, PartialEq)]
pub struct StandsFact {
    /// The board.
    pub board: BoardId,
    /// Time at which hands begin to set it up, microseconds since the trace began.
    pub t_us: u64,
    /// The position that is to stand there.
    pub position: Position,
    /// The reserves once it is set up, by board: this board's, and the other one's if they are asserted.
    pub reserves: BTreeMap<BoardId, ByColor<Reserve>>,
}

impl StandsFact {
    /// Reads one from the texts of a line of a facts file, by board.
    pub(super) fn read(
        board: BoardId,
        t_us: u64,
        texts: &BTreeMap<BoardId, String>,
    ) -> Result<StandsFact, String> {
        let text =
            texts.get(&board).ok_or_else(|| format!("\"stands\" does not tell board {board}"))?;
        let asserted = fen::parse_board(text).map_err(|error| format!("board {board}: {error}"))?;
        let mut reserves = BTreeMap::from([(board, asserted.reserves)]);
        if let Some(beside) = texts.get(&board.other()) {
            let full = format!("8/8/8/8/8/8/8/8{beside} w");
            let other = fen::parse_board(&full).map_err(|error| {
                format!("board {}: {error}; expected \"[RESERVES]\"", board.other())
            })?;
            reserves.insert(board.other(), other.reserves);
        }
        Ok(StandsFact { board, t_us, position: asserted.position, reserves })
    }

    /// The squares that differ from the position. A promoted pawn may lie unseen, so its square may
    /// read empty.
    pub(crate) fn differing(&self, read: Bitboard) -> Bitboard {
        let promoted = self.position.promoted();
        (self.position.occupied() ^ read) & !(promoted & !read)
    }
}

impl fmt::Display for StandsFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "board {} was set up again as {}",
            self.board,
            fen::format_placement(&self.position)
        )
    }
}

#[cfg(test)]
mod tests {
    use rules::Square;

    use super::*;

    const LINE: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR[Pn] w KQkq - 0 2";

    fn read(texts: &[(BoardId, &str)]) -> Result<StandsFact, String> {
        let texts = texts.iter().map(|&(board, text)| (board, text.to_owned())).collect();
        StandsFact::read(BoardId::A, 5, &texts)
    }

    #[test]
    fn a_position_is_read_with_what_is_held_beside_it() {
        let texts = [(BoardId::A, LINE), (BoardId::B, "[QPn]")];
        let fact = read(&texts).expect("a position");
        assert_eq!(fen::format_board(&fact.position, &fact.reserves[&BoardId::A]), LINE);
        let ByColor { white, black } = fact.reserves[&BoardId::B];
        assert_eq!([white, black].map(|held| held.to_string()), ["QP", "N"]);
        assert_eq!(fact.differing(fact.position.occupied().without(Square::E4)).count(), 1);
    }

    #[test]
    fn a_position_that_cannot_be_read_is_named_with_its_board() {
        let error = read(&[(BoardId::A, "8/8 w")]).expect_err("two ranks");
        assert!(error.starts_with("board A: ") && error.contains("2 ranks"), "{error}");
        assert!(read(&[(BoardId::B, "[Q]")]).expect_err("none").contains("does not tell board A"));
        let error = read(&[(BoardId::A, LINE), (BoardId::B, "Q")]).expect_err("no brackets");
        assert!(error.contains("[RESERVES]"), "{error}");
    }
}
