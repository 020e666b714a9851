//! The recorded readings of a rehearsal: a short game on each board, which ends with mate on board A.

use std::time::Duration;

use hub_core::input::NodeInput;
use hub_core::journal_line::NodeState;
use hub_core::time::after;
use readings::{Reading, ReadingKind, SensorKind, read_trace};
use rules::{BoardId, Game};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::error;

use crate::HubClock;
use crate::config::{Node, NodeKind, TableConfig};
use crate::shared_hub::TableInputs;

/// The recording.
const MATE: &[u8] = include_bytes!("../../recordings/mate.trace.jsonl");
/// Time of each player at the beginning of the recording, milliseconds.
const RECORDED_START_MS: i64 = 300_000;
/// Time between the begin of a rehearsal and the first reading.
const LEAD: Duration = Duration::from_secs(1);
/// Interval at which readings are played.
const PLAY_EVERY: Duration = Duration::from_millis(100);

/// The boards of a table that a rehearsal plays at.
fn boards(table: &TableConfig) -> Vec<BoardId> {
    match table.game {
        Game::Bughouse => table.boards().map(|(board, _)| board).collect(),
        _ => vec![BoardId::A],
    }
}

/// Number of plies that are played on these boards.
#[must_use]
pub fn plies(boards: &[BoardId]) -> usize {
    let of_board = |board: &BoardId| if *board == BoardId::A { 7 } else { 6 };
    boards.iter().map(of_board).sum()
}

/// A table as the recording has it: the nodes are those of the recording, all else is the event's.
pub(super) fn table(table: &TableConfig) -> TableConfig {
    let node = |board, kind| Node {
        board,
        kind,
        sensor: SensorKind::Reed,
        trays: false,
        id: format!("recorded-{kind}-{board}"),
        label: None,
        port: None,
        driver: hub_core::drivers::DriverSettings::Twinboard,
    };
    let nodes = boards(table)
        .into_iter()
        .flat_map(|board| [NodeKind::Board, NodeKind::Clock].map(|kind| node(board, kind)))
        .collect();
    TableConfig { nodes, levers: Vec::new(), ..table.clone() }
}

/// The readings for one table: times of its clocks are those of its own time control.
fn readings(table: &TableConfig) -> Vec<Reading> {
    let boards = boards(table);
    let recorded = match read_trace(MATE) {
        Ok((trace, _)) => trace.readings,
        Err(error) => {
            error!("the recording of this release cannot be read: {error}");
            Vec::new()
        }
    };
    let start_ms = i64::try_from(table.time.start_ms()).unwrap_or(RECORDED_START_MS);
    let shift_ms = start_ms - RECORDED_START_MS;
    let of_table = recorded.into_iter().filter(|it| it.board.is_some_and(|b| boards.contains(&b)));
    of_table
        .map(|mut reading| {
            if let ReadingKind::Clock { white_ms, black_ms, .. } = &mut reading.kind {
                *white_ms = (*white_ms + shift_ms).max(0);
                *black_ms = (*black_ms + shift_ms).max(0);
            }
            reading
        })
        .collect()
}

/// Plays the recording at all tables of a rehearsal.
pub(super) struct Player {
    tables: Vec<(TableConfig, Vec<Reading>)>,
    inputs: TableInputs,
    clock: HubClock,
}

impl Player {
    pub(super) fn new(tables: &[TableConfig], inputs: TableInputs, clock: HubClock) -> Player {
        let tables = tables.iter().map(|table| (table.clone(), readings(table))).collect();
        Player { tables, inputs, clock }
    }

    /// Plays until the end of the recording, then only time passes, until `stop`.
    pub(super) async fn play(mut self, stop: CancellationToken) {
        let start = after(self.clock.now(), LEAD);
        for (table, _) in &self.tables {
            for node in &table.nodes {
                let input = NodeInput::State {
                    node_id: node.id.clone(),
                    board: node.board,
                    at: self.clock.now(),
                    state: NodeState::Connected,
                    detail: String::new(),
                };
                self.give(table, input).await;
            }
        }
        let mut tick = interval(PLAY_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while stop.run_until_cancelled(tick.tick()).await.is_some() {
            let now = self.clock.now();
            let due = |reading: &Reading| start.plus_micros(reading.t_us) <= now;
            for (table, readings) in &mut self.tables {
                let count = readings.iter().take_while(|reading| due(reading)).count();
                let inputs = readings.drain(..count).filter_map(|Reading { t_us, board, kind }| {
                    let readings = vec![(start.plus_micros(t_us), kind)];
                    Some(NodeInput::Readings { board: board?, readings, offset: None })
                });
                let watermarks = table
                    .nodes
                    .iter()
                    .map(|node| NodeInput::Watermark { node_id: node.id.clone(), until: now });
                let Some(to) = self.inputs.get(&table.name) else { continue };
                for input in inputs.chain(watermarks) {
                    // A table that has ended takes nothing more.
                    drop(to.send(input).await);
                }
            }
        }
    }

    async fn give(&self, table: &TableConfig, input: NodeInput) {
        if let Some(to) = self.inputs.get(&table.name) {
            drop(to.send(input).await);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_recording_is_whole_and_its_plies_are_counted() {
        let (trace, errors) = read_trace(MATE).unwrap();
        assert!(errors.is_empty(), "{errors:?}");
        assert!(trace.readings.is_sorted_by_key(|reading| reading.t_us));
        let presses = |reading: &&Reading| matches!(reading.kind, ReadingKind::Press { .. });
        let boards: BTreeSet<_> = trace.readings.iter().filter_map(|it| it.board).collect();
        // The first press on each board starts the clock.
        assert_eq!(
            trace.readings.iter().filter(presses).count() - boards.len(),
            plies(&BoardId::ALL)
        );
    }
}
