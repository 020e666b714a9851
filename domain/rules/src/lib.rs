//! Chess on two coupled boards or on one: positions, matches, plies, time controls, notation and rulebooks.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Position`] | one board and its side to move; any ply can be played on it, also an illegal one |
//! | [`Match`] | one or two positions and the reserves between them; [`Supply`] distinguishes the games |
//! | [`Ply`] | a move or a drop; [`IllegalReason`] is the reason why it is illegal |
//! | [`TimeControl`] | periods, increments and delays of a clock |
//! | [`Rulebook`](rulebook::Rulebook) | clauses of a book, and the [terms](rulebook::terms::Terms) that programs read |
//!
//! ```
//! use rules::{BoardId, Color, Match, Role, Seat};
//!
//! let mut game = Match::initial();
//! for ply in ["e2e4", "d7d5", "e4d5"] {
//!     game.play(BoardId::A, ply.parse()?);
//! }
//! // The captured pawn is in the reserve of White's partner, who has Black at the other board.
//! assert_eq!(game.reserve(Seat { board: BoardId::B, color: Color::Black }).count(Role::Pawn), 1);
//! // A pawn cannot be dropped on the last rank.
//! assert!(game.illegality(BoardId::B, "P@e1".parse()?).is_some());
//! # Ok::<(), rules::ParsePlyError>(())
//! ```
//!
//! Single boards, bitboards and attack tables come from `shakmaty`. Drops, reserves, promoted pawns that revert, illegal plies that
//! stay on the board, mates at a distance and [draws](draw) are here.
//!
//! This crate is pure: no clock, file, socket, thread, global or randomness.

#![warn(missing_docs)]

mod board_id;
mod board_state;
pub mod bpgn;
mod bughouse_match;
mod castling;
pub mod draw;
pub mod fen;
mod game;
mod generate;
mod illegality;
mod movetext;
pub mod pgn;
mod play;
mod ply;
mod position;
mod reserve;
pub mod rulebook;
pub mod san;
mod seat;
pub mod standings;
mod supply;
pub mod text_file;
pub mod time_control;

pub use board_id::{BoardId, ParseBoardIdError};
pub use board_state::BoardState;
pub use bughouse_match::Match;
pub use castling::CastlingRights;
pub use game::{Game, ParseGameError};
pub use generate::PROMOTION_ROLES;
pub use illegality::{IllegalReason, ParseIllegalReasonError};
pub use movetext::word::has_two_boards;
pub use play::{Captured, Played};
pub use ply::{ParsePlyError, Ply};
pub use position::Position;
pub use reserve::{RESERVE_ROLES, Reserve};
pub use seat::{Seat, Team};
pub use shakmaty::{
    Bitboard, Board, ByColor, CastlingSide, Color, File, Piece, Rank, Role, Square,
};
pub use supply::Supply;
pub use time_control::{
    DelayKind, MAX_BASE_S, MAX_PER_MOVE_S, MAX_PERIOD_MOVES, MAX_PERIODS, PerMove, Period,
    TimeControl, TimeControlError,
};
