//! The nodes of a simulated hall in a hub's configuration.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::path::Path;

use rules::BoardId;
use sim::real_time::{Hall, HallNode, HallNodeKind};

/// `hub.toml` without tables: nobody listens at that port of the broker, so the rows stay in the journal.
pub fn head(folder: &Path, broker_port: u16) -> String {
    let journal = folder.join("hub.sqlite");
    format!(
        "[hub]\nid = \"hub-1\"\njournal = {journal:?}\nports = [{:?}]\n[broker]\nhost = \"127.0.0.1\"\nport = {broker_port}\n",
        folder.join("spare-*"),
    )
}

/// A table of the configuration with these nodes.
pub fn table(name: &str, base_s: u32, nodes: &str) -> String {
    format!(
        "[[table]]\nname = {name:?}\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = {base_s}\n{nodes}"
    )
}

/// Our nodes of a table of the hall that are fit.
pub fn nodes(hall: &Hall, table: usize, fit: impl Fn(&HallNode) -> bool) -> String {
    let here = |node: &&HallNode| node.table == table && fit(node);
    hall.nodes().iter().filter(here).map(node).collect()
}

/// A board of another maker.
pub fn device(board: BoardId, driver: &str, id: &str, port: &Path, more: &str) -> String {
    format!(
        "[[table.node]]\nboard = \"{board}\"\nkind = \"board\"\ndriver = {driver:?}\nnode = {id:?}\nport = {port:?}\n{more}\n"
    )
}

fn node(node: &HallNode) -> String {
    let kind = if node.kind == HallNodeKind::Board { "board" } else { "clock" };
    format!(
        "[[table.node]]\nboard = \"{}\"\nkind = {kind:?}\nnode = {:?}\nport = {:?}\n",
        node.board, node.node_id, node.port,
    )
}
