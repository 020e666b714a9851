//! How long a row takes in the fold of a hall with few tables and with many: alone, with a snapshot for readers after each row, and with
//! one after each group.
//!
//! `cargo bench -p adjudicator --bench rows`. The throughput line is per row. A group of rows is what one commit brings under load.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use adjudicator::{
    Config,
    hall::Hall,
    log::input::{Input, InputKind},
    owner::decode,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prost::Message as _;
use proto::mqtt::message::{
    Board, BoardSetup, MatchOpened, MatchState, MatchStateChanged, PlyReported, Row, Side, Stage,
    row::Event,
};

const TABLES: [usize; 2] = [50, 500];
/// Tables of a hub.
const TABLES_OF_HUB: usize = 16;
/// Plies of each match before it is measured, and meanwhile.
const PLIES_BEFORE: u32 = 40;
const PLIES: u32 = 8;
/// Rows of a group under load.
const GROUP: usize = 16;
/// Microseconds of match time between plies.
const PLY_US: u64 = 2_000_000;
const BEGAN_US: u64 = 1_780_000_000_000_000;

/// Moment at which readers get a snapshot.
#[derive(Clone, Copy)]
enum Snapshots {
    Never,
    After(usize),
}

/// The log of a hall in play.
struct Log {
    tables: usize,
    inputs: u64,
}

impl Log {
    fn row(&mut self, table: usize, t_us: u64, event: Event) -> Input {
        self.inputs += 1;
        let hub_time_us = BEGAN_US + t_us;
        let row = Row {
            sequence: self.inputs,
            hub_time_us,
            table: table.to_string(),
            event: Some(event),
        };
        Input {
            id: self.inputs,
            received_ms: hub_time_us / 1_000,
            kind: InputKind::Row,
            hub: Some(format!("hub-{}", table / TABLES_OF_HUB)),
            match_id: Some(format!("m{table}")),
            payload: row.encode_to_vec(),
        }
    }

    fn opened(&mut self) -> Vec<Input> {
        let board = |board: Board| BoardSetup { board: board as i32, sensor: "reed".to_owned() };
        let mut inputs = Vec::new();
        for table in 0..self.tables {
            let match_id = format!("m{table}");
            let opened = MatchOpened {
                match_id: match_id.clone(),
                rulebook: "us-chess-bughouse-2018".to_owned(),
                base_ms: 300_000,
                boards: vec![board(Board::A), board(Board::B)],
                ..MatchOpened::default()
            };
            inputs.push(self.row(table, 0, Event::MatchOpened(opened)));
            let state = MatchState::Playing as i32;
            let playing = MatchStateChanged { match_id, state, t_us: 0 };
            inputs.push(self.row(table, 0, Event::MatchStateChanged(playing)));
        }
        inputs
    }

    /// The ply of a number at every table.
    fn plies(&mut self, number: u32) -> Vec<Input> {
        const ROUND: [&str; 8] = ["g1f3", "g8f6", "b1c3", "b8c6", "f3g1", "f6g8", "c3b1", "c6b8"];
        let (tables, t_us) = (self.tables, u64::from(number + 1) * PLY_US);
        let ply = |table: usize| PlyReported {
            match_id: format!("m{table}"),
            ply_id: number,
            stage: Stage::Live as i32,
            board: Board::A as i32,
            side: if number.is_multiple_of(2) { Side::White } else { Side::Black } as i32,
            t_us,
            uci: ROUND[number as usize % ROUND.len()].to_owned(),
            p: 0.99,
            legal: true,
            ..PlyReported::default()
        };
        (0..tables).map(|table| self.row(table, t_us, Event::PlyReported(ply(table)))).collect()
    }
}

/// The time of the measured rows of a hall with so many tables.
fn measured(tables: usize, snapshots: Snapshots) -> Duration {
    let mut log = Log { tables, inputs: 0 };
    let mut hall = Hall::new(&Config::default(), 0);
    log.opened().iter().for_each(|input| decode::apply(&mut hall, input));
    for number in 0..PLIES_BEFORE {
        log.plies(number).iter().for_each(|input| decode::apply(&mut hall, input));
    }
    let rows: Vec<Input> =
        (PLIES_BEFORE..PLIES_BEFORE + PLIES).flat_map(|number| log.plies(number)).collect();
    let mut shown = Arc::new(hall.clone());
    if matches!(snapshots, Snapshots::Never) {
        shown = Arc::new(Hall::new(&Config::default(), 0));
    }
    let began = Instant::now();
    for (at, input) in rows.iter().enumerate() {
        decode::apply(&mut hall, input);
        if let Snapshots::After(rows) = snapshots
            && (at + 1).is_multiple_of(rows)
        {
            shown = Arc::new(hall.clone());
        }
    }
    let took = began.elapsed();
    assert_eq!(hall.refused(), 0);
    black_box((shown, hall));
    took
}

fn rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rows");
    for tables in TABLES {
        group.throughput(Throughput::Elements(tables as u64 * u64::from(PLIES)));
        for (name, snapshots) in [
            ("alone", Snapshots::Never),
            ("a snapshot each", Snapshots::After(1)),
            ("a snapshot for a group", Snapshots::After(GROUP)),
        ] {
            group.bench_with_input(BenchmarkId::new(name, tables), &tables, |bencher, &tables| {
                bencher.iter_custom(|times| (0..times).map(|_| measured(tables, snapshots)).sum());
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = rows
}
criterion_main!(benches);
