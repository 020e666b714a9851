//! What decided a match, and for whom.

use std::fmt;

use crate::{Seat, Team};

use super::{BpgnGame, seat_code, seat_tag};

/// A match's result, always from the point of view of team 1 (White at A and Black at B).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// Team 1 won: `1-0`.
    TeamOne,
    /// Team 2 won: `0-1`.
    TeamTwo,
    /// Nobody won: `1/2-1/2`.
    Draw,
    /// Not decided, or not known: `*`.
    #[default]
    Unknown,
}

impl GameResult {
    /// The result of a match that `team` lost.
    #[must_use]
    pub const fn lost_by(team: Team) -> GameResult {
        match team {
            Team::One => GameResult::TeamTwo,
            Team::Two => GameResult::TeamOne,
        }
    }

    /// The team that won.
    #[must_use]
    pub const fn winner(self) -> Option<Team> {
        match self {
            GameResult::TeamOne => Some(Team::One),
            GameResult::TeamTwo => Some(Team::Two),
            GameResult::Draw | GameResult::Unknown => None,
        }
    }

    pub(super) fn parse(text: &str) -> Option<GameResult> {
        Some(match text {
            "1-0" => GameResult::TeamOne,
            "0-1" => GameResult::TeamTwo,
            "1/2-1/2" | "1/2" => GameResult::Draw,
            "*" => GameResult::Unknown,
            _ => return None,
        })
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::TeamOne => "1-0",
            GameResult::TeamTwo => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        })
    }
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// A king was mated.
    Checkmated,
    /// A player resigned.
    Resigns,
    /// A player's time ran out, and it was claimed.
    ForfeitsOnTime,
    /// A player lost by forfeit for another reason, such as a claimed illegal move.
    Forfeits,
    /// The match was drawn.
    Drawn,
    /// Anything else: read [`Ending::text`].
    Other,
}

/// What decided a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The player who lost, when one is named.
    pub loser: Option<Seat>,
    /// How.
    pub reason: EndReason,
    /// The words in the record, without braces: `BA checkmated`.
    pub text: String,
}

impl Ending {
    /// An ending in which `loser` lost, worded with the player's name from the tags of `game`, or
    /// with the seat (`WA`, `BA`, `WB`, `BB`) when there is none.
    #[must_use]
    pub fn lost(loser: Seat, reason: EndReason, game: &BpgnGame) -> Ending {
        let name = game.tag(seat_tag(loser)).filter(|name| is_name(name));
        let name = name.unwrap_or_else(|| seat_code(loser));
        let verb = match reason {
            EndReason::Checkmated => "checkmated",
            EndReason::Resigns => "resigns",
            EndReason::ForfeitsOnTime => "forfeits on time",
            EndReason::Forfeits => "forfeits",
            EndReason::Drawn | EndReason::Other => "loses",
        };
        Ending { loser: Some(loser), reason, text: format!("{name} {verb}") }
    }

    /// A draw.
    #[must_use]
    pub fn drawn() -> Ending {
        Ending { loser: None, reason: EndReason::Drawn, text: "Game drawn by agreement".to_owned() }
    }

    /// The ending that a comment's text describes; none when it describes none.
    pub(super) fn parse(text: &str, tags: &BpgnGame) -> Option<Ending> {
        let text = text.trim();
        let lower = text.to_lowercase();
        let reason = if lower.contains("checkmate") {
            EndReason::Checkmated
        } else if lower.contains("resign") {
            EndReason::Resigns
        } else if lower.contains("on time") || lower.contains("ran out of time") {
            EndReason::ForfeitsOnTime
        } else if lower.contains("forfeit") {
            EndReason::Forfeits
        } else if lower.contains("drawn") || lower.contains("draw by") {
            EndReason::Drawn
        } else if lower.ends_with(" loses")
            || lower.ends_with("partner won")
            || lower.contains("aborted")
        {
            EndReason::Other
        } else {
            return None;
        };
        let drawn = lower.contains("drawn") || reason == EndReason::Drawn;
        let loser = if drawn { None } else { named_loser(&lower, tags) };
        let reason = if drawn { EndReason::Drawn } else { reason };
        Some(Ending { loser, reason, text: text.to_owned() })
    }

    /// The result, when the ending says who lost or that nobody did.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        match (self.loser, self.reason) {
            (Some(loser), _) => Some(GameResult::lost_by(loser.team())),
            (None, EndReason::Drawn) => Some(GameResult::Draw),
            (None, _) => None,
        }
    }
}

fn is_name(name: &str) -> bool {
    !matches!(name.trim(), "" | "?" | "-")
}

/// The seat whose player the text begins with: by name, else by seat code. Nobody when two players
/// of the record have that name, or when the text is about that player's partner.
fn named_loser(lower: &str, tags: &BpgnGame) -> Option<Seat> {
    let begins_with = |name: &str| {
        lower.strip_prefix(name.to_lowercase().as_str()).is_some_and(|rest| rest.starts_with(' '))
    };
    let mut named = Seat::ALL.into_iter().filter(|&seat| {
        tags.tag(seat_tag(seat)).is_some_and(|name| is_name(name) && begins_with(name))
    });
    match (named.next(), named.next()) {
        (Some(seat), None) => Some(seat),
        (Some(_), Some(_)) => None,
        (None, _) => Seat::ALL.into_iter().find(|&seat| begins_with(seat_code(seat))),
    }
}
