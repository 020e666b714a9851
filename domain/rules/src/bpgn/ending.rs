//! Ending of a match: the reason, and the winner.

use std::fmt;

use shakmaty::Color;

use crate::{Seat, Team, movetext::result::WrittenResult};

use super::{BpgnGame, seat_code, seat_tag};

/// A match's result, always from the point of view of team 1 (White at A and Black at B).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatchResult {
    /// Team 1 won: `1-0`.
    TeamOne,
    /// Team 2 won: `0-1`.
    TeamTwo,
    /// A draw: `1/2-1/2`.
    Draw,
    /// Not decided, or not known: `*`.
    #[default]
    Unknown,
}

impl MatchResult {
    /// The result of a match that `team` lost.
    #[must_use]
    pub const fn lost_by(team: Team) -> MatchResult {
        match team {
            Team::One => MatchResult::TeamTwo,
            Team::Two => MatchResult::TeamOne,
        }
    }

    /// The team that won.
    #[must_use]
    pub const fn winner(self) -> Option<Team> {
        match self {
            MatchResult::TeamOne => Some(Team::One),
            MatchResult::TeamTwo => Some(Team::Two),
            MatchResult::Draw | MatchResult::Unknown => None,
        }
    }
}

impl From<WrittenResult> for MatchResult {
    /// A match that both teams lost has no winner, and is no draw.
    fn from(score: WrittenResult) -> MatchResult {
        match score {
            WrittenResult::First => MatchResult::TeamOne,
            WrittenResult::Second => MatchResult::TeamTwo,
            WrittenResult::Draw => MatchResult::Draw,
            WrittenResult::BothLost | WrittenResult::Unknown => MatchResult::Unknown,
        }
    }
}

impl fmt::Display for MatchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MatchResult::TeamOne => "1-0",
            MatchResult::TeamTwo => "0-1",
            MatchResult::Draw => "1/2-1/2",
            MatchResult::Unknown => "*",
        })
    }
}

/// Reason of a match's end.
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

/// Ending of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The player who lost, when one is named.
    pub loser: Option<Seat>,
    /// Reason.
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
        let part = named(&lower, tags).and_then(|(seat, rest)| Some((seat, part_of(rest, tags)?)));
        let reason = match reason(&lower) {
            Some(reason) => reason,
            None if part.is_some() => EndReason::Other,
            None => return None,
        };
        let drawn = lower.contains("drawn") || reason == EndReason::Drawn;
        let loser = part.filter(|_| !drawn).map(|(seat, part)| match part {
            EndingPart::Lost => seat,
            EndingPart::Won => seat.opponent(),
        });
        let reason = if drawn { EndReason::Drawn } else { reason };
        Some(Ending { loser, reason, text: text.to_owned() })
    }

    /// Whether the written result agrees with the named loser. Files disagree whether it is team 1's or that of the deciding
    /// board's White, so either is enough.
    pub(super) fn agrees_with(&self, written: MatchResult) -> bool {
        let Some(loser) = self.loser else { return true };
        let of_board = MatchResult::lost_by(match loser.color {
            Color::White => Team::One,
            Color::Black => Team::Two,
        });
        written == MatchResult::Unknown
            || written == MatchResult::lost_by(loser.team())
            || written == of_board
    }

    /// The result, if the ending names the loser or a draw.
    #[must_use]
    pub fn result(&self) -> Option<MatchResult> {
        match (self.loser, self.reason) {
            (Some(loser), _) => Some(MatchResult::lost_by(loser.team())),
            (None, EndReason::Drawn) => Some(MatchResult::Draw),
            (None, _) => None,
        }
    }
}

fn is_name(name: &str) -> bool {
    !matches!(name.trim(), "" | "?" | "-")
}

/// Role of a named player at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndingPart {
    Won,
    Lost,
}

/// Words after a name that say that its bearer won.
const WINS: [&str; 10] = [
    "won",
    "wins",
    "win",
    "beats",
    "beat",
    "defeats",
    "mates",
    "checkmates",
    "flags",
    "victorious",
];
/// Words after a name that say that its bearer lost.
const LOSES: [&str; 18] = [
    "lost",
    "loses",
    "resigns",
    "resigned",
    "forfeits",
    "forfeited",
    "ran",
    "runs",
    "timed",
    "times",
    "overstepped",
    "oversteps",
    "exceeded",
    "disconnects",
    "disconnected",
    "abandons",
    "abandoned",
    "aborted",
];
/// Words after a name that say that its bearer lost, unless another player is named behind them: `leo checkmated`, but `ida checkmated
/// leo`.
const DONE: [&str; 5] = ["checkmated", "mated", "flagged", "beaten", "defeated"];
/// Words between a name and what its bearer did.
const AUXILIARIES: [&str; 4] = ["has", "had", "have", "then"];
/// Words that turn what follows round: it was done to the bearer of the name.
const PASSIVES: [&str; 6] = ["is", "was", "gets", "got", "been", "being"];
/// Words for a loss, written with an apostrophe: `leo's flag fell`.
const LOST_THINGS: [&str; 4] = ["flag", "time", "clock", "king"];

/// Reason of a match's end, by the words of a comment.
fn reason(lower: &str) -> Option<EndReason> {
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(if has(&["checkmate", " mated", " mates"]) {
        EndReason::Checkmated
    } else if has(&["resign"]) {
        EndReason::Resigns
    } else if has(&["on time", "out of time", "flag", "timed out", "times out", "time forfeit"]) {
        EndReason::ForfeitsOnTime
    } else if has(&["forfeit"]) {
        EndReason::Forfeits
    } else if has(&["drawn", "draw by"]) {
        EndReason::Drawn
    } else if lower.ends_with(" loses")
        || lower.ends_with("partner won")
        || lower.contains("aborted")
    {
        EndReason::Other
    } else {
        return None;
    })
}

/// Role of a named player, by the text behind the name. `None` if it is about another player, or in doubt.
fn part_of(rest: &str, tags: &BpgnGame) -> Option<EndingPart> {
    if let Some(owned) = rest.strip_prefix("'s ").or_else(|| rest.strip_prefix("\u{2019}s ")) {
        let thing = owned.split(|letter: char| !letter.is_alphanumeric()).next()?;
        return LOST_THINGS.contains(&thing).then_some(EndingPart::Lost);
    }
    let mut is_passive = false;
    let mut rest = rest.trim_start();
    loop {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, behind) =
            (rest[..end].trim_end_matches(['.', ',', '!', ':']), rest[end..].trim_start());
        if PASSIVES.contains(&word) {
            is_passive = true;
        } else if WINS.contains(&word) {
            return Some(EndingPart::Won);
        } else if LOSES.contains(&word) {
            return Some(EndingPart::Lost);
        } else if DONE.contains(&word) {
            let has_object = !is_passive && named(behind, tags).is_some();
            return Some(if has_object { EndingPart::Won } else { EndingPart::Lost });
        } else if !AUXILIARIES.contains(&word) {
            return None;
        }
        rest = behind;
    }
}

/// The seat whose player the text begins with, by name, else by seat code, and the text behind it. Of two names that fit the
/// longer one is meant. `None` if two players of the record have that name.
fn named<'a>(lower: &'a str, tags: &BpgnGame) -> Option<(Seat, &'a str)> {
    let behind = |name: &str| {
        let rest = lower.strip_prefix(name.trim().to_lowercase().as_str())?;
        let ends = !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        ends.then_some(rest)
    };
    let by_name = Seat::ALL.into_iter().filter_map(|seat| {
        let name = tags.tag(seat_tag(seat)).filter(|name| is_name(name))?;
        Some((seat, behind(name)?))
    });
    let found: Vec<(Seat, &str)> = by_name.collect();
    let Some(shortest) = found.iter().map(|(_, rest)| rest.len()).min() else {
        return Seat::ALL.into_iter().find_map(|seat| {
            Some((seat, behind(seat_code(seat)).filter(|rest| rest.starts_with(' '))?))
        });
    };
    let mut longest = found.into_iter().filter(|(_, rest)| rest.len() == shortest);
    match (longest.next(), longest.next()) {
        (Some(found), None) => Some(found),
        _ => None,
    }
}
