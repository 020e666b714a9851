//! Standard algebraic notation, with drops as `N@f3` and `P@e4`.
//!
//! Every ply has a text that reads back as the same ply, also an illegal one. A legal ply is written
//! as usual. An illegal one is written the shortest way that is not taken by another ply, which may
//! need both squares (`Ng1g3`, `e2e5`). Reading prefers legal plies and takes a pseudo-legal one
//! only when no legal ply fits; with both squares given, whatever stands there moves. Whether the
//! ply read is legal is for [`Position::illegality`] to say.
//!
//! Castling is `O-O` short and `O-O-O` long. With king and queen swapped at set-up short is towards
//! the a-file (`us-chess-bughouse-2018 8c`). `#` marks a mate that no piece from the supply could
//! prevent: in chess every mate. Any other check is `+`.

use std::fmt::Write;

use shakmaty::{CastlingSide, File, Rank, Role, Square};

use crate::{
    BoardState, IllegalReason, PROMOTION_ROLES, Ply, Position, Reserve, Supply,
    castling::CastlingMove,
};

/// Longest text read as one ply, in bytes: the longest sensible one is `Qa1xb2=Q+` with marks.
const SAN_MAX: usize = 16;

/// Error of a ply's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SanError {
    /// The text has no meaning in algebraic notation.
    #[error("{0:?} is no move: expected one such as e4, Nxf3, O-O, e8=Q or N@f3")]
    Malformed(String),
    /// No piece on the board can make the move.
    #[error("{0:?} is impossible: no piece of the side to move can go there")]
    Impossible(String),
    /// Several pieces could make the move.
    #[error("{text:?} could be any of {candidates}: say which piece by its file or rank")]
    Ambiguous {
        /// The text.
        text: String,
        /// The plies it could be, in UCI.
        candidates: String,
    },
}

fn quote(text: &str) -> String {
    text.chars().take(SAN_MAX).collect()
}

/// Content of a ply in algebraic notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum San {
    Castling {
        long: bool,
    },
    Drop {
        role: Role,
        to: Square,
    },
    Move {
        role: Option<Role>,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Role>,
    },
}

/// Writes `ply`, legal or not, of the side to move. The supply decides what is a mate. The reserve
/// does not matter: neither the shortest name of a move nor a mate depends on it.
#[must_use]
pub fn to_san(position: &Position, supply: Supply, ply: Ply) -> String {
    let mut out = match ply {
        Ply::Drop { .. } => ply.to_string(),
        Ply::Move { from, to, promotion } => move_san(position, from, to, promotion),
    };
    let mut after = position.clone();
    after.play(ply);
    if after.is_check() {
        let mate = after.state(&Reserve::EMPTY, supply) == BoardState::Mate;
        out.push(if mate { '#' } else { '+' });
    }
    out
}

/// Reads a ply of the side to move. The ply may be illegal, see the module's docs.
///
/// Understands `0-0`, drops without a letter (`@e4`, a pawn), promotions with and without `=`, both
/// squares (`e2e4`, `Ng1-f3`), and ignores check, mate and annotation marks.
///
/// # Errors
///
/// When the text is no move, or fits no ply, or more than one.
pub fn parse_san(position: &Position, text: &str) -> Result<Ply, SanError> {
    let san = parse(text).ok_or_else(|| SanError::Malformed(quote(text)))?;
    let mut plies = candidates(position, san);
    match (plies.pop(), plies.is_empty()) {
        (None, _) => Err(SanError::Impossible(quote(text))),
        (Some(ply), true) => Ok(ply),
        (Some(ply), false) => {
            plies.push(ply);
            let candidates = plies.iter().map(Ply::to_string).collect::<Vec<_>>().join(", ");
            Err(SanError::Ambiguous { text: quote(text), candidates })
        }
    }
}

fn move_san(position: &Position, from: Square, to: Square, promotion: Option<Role>) -> String {
    let ply = Ply::Move { from, to, promotion };
    let Some(piece) = position.piece_at(from) else {
        return ply.to_string();
    };
    if piece.role == Role::King && promotion.is_none() {
        for long in [false, true] {
            if candidates(position, San::Castling { long }) == [ply] {
                return if long { "O-O-O" } else { "O-O" }.to_owned();
            }
        }
    }
    let (file, rank) = (Some(from.file()), Some(from.rank()));
    let pawn = piece.role == Role::Pawn;
    let capture = position.occupied().contains(to) || (pawn && position.en_passant() == Some(to));
    // A pawn's capture always names its file.
    let bare = (!(pawn && capture)).then_some((None, None));
    let origins = bare.into_iter().chain([(file, None), (None, rank)]);
    let mut chosen = (file, rank);
    for (file, rank) in origins {
        if pawn && rank.is_some() {
            continue;
        }
        let san = San::Move { role: Some(piece.role), file, rank, to, promotion };
        if candidates(position, san) == [ply] {
            chosen = (file, rank);
            break;
        }
    }
    let mut out = String::new();
    if !pawn {
        out.push(piece.role.upper_char());
    }
    out.extend(chosen.0.map(File::char));
    out.extend(chosen.1.map(Rank::char));
    if capture {
        out.push('x');
    }
    let _ = write!(out, "{to}");
    if let Some(role) = promotion {
        let _ = write!(out, "={}", role.upper_char());
    }
    out
}

/// The plies that `san` can mean: legal ones if there are any, else pseudo-legal ones.
fn candidates(position: &Position, san: San) -> Vec<Ply> {
    match san {
        San::Drop { role, to } => vec![Ply::Drop { role, to }],
        San::Castling { long } => castling(position, long).into_iter().collect(),
        San::Move { role, file: Some(file), rank: Some(rank), to, promotion } => {
            let from = Square::from_coords(file, rank);
            let fits = role.is_none_or(|role| position.board().role_at(from) == Some(role));
            (fits && from != to).then_some(Ply::Move { from, to, promotion }).into_iter().collect()
        }
        San::Move { role, file, rank, to, promotion } => {
            let own = position.turn();
            let role = role.unwrap_or(Role::Pawn);
            let plies = position
                .board()
                .by_piece(role.of(own))
                .into_iter()
                .filter(|from| {
                    file.is_none_or(|file| from.file() == file)
                        && rank.is_none_or(|rank| from.rank() == rank)
                })
                .map(|from| Ply::Move { from, to, promotion });
            let (mut legal, mut pseudo_legal) = (Vec::new(), Vec::new());
            for ply in plies {
                match position.illegality(ply, &Reserve::EMPTY, Supply::Partner) {
                    None => legal.push(ply),
                    // Castling has its own notation.
                    Some(IllegalReason::KingLeftInCheck) if is_castling(position, ply) => {}
                    Some(
                        IllegalReason::KingLeftInCheck
                        | IllegalReason::KingCaptured
                        | IllegalReason::PromotionMissing,
                    ) => pseudo_legal.push(ply),
                    Some(_) => {}
                }
            }
            if legal.is_empty() { pseudo_legal } else { legal }
        }
    }
}

fn is_castling(position: &Position, ply: Ply) -> bool {
    let Ply::Move { from, to, .. } = ply else { return false };
    position.board().kings().contains(from) && from.distance(to) > 1
}

fn castling(position: &Position, long: bool) -> Option<Ply> {
    let turn = position.turn();
    let king = position.board().king_of(turn)?;
    // Long is the way with more squares between: towards the a-file from the e-file, and towards the
    // h-file from the d-file.
    let side = CastlingSide::from_queen_side((king.file() == File::E) == long);
    let castling = CastlingMove::new(turn, king, side)?;
    let rook = position.board().by_piece(turn.rook()).contains(castling.rook_from);
    rook.then_some(Ply::Move { from: king, to: castling.king_to, promotion: None })
}

fn parse(text: &str) -> Option<San> {
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    if text.is_empty() || text.len() > SAN_MAX || !text.is_ascii() {
        return None;
    }
    match text {
        "O-O" | "0-0" | "o-o" => return Some(San::Castling { long: false }),
        "O-O-O" | "0-0-0" | "o-o-o" => return Some(San::Castling { long: true }),
        _ => {}
    }
    if let Some((letter, square)) = text.split_once('@') {
        let role = match letter {
            "" => Role::Pawn,
            _ => Role::from_char(letter.chars().next()?).filter(|_| letter.len() == 1)?,
        };
        let to = square.parse().ok()?;
        return (role != Role::King).then_some(San::Drop { role, to });
    }
    parse_move(text)
}

fn parse_move(text: &str) -> Option<San> {
    let role = text.chars().next().filter(char::is_ascii_uppercase);
    let (role, rest) = match role {
        Some(letter) => (Some(Role::from_char(letter)?), &text[1..]),
        None => (None, text),
    };
    let plain: String = rest.chars().filter(|letter| !matches!(letter, 'x' | ':' | '-')).collect();
    let (squares, promotion) = split_promotion(&plain)?;
    let at = squares.len().checked_sub(2)?;
    let to: Square = squares[at..].parse().ok()?;
    let (mut file, mut rank) = (None, None);
    for letter in squares[..at].chars() {
        if let Some(found) = File::from_char(letter).filter(|_| file.is_none() && rank.is_none()) {
            file = Some(found);
        } else {
            rank = Some(Rank::from_char(letter).filter(|_| rank.is_none())?);
        }
    }
    // Without a letter and with both squares, as in UCI, whatever stands there moves.
    let role = if file.is_some() && rank.is_some() { role } else { role.or(Some(Role::Pawn)) };
    Some(San::Move { role, file, rank, to, promotion })
}

fn split_promotion(text: &str) -> Option<(&str, Option<Role>)> {
    if let Some((squares, role)) = text.split_once('=') {
        let mut letters = role.chars();
        let role = promotion_role(letters.next()?)?;
        return letters.next().is_none().then_some((squares, Some(role)));
    }
    match text.chars().last()? {
        letter if letter.is_ascii_digit() => Some((text, None)),
        letter => Some((&text[..text.len() - 1], Some(promotion_role(letter)?))),
    }
}

fn promotion_role(letter: char) -> Option<Role> {
    Role::from_char(letter).filter(|role| PROMOTION_ROLES.contains(role))
}
