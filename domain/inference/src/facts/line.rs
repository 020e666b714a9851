//! A fact as a line of a facts file.
//!
//! ```json
//! {"kind":"fact","ply":17,"uci":"N@e6"}
//! {"kind":"fact","board":"A","side":"white","t_us":81200000,"not":["N@e6","B@e6"]}
//! {"kind":"fact","ply":17,"piece":"N"}          {"kind":"fact","ply":17,"drop":true,"to":"e6"}
//! {"kind":"fact","ply":18,"made":false}
//! {"kind":"fact","final":{"A":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qn]"}}
//! {"kind":"fact","result":"mate","board":"A","side":"black"}
//! {"kind":"fact","result":"decided"}
//! {"kind":"fact","board":"A","t_us":81200000,"stands":{"A":"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR[Pn] w KQkq - 0 2","B":"[Q]"}}
//! {"kind":"fact","board":"A","t_us":81200000,"per_move":{"delay_s":5,"delay":"us"}}
//! ```

use std::{collections::BTreeMap, fmt};

use rules::{BoardId, Color, PerMove, Ply, Role, Square};
use serde::Deserialize;

use super::{EndingFact, Fact, FinalFact, MatchResult, PlyFact, Said, StandsFact};
use readings::text;

/// Allowance of a board's clock for each move from a time on, because a director had it changed.
///
/// Readings do not show when a clock took it: a command takes a moment, a hand may take a minute.
/// So from the time of the fact on the detectors believe a clock that goes by the old or by the
/// new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerMoveFact {
    /// The board.
    pub board: BoardId,
    /// Start, microseconds since the trace began.
    pub t_us: u64,
    /// Allowance for each move.
    pub per_move: PerMove,
}

impl fmt::Display for PerMoveFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the clock of board {} was given another delay: {}", self.board, self.per_move)
    }
}

/// Text that should say `"kind":"fact"`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Fact,
}

/// One line of a facts file, before its fields are checked against each other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    #[serde(rename = "kind")]
    _kind: Kind,
    /// The match it is about. A file with facts of several matches needs it.
    #[serde(rename = "match")]
    pub(super) match_id: Option<String>,
    result: Option<MatchResult>,
    ply: Option<u32>,
    board: Option<BoardId>,
    #[serde(with = "text::optional_side", default)]
    side: Option<Color>,
    t_us: Option<u64>,
    made: Option<bool>,
    uci: Option<Ply>,
    not: Option<Excluded>,
    piece: Option<char>,
    drop: Option<bool>,
    from: Option<String>,
    to: Option<String>,
    #[serde(rename = "final")]
    ends: Option<BTreeMap<BoardId, String>>,
    stands: Option<BTreeMap<BoardId, String>>,
    per_move: Option<PerMove>,
}

/// One ply or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Excluded {
    One(Ply),
    Several(Vec<Ply>),
}

impl Line {
    /// The fact of the line, or the reason why it has none.
    pub(super) fn fact(self) -> Result<Fact, String> {
        if let Some(texts) = &self.stands {
            let beside = self.per_move.is_some();
            let (board, t_us) = self.only_at("a position that was reinstated", beside)?;
            return StandsFact::read(board, t_us, texts).map(Fact::Stands);
        }
        if let Some(per_move) = self.per_move {
            let (board, t_us) = self.only_at("what a clock gives for each move", false)?;
            return Ok(Fact::PerMove(PerMoveFact { board, t_us, per_move }));
        }
        let of_ply = self.t_us.is_some() || self.is_about_a_ply();
        match (&self.ends, self.result) {
            (Some(_), Some(_)) => {
                Err("it tells the final boards and the result: give each a line".into())
            }
            (Some(_), None) if of_ply || self.board.is_some() || self.side.is_some() => {
                Err("it tells the final boards and a ply: give each a line".into())
            }
            (None, Some(_)) if of_ply => {
                Err("it tells the result and a ply: give each a line".into())
            }
            (Some(ends), None) => final_fact(ends),
            (None, Some(result)) => {
                Ok(Fact::Ending(EndingFact { result, board: self.board, side: self.side }))
            }
            (None, None) => self.ply_fact(),
        }
    }

    /// Board and time of the line's `what`, if the line has nothing `beside` it.
    fn only_at(&self, what: &str, beside: bool) -> Result<(BoardId, u64), String> {
        let of_end = self.ends.is_some() || self.result.is_some();
        if beside || of_end || self.side.is_some() || self.is_about_a_ply() {
            return Err(format!("it tells {what} and something else: give each a line"));
        }
        let place = self.board.zip(self.t_us);
        place.ok_or_else(|| format!("it tells {what}: give \"board\" and \"t_us\" with it"))
    }

    fn is_about_a_ply(&self) -> bool {
        self.ply.is_some()
            || self.made.is_some()
            || self.uci.is_some()
            || self.not.is_some()
            || self.piece.is_some()
            || self.drop.is_some()
            || self.from.is_some()
            || self.to.is_some()
    }

    fn ply_fact(self) -> Result<Fact, String> {
        if self.ply.is_none() && (self.board.is_none() || self.t_us.is_none()) {
            return Err("it names no ply: give \"ply\" as numbered in the inferred file, or \"board\" and \"t_us\", or \"final\", or \"result\"".into());
        }
        let square = |text: String| {
            text.parse::<Square>().map_err(|_| format!("{text:?} is no square: expected a1 to h8"))
        };
        let role = |letter| {
            Role::from_char(letter)
                .ok_or_else(|| format!("{letter:?} is no piece: expected P, N, B, R, Q or K"))
        };
        let said = Said {
            unmade: self.made == Some(false),
            uci: self.uci,
            not: match self.not {
                None => Vec::new(),
                Some(Excluded::One(ply)) => vec![ply],
                Some(Excluded::Several(plies)) => plies,
            },
            piece: self.piece.map(role).transpose()?,
            drop: self.drop,
            from: self.from.map(square).transpose()?,
            to: self.to.map(square).transpose()?,
        };
        if said == Said::default() && self.made.is_none() {
            return Err("it says nothing about the ply: give \"uci\", \"not\", \"piece\", \"drop\", \"from\", \"to\" or \"made\"".into());
        }
        let Line { ply, board, side, t_us, .. } = self;
        Ok(Fact::Ply(PlyFact { ply, board, side, t_us, said }))
    }
}

fn final_fact(ends: &BTreeMap<BoardId, String>) -> Result<Fact, String> {
    let mut fact = FinalFact::default();
    for (&board, text) in ends {
        let end = text.parse().map_err(|error| format!("final board {board}: {error}"))?;
        fact.boards.insert(board, end);
    }
    if fact.boards.is_empty() {
        return Err("\"final\" names no board: give \"A\", \"B\" or both".into());
    }
    Ok(Fact::Final(fact))
}
