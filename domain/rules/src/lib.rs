//! Chess on two coupled boards or on one: positions, matches, plies, time controls and notation.
//!
//! Single boards, bitboards and attack tables come from `shakmaty`; everything that makes
//! bughouse bughouse (two boards, reserves fed by the partner, drops, promoted pawns that
//! revert, plies that are illegal and stand all the same) is here. So is what chess has beyond it:
//! mates at a distance and [draws](draw). [`Supply`] tells the games apart.
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
