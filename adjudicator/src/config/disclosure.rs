//! The one door through which a person's name may leave the server.
//!
//! Names live in [`PlayerName`], which prints as nothing and cannot be serialised. Only
//! [`Disclosure::players`] opens it, and only when the organiser has opted in; pages, API and records all
//! ask there, so that no public path can forget to.

use std::{collections::BTreeMap, fmt};

use event::Names;
use rules::Seat;
use serde::Deserialize;

use super::Config;

/// A person's name. Its `Debug` hides it, so that logs cannot leak it either.
#[derive(Clone, Deserialize, Default)]
#[serde(transparent)]
pub struct PlayerName(String);

impl fmt::Debug for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlayerName(hidden)")
    }
}

impl From<&str> for PlayerName {
    fn from(name: &str) -> Self {
        PlayerName(name.to_owned())
    }
}

/// The four players of a table.
#[derive(Clone, Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Players {
    /// White at board A: team 1.
    pub white_a: Option<PlayerName>,
    /// Black at board A: team 2.
    pub black_a: Option<PlayerName>,
    /// White at board B: team 2.
    pub white_b: Option<PlayerName>,
    /// Black at board B: team 1.
    pub black_b: Option<PlayerName>,
}

impl Players {
    fn by_seat(&self) -> [Option<&PlayerName>; 4] {
        [&self.white_a, &self.black_a, &self.white_b, &self.black_b].map(Option::as_ref)
    }
}

/// Public view of a table.
#[derive(Clone, Debug)]
struct DisclosedTable {
    hub: Option<String>,
    label: Option<String>,
    section: Option<String>,
    teams: Option<[String; 2]>,
    players: [Option<String>; 4],
}

/// Answers what may be shown of each table. Built from the configuration; holds no name that may
/// not be shown.
#[derive(Clone, Debug, Default)]
pub struct Disclosure {
    names: Names,
    tables: BTreeMap<String, DisclosedTable>,
}

impl Disclosure {
    pub(super) fn of(config: &Config) -> Disclosure {
        let names = config.event.show_player_names;
        let shown = |table: &super::TableSettings| DisclosedTable {
            hub: table.hub.clone(),
            label: table.label.clone(),
            section: table.section.clone(),
            teams: table.teams.clone(),
            players: table
                .players
                .by_seat()
                .map(|name| name.filter(|_| names).map(|name| name.0.clone())),
        };
        let tables = config.tables.iter().map(|table| (table.name.clone(), shown(table))).collect();
        let names = Names::Consented { otherwise: names };
        Disclosure { names, tables }
    }

    /// Names of the tables that the organiser listed, in order.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// The hub that the organiser named for the table.
    pub fn hub(&self, table: &str) -> Option<&str> {
        self.tables.get(table)?.hub.as_deref()
    }

    /// The table's name for people.
    pub fn label(&self, table: &str) -> String {
        let label = self.tables.get(table).and_then(|shown| shown.label.clone());
        label.unwrap_or_else(|| format!("Table {table}"))
    }

    /// The table's section of the event, if it has one.
    pub fn section(&self, table: &str) -> Option<String> {
        self.tables.get(table)?.section.clone()
    }

    /// Persons who may be named on public paths: by each family's consent, and the others by the configuration.
    pub fn names(&self) -> Names {
        self.names
    }

    /// Labels of team 1 and team 2, if the organiser gave the table some.
    pub fn teams(&self, table: &str) -> Option<[String; 2]> {
        self.tables.get(table)?.teams.clone()
    }

    /// The player at a seat, if there is a name and it may be shown.
    pub fn player(&self, table: &str, seat: Seat) -> Option<&str> {
        self.tables.get(table)?.players[seat.index()].as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(show: bool) -> Config {
        let text = format!(
            "[event]\nshow_player_names = {show}\n[[table]]\nname = \"1\"\nplayers.white_a = \"Ada Example\"\n"
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn a_name_is_not_kept_unless_the_organiser_opted_in() {
        let hidden = config(false).disclosure();
        assert_eq!(hidden.player("1", Seat::ALL[0]), None);
        assert!(!format!("{hidden:?}").contains("Ada"));
    }

    #[test]
    fn a_name_is_shown_when_the_organiser_opted_in() {
        assert_eq!(config(true).disclosure().player("1", Seat::ALL[0]), Some("Ada Example"));
    }

    #[test]
    fn a_configuration_printed_for_debugging_hides_the_names() {
        assert!(!format!("{:?}", config(true)).contains("Ada"));
    }
}
