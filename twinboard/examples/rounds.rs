//! Rounds as a stream's director sees them: the page updates of eight tables, moment by moment, and the time of each match's decision.
//!
//! Hands play the shipped matches, a hub's sessions follow the sensors, the adjudicator's hall takes their rows; nothing waits for a
//! clock. One file of JSON lines a round: `{"t_ms", "table"}` is a table as it stood from then on, `{"t_ms", "decided"}` the moment at which a
//! match was decided, as the referee knows it in the end. `cargo xtask director` measures the automatic director on them.

use std::{
    collections::BTreeMap,
    io::{BufWriter, Write as _},
    path::PathBuf,
};

use adjudicator::{
    Config,
    hall::Hall,
    log::input::{Input, InputKind},
    views::TableView,
};
use hub::{
    journal_line::Line,
    session::{Session, SessionConfig, SessionOutput},
};
use prost::Message as _;
use proto::mqtt::message::{HubState, Row};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use readings::{ReadingKind, TraceHeader};
use rules::bpgn::{self, BpgnGame};
use sim::{Equipment, Performance, Population, RecordedGame, perform_with};

const TABLES: usize = 8;
/// Tables do not begin at once: the last one so much later.
const START_WITHIN_MS: u64 = 20_000;
/// Begin of the round, Unix milliseconds.
const BEGINS_MS: u64 = 1_700_000_000_000;
/// Time that it is watched after its last reading.
const WATCHED_AFTER_MS: u64 = 15_000;
const HUB: &str = "hub";
const USAGE: &str = "usage: rounds FOLDER FIRST_SEED ROUNDS [FILE …]: writes one file of JSON lines for each round, of the shipped matches \
    or of those of BPGN files";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, first, rounds, files @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let games = match files {
        [] => sim::games::shipped(),
        files => read(files)?,
    };
    let (first, rounds): (u64, u64) = (first.parse()?, rounds.parse()?);
    let players: Population = "drawn-scholastic".parse()?;
    std::fs::create_dir_all(folder)?;
    for seed in first..first + rounds {
        let path = PathBuf::from(folder).join(format!("{seed:04}.jsonl"));
        Round::play(&games, seed, players)?.write(&path)?;
        eprintln!("round {seed} of {first} to {}", first + rounds - 1);
    }
    Ok(())
}

/// The matches of files that hands can play.
fn read(files: &[String]) -> Result<Vec<BpgnGame>, Box<dyn std::error::Error>> {
    let mut games = Vec::new();
    for file in files {
        games.extend(bpgn::read(&std::fs::read(file)?).into_iter().filter_map(Result::ok));
    }
    games.retain(|game| RecordedGame::try_from(game).is_ok());
    if games.is_empty() {
        Err("no file holds a match that can be played".into())
    } else {
        Ok(games)
    }
}

/// A round's rows in the order in which they come.
struct Round {
    rows: Vec<(u64, Row)>,
}

impl Round {
    /// Eight matches of these; seeds that follow each other share none until all have been played.
    fn play(
        games: &[BpgnGame],
        seed: u64,
        players: Population,
    ) -> Result<Round, Box<dyn std::error::Error>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut rows = Vec::new();
        for number in 0..TABLES {
            let index = (seed as usize * TABLES + number) % games.len();
            let name = format!("round-{seed}-table-{}", number + 1);
            let hands = players.players(seed, &name);
            let performance =
                perform_with(&games[index], &hands, &Equipment::default(), seed, &name)?;
            let later_us = rng.random_range(0..START_WITHIN_MS) * 1_000;
            rows.extend(reported(&performance, &(number + 1).to_string(), later_us));
        }
        rows.sort_by_key(|&(at_us, _)| at_us);
        for ((_, row), sequence) in rows.iter_mut().zip(1..) {
            row.sequence = sequence;
        }
        Ok(Round { rows })
    }

    /// Applies the rows to the hall, and writes the page updates.
    fn write(&self, path: &std::path::Path) -> std::io::Result<()> {
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        let mut watched = Watched { hall: Hall::new(&Config::default()), told: BTreeMap::new() };
        watched.apply(BEGINS_MS, InputKind::LinkUp, None, Vec::new());
        let state = HubState {
            online: true,
            boot_id: 1,
            tables: (1..=TABLES).map(|table| table.to_string()).collect(),
            ..HubState::default()
        };
        watched.apply(BEGINS_MS, InputKind::HubState, None, state.encode_to_vec());
        let mut last_ms = BEGINS_MS;
        for (at_us, row) in &self.rows {
            last_ms = BEGINS_MS + at_us / 1_000;
            watched.pass_deadlines(last_ms, &mut out)?;
            let row = Row { hub_time_us: last_ms * 1_000, ..row.clone() };
            watched.apply(last_ms, InputKind::Row, None, row.encode_to_vec());
            watched.write_changes(last_ms, &mut out)?;
        }
        watched.pass_deadlines(last_ms + WATCHED_AFTER_MS, &mut out)?;
        watched.write_decisions(last_ms, &mut out)?;
        out.flush()
    }
}

/// A table's rows, each with its time since the round began, microseconds.
fn reported(performance: &Performance, table: &str, later_us: u64) -> Vec<(u64, Row)> {
    let mut session = Session::new(session_config(&performance.header, table));
    let mut rows = Vec::new();
    let readings = performance.readings.iter().filter(|reading| reading.kind != ReadingKind::End);
    for reading in readings {
        session.handle(&Line::Reading(reading.clone()));
        while let Some(output) = session.poll_output() {
            let SessionOutput::Row(row) = output else { continue };
            let at_us = row.at.as_micros() + later_us;
            rows.push((
                at_us,
                Row { table: table.to_owned(), event: Some(row.event), ..Row::default() },
            ));
        }
    }
    rows
}

fn session_config(header: &TraceHeader, table: &str) -> SessionConfig {
    SessionConfig {
        hub_id: table.to_owned(),
        table: table.to_owned(),
        game: header.game,
        rulebook: header.rulebook.parse().expect("a book of ours"),
        time: header.time_control().expect("a time control of ours"),
        boards: header.boards.clone(),
        clocks: true,
        nodes: BTreeMap::new(),
    }
}

struct Watched {
    hall: Hall,
    /// Last update of each table.
    told: BTreeMap<String, String>,
}

impl Watched {
    fn apply(&mut self, at_ms: u64, kind: InputKind, match_id: Option<String>, payload: Vec<u8>) {
        let hub = matches!(kind, InputKind::Row | InputKind::HubState).then(|| HUB.to_owned());
        let id = self.hall.last_input() + 1;
        let input = Input { id, received_ms: at_ms, kind, hub, match_id, payload };
        adjudicator::owner::decode::apply(&mut self.hall, &input);
    }

    /// The referees' deadlines that fall until a time.
    fn pass_deadlines(
        &mut self,
        until_ms: u64,
        out: &mut impl std::io::Write,
    ) -> std::io::Result<()> {
        loop {
            let games = self.hall.games();
            let due = games.iter().filter_map(|game| {
                let next = game.deadline(1.0)?;
                (next.at_ms < until_ms).then_some((next.at_ms, next.match_id, next.t_us))
            });
            let Some((at_ms, id, t_us)) = due.min() else { return Ok(()) };
            self.apply(at_ms, InputKind::Deadline, Some(id), t_us.to_string().into_bytes());
            self.write_changes(at_ms, out)?;
        }
    }

    fn write_changes(&mut self, at_ms: u64, out: &mut impl std::io::Write) -> std::io::Result<()> {
        for table in self.hall.tables().iter() {
            let view = serde_json::to_string(&TableView::of(&self.hall, table))?;
            if self.told.get(&table.name) != Some(&view) {
                writeln!(out, "{{\"t_ms\":{at_ms},\"table\":{view}}}")?;
                self.told.insert(table.name.clone(), view);
            }
        }
        Ok(())
    }

    fn write_decisions(&self, now_ms: u64, out: &mut impl std::io::Write) -> std::io::Result<()> {
        for game in self.hall.games() {
            let Some(proposal) = game.referee().proposal() else { continue };
            let ago_us = game.match_time_us(now_ms, 1.0).saturating_sub(proposal.t_us);
            let line = serde_json::json!({
                "t_ms": now_ms - ago_us / 1_000,
                "decided": { "table": game.table, "by": proposal.reason.name() },
            });
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}
