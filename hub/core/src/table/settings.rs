//! Settings of a table from the configuration.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rules::BoardId;

use crate::session::{BoardNodes, NewFollower, SessionConfig};
use crate::settings::{Node, NodeKind, TableConfig};

/// Settings of one table.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// The hub.
    pub hub_id: String,
    /// The table.
    pub table: TableConfig,
    /// The release of the hub.
    pub release: String,
    /// Seconds of hub time in a second of wall time.
    pub rate: f64,
    /// Makes plies of readings.
    pub follower: NewFollower,
}

impl TableSettings {
    /// What the table's rows depend on beside its inputs, as one word: the release, and a digest of the settings. A session that is given
    /// its inputs again says the same rows again as long as this is the same.
    #[must_use]
    pub fn said_by(&self) -> String {
        // Whatever is in it counts; how it is written changes with the release at most.
        let config = format!("{:?}", session_config(&self.hub_id, &self.table));
        let mut digest = DefaultHasher::new();
        config.hash(&mut digest);
        format!("{} {:016x}", self.release, digest.finish())
    }
}

/// What a session has to know, from the configuration.
#[must_use]
pub fn session_config(hub_id: &str, table: &TableConfig) -> SessionConfig {
    SessionConfig {
        hub_id: hub_id.to_owned(),
        table: table.name.clone(),
        game: table.game,
        rulebook: table.rulebook,
        time: table.time.clone(),
        boards: table.boards().collect(),
        clocks: !table.levers.is_empty() || table.nodes.iter().any(Node::has_clock),
        nodes: BoardId::ALL.map(|board| (board, board_nodes(table, board))).into(),
    }
}

fn board_nodes(table: &TableConfig, board: BoardId) -> BoardNodes {
    let of_board = || table.nodes.iter().filter(|node| node.board == board);
    let squares = of_board().find(|node| node.kind == NodeKind::Board);
    let clock = of_board().find(|node| node.has_clock()).map(|node| node.id.clone());
    let lever = table.levers.iter().find(|lever| lever.board == board);
    BoardNodes {
        squares: squares.map(|node| node.id.clone()),
        clock: clock.or_else(|| lever.map(|lever| table.lever_name(lever))),
    }
}
