//! Game of a table: bughouse or chess.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::Supply;

/// Longest text quoted in an error, in characters.
const QUOTE_MAX: usize = 32;

/// The game that is played at a table.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Game {
    /// Two boards and two teams; captured pieces go to the partner.
    #[default]
    Bughouse,
    /// One board, A, and two players; captured pieces leave the game.
    Chess,
}

impl Game {
    /// Every game, in the order of the declaration.
    pub const ALL: [Game; 2] = [Game::Bughouse, Game::Chess];

    /// The name used in files: `bughouse` or `chess`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Game::Bughouse => "bughouse",
            Game::Chess => "chess",
        }
    }

    /// Source of droppable pieces if every board of the game has sensors.
    #[must_use]
    pub const fn supply(self) -> Supply {
        match self {
            Game::Bughouse => Supply::Partner,
            Game::Chess => Supply::Nobody,
        }
    }

    /// Number of boards of a table for the game.
    #[must_use]
    pub const fn boards(self) -> usize {
        match self {
            Game::Bughouse => 2,
            Game::Chess => 1,
        }
    }
}

/// The [`name`](Game::name).
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Game> for &'static str {
    fn from(game: Game) -> &'static str {
        game.name()
    }
}

/// A word that names no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no game that is known here: expected \"bughouse\" or \"chess\"")]
pub struct ParseGameError(String);

impl FromStr for Game {
    type Err = ParseGameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Game::ALL
            .into_iter()
            .find(|game| game.name() == text)
            .ok_or_else(|| ParseGameError(text.chars().take(QUOTE_MAX).collect()))
    }
}

impl TryFrom<String> for Game {
    type Error = ParseGameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_reads_back_from_its_name_and_from_json() {
        for game in Game::ALL {
            assert_eq!(game.to_string().parse(), Ok(game));
            let json = serde_json::to_string(&game).expect("a game is a string");
            assert_eq!(json, format!("\"{game}\""));
            assert_eq!(serde_json::from_str::<Game>(&json).expect("its own text"), game);
        }
    }

    #[test]
    fn unknown_game_is_named_beside_the_two_that_exist() {
        let message = "crazyhouse".parse::<Game>().unwrap_err().to_string();
        for word in ["crazyhouse", "bughouse", "chess"] {
            assert!(message.contains(word), "{message}");
        }
        let json = serde_json::from_str::<Game>("\"go\"").unwrap_err().to_string();
        assert!(json.contains("\"go\"") && json.contains("bughouse"), "{json}");
    }

    #[test]
    fn game_that_is_not_named_is_bughouse() {
        assert_eq!(Game::default(), Game::Bughouse);
    }
}
