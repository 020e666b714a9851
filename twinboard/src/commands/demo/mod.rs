//! `twinboard demo`: a simulated hall, live in the browser, and how right its records were.
//!
//! Everything is real but the hands: the nodes' firmware talks over serial devices to a hub, the hub
//! over a broker to an adjudicator, and that to the browser. All of them run in this process.

mod comparison;
mod settings;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use hub::HubClock;
use rules::bpgn::{self, BpgnGame};
use sim::{
    Sensors,
    hall::{Hall, HallConfig},
};
use tokio_util::sync::CancellationToken;

use self::{comparison::Comparison, settings::Settings};
use super::sim::Players;
use crate::{diagnostics, files, progress, shell};

/// Real time from opening the hall to the first set-up pieces: hub and nodes find each other.
const LEAD_IN: Duration = Duration::from_secs(2);
/// How often the progress bar moves.
const TICK: Duration = Duration::from_millis(500);
/// How long the records may take to arrive after the last match, real time.
const ARRIVAL_MAX: Duration = Duration::from_secs(30);

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many tables, 1 to 16.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    tables: u8,
    /// BPGN file with the games to play; without it, some of the games that are shipped.
    #[arg(long)]
    games: Option<PathBuf>,
    /// How many matches each table plays, one after the other.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=50))]
    matches: u8,
    /// What the boards' squares can tell.
    #[arg(long, default_value = "reed")]
    sensor: Sensors,
    /// Every board has reserve trays with sensed slots.
    #[arg(long)]
    trays: bool,
    /// How the players handle pieces and clock.
    #[arg(long, value_enum, default_value_t = Players::Club)]
    players: Players,
    /// How many times as fast as real time, up to 100.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Address of the pages. 0.0.0.0:8080 shows them to the whole network, port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8080")]
    http: SocketAddr,
    /// Folder for the records, the journal and the database; without it, a new temporary one.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Plays the matches, compares the records with the truth, and keeps the pages up until a signal.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    diagnostics::start("warn");
    let settings = Settings::prepare(arguments.out.clone(), arguments.http, arguments.speed)?;
    let games = choose_games(arguments)?;
    shell::run(|shutdown| show(arguments, settings, games, shutdown))
}

/// As many games as the tables play, chosen by the seed from the file or the shipped ones.
fn choose_games(arguments: &Arguments) -> Result<Vec<BpgnGame>> {
    let wanted = usize::from(arguments.tables) * usize::from(arguments.matches);
    let all = match &arguments.games {
        Some(path) => read_matches(path)?,
        None => sim::games::shipped(),
    };
    // A given file is played from its beginning; of the shipped games each seed shows others.
    let first = match arguments.games {
        Some(_) => 0,
        None => {
            usize::try_from(arguments.seed.wrapping_sub(1) % 1_000_003).unwrap_or(0) * wanted
                % all.len().max(1)
        }
    };
    Ok(all.iter().cycle().skip(first).take(wanted.min(all.len())).cloned().collect())
}

/// The matches of a BPGN file; says which cannot be read.
fn read_matches(path: &Path) -> Result<Vec<BpgnGame>> {
    let read = bpgn::read(&files::read(path)?).into_iter();
    let matches: Vec<BpgnGame> = read
        .filter_map(|game| game.inspect_err(|error| eprintln!("{}: {error}", path.display())).ok())
        .collect();
    if matches.is_empty() {
        bail!("{} holds no readable match: is it a BPGN file?", path.display());
    }
    Ok(matches)
}

async fn show(
    arguments: &Arguments,
    settings: Settings,
    games: Vec<BpgnGame>,
    shutdown: CancellationToken,
) -> Result<()> {
    let adjudicator_stop = CancellationToken::new();
    let running = adjudicator::start(settings.adjudicator(), adjudicator_stop.clone())
        .await
        .context("the adjudicator did not start; --http chooses another address")?;
    let broker = running.mqtt_address.context("the embedded broker has no address")?;
    println!(
        "open http://{}  ({} tables, {:?} players, Ctrl-C ends)",
        running.http_address, arguments.tables, arguments.players
    );
    let config = HallConfig {
        games,
        profile: arguments.players.into(),
        trays: arguments.trays,
        seed: arguments.seed,
        speed: arguments.speed,
        tables: usize::from(arguments.tables),
        device_folder: settings.devices(),
        lead_in: LEAD_IN,
    };
    let hall = Hall::start_with(config, arguments.sensor)?;
    let clock = HubClock::accelerated(arguments.speed, std::time::SystemTime::now());
    let hub_stop = CancellationToken::new();
    let hub = tokio::spawn(hub::run(
        settings.hub(&hall, broker, arguments.trays)?,
        clock,
        hub_stop.clone(),
    ));
    let played = tokio::select! {
        () = shutdown.cancelled() => false,
        () = watch(&hall) => true,
    };
    if played {
        let comparison = settled(&settings, &running, &hall, &shutdown).await?;
        print!("\n{comparison}");
        comparison.write_records(&settings.records())?;
        println!(
            "records in {}\nthe pages stay up at http://{} until Ctrl-C",
            settings.records().display(),
            running.http_address
        );
        shutdown.cancelled().await;
    }
    hub_stop.cancel();
    hub.await.context("the hub did not stop well")?.context("the hub stopped")?;
    adjudicator_stop.cancel();
    running.wait().await;
    settings.clean_up(played)
}

/// Waits until the last match is over and shows how far it is.
async fn watch(hall: &Hall) {
    let bar = progress::over_matches(hall.matches().len(), "playing");
    let mut tick = tokio::time::interval(TICK);
    let finished = hall.finished();
    tokio::pin!(finished);
    loop {
        tokio::select! {
            () = &mut finished => break,
            _ = tick.tick() => {
                let now_us = hall.now_us();
                let over = hall.matches().iter().filter(|one| one.end_us <= now_us).count();
                bar.set_position(over as u64);
            }
        }
    }
    bar.finish_and_clear();
}

/// The records once all matches have ended at the adjudicator too, or what is there when time is up.
async fn settled(
    settings: &Settings,
    running: &adjudicator::Running,
    hall: &Hall,
    shutdown: &CancellationToken,
) -> Result<Comparison> {
    let mut waited = Duration::ZERO;
    while running.matches_over() < hall.matches().len()
        && waited < ARRIVAL_MAX
        && !shutdown.is_cancelled()
    {
        tokio::time::sleep(TICK).await;
        waited += TICK;
    }
    let text =
        adjudicator::export::export(&settings.adjudicator(), adjudicator::records::Format::Bpgn)
            .await?;
    Ok(Comparison::new(hall.matches(), bpgn::read(text.as_bytes())))
}
