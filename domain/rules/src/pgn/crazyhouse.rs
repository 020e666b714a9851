//! One board of a match as a game of crazyhouse, which programs for chess variants replay.
//!
//! No such program knows a partner. But a board's moves and drops are those of crazyhouse from a start position whose pockets
//! hold what is going to be dropped. Where an illegal ply stood, a further game begins at the position after it.

use shakmaty::{ByColor, Color};

use super::Item;
use crate::{BoardId, Ply, Position, Reserve, Supply, bpgn::BpgnGame, fen, san};

/// The `Variant` tag of these games.
pub const VARIANT: &str = "crazyhouse";

/// A stretch of a board's plies without an illegal one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The position that it starts from, with pockets.
    pub fen: String,
    /// Its plies.
    pub items: Vec<Item>,
    /// Illegal plies that were played before its first, in algebraic notation.
    pub before: Vec<String>,
}

/// The parts of one board's game; one without plies if none was played.
///
/// A part begins after an illegal ply for which `may_tell` is true of its position in [`BpgnGame::plies`]; see
/// [`bpgn::portable`](crate::bpgn::portable).
#[must_use]
pub fn parts(game: &BpgnGame, board: BoardId, may_tell: impl Fn(usize) -> bool) -> Vec<Part> {
    let mut position = game.start().unwrap_or_default().position(board).clone();
    let mut open = Open::at(&position);
    let mut parts = Vec::new();
    let on_board = game.plies.iter().enumerate().filter(|(_, ply)| ply.board == board);
    for (index, played) in on_board {
        let is_out_of_turn = position.turn() != played.color;
        position = position.with_turn(played.color);
        // The other board gives what is dropped: only the board itself is judged.
        let is_legal = position.is_legal(played.ply, &Reserve::EMPTY, Supply::Unseen);
        let san = san::to_san(&position, Supply::Partner, played.ply);
        let item = Item {
            number: u32::from(position.fullmove_number()),
            color: played.color,
            san,
            clock_ms: played.clock_ms,
            comments: played.comment.iter().cloned().collect(),
        };
        position.play_with(played.ply, Supply::Partner);
        if (is_out_of_turn || !is_legal) && may_tell(index) {
            let mut before = match open.items.is_empty() {
                true => std::mem::take(&mut open.before),
                false => Vec::new(),
            };
            before.push(item.san);
            parts.extend(std::mem::replace(&mut open, Open::at(&position)).finished());
            open.before = before;
        } else {
            open.push(item, played.color, played.ply);
        }
    }
    parts.extend(open.finished());
    if parts.is_empty() {
        let start = game.start().unwrap_or_default();
        parts.push(Open::at(start.position(board)).part());
    }
    parts
}

/// A part that is being written.
struct Open {
    start: Position,
    dropped: ByColor<Reserve>,
    items: Vec<Item>,
    before: Vec<String>,
}

impl Open {
    fn at(start: &Position) -> Open {
        Open {
            start: start.clone(),
            dropped: ByColor::default(),
            items: Vec::new(),
            before: Vec::new(),
        }
    }

    fn push(&mut self, item: Item, color: Color, ply: Ply) {
        if let Ply::Drop { role, .. } = ply {
            self.dropped.get_mut(color).add(role);
        }
        self.items.push(item);
    }

    fn finished(self) -> Option<Part> {
        (!self.items.is_empty()).then(|| self.part())
    }

    fn part(self) -> Part {
        let fen = fen::format_board(&self.start, &self.dropped);
        Part { fen, items: self.items, before: self.before }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpgn;

    #[test]
    fn pockets_hold_what_is_going_to_be_dropped_and_an_illegal_ply_begins_another_part() {
        let text = "[Event \"?\"]\n\n1A. e4{300} 1B. d4{300} 1a. d5{299} 2A. exd5{298} 1b. P@e3{290} \
            2B. fxe3{280} 2b. P@d5{279} {C:illegal} 3B. Nf3{270} 4B. Ng5{265} {C:illegal out-of-turn} \
            4b. d6{260} *\n\n";
        let game = bpgn::read(text.as_bytes()).remove(0).expect("a game");
        let found = parts(&game, BoardId::B, |_| true);
        let starts: Vec<&str> = found.iter().map(|part| part.fen.as_str()).collect();
        // White's second ply in a row begins another part; a drop of what was not held does not.
        assert_eq!(
            starts,
            [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[pp] w KQkq - 0 1",
                "rnbqkbnr/pppppppp/8/3p2N1/3P4/4P3/PPP1P1PP/RNBQKB1R[] b KQkq - 3 3"
            ]
        );
        assert_eq!(found[1].before, ["Ng5"]);
        let moves: Vec<&str> = found[0].items.iter().map(|item| item.san.as_str()).collect();
        assert_eq!(moves, ["d4", "P@e3", "fxe3", "P@d5", "Nf3"]);
    }
}
