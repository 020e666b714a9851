//! The parts of a WinTD tournament file that are read, after the JSON Schemas that its help publishes
//! (`base`, `tnmt`, `section`, `game` at estima.com/chess/wintdhelp).
//!
//! The schemas describe the parts and call the lists "the players array", "the sections array" and "the games array";
//! how they hang together is not published. So a player's record is read whether `base` and `tnmt` are objects in it
//! or their fields stand in it directly, and the three lists are searched at the top and one level below.

use serde::Deserialize;
use serde_json::Value;

use crate::names::clean;

/// A player's record: a person, a team or a pair.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Base {
    /// The name; "last, first" of a person.
    #[serde(deserialize_with = "cleaned")]
    pub(super) name: String,
    /// `M`, `F`, `C` for one player, `T` for a team, `P` for a bughouse pair.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Club code.
    pub(super) club: String,
    /// The number in a federation's list.
    pub(super) id: String,
    /// The rating; none, 0 or less for the unrated.
    pub(super) rating: Option<f64>,
}

fn cleaned<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|name| clean(&name))
}

/// Role of a record in this tournament.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(super) struct Tnmt {
    /// Section; -1 none, -2 member of a team.
    #[serde(rename = "sectionID")]
    pub(super) section_id: i64,
    /// 0 active, 1 inactive, -1 deleted.
    pub(super) status: i64,
    /// Pairing number from 1; -1 none.
    pub(super) pairno: i64,
    /// The records of a team's members.
    pub(super) members: Vec<Value>,
}

impl Default for Tnmt {
    fn default() -> Tnmt {
        Tnmt { section_id: -1, status: 0, pairno: -1, members: Vec::new() }
    }
}

/// A section.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(super) struct FileSection {
    /// Its title.
    pub(super) title: String,
    /// A short title.
    pub(super) abbrev: String,
    /// Position in the list; -1 deleted.
    pub(super) id: i64,
    /// Number of expected rounds.
    #[serde(rename = "maxRounds")]
    pub(super) max_rounds: i64,
    /// Number of paired rounds.
    #[serde(rename = "roundsPaired")]
    pub(super) rounds_paired: i64,
    /// Games of a pairing in a round.
    #[serde(rename = "gamesPerMatch")]
    pub(super) games_per_match: i64,
}

impl Default for FileSection {
    fn default() -> FileSection {
        FileSection {
            title: String::new(),
            abbrev: String::new(),
            id: 0,
            max_rounds: 0,
            rounds_paired: 0,
            games_per_match: 1,
        }
    }
}

/// A game, a match or a bye.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct FileGame {
    /// Position of the first player's record; -1 for a bye of the second.
    pub(super) p1: i64,
    /// Position of the second player's record; -1 for a bye of the first.
    pub(super) p2: i64,
    /// Round of the first.
    pub(super) r1: i64,
    /// Round of the second.
    pub(super) r2: i64,
    /// +1 White, -1 Black, 0 unknown, of the first.
    #[serde(default)]
    pub(super) color1: i64,
    /// Board number.
    #[serde(default)]
    pub(super) board: Option<i64>,
    /// See [`super::wintd`].
    pub(super) result: i64,
    /// 0 game, 1 match of teams, 2 match of several games, 4 game of a match.
    #[serde(rename = "type")]
    pub(super) kind: i64,
}

/// The three lists, still as JSON, so that each record's errors are its own.
pub(super) struct Lists {
    pub(super) players: Vec<Value>,
    pub(super) sections: Vec<Value>,
    pub(super) games: Vec<Value>,
}

/// Finds the lists of a file; none where there is no list of players.
pub(super) fn lists(file: &Value) -> Option<Lists> {
    let holds = |value: &&Value| value.get("players").is_some_and(Value::is_array);
    let inner = file.as_object().into_iter().flat_map(|object| object.values());
    let holder = std::iter::once(file).chain(inner).find(holds)?;
    let list = |name: &str| holder.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    Some(Lists { players: list("players"), sections: list("sections"), games: list("games") })
}

/// A part of a record, or the record itself where it has no such part.
pub(super) fn part<T: for<'de> Deserialize<'de>>(
    record: &Value,
    name: &str,
) -> Result<T, serde_json::Error> {
    T::deserialize(record.get(name).unwrap_or(record))
}
