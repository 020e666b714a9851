//! Bughouse portable game notation: the record of a match, with both boards' plies in order of play.
//!
//! A file is a list of games. A game is a list of tags, then plies as `12A. Nf3{118.3}`: the move number, the board and side
//! (`A`, `a`, `B`, `b`; capital letters are White), the ply in algebraic notation, and the seconds left on the mover's clock.
//! It ends with the reason, `{NAME checkmated}`, and a result.
//!
//! Files disagree whether a result `1-0` is team 1's or that of the deciding board's White. Here it
//! is always team 1's (White at A and Black at B), and it is derived from who the ending names.
//!
//! A ply that was illegal and stood is marked with a comment, `{C:illegal king-left-in-check}` (the
//! reason may be left out). An illegal ply without the mark is an error: the file is wrong, or it
//! was not recorded in order of play.

mod ending;
mod error;
pub mod portable;
mod read;
mod write;

use shakmaty::Color;

pub use self::{
    ending::{EndReason, Ending, MatchResult},
    error::{BpgnError, BpgnReason},
    read::read,
    write::{write, write_marking},
};
use crate::{BoardId, Match, Ply, Seat, fen, movetext::clock};

pub use crate::movetext::{RecordWarning, WARNINGS_MAX, WarningReason};

/// The tag that holds the position both boards start from, when it is not the usual one.
pub const FEN_TAG: &str = "FEN";

/// The tag that repeats the result.
pub(crate) const RESULT_TAG: &str = "Result";

/// The word that opens the comment after a ply that was illegal and stood.
pub(crate) const ILLEGAL_MARK: &str = "illegal";
/// The reason given in that comment for a ply made out of turn.
pub(crate) const OUT_OF_TURN: &str = "out-of-turn";

/// The record of one match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BpgnGame {
    /// Names and values, in order: `WhiteA`, `TimeControl` and so on.
    pub tags: Vec<(String, String)>,
    /// The plies of both boards, in order of play.
    pub plies: Vec<BpgnPly>,
    /// Ending of the match, if the record contains it.
    pub ending: Option<Ending>,
    /// Result.
    pub result: MatchResult,
    /// Warnings about its text.
    pub warnings: Vec<RecordWarning>,
}

/// One ply of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BpgnPly {
    /// The board it was made at.
    pub board: BoardId,
    /// The side that made it.
    pub color: Color,
    /// The move or drop.
    pub ply: Ply,
    /// The mover's remaining time after it, in milliseconds; negative past the flag.
    pub clock_ms: Option<i64>,
    /// The move number, as written.
    pub number: u32,
    /// The comment that follows it.
    pub comment: Option<String>,
}

impl BpgnPly {
    /// The seat of the player who made it.
    #[must_use]
    pub const fn seat(&self) -> Seat {
        Seat { board: self.board, color: self.color }
    }
}

impl BpgnGame {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, in its place if it exists already, else at the end.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(found, _)| found == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Whether the record says from which positions the match began.
    #[must_use]
    pub fn has_set_up(&self) -> bool {
        self.tag(FEN_TAG).is_some_and(fen::is_given)
    }

    /// The match before its first ply: what the [`FEN_TAG`] says, else both initial positions. A tag without a value says nothing.
    ///
    /// # Errors
    ///
    /// When the tag's value is no FEN of two boards.
    pub fn start(&self) -> Result<Match, fen::FenError> {
        let fen = self.tag(FEN_TAG).filter(|fen| fen::is_given(fen));
        fen.map_or_else(|| Ok(Match::initial()), fen::parse_match)
    }

    /// The match after its last ply, and what each ply was: applied as it happened, legal or not.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn final_match(&self) -> Result<Match, fen::FenError> {
        let mut state = self.start()?;
        for ply in &self.plies {
            state.set_turn(ply.board, ply.color);
            state.play(ply.board, ply.ply);
        }
        Ok(state)
    }

    /// The base time of the `TimeControl` tag in milliseconds, `180+0` being three minutes.
    #[must_use]
    pub fn base_ms(&self) -> Option<i64> {
        let control = self.tag("TimeControl")?;
        clock::parse(control.split('+').next()?.trim())
    }
}

/// The name of a seat in tags and endings: `WhiteA` without a value reads `WA`.
pub(crate) const fn seat_code(seat: Seat) -> &'static str {
    match (seat.board, seat.color) {
        (BoardId::A, Color::White) => "WA",
        (BoardId::A, Color::Black) => "BA",
        (BoardId::B, Color::White) => "WB",
        (BoardId::B, Color::Black) => "BB",
    }
}

/// The tag that names the player of a seat.
pub(crate) const fn seat_tag(seat: Seat) -> &'static str {
    match (seat.board, seat.color) {
        (BoardId::A, Color::White) => "WhiteA",
        (BoardId::A, Color::Black) => "BlackA",
        (BoardId::B, Color::White) => "WhiteB",
        (BoardId::B, Color::Black) => "BlackB",
    }
}

/// The letter after a move number: `A`, `a`, `B` or `b`.
pub(crate) const fn seat_letter(seat: Seat) -> char {
    match (seat.board, seat.color) {
        (BoardId::A, Color::White) => 'A',
        (BoardId::A, Color::Black) => 'a',
        (BoardId::B, Color::White) => 'B',
        (BoardId::B, Color::Black) => 'b',
    }
}
