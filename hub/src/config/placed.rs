//! Tables and places of nodes that the directors' desk has given to this hub: `placed.toml` beside the journal.
//!
//! The file has the form of a hub's configuration and passes the same checks. The configuration wins: its tables and nodes are left out
//! of the desk's, and the desk is notified.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use proto::mqtt::message::{DelayKind, Game, PlaceNodes, PlacedNode, PlacedTable};
use readings::SensorKind;
use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Serialize};
use tracing::error;

use super::{Config, ConfigError, NodeKind, Placing, raw};

const FILE: &str = "placed.toml";
/// A file larger than this is none of ours.
const FILE_BYTES_MAX: u64 = 262_144;

/// The desk's tables.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The request that brought them.
    request: u64,
    #[serde(default)]
    table: Vec<raw::RawTable>,
}

/// Reason why the desk's tables cannot be used, in words for directors.
#[derive(Debug, thiserror::Error)]
pub enum PlacedError {
    /// A field of the message.
    #[error("the adjudicator sent {0}: are hub and adjudicator of one release?")]
    Message(String),
    /// The checks of a configuration.
    #[error("{0}")]
    Config(String),
    /// The file.
    #[error("{}: {source}: free space on the disk, or make the folder writable, and place the nodes again", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Placed {
    /// Reads a message of the adjudicator.
    ///
    /// # Errors
    ///
    /// A field cannot be used.
    pub fn of(message: PlaceNodes) -> Result<Placed, PlacedError> {
        let table = message.tables.into_iter().map(table).collect::<Result<_, _>>()?;
        Ok(Placed { request: message.request, table })
    }

    /// Checks the tables together with the text of a configuration and writes the file. Returns the configuration with them.
    ///
    /// # Errors
    ///
    /// They cannot be used, or not be written. The former file stays.
    pub fn keep(self, config: &Config) -> Result<Config, PlacedError> {
        let refuse = |error: ConfigError| PlacedError::Config(error.to_string());
        let checked = Config::combine(&config.source, Some(self.clone())).map_err(refuse)?;
        let left_out = checked.left_out.iter().flat_map(|it| &it.problems).map(ToString::to_string);
        let refused: Vec<String> = Some(checked.placing.refused.clone())
            .filter(|words| !words.is_empty() && checked.placing.tables.is_empty())
            .into_iter()
            .chain(left_out)
            .collect();
        if !refused.is_empty() {
            return Err(PlacedError::Config(refused.join("; ")));
        }
        let (file, text) = (beside(&config.journal), toml::to_string(&self));
        let text = text.map_err(|error| PlacedError::Message(error.to_string()))?;
        match crate::ports::write_whole(&file, &text) {
            Ok(()) => Ok(checked),
            Err(source) => Err(PlacedError::File { file, source }),
        }
    }

    /// Adds the tables to those of a file, but for tables and nodes that the file has itself.
    pub(super) fn join(self, raw: &mut raw::RawConfig) -> Placing {
        let names: BTreeSet<String> = raw.table.iter().map(|table| table.name.clone()).collect();
        let nodes: BTreeSet<String> =
            raw.table.iter().flat_map(|table| &table.node).map(|node| node.node.clone()).collect();
        let (mut placing, mut wins) =
            (Placing { request: self.request, ..Placing::default() }, Vec::new());
        for mut table in self.table {
            if names.contains(&table.name) {
                wins.push(format!("table {}", table.name));
                continue;
            }
            let mine = |node: &raw::RawNode| nodes.contains(&node.node);
            wins.extend(
                table
                    .node
                    .iter()
                    .filter(|node| mine(node))
                    .map(|node| format!("node {}", node.node)),
            );
            table.node.retain(|node| !mine(node));
            placing.tables.insert(table.name.clone());
            raw.table.push(table);
        }
        if !wins.is_empty() {
            placing.refused = format!(
                "the hub's own configuration has {}, and that holds: change it there, or remove it from there and place it again",
                wins.join(", ")
            );
        }
        placing
    }
}

fn table(table: PlacedTable) -> Result<raw::RawTable, PlacedError> {
    let refuse = |what: &str| PlacedError::Message(format!("{what} for table {}", table.name));
    let seconds = |ms: u32, what: &str| match ms.is_multiple_of(1_000) {
        true => Ok(i64::from(ms / 1_000)),
        false => Err(refuse(what)),
    };
    let game = match Game::try_from(table.game) {
        Ok(Game::Bughouse) => "bughouse",
        Ok(Game::Chess) => "chess",
        _ => return Err(refuse("an unknown game")),
    };
    let delay = match DelayKind::try_from(table.delay) {
        Ok(DelayKind::Bronstein) => Some(rules::DelayKind::Bronstein),
        _ => None,
    };
    let period = |period: &proto::mqtt::message::Period| {
        let moves = (period.moves != 0).then(|| i64::from(period.moves));
        Ok(raw::Period { base_s: seconds(period.base_ms, "a period of no whole seconds")?, moves })
    };
    Ok(raw::RawTable {
        game: Some(game.to_owned()),
        rulebook: table.rulebook.clone(),
        periods: Some(table.periods.iter().map(period).collect::<Result<_, _>>()?),
        increment_s: Some(seconds(table.increment_ms, "an increment of no whole seconds")?),
        delay_s: Some(seconds(table.delay_ms, "a delay of no whole seconds")?),
        delay,
        node: table.nodes.iter().map(node).collect::<Result<_, _>>()?,
        name: table.name,
        ..raw::RawTable::default()
    })
}

fn node(node: &PlacedNode) -> Result<raw::RawNode, PlacedError> {
    let board = match node.board {
        1 => "A",
        2 => "B",
        other => {
            return Err(PlacedError::Message(format!("board {other} for node {}", node.node_id)));
        }
    };
    let sensor = match node.sensor.as_str() {
        "" => None,
        word => {
            let read = SensorKind::deserialize(word.into_deserializer());
            let refuse =
                |_: serde::de::value::Error| PlacedError::Message(format!("sensor {word:?}"));
            Some(read.map_err(refuse)?)
        }
    };
    let kind = if sensor.is_some() { NodeKind::Board } else { NodeKind::Clock };
    Ok(raw::RawNode::placed(node.node_id.clone(), board, kind, sensor, node.trays))
}

/// Reads the file beside a journal. One that cannot be read is reported, and does not count.
pub(super) fn read(journal: &Path) -> Option<Placed> {
    let file = beside(journal);
    let read = std::fs::metadata(&file).and_then(|about| match about.len() {
        0..=FILE_BYTES_MAX => std::fs::read_to_string(&file),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "too large")),
    });
    match read.map(|text| toml::from_str(&text)) {
        Ok(Ok(placed)) => return Some(placed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Ok(Err(problem)) => {
            error!("{}: {problem}: place the nodes again at the desk", file.display())
        }
        Err(problem) => error!("{}: {problem}: place the nodes again at the desk", file.display()),
    }
    None
}

fn beside(journal: &Path) -> PathBuf {
    journal.with_file_name(FILE)
}
