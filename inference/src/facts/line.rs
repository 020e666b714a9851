//! A fact as a line of a facts file.
//!
//! ```json
//! {"kind":"fact","ply":17,"uci":"N@e6"}
//! {"kind":"fact","board":"A","side":"white","t_us":81200000,"not":["N@e6","B@e6"]}
//! {"kind":"fact","ply":17,"piece":"N"}          {"kind":"fact","ply":17,"drop":true,"to":"e6"}
//! {"kind":"fact","ply":18,"made":false}
//! {"kind":"fact","final":{"A":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qn]"}}
//! {"kind":"fact","result":"mate","board":"A","side":"black"}
//! {"kind":"fact","board":"A","t_us":81200000,"stands":{"A":"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR[Pn] w KQkq - 0 2","B":"[Q]"}}
//! {"kind":"fact","board":"A","t_us":81200000,"per_move":{"delay_s":5,"delay":"us"}}
//! ```

use std::collections::BTreeMap;

use rules::{BoardId, Color, PerMove, Ply, Role};
use serde::{Deserialize, Serialize};

use super::{EndingFact, Fact, FinalFact, MatchResult, PerMoveFact, PlyFact, Said, StandsFact};
use readings::text;

/// Text that should say `"kind":"fact"`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    Fact,
}

/// One line of a facts file, before its fields are checked against each other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    kind: Kind,
    /// The match it is about. A file with facts of several matches needs it.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub(super) match_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<MatchResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ply: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    board: Option<BoardId>,
    #[serde(with = "text::optional_side", default, skip_serializing_if = "Option::is_none")]
    side: Option<Color>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    t_us: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uci: Option<Ply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not: Option<Excluded>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    piece: Option<char>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drop: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(rename = "final", default, skip_serializing_if = "Option::is_none")]
    ends: Option<BTreeMap<BoardId, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stands: Option<BTreeMap<BoardId, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    per_move: Option<PerMove>,
}

/// One ply or several.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Excluded {
    One(Ply),
    Several(Vec<Ply>),
}

impl Line {
    /// The line that holds this fact.
    pub(super) fn of(fact: &Fact) -> Line {
        match fact {
            Fact::Ply(fact) => {
                let said = &fact.said;
                Line {
                    ply: fact.ply,
                    board: fact.board,
                    side: fact.side,
                    t_us: fact.t_us,
                    made: (*said == Said::SOMETHING || !said.made).then_some(said.made),
                    uci: said.uci,
                    not: (!said.not.is_empty()).then(|| Excluded::Several(said.not.clone())),
                    piece: said.piece.map(Role::upper_char),
                    drop: said.drop,
                    from: said.from.map(|square| square.to_string()),
                    to: said.to.map(|square| square.to_string()),
                    ..Line::default()
                }
            }
            Fact::Final(end) => {
                let ends = end.boards.iter().map(|(&board, end)| (board, end.to_string()));
                Line { ends: Some(ends.collect()), ..Line::default() }
            }
            Fact::Ending(EndingFact { result, board, side }) => {
                Line { result: Some(*result), board: *board, side: *side, ..Line::default() }
            }
            Fact::Stands(fact) => Line {
                board: Some(fact.board),
                t_us: Some(fact.t_us),
                stands: Some(fact.texts()),
                ..Line::default()
            },
            Fact::PerMove(fact) => Line {
                board: Some(fact.board),
                t_us: Some(fact.t_us),
                per_move: Some(fact.per_move),
                ..Line::default()
            },
        }
    }

    /// The fact of the line, or the reason why it has none.
    pub(super) fn fact(self) -> Result<Fact, String> {
        if let Some(texts) = &self.stands {
            return self.stands_fact(texts);
        }
        if let Some(per_move) = self.per_move {
            return self.per_move_fact(per_move);
        }
        let of_ply = self.says_of_a_ply();
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

    fn stands_fact(&self, texts: &BTreeMap<BoardId, String>) -> Result<Fact, String> {
        if self.per_move.is_some() || self.says_more_than_where_and_when() {
            return Err(
                "it tells a position that was put up again and something else: give each a line"
                    .into(),
            );
        }
        let (Some(board), Some(t_us)) = (self.board, self.t_us) else {
            return Err(
                "it tells a position that was put up again: give \"board\" and \"t_us\" with it"
                    .into(),
            );
        };
        StandsFact::read(board, t_us, texts).map(Fact::Stands)
    }

    fn per_move_fact(&self, per_move: PerMove) -> Result<Fact, String> {
        if self.says_more_than_where_and_when() {
            return Err(
                "it tells what a clock gives for each move and something else: give each a line"
                    .into(),
            );
        }
        let (Some(board), Some(t_us)) = (self.board, self.t_us) else {
            return Err(
                "it tells what a clock gives for each move: give \"board\" and \"t_us\" with it"
                    .into(),
            );
        };
        Ok(Fact::PerMove(PerMoveFact { board, t_us, per_move }))
    }

    fn says_more_than_where_and_when(&self) -> bool {
        let of_end = self.ends.is_some() || self.result.is_some();
        of_end || self.side.is_some() || self.ply.is_some() || self.says_what_was_played()
    }

    fn says_of_a_ply(&self) -> bool {
        self.ply.is_some() || self.t_us.is_some() || self.says_what_was_played()
    }

    fn says_what_was_played(&self) -> bool {
        self.made.is_some()
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
        let square = |text: Option<String>| {
            let parsed = text.map(|text| {
                text.parse().map_err(|_| format!("{text:?} is no square: expected a1 to h8"))
            });
            parsed.transpose()
        };
        let piece = self.piece.map(|letter| {
            Role::from_char(letter)
                .ok_or_else(|| format!("{letter:?} is no piece: expected P, N, B, R, Q or K"))
        });
        let said = Said {
            made: self.made.unwrap_or(true),
            uci: self.uci,
            not: match self.not {
                None => Vec::new(),
                Some(Excluded::One(ply)) => vec![ply],
                Some(Excluded::Several(plies)) => plies,
            },
            piece: piece.transpose()?,
            drop: self.drop,
            from: square(self.from)?,
            to: square(self.to)?,
        };
        if said == Said::SOMETHING && self.made.is_none() {
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
