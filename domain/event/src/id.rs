//! Ids of players, entrants and pairings, which never change. One is used again only if its entry was removed before it was paired. And the name of a
//! person.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Writes an id: a number that is unique in its event among its kind.
macro_rules! id {
    ($(#[$attribute:meta])* $name:ident, $word:literal) => {
        $(#[$attribute])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, " {}"), self.0)
            }
        }
    };
}

id!(
    /// A person who plays.
    PlayerId,
    "player"
);
id!(
    /// Two players who play together throughout.
    TeamId,
    "team"
);
id!(
    /// A pairing of a round.
    PairingId,
    "pairing"
);

/// A person's name. Its `Debug` hides it, so that logs cannot leak it; only [`Names::Shown`](crate::Names) opens it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersonName(String);

impl PersonName {
    /// The name itself. The caller decides who may read it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for PersonName {
    fn from(name: &str) -> PersonName {
        PersonName(name.to_owned())
    }
}

impl fmt::Debug for PersonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonName(hidden)")
    }
}
