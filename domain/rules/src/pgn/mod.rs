//! Portable game notation: the record of a game of chess.
//!
//! A file is a list of games. A game is a list of tags, then moves in algebraic notation with
//! comments between them, then a result. `[%clk 0:02:58.9]` in a comment is what was left on the
//! mover's clock. Variations and numeric annotations are left out when a game is read.
//!
//! Reading never fails as a whole: each game is returned as far as it could be read, with the error that stopped it if there
//! was one. One damaged game does not hide the ones after it.

pub mod crazyhouse;
mod error;
mod read;
mod result;
mod stretch;
mod write;

use crate::{
    Match, Ply, Position, Supply, TimeControl, TimeControlError,
    fen::{self, FenError},
};

pub use crate::movetext::{RecordWarning, WARNINGS_MAX, WarningReason};

pub use self::{
    error::{PgnError, PgnReason},
    read::{read, read_crazyhouse},
    result::GameResult,
    stretch::{Stretch, last_stretch},
    write::{Item, write, write_items},
};

/// The tag that holds the position a game starts from, when it is not the usual one.
pub const FEN_TAG: &str = "FEN";
/// The tag that says that there is such a position.
pub const SET_UP_TAG: &str = "SetUp";
/// The tag that repeats the result.
pub const RESULT_TAG: &str = "Result";
/// Maximum number of plies read of one game. The longest possible game has about 11,800.
pub const PLIES_MAX: usize = 12_000;
/// Maximum number of tags read of one game.
pub const TAGS_MAX: usize = 256;
/// Longest comment kept of one ply, in characters.
pub const COMMENT_MAX: usize = 4_096;

/// The tags of a game that starts from another position than the usual one.
#[must_use]
pub fn set_up(fen: String) -> [(&'static str, String); 2] {
    [(SET_UP_TAG, "1".to_owned()), (FEN_TAG, fen)]
}

/// The record of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// Names and values, in order: `Event`, `White`, `TimeControl` and so on.
    pub tags: Vec<(String, String)>,
    /// The plies, White's and Black's in turn.
    pub plies: Vec<PgnPly>,
    /// Result.
    pub result: GameResult,
    /// Warnings about its text.
    pub warnings: Vec<RecordWarning>,
}

/// One ply of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnPly {
    /// The move.
    pub ply: Ply,
    /// The mover's remaining time after it, in milliseconds.
    pub clock_ms: Option<i64>,
    /// The comments that follow it, without commands in brackets such as the clock time.
    pub comment: Option<String>,
}

impl PgnGame {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Whether the record says from which position the game began.
    #[must_use]
    pub fn has_set_up(&self) -> bool {
        self.tag(FEN_TAG).is_some_and(fen::is_given)
    }

    /// The position before the first ply: what the [`FEN_TAG`] says, else the initial one. A tag without a value says nothing.
    ///
    /// # Errors
    ///
    /// When the tag's value is no FEN, or holds reserves.
    pub fn start(&self) -> Result<Position, FenError> {
        let fen = self.tag(FEN_TAG).filter(|fen| fen::is_given(fen));
        fen.map_or_else(|| Ok(Position::initial()), fen::parse_chess)
    }

    /// The position after the last ply, applied as it happened, legal or not.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn final_position(&self) -> Result<Position, FenError> {
        let mut position = self.start()?;
        for ply in &self.plies {
            position.play_with(ply.ply, Supply::Nobody);
        }
        Ok(position)
    }

    /// The game before its first ply, as a match on board A.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_match(&self) -> Result<Match, FenError> {
        let mut game = Match::chess();
        *game.position_mut(crate::BoardId::A) = self.start()?;
        Ok(game)
    }

    /// Time control of the `TimeControl` tag; `None` if the tag is empty or missing.
    ///
    /// # Errors
    ///
    /// When the tag's value is no time control.
    pub fn time_control(&self) -> Result<Option<TimeControl>, TimeControlError> {
        self.tag("TimeControl").map_or(Ok(None), TimeControl::from_pgn_tag)
    }
}
