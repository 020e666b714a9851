//! Latency from the lever of a clock to the public event of the ply: nodes at serial devices, a hub with its journal, the adjudicator's own broker, and a viewer at each table.

use std::{collections::BTreeMap, path::Path, time::Duration};

use futures::StreamExt as _;
use hub::HubClock;
use readings::TruthLine;
use serde_json::Value;
use sim::real_time::{Hall, HallConfig, HallMatch};
use tokio::{sync::mpsc, task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{
    Outcome,
    figures::Figures,
    machine::Machine,
    program::{Program, Setting},
    times::Times,
};

#[path = "../../../tests/support/quick_games.rs"]
mod quick_games;
#[path = "../../../tests/support/simulated_hall.rs"]
mod simulated_hall;

/// Plies of each match, and how long players think.
const PLIES: usize = 40;
const THINK_MS: i64 = 700;
/// From opening the hall to the first hand.
const LEAD_IN: Duration = Duration::from_secs(5);
/// Longest wait for matches to be there, and for the last plies.
const PATIENCE: Duration = Duration::from_secs(30);

/// A ply at a table, by its board and its number there, and when it was shown for the first time, in the hall's time.
struct ShownPly {
    table: usize,
    board: String,
    index: usize,
    at_us: u64,
}

/// Plays matches at the tables and measures how long plies take.
pub(crate) async fn to_public_event(binary: &Path, figures: &Figures) -> Outcome<()> {
    let (folder, tables) = (tempfile::tempdir()?, figures.tables);
    let server = Program::start(binary, folder.path(), &Setting::default()).await?;
    let hall = Hall::start(HallConfig {
        games: quick_games::quick_games(tables, PLIES, THINK_MS),
        profile: sim::Profile::Ideal,
        trays: false,
        seed: 1,
        speed: 1.0,
        tables,
        device_folder: folder.path().to_owned(),
        lead_in: LEAD_IN,
    })?;
    let opened = Instant::now() - Duration::from_micros(hall.now_us());
    let text = simulated_hall::hub_configuration(&hall, folder.path(), server.port);
    let config = hub::Config::parse(&folder.path().join("hub.toml"), &text)?;
    let stop = CancellationToken::new();
    let hub = tokio::spawn(hub::run(config, HubClock::real(), stop.clone()));
    let (sender, mut shown) = mpsc::unbounded_channel();
    let mut viewers = JoinSet::new();
    for table in 1..=tables {
        viewers.spawn(watch(server.http.clone(), table, opened, sender.clone()));
    }
    drop(sender);
    let pressed: BTreeMap<usize, BTreeMap<(String, usize), u64>> =
        hall.matches().iter().map(|one| (one.table, presses(one))).collect();
    let count: usize = pressed.values().map(BTreeMap::len).sum();
    let machine = Machine::watch(folder.path())?;
    let (mut times, mut before) = (Times::default(), 0);
    let mut seen = 0;
    let deadline = Instant::now()
        + PATIENCE
        + Duration::from_micros(hall.matches().iter().map(|one| one.end_us).max().unwrap_or(0));
    while seen < count {
        let ShownPly { table, board, index, at_us } =
            tokio::time::timeout_at(deadline, shown.recv())
                .await
                .map_err(|_| format!("only {seen} of {count} plies were shown"))?
                .ok_or("the viewers are gone")?;
        let Some(&pressed_us) = pressed.get(&table).and_then(|of| of.get(&(board, index))) else {
            continue;
        };
        seen += 1;
        match at_us.checked_sub(pressed_us) {
            Some(time_us) => times.add(Duration::from_micros(time_us)),
            None => before += 1,
        }
    }
    figures.times("lever to public event", &times)?;
    figures.keep("plies before their lever, not counted", "plies", before)?;
    machine.report(figures).await?;
    viewers.shutdown().await;
    stop.cancel();
    hub.await??;
    server.stop().await
}

/// Time of each ply's completion, in the hall's time, by board and number there.
fn presses(one: &HallMatch) -> BTreeMap<(String, usize), u64> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let plies = one.truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some((ply.board.to_string(), one.begin_us + ply.t_us)),
        TruthLine::Anomaly(_) => None,
    });
    plies
        .map(|(board, at_us)| {
            let count = counts.entry(board.clone()).or_default();
            *count += 1;
            ((board, *count - 1), at_us)
        })
        .collect()
}

/// Tells every ply of a table that is shown, as soon as it is.
async fn watch(
    http: String,
    table: usize,
    opened: Instant,
    shown: mpsc::UnboundedSender<ShownPly>,
) -> Outcome<()> {
    let name = table.to_string();
    let deadline = Instant::now() + PATIENCE;
    let id = loop {
        let round: Value = reqwest::get(format!("{http}/api/v1/round")).await?.json().await?;
        let known = round["tables"].as_array().into_iter().flatten();
        let known = known.filter(|one| one["table"] == name.as_str());
        if let Some(id) = known.filter_map(|one| one["match"].as_str()).next() {
            break id.to_owned();
        }
        if Instant::now() > deadline {
            return Err(format!("there is no match at table {table}").into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let answer = reqwest::get(format!("{http}/api/v1/live?match={id}&last_event_id=0")).await?;
    let (mut body, mut unread) = (answer.error_for_status()?.bytes_stream(), Vec::new());
    let mut most: BTreeMap<String, usize> = BTreeMap::new();
    let mut plies: Vec<Value> = Vec::new();
    while let Some(part) = body.next().await {
        let at_us = u64::try_from(opened.elapsed().as_micros())?;
        unread.extend_from_slice(&part?);
        while let Some(end) = unread.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = unread.drain(..end + 2).collect();
            let event = String::from_utf8_lossy(&event);
            let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
            if field("event: ") != Some("plies") {
                continue;
            }
            let data: Value = serde_json::from_str(field("data: ").unwrap_or_default())?;
            plies.truncate(data["from"].as_u64().unwrap_or_default() as usize);
            plies.extend(data["plies"].as_array().cloned().unwrap_or_default());
            for board in ["A", "B"] {
                let count = plies.iter().filter(|ply| ply["board"] == board).count();
                let most = most.entry(board.to_owned()).or_default();
                for index in *most..count {
                    shown.send(ShownPly { table, board: board.to_owned(), index, at_us })?;
                }
                *most = count.max(*most);
            }
        }
    }
    Ok(())
}
