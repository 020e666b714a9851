//! Checks of a configuration's tables, their nodes and places, with all problems collected.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use readings::SensorKind;
use rules::BoardId;

use super::check::{Problems, quoted, shown};
use super::{
    LeftOut, LeverPin, Node, NodeKind, TABLES_MAX, TableConfig, driver, pins, raw,
    terms::{self, Terms},
};

const LABEL_CHARS_MAX: usize = 32;

pub(super) fn check_tables(
    raw: Vec<raw::RawTable>,
    taken_pins: &mut pins::UsedPins,
    problems: &mut Problems,
) -> Vec<Result<TableConfig, LeftOut>> {
    if raw.len() > TABLES_MAX {
        problems.add(
            "table",
            format!("{} tables", raw.len()),
            format!("a hub follows at most {TABLES_MAX} tables"),
            "remove [[table]] sections",
        );
    }
    let mut taken = UsedResource::default();
    raw.into_iter()
        .enumerate()
        .map(|(index, table)| {
            let key = format!("table[{}]", index + 1);
            let levers = pins::check_levers(&key, &table.lever, taken_pins, problems);
            check_table(&key, table, levers, &mut taken, problems)
        })
        .collect()
}

/// A resource that a file may use once, and the key that uses it.
#[derive(Default)]
struct UsedResource {
    names: HashMap<String, String>,
    /// With whether it is a bus, which has several boards.
    ports: HashMap<PathBuf, (String, bool)>,
    node_ids: HashMap<String, String>,
}

fn check_table(
    key: &str,
    raw: raw::RawTable,
    levers: Vec<LeverPin>,
    taken: &mut UsedResource,
    problems: &mut Problems,
) -> Result<TableConfig, LeftOut> {
    let name_key = format!("{key}.name");
    problems.name(&name_key, &raw.name);
    if let Some(first) = taken.names.insert(raw.name.clone(), name_key.clone()) {
        problems.add(
            &name_key,
            quoted(&raw.name),
            format!("is the name of {first} too"),
            "rename one of the two",
        );
    }
    let mut about_terms = Problems::default();
    let terms = terms::check(key, &raw, &mut about_terms);
    let mut places = HashMap::new();
    let mut nodes = Vec::new();
    for (index, node) in raw.node.into_iter().enumerate() {
        let key = format!("{key}.node[{}]", index + 1);
        nodes.extend(check_node(&key, node, &mut places, taken, problems));
    }
    check_places(key, &nodes, &levers, problems);
    match terms.filter(|_| about_terms.is_empty()) {
        Some(Terms { game, rulebook, time }) => {
            Ok(TableConfig { name: raw.name, game, rulebook, time, nodes, levers })
        }
        None => Err(LeftOut { table: raw.name, problems: about_terms.0 }),
    }
}

/// A table that cannot be followed is not worth starting.
fn check_places(key: &str, nodes: &[Node], levers: &[LeverPin], problems: &mut Problems) {
    let has = |board, kind| nodes.iter().any(|node| node.board == board && node.kind == kind);
    let is_followed = nodes.iter().any(|node| node.kind == NodeKind::Board);
    if !is_followed {
        problems.add(
            &format!("{key}.node"),
            format!("{} nodes", nodes.len()),
            "no node of kind \"board\"",
            "add one; the board of a chess table is board \"A\"",
        );
    }
    for (index, lever) in levers.iter().enumerate() {
        if has(lever.board, NodeKind::Clock) || !has(lever.board, NodeKind::Board) {
            problems.add(
                &format!("{key}.lever[{}].board", index + 1),
                format!("\"{}\"", lever.board),
                "a lever stands for the clock of a board that has a node and no clock node",
                "remove the lever, or the clock node of that board",
            );
        }
    }
    for board in BoardId::ALL {
        if is_followed && has(board, NodeKind::Clock) && !has(board, NodeKind::Board) {
            problems.add(
                &format!("{key}.node"),
                format!("{} nodes", nodes.len()),
                format!("a clock for board \"{board}\" but no board \"{board}\""),
                "add the board's node, or remove the clock",
            );
        }
    }
}

/// A label is read in lists and messages: one short line.
fn check_label(key: &str, label: Option<&str>, problems: &mut Problems) {
    let Some(label) = label else { return };
    let short = (1..=LABEL_CHARS_MAX).contains(&label.chars().count());
    if !short || label.trim() != label || label.chars().any(|c| c.is_control() || c == '"') {
        problems.add(
            key,
            quoted(label),
            "not usable as a label",
            format!(
                "write 1 to {LABEL_CHARS_MAX} characters on one line, without quotation marks, for example \"12 A\""
            ),
        );
    }
}

fn check_node(
    key: &str,
    raw: raw::RawNode,
    places: &mut HashMap<(BoardId, NodeKind), String>,
    taken: &mut UsedResource,
    problems: &mut Problems,
) -> Option<Node> {
    let id_key = format!("{key}.node");
    if raw.node.parse::<proto::link::NodeId>().is_err() {
        problems.add(
            &id_key,
            quoted(&raw.node),
            "not a node's id",
            "copy it from the node's label or the hub's log",
        );
    }
    if let Some(first) = taken.node_ids.insert(raw.node.clone(), id_key.clone()) {
        problems.add(
            &id_key,
            quoted(&raw.node),
            format!("is at {first} too"),
            "a node has one place: correct one of the two",
        );
    }
    let bus = raw.driver == raw::Driver::DgtBus;
    check_port(&format!("{key}.port"), raw.port.as_deref(), bus, taken, problems);
    let Ok(board) = raw.board.parse::<BoardId>() else {
        problems.add(
            &format!("{key}.board"),
            quoted(&raw.board),
            "no board of a table",
            "write \"A\" or \"B\"",
        );
        return None;
    };
    let driver = driver::check(key, &raw, problems);
    let clock = (driver.brings_clock() && raw.kind == NodeKind::Board).then_some(NodeKind::Clock);
    for kind in [raw.kind].into_iter().chain(clock) {
        if let Some(first) = places.insert((board, kind), key.to_owned()) {
            problems.add(
                key,
                quoted(&raw.node),
                format!("claims the place of {first}: {kind} {board}"),
                "give each node its own board and kind, or remove one of the two",
            );
        }
    }
    let sensor = raw.sensor.or(driver.sensor()).unwrap_or(SensorKind::Reed);
    check_label(&format!("{key}.label"), raw.label.as_deref(), problems);
    let raw::RawNode { kind, trays, node: id, label, port, .. } = raw;
    Some(Node { board, kind, sensor, trays, id, label, port, driver })
}

/// A port has one node, unless it is that of a bus.
fn check_port(
    key: &str,
    port: Option<&Path>,
    bus: bool,
    taken: &mut UsedResource,
    problems: &mut Problems,
) {
    let Some(port) = port else { return };
    if port.as_os_str().is_empty() {
        problems.add(key, "\"\"", "not a port", "name the device, for example /dev/ttyUSB0");
    } else if let Some((first, buses)) = taken.ports.insert(port.to_owned(), (key.to_owned(), bus))
        && !(bus && buses)
    {
        problems.add(
            key,
            shown(port),
            format!("is the port of {first} too"),
            "a port has one node: correct one of the two",
        );
    }
}
