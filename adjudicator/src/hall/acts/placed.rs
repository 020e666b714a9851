//! Tables of a hub and the places of its nodes, as an act gives them.

use rules::{BoardId, Game, TimeControl};
use serde::{Deserialize, Serialize};

/// Maximum number of tables of one hub, and of nodes of a table.
pub(crate) const TABLES_MAX: usize = 16;
pub(crate) const NODES_MAX: usize = 8;

/// A table of a hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedTable {
    /// Its name.
    pub table: String,
    /// The game that is played.
    pub game: Game,
    /// Id of the rulebook.
    pub rulebook: String,
    /// The time of each player.
    pub time: TimeControl,
    /// Its nodes.
    pub nodes: Vec<PlacedNode>,
}

/// A node's place at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedNode {
    /// Its id.
    pub node: String,
    /// The board that it belongs to.
    pub board: BoardId,
    /// Kind of its squares' sensors; none: it is a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensor: Option<String>,
    /// Whether it has reserve trays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trays: bool,
}
