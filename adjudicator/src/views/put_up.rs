//! A position that is reinstated, for the director who guides the hands: each piece's way, and the board's confirmation.

use referee::{
    Entry,
    act::{Reinstatement, Remedy},
};
use rules::{Bitboard, BoardId, Color, Piece, Position, Role, Square};
use serde::Serialize;

use super::{placement, side_name};
use crate::hall::{Game, PutUp, PutUpState, acts::SeatName};

/// A position and how far it is.
#[derive(Clone, Debug, Serialize)]
pub struct PutUpView {
    /// The act that ordered it.
    pub act: u64,
    /// The board.
    pub board: BoardId,
    /// Piece placement once it stands.
    pub fen: String,
    /// Side to move then.
    pub turn: &'static str,
    /// `waiting` or `stands`.
    pub state: &'static str,
    /// Whether the board has sensors that can confirm it.
    pub is_sensed: bool,
    /// Steps for the hands, in order.
    pub steps: Vec<StepView>,
    /// Squares that read otherwise: now, or when play went on.
    pub otherwise: Vec<String>,
    /// Square of the touched piece that must move, if it can.
    pub touched: Option<String>,
    /// Players who get time with it, and the seconds.
    pub gives: Option<GivesView>,
    /// The clock's times at the ruling, White's and Black's, milliseconds.
    pub clocks_ms: Option<[i64; 2]>,
}

/// Time that goes with a position.
#[derive(Clone, Debug, Serialize)]
pub struct GivesView {
    /// The player who gets it.
    pub seat: SeatName,
    /// Seconds.
    pub seconds: u32,
}

/// One piece to be moved, taken off or put on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepView {
    /// In words.
    pub text: String,
    /// Its square; none for a piece beside the board.
    pub from: Option<String>,
    /// Its target; none if it leaves the board.
    pub to: Option<String>,
    /// `done`, `open`, or `unseen` where the sensors cannot show it.
    pub state: &'static str,
}

impl PutUpView {
    /// A position; none of one that was taken back.
    #[must_use]
    pub fn of(game: &Game, put_up: &PutUp) -> Option<PutUpView> {
        let board = put_up.board;
        let (from, to) = (put_up.from.position(board), put_up.to.position(board));
        let (state, differing) = match put_up.state {
            PutUpState::Waiting => ("waiting", put_up.read.map(|read| differing(to, read))),
            PutUpState::Stands(differing) => ("stands", Some(differing)),
            PutUpState::Past => return None,
        };
        let ruled = ruled(game, put_up.act);
        Some(PutUpView {
            act: put_up.act,
            board,
            fen: placement(&put_up.to, board),
            turn: side_name(to.turn()),
            state,
            is_sensed: game.has(board),
            steps: steps(from, to, differing),
            otherwise: differing.into_iter().flatten().map(|square| square.to_string()).collect(),
            touched: ruled.and_then(|it| it.touched).map(|square| square.to_string()),
            gives: ruled
                .filter(|it| it.opponent_s > 0)
                .map(|it| GivesView { seat: it.opponent.into(), seconds: it.opponent_s }),
            clocks_ms: ruled.and_then(|it| Some([it.clocks_ms[0]?, it.clocks_ms[1]?])),
        })
    }
}

/// Squares that read otherwise than they do in a position; a promoted pawn may lie where no sensor sees it.
fn differing(to: &Position, read: Bitboard) -> Bitboard {
    (to.occupied() ^ read) & !(to.promoted() & !read)
}

/// Conditions of the ruling that ordered it, if one did.
fn ruled(game: &Game, act: u64) -> Option<&Reinstatement> {
    let line = game.referee().ledger().iter().find(|line| line.act.0 == act)?;
    match &line.entry {
        Entry::Ruling { remedy: Remedy::Reinstate(found), .. }
        | Entry::Decided { remedy: Remedy::Reinstate(found), .. } => Some(found),
        _ => None,
    }
}

/// Steps for the hands: first pieces that leave their squares, then those that come back. `differing` squares read otherwise now; none: nothing
/// was read yet.
fn steps(from: &Position, to: &Position, differing: Option<Bitboard>) -> Vec<StepView> {
    let stands = |position: &Position, square: Square| position.piece_at(square);
    let changed = || Square::ALL.into_iter().filter(|&at| stands(from, at) != stands(to, at));
    let mut leaving: Vec<(Square, Piece)> =
        changed().filter_map(|at| Some((at, stands(from, at)?))).collect();
    let mut arriving: Vec<(Square, Piece)> =
        changed().filter_map(|at| Some((at, stands(to, at)?))).collect();
    let mut found = Vec::new();
    // A piece that is to stand elsewhere goes there by the shortest way.
    while let Some((leaves, arrives)) = nearest(&leaving, &arriving) {
        let (from_square, piece) = leaving.remove(leaves);
        let (to_square, _) = arriving.remove(arrives);
        found.push((piece, Some(from_square), Some(to_square)));
    }
    found.extend(leaving.into_iter().map(|(square, piece)| (piece, Some(square), None)));
    found.extend(arriving.into_iter().map(|(square, piece)| (piece, None, Some(square))));
    // A piece in the way leaves first.
    found.sort_by_key(|(_, from_square, to_square)| match (from_square, to_square) {
        (Some(_), None) => 0,
        (Some(_), Some(_)) => 1,
        (None, _) => 2,
    });
    let step = |(piece, from_square, to_square): (Piece, Option<Square>, Option<Square>)| {
        let squares = || from_square.into_iter().chain(to_square);
        let is_told = |at: Square| stands(from, at).is_some() != stands(to, at).is_some();
        let state = match differing {
            None => "open",
            Some(differing) if squares().any(|at| differing.contains(at)) => "open",
            // Where another piece stood meanwhile, the sensors cannot distinguish the pieces.
            Some(_) if squares().all(is_told) => "done",
            Some(_) => "unseen",
        };
        let name = format!("{} {}", color_name(piece.color), role_name(piece.role));
        let text = match (from_square, to_square) {
            (Some(from_square), Some(to_square)) => format!("{name}: {from_square} to {to_square}"),
            (Some(square), None) => format!("{name}: off {square}"),
            (None, Some(square)) => format!("{name}: back on {square}"),
            (None, None) => name,
        };
        let text_of = |square: Option<Square>| square.map(|square| square.to_string());
        StepView { text, from: text_of(from_square), to: text_of(to_square), state }
    };
    found.into_iter().map(step).collect()
}

/// The nearest two squares of the same piece, one that it leaves and one on which it is to stand.
fn nearest(leaving: &[(Square, Piece)], arriving: &[(Square, Piece)]) -> Option<(usize, usize)> {
    let mut pairs = Vec::new();
    for (leaves, (from, piece)) in leaving.iter().enumerate() {
        for (arrives, (to, other)) in arriving.iter().enumerate() {
            if piece == other {
                pairs.push((from.distance(*to), leaves, arrives));
            }
        }
    }
    pairs.into_iter().min().map(|(_, leaves, arrives)| (leaves, arrives))
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(plies: &[&str]) -> Position {
        let mut position = Position::initial();
        for ply in plies {
            position.play(ply.parse().expect("a ply"));
        }
        position
    }

    fn told(from: &Position, to: &Position, read: Option<Bitboard>) -> Vec<(String, &'static str)> {
        let steps = steps(from, to, read.map(|read| differing(to, read)));
        steps.into_iter().map(|step| (step.text, step.state)).collect()
    }

    #[test]
    fn hands_are_told_which_piece_goes_where_and_what_the_board_confirms() {
        let to = after(&["e2e4", "e7e5", "g1f3", "b8c6"]);
        let from = after(&["e2e4", "e7e5", "g1f3", "b8c6", "f3f5", "d7d6"]);
        let both = |first, second| {
            vec![
                ("Black pawn: d6 to d7".to_owned(), second),
                ("White knight: f5 to f3".to_owned(), first),
            ]
        };
        assert_eq!(told(&from, &to, None), both("open", "open"));
        let half = from.occupied().without(Square::F5).with(Square::F3);
        assert_eq!(told(&from, &to, Some(half)), both("done", "open"));
        assert_eq!(told(&from, &to, Some(to.occupied())), both("done", "done"));
    }

    #[test]
    fn what_was_taken_comes_back_after_its_square_is_free_and_no_reed_sees_that() {
        let to = after(&["e2e4", "d7d5"]);
        let from = after(&["e2e4", "d7d5", "e4d5", "P@e6"]);
        let steps = told(&from, &to, Some(to.occupied()));
        let texts: Vec<&str> = steps.iter().map(|(text, _)| text.as_str()).collect();
        // The dropped pawn is a black one, and so it may as well stand on d5.
        assert_eq!(texts, ["White pawn: d5 to e4", "Black pawn: e6 to d5"]);
        assert!(steps.iter().all(|(_, state)| *state == "unseen"), "{steps:?}");
        let exchanged = told(&after(&["e2e4", "d7d5", "e4d5"]), &to, Some(to.occupied()));
        assert_eq!(exchanged[1], ("Black pawn: back on d5".to_owned(), "unseen"));
    }
}
