//! Chess on two coupled boards: positions, matches, plies and notation.
//!
//! Single boards, bitboards and attack tables come from `shakmaty`; everything that makes
//! bughouse bughouse (two boards, reserves fed by the partner, drops, promoted pawns that
//! revert, plies that are illegal and stand all the same) is here.
//!
//! This crate is pure: no clock, file, socket, thread, global or randomness.

#![warn(missing_docs)]

mod board_id;
mod ply;
mod reserve;
mod seat;

pub use board_id::{BoardId, ParseBoardIdError};
pub use ply::{ParsePlyError, Ply};
pub use reserve::{RESERVE_ROLES, Reserve};
pub use seat::{Seat, Team};
pub use shakmaty::{Bitboard, Board, Color, File, Piece, Rank, Role, Square};
