//! The longest pause of a hall: rows one after the other, while everything is asked for that takes long.

use std::{
    path::Path,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use crate::{
    Outcome,
    figures::Figures,
    hub::{Counts, LoadHub, Offer},
    machine::Machine,
    peak,
    program::{Program, Setting, TOKEN},
    rows::Hub,
    times::Times,
    viewers,
};

/// Tables at which the archive was played, and matches of each.
const TABLES: usize = 20;
const MATCHES: usize = 50;
/// Delays of the public, each of a section. With the hall's own they are the eight that a configuration may have.
const DELAYS_S: [u32; 7] = [1, 5, 10, 30, 60, 120, 300];
/// Rows of the largest list of players that an event takes.
const PLAYERS: usize = 5_000;
/// Directors' phones, and nodes of which their list tells that something is the matter.
const PHONES: usize = 4;
const NEEDS: usize = 300;
/// Pause between two rows.
const BETWEEN_ROWS: Duration = Duration::from_millis(10);

/// Requests of strangers, one after the other.
const PATHS: [&str; 14] = [
    "/",
    "/table/1",
    "/nothing",
    "/healthz",
    "/api/v1/round",
    "/api/v1/matches",
    "/api/v1/matches/hub-0-0-1",
    "/api/v1/matches/hub-0-0-1.bpgn",
    "/api/v1/matches/hub-0-0-1.replay.html",
    "/api/v1/event",
    "/api/v1/event.bpgn",
    "/api/v1/standings?section=x",
    "/api/v1/td/needs",
    "/api/v1/td/live",
];

/// Measures rows in a hall that has played a thousand matches, before and while everything is asked for.
pub(crate) async fn longest(binary: &Path, span: Duration, figures: &Figures) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let setting = Setting { tables: TABLES, delays_s: DELAYS_S.to_vec(), ..Setting::default() };
    let program = Program::start(binary, folder.path(), &setting).await?;
    play_the_archive(&program).await?;
    let mut hub = Hub::connect(program.port);
    let mut sequence = 0;
    for node in 0..NEEDS {
        sequence += 1;
        hub.measure_trouble(sequence, node).await?;
    }
    let quiet = rows(&mut hub, &mut sequence, span).await?;
    figures.times("row to acknowledgement, nothing asked for", &quiet)?;
    let (lists, mut phones) = viewers::directors(&program.http, PHONES, &[]);
    let mut asking = everything(&program.http);
    let machine = Machine::watch(folder.path())?;
    let before = program.usage()?;
    let busy = rows(&mut hub, &mut sequence, span).await?;
    let after = program.usage()?;
    figures.times("row to acknowledgement, everything asked for", &busy)?;
    let cores = after.cores_since(before);
    figures.keep("processors", "cores", format_args!("{cores:.2}"))?;
    figures.keep("memory", "MB", after.memory_bytes / 1_000_000)?;
    let lists = std::mem::take(&mut *lists.lock().unwrap_or_else(PoisonError::into_inner));
    figures.times("a director's list of 300", &lists)?;
    machine.report(figures).await?;
    if let Some(ended) = asking.try_join_next() {
        ended??;
    }
    asking.shutdown().await;
    phones.shutdown().await;
    program.stop().await
}

async fn play_the_archive(program: &Program) -> Outcome<()> {
    let counts = Arc::new(Counts::default());
    let offer = Offer::Archive(MATCHES);
    let hub = LoadHub::new(0, 0..TABLES, program.port, offer, Instant::now(), counts)?;
    let mut hubs = JoinSet::new();
    hubs.spawn(hub.run());
    peak::drained(&mut hubs).await
}

/// Sends rows for some time.
async fn rows(hub: &mut Hub, sequence: &mut u64, span: Duration) -> Outcome<Times> {
    let (begun, mut times) = (Instant::now(), Times::default());
    while begun.elapsed() < span {
        tokio::time::sleep(BETWEEN_ROWS).await;
        *sequence += 1;
        times.add(hub.measure(*sequence).await?);
    }
    Ok(times)
}

/// Sends all requests again and again: archives, every path, and two previews of a large file at once.
fn everything(http: &str) -> JoinSet<Outcome<()>> {
    let mut asking = JoinSet::new();
    let mut again = |paths: &'static [&'static str]| {
        let http = http.to_owned();
        asking.spawn(async move {
            let client = reqwest::Client::new();
            for path in paths.iter().cycle() {
                let asked =
                    client.get(format!("{http}{path}")).header("cookie", "twinboard-td=1.x");
                asked.send().await?.bytes().await?;
            }
            Ok(())
        });
    };
    again(&["/api/v1/event.zip"]);
    again(&PATHS);
    again(&PATHS);
    let players: String =
        (0..PLAYERS).map(|it| format!("Open,Player {it},Club {}\n", it % 90)).collect();
    let file = format!("Section,Player,Club\n{players}");
    for _ in 0..2 {
        let (http, file) = (http.to_owned(), file.clone());
        asking.spawn(async move {
            let client = reqwest::Client::new();
            loop {
                let url = format!(
                    "{http}/api/v1/td/event/preview?kind=players&rulebook=nc-scholastic&rounds=5"
                );
                let sent = client.post(url).bearer_auth(TOKEN).body(file.clone());
                sent.send().await?.error_for_status()?.bytes().await?;
            }
        });
    }
    asking
}
