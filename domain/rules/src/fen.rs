//! Forsyth–Edwards notation with reserves: one board, or both of a match.
//!
//! A board is written as `PLACEMENT[RESERVES] TURN CASTLING EN_PASSANT HALFMOVES MOVE`. `~` after a
//! letter marks a promoted piece; reserves are upper case for White's and lower case for Black's.
//! Reserves may also stand as a ninth rank, as some bughouse servers write them. A match is
//! `BOARD_A | BOARD_B`. The reserves are those of the players *at* that board.
//!
//! Castling letters name the rook: `K` the h-file's, `Q` the a-file's, also when the king stands on
//! the d-file because king and queen were swapped at set-up. Rights that king and rook do not bear
//! out are ignored, and so is an en passant square that no pawn attacks. A reserve in debt is
//! written without what it owes.

use std::fmt::Write;

use shakmaty::{Bitboard, Board, ByColor, CastlingSide, Color, File, Piece, Rank, Role, Square};

use crate::{BoardId, CastlingRights, Match, Position, Reserve, Seat};

/// Longest text quoted in an error, in characters.
const QUOTE_MAX: usize = 40;
/// Maximum number of pieces in one reserve of a FEN: those of two sets.
const RESERVE_MAX: u32 = 64;

/// Error of a FEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The two boards are not separated by one `|`.
    #[error("expected the FENs of two boards separated by \" | \", found {0} part(s)")]
    Boards(usize),
    /// A board's FEN inside that of a match is wrong.
    #[error("board {0}: {1}")]
    Board(BoardId, Box<FenError>),
    /// A field is missing.
    #[error("the {0} is missing: expected \"PLACEMENT[RESERVES] w KQkq - 0 1\"")]
    Missing(&'static str),
    /// There is more text than fields.
    #[error("{0:?} is one field too many: a board has six")]
    Extra(String),
    /// The placement does not have eight ranks.
    #[error("the placement has {0} ranks instead of 8, separated by \"/\"")]
    Ranks(usize),
    /// A rank does not have eight files.
    #[error("rank {rank} describes {files} squares instead of 8: {text:?}")]
    Files {
        /// The rank, 1 to 8.
        rank: u8,
        /// Number of squares that it describes.
        files: u32,
        /// The rank as written.
        text: String,
    },
    /// A character is no piece letter.
    #[error("{letter:?} in {text:?} is no piece: use PNBRQK for White, pnbrqk for Black")]
    Piece {
        /// The character.
        letter: char,
        /// The text around it.
        text: String,
    },
    /// `~` follows something that cannot have been promoted.
    #[error("\"~\" in {0:?} must follow a queen, rook, bishop or knight")]
    Promoted(String),
    /// A side has more than one king.
    #[error("{0} has {1} kings")]
    Kings(&'static str, usize),
    /// The reserve brackets do not close.
    #[error("the reserve {0:?} has no closing bracket \"]\"")]
    ReserveBracket(String),
    /// A reserve holds a king or more than two sets have.
    #[error("the reserve {0:?} cannot be: it may hold queens, rooks, bishops, knights and pawns")]
    Reserve(String),
    /// A position of chess holds pieces in reserve.
    #[error("the reserve {0:?} stands in a position of chess, which has none")]
    ReserveInChess(String),
    /// The side to move is neither `w` nor `b`.
    #[error("{0:?} is no side to move: expected \"w\" or \"b\"")]
    Turn(String),
    /// The castling field has other letters than `KQkq` and `HAha`.
    #[error("{0:?} are no castling rights: expected letters of KQkq or HAha, or \"-\"")]
    Castling(String),
    /// The en passant field is no square.
    #[error("{0:?} is no en passant square: expected a square such as \"e3\", or \"-\"")]
    EnPassant(String),
    /// A counter is no number.
    #[error("{0:?} is no number of moves: expected 0 to 65535")]
    Counter(String),
}

fn quote(text: &str) -> String {
    text.chars().take(QUOTE_MAX).collect()
}

/// One board and the reserves of the two players at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardSetup {
    /// The position.
    pub position: Position,
    /// Reserves of the players at this board.
    pub reserves: ByColor<Reserve>,
}

/// Reads one board. The fields after the side to move may be left out.
///
/// # Errors
///
/// When a field cannot be read; the message names it.
pub fn parse_board(text: &str) -> Result<BoardSetup, FenError> {
    let mut fields = text.split_whitespace();
    let first = fields.next().ok_or(FenError::Missing("piece placement"))?;
    let (placement, reserves) = split_reserves(first)?;
    let (board, promoted) = parse_placement(placement)?;
    let turn = match fields.next().ok_or(FenError::Missing("side to move"))? {
        "w" | "W" => Color::White,
        "b" | "B" => Color::Black,
        other => return Err(FenError::Turn(quote(other))),
    };
    let castling_rights = fields.next().map_or(Ok(CastlingRights::NONE), parse_castling)?;
    let en_passant = match fields.next() {
        None | Some("-") => None,
        Some(text) => Some(text.parse::<Square>().map_err(|_| FenError::EnPassant(quote(text)))?),
    };
    let halfmove_clock = fields.next().map_or(Ok(0), parse_counter)?;
    let fullmove_number = fields.next().map_or(Ok(1), parse_counter)?;
    if let Some(extra) = fields.next() {
        return Err(FenError::Extra(quote(extra)));
    }
    let position = Position::from_board(board, promoted, turn, castling_rights, en_passant)
        .with_counters(halfmove_clock, fullmove_number);
    Ok(BoardSetup { position, reserves: parse_reserves(reserves)? })
}

/// Reads a position of chess: a board without reserves. Marks of promoted pieces are left out.
///
/// # Errors
///
/// As [`parse_board`], and when there are pieces in reserve.
pub fn parse_chess(text: &str) -> Result<Position, FenError> {
    let BoardSetup { mut position, reserves } = parse_board(text)?;
    position.promoted = Bitboard::EMPTY;
    if let Some(reserve) = reserves.into_iter().find(|reserve| *reserve != Reserve::EMPTY) {
        return Err(FenError::ReserveInChess(reserve.to_string()));
    }
    Ok(position)
}

/// Reads the piece placement alone, without reserves: `rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR`.
/// Returns the board and the squares of promoted pieces.
///
/// # Errors
///
/// When it does not describe 64 squares, or a side has more than one king.
pub fn parse_placement(text: &str) -> Result<(Board, Bitboard), FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::Ranks(ranks.len()));
    }
    let (mut board, mut promoted) = (Board::empty(), Bitboard::EMPTY);
    for (rank, text) in Rank::ALL.into_iter().rev().zip(ranks) {
        parse_rank(rank, text, &mut board, &mut promoted)?;
    }
    for (color, name) in [(Color::White, "White"), (Color::Black, "Black")] {
        let kings = board.by_piece(color.king()).count();
        if kings > 1 {
            return Err(FenError::Kings(name, kings));
        }
    }
    Ok((board, promoted))
}

/// Writes one board with its reserves.
#[must_use]
pub fn format_board(position: &Position, reserves: &ByColor<Reserve>) -> String {
    let black = reserves.black.to_string().to_lowercase();
    let first = format!("{}[{}{black}]", format_placement(position), reserves.white);
    format_fields(position, &first)
}

/// The fields after the first, behind it.
fn format_fields(position: &Position, first: &str) -> String {
    let en_passant = position.en_passant().map_or_else(|| "-".to_owned(), |at| at.to_string());
    format!(
        "{first} {} {} {en_passant} {} {}",
        position.turn().char(),
        format_castling(position.castling_rights()),
        position.halfmove_clock(),
        position.fullmove_number()
    )
}

/// Writes a position of chess: six fields, no reserves.
#[must_use]
pub fn format_chess(position: &Position) -> String {
    format_fields(position, &format_placement(position))
}

/// Writes the piece placement alone, promoted pieces marked `~`.
#[must_use]
pub fn format_placement(position: &Position) -> String {
    let mut out = String::with_capacity(64);
    for rank in Rank::ALL.into_iter().rev() {
        let mut empty = 0;
        for file in File::ALL {
            let square = Square::from_coords(file, rank);
            let Some(piece) = position.piece_at(square) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                let _ = write!(out, "{empty}");
                empty = 0;
            }
            out.push(piece.char());
            if position.promoted().contains(square) {
                out.push('~');
            }
        }
        if empty > 0 {
            let _ = write!(out, "{empty}");
        }
        if rank != Rank::First {
            out.push('/');
        }
    }
    out
}

/// Reads both boards of a match: `FEN_A | FEN_B`.
///
/// # Errors
///
/// When there are not two boards, or one of them cannot be read.
pub fn parse_match(text: &str) -> Result<Match, FenError> {
    let parts: Vec<&str> = text.split('|').collect();
    let &[a, b] = parts.as_slice() else {
        return Err(FenError::Boards(parts.len()));
    };
    let at =
        |board, text| parse_board(text).map_err(|error| FenError::Board(board, Box::new(error)));
    let (a, b) = (at(BoardId::A, a)?, at(BoardId::B, b)?);
    let reserves = [a.reserves.white, a.reserves.black, b.reserves.white, b.reserves.black];
    Ok(Match::new([a.position, b.position], reserves))
}

/// Writes both boards of a match: `FEN_A | FEN_B`.
#[must_use]
pub fn format_match(game: &Match) -> String {
    BoardId::ALL.map(|board| format_match_board(game, board)).join(" | ")
}

/// Writes one board of a match with its reserves.
#[must_use]
pub fn format_match_board(game: &Match, board: BoardId) -> String {
    let reserves = ByColor::new_with(|color| *game.reserve(Seat { board, color }));
    format_board(game.position(board), &reserves)
}

fn split_reserves(first: &str) -> Result<(&str, &str), FenError> {
    if let Some((placement, rest)) = first.split_once('[') {
        let reserves =
            rest.strip_suffix(']').ok_or_else(|| FenError::ReserveBracket(quote(rest)))?;
        return Ok((placement, reserves));
    }
    match first.match_indices('/').nth(7) {
        Some((at, _)) => Ok((&first[..at], &first[at + 1..])),
        None => Ok((first, "")),
    }
}

fn parse_rank(
    rank: Rank,
    text: &str,
    board: &mut Board,
    promoted: &mut Bitboard,
) -> Result<(), FenError> {
    let mut file = 0u32;
    let mut last: Option<Square> = None;
    let wrong_length = |files| FenError::Files { rank: rank as u8 + 1, files, text: quote(text) };
    for letter in text.chars() {
        if let Some(skip @ 1..=8) = letter.to_digit(10) {
            file += skip;
            last = None;
        } else if letter == '~' {
            let square = last
                .take()
                .filter(|&square| !(board.pawns() | board.kings()).contains(square))
                .ok_or_else(|| FenError::Promoted(quote(text)))?;
            promoted.add(square);
        } else {
            let piece = Piece::from_char(letter)
                .ok_or_else(|| FenError::Piece { letter, text: quote(text) })?;
            if file >= 8 {
                return Err(wrong_length(file + 1));
            }
            let square = Square::from_coords(File::new(file), rank);
            board.set_piece_at(square, piece);
            last = Some(square);
            file += 1;
        }
        if file > 8 {
            return Err(wrong_length(file));
        }
    }
    if file == 8 { Ok(()) } else { Err(wrong_length(file)) }
}

fn parse_reserves(text: &str) -> Result<ByColor<Reserve>, FenError> {
    let mut reserves = ByColor { black: Reserve::EMPTY, white: Reserve::EMPTY };
    if text == "-" {
        return Ok(reserves);
    }
    for letter in text.chars() {
        let piece = Piece::from_char(letter)
            .ok_or_else(|| FenError::Piece { letter, text: quote(text) })?;
        let reserve = reserves.get_mut(piece.color);
        if piece.role == Role::King || reserve.total() >= RESERVE_MAX {
            return Err(FenError::Reserve(quote(text)));
        }
        reserve.add(piece.role);
    }
    Ok(reserves)
}

const CASTLING_LETTERS: [(char, Color, CastlingSide); 4] = [
    ('K', Color::White, CastlingSide::KingSide),
    ('Q', Color::White, CastlingSide::QueenSide),
    ('k', Color::Black, CastlingSide::KingSide),
    ('q', Color::Black, CastlingSide::QueenSide),
];

/// Whether the value of a FEN tag says anything: programs write an empty one for the usual position.
pub(crate) fn is_given(value: &str) -> bool {
    !matches!(value.trim(), "" | "?" | "-")
}

fn parse_castling(text: &str) -> Result<CastlingRights, FenError> {
    if text == "-" {
        return Ok(CastlingRights::NONE);
    }
    text.chars().try_fold(CastlingRights::NONE, |rights, letter| {
        // Shredder-FEN names the rook's file, which is always the corner's here.
        let letter = match letter {
            'H' => 'K',
            'A' => 'Q',
            'h' => 'k',
            'a' => 'q',
            other => other,
        };
        CASTLING_LETTERS
            .iter()
            .find(|entry| entry.0 == letter)
            .map(|&(_, color, side)| rights.with(color, side))
            .ok_or_else(|| FenError::Castling(quote(text)))
    })
}

fn format_castling(rights: CastlingRights) -> String {
    if rights == CastlingRights::NONE {
        return "-".to_owned();
    }
    CASTLING_LETTERS
        .iter()
        .filter(|&&(_, color, side)| rights.has(color, side))
        .map(|entry| entry.0)
        .collect()
}

fn parse_counter(text: &str) -> Result<u16, FenError> {
    text.parse().map_err(|_| FenError::Counter(quote(text)))
}
