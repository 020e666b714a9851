//! Screens of the hall: browsers that show what the desk gives them.
//!
//! A screen is known by the digest of a key that its browser made, so that it has its number and its content again after any restart.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::staff::Digest;

/// Maximum number of screens of an event.
pub const SCREENS_MAX: usize = 64;

/// Longest name of a screen, and of the table or section that it shows, bytes.
const NAME_BYTES_MAX: usize = 120;

/// Content of a screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "show", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shows {
    /// All tables, in turn.
    Overview {
        /// Only this section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// The pairings.
    Pairings {
        /// Only this section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Standings.
    Standings {
        /// Only this section; none: the first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// One table.
    Table {
        /// The table.
        table: String,
    },
    /// Beginnings and ends of rounds.
    Countdown {
        /// Only this section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Facts to be read aloud.
    Announcer {
        /// Only this section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
}

impl Shows {
    /// The section or table that it names.
    fn subject(&self) -> Option<&str> {
        match self {
            Shows::Table { table } => Some(table),
            Shows::Overview { section }
            | Shows::Pairings { section }
            | Shows::Standings { section }
            | Shows::Countdown { section }
            | Shows::Announcer { section } => section.as_deref(),
        }
    }
}

/// A screen to which the desk has given something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Digest of its browser's key.
    pub key: Digest,
    /// Its name at the desk.
    pub name: String,
    /// Its content.
    pub shows: Shows,
}

/// The screens by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Screens(BTreeMap<u16, Screen>);

impl Screens {
    pub(in crate::hall) fn set(&mut self, number: u16, screen: Screen) -> Result<(), String> {
        let is_long =
            |text: &str| text.len() > NAME_BYTES_MAX || text.chars().any(char::is_control);
        if is_long(&screen.name) || screen.shows.subject().is_some_and(is_long) {
            return Err(format!("a name has at most {NAME_BYTES_MAX} bytes, on one line"));
        }
        if self.0.len() >= SCREENS_MAX && !self.0.contains_key(&number) {
            return Err(format!("an event has at most {SCREENS_MAX} screens: forget one"));
        }
        // A browser is one screen.
        self.0.retain(|other, known| *other == number || known.key != screen.key);
        self.0.insert(number, screen);
        Ok(())
    }

    pub(in crate::hall) fn forget(&mut self, number: u16) -> Result<(), String> {
        let gone = self.0.remove(&number);
        gone.map(|_| ()).ok_or_else(|| format!("there is no screen {number}"))
    }

    /// The screens with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &Screen)> {
        self.0.iter().map(|(number, screen)| (*number, screen))
    }

    /// A screen by its number.
    #[must_use]
    pub fn numbered(&self, number: u16) -> Option<&Screen> {
        self.0.get(&number)
    }
}
