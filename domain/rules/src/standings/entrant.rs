//! Entrant of a section: a player or a fixed team, known by a pairing number.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The pairing number of an entrant, unique in its section. It is what a wall chart shows in place of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntrantNumber(pub u32);

impl fmt::Display for EntrantNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Someone who is paired and scores: a player, or a team whose members do not change.
///
/// A school's team whose players are paired as individuals is no entrant but a [`super::Club`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The pairing number.
    pub number: EntrantNumber,
    /// The name as it is shown. Two entrants may have the same.
    pub name: String,
    /// Player or team.
    pub kind: EntrantKind,
    /// The rating, for tie-breaks that need it.
    pub rating: Option<u16>,
}

/// Kind of an entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntrantKind {
    /// One player.
    Player,
    /// A fixed team: two players in bughouse, mostly four in other team events.
    Team {
        /// The names of the players, in board order where there is one.
        members: Vec<String>,
    },
}

impl Entrant {
    /// The players behind this entrant, as they are shown.
    #[must_use]
    pub fn players(&self) -> &[String] {
        match &self.kind {
            EntrantKind::Player => std::slice::from_ref(&self.name),
            EntrantKind::Team { members } => members,
        }
    }
}
