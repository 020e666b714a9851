//! The desk's tables beside those of a file.

use std::path::{Path, PathBuf};

use proto::mqtt::message::{Board, Game, Period, PlaceNodes, PlacedNode, PlacedTable};

use super::Config;
use super::placed::{Placed, PlacedError};
use crate::join::Joining;

/// A hub with one board of its own at table 1.
fn file(folder: &Path) -> (PathBuf, String) {
    let text = format!(
        "[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"localhost\"\n[[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\n\
         base_s = 300\n[[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-1\"\n",
        folder.join("hub.sqlite")
    );
    (folder.join("hub.toml"), text)
}

fn node(id: &str, board: Board) -> PlacedNode {
    let sensor = if id.starts_with("board") { "reed" } else { "" };
    PlacedNode { node_id: id.into(), board: board.into(), sensor: sensor.into(), trays: false }
}

fn table(name: &str, nodes: Vec<PlacedNode>) -> PlacedTable {
    PlacedTable {
        name: name.into(),
        game: Game::Bughouse.into(),
        rulebook: "us-chess-bughouse-2018".into(),
        periods: vec![Period { base_ms: 300_000, moves: 0 }],
        nodes,
        ..PlacedTable::default()
    }
}

fn keep(config: &Config, request: u64, tables: Vec<PlacedTable>) -> Result<Config, PlacedError> {
    Placed::of(PlaceNodes { request, tables }).and_then(|placed| placed.keep(config))
}

fn names(config: &Config) -> Vec<&str> {
    config.tables.iter().map(|table| table.name.as_str()).collect()
}

#[test]
fn placed_nodes_are_kept_over_restarts_and_replaced_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = file(folder.path());
    let config = Config::parse(&file, &text).unwrap();
    assert_eq!((names(&config), config.placing.request), (vec!["1"], 0));
    let two = table(
        "2",
        vec![node("board-2", Board::A), node("clock-2", Board::A), node("board-3", Board::B)],
    );
    let placed = keep(&config, 7, vec![two]).unwrap();
    let again = Config::parse(&file, &text).unwrap();
    assert_eq!(placed, again);
    assert_eq!((names(&again), again.placing.request), (vec!["1", "2"], 7));
    assert_eq!(again.tables[1].nodes.len(), 3);
    assert!(again.tables[1].has_clock(rules::BoardId::A) && again.placing.refused.is_empty());
    let cleared = keep(&again, 8, Vec::new()).unwrap();
    assert_eq!((names(&cleared), cleared.placing.request), (vec!["1"], 8));
}

#[test]
fn the_file_wins_over_the_desk_and_that_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = file(folder.path());
    let config = Config::parse(&file, &text).unwrap();
    let tables = vec![
        table("1", vec![node("board-9", Board::A)]),
        table("2", vec![node("board-1", Board::A), node("board-2", Board::B)]),
    ];
    let placed = keep(&config, 7, tables).unwrap();
    assert_eq!(names(&placed), ["1", "2"]);
    assert_eq!(placed.tables[0].nodes[0].id, "board-1");
    assert_eq!(placed.tables[1].nodes.len(), 1);
    let words = &placed.placing.refused;
    assert!(words.contains("table 1") && words.contains("node board-1"), "{words}");
    assert!(!words.contains("board-2"), "{words}");
}

#[test]
fn what_cannot_be_followed_is_refused_and_the_former_places_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = file(folder.path());
    let config = Config::parse(&file, &text).unwrap();
    let good = table("2", vec![node("board-2", Board::A)]);
    let placed = keep(&config, 7, vec![good.clone()]).unwrap();
    for (wrong, words) in [
        (table("2", vec![node("clock-2", Board::A)]), "no node of kind"),
        (
            table("2", vec![node("board-2", Board::A), node("board-3", Board::A)]),
            "claims the place",
        ),
        (table("2", vec![node("no id!", Board::A)]), "not a node's id"),
        (table("a b", vec![node("board-2", Board::A)]), "not usable as a name"),
        (PlacedTable { rulebook: "nc-blitz".into(), ..good.clone() }, "rulebook"),
        (PlacedTable { periods: Vec::new(), ..good.clone() }, "no period"),
        (PlacedTable { game: 9, ..good.clone() }, "unknown game"),
        (PlacedTable { increment_ms: 1_500, ..good.clone() }, "no whole seconds"),
        (
            table("2", vec![PlacedNode { sensor: "radar".into(), ..node("board-2", Board::A) }]),
            "radar",
        ),
    ] {
        let refused = keep(&placed, 8, vec![wrong]).unwrap_err().to_string();
        assert!(refused.contains(words), "{words}: {refused}");
    }
    assert_eq!(Config::parse(&file, &text).unwrap(), placed);
}

#[test]
fn places_that_a_changed_file_contradicts_do_not_keep_a_hub_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = file(folder.path());
    let config = Config::parse(&file, &text).unwrap();
    keep(&config, 7, vec![table("2", vec![node("board-2", Board::A), node("clock-2", Board::A)])])
        .unwrap();
    // The board has gone into the file; a clock alone remains of the desk's table.
    let moved = text.replace("board-1", "board-2");
    let config = Config::parse(&file, &moved).unwrap();
    assert_eq!((names(&config), config.placing.request), (vec!["1"], 7));
    assert!(config.placing.refused.contains("cannot be used"), "{}", config.placing.refused);
    std::fs::write(folder.path().join("placed.toml"), "request = \"nonsense").unwrap();
    assert_eq!(Config::parse(&file, &text).unwrap().placing.request, 0);
}

#[test]
fn a_hub_that_was_not_accepted_has_no_configuration_yet() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("hub.toml");
    let joining = Joining { state: folder.path().to_owned(), address: None };
    assert_eq!(Config::load_in(&missing, &joining, "").unwrap(), None);
    assert!(Config::load(&missing).is_err());
    let refused = Config::parse(&missing, "[hub]\n").unwrap_err().to_string();
    for words in ["--join", "hub.id", "hub.journal"] {
        assert!(refused.contains(words), "{words}: {refused}");
    }
    let (_, text) = file(folder.path());
    assert_eq!(Config::load_in(&missing, &joining, &text).unwrap().unwrap().hub_id, "hub-1");
}
