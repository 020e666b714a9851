//! The configuration of a hub at the serial devices of a simulated hall.

use std::path::Path;

use sim::real_time::{Hall, HallNodeKind};

/// A hub of all tables of `hall`, with its journal in `folder` and the broker at a port of this machine.
pub(crate) fn hub_configuration(hall: &Hall, folder: &Path, broker_port: u16) -> String {
    let mut text = format!(
        "[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"127.0.0.1\"\nport = {broker_port}\n",
        folder.join("hub.sqlite"),
    );
    let tables = hall.nodes().iter().map(|node| node.table).max().unwrap_or_default();
    for table in 1..=tables {
        text += &format!(
            "[[table]]\nname = \"{table}\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = {}\n",
            hall.base_s(),
        );
        for node in hall.nodes().iter().filter(|node| node.table == table) {
            let kind = if node.kind == HallNodeKind::Board { "board" } else { "clock" };
            text += &format!(
                "[[table.node]]\nboard = \"{}\"\nkind = {kind:?}\nnode = {:?}\nport = {:?}\n",
                node.board, node.node_id, node.port,
            );
        }
    }
    text
}
