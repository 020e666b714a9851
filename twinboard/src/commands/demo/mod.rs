//! `twinboard demo`: a simulated hall, live in the browser, and how right its records were.
//!
//! Without other wishes the tables play an event: rounds that a simulated director pairs and confirms, until somebody ends it.
//!
//! Everything is real but the hands: the nodes' firmware talks over serial devices to a hub, the hub
//! over a broker to an adjudicator, and that to the browser. All of them run in this process, but for an adjudicator that is rehearsed with.

mod claims;
mod comparison;
mod director;
mod games;
mod record;
mod served;
mod settings;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use adjudicator::{
    export,
    views::records::{Format, Which},
};
use anyhow::{Context, Result};
use hub::HubClock;
use rules::Game;
use sim::{
    RecordedGame, Sensors,
    real_time::{Hall, HallConfig, HallMatch},
};
use tokio_util::sync::CancellationToken;

use self::{
    claims::{Claiming, Claims},
    comparison::Comparison,
    director::Director,
    served::Served,
    settings::Settings,
};
use super::sim::Players;
use crate::{
    diagnostics,
    invite::{Invitation, Whom},
    progress, shell,
    stdout::{print, print_line},
};

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
    /// The game at all tables; if neither this nor --chess-tables says it, that of the games given, else bughouse.
    #[arg(long, conflicts_with = "chess_tables")]
    game: Option<Game>,
    /// How many of the tables, the last ones, play chess while the others play bughouse.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=16))]
    chess_tables: u8,
    /// File with the games to play, BPGN of bughouse or PGN of chess; may be given for both. Without it, some of the games that
    /// are shipped. The clocks of a chess table are set as its first game says.
    #[arg(long, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// How many matches each table plays, one after the other, for a comparison of the records with what was played. Without it, and
    /// without --config, the tables play an event in rounds until Ctrl-C: a simulated director pairs them and confirms the results.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=50))]
    matches: Option<u8>,
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
    /// Rehearse with the adjudicator that `twinboard serve --config FILE` runs on this machine, its event, books and people. Its
    /// http.clock_rate must be --speed, and its database new.
    #[arg(long, value_name = "FILE", conflicts_with = "http")]
    config: Option<PathBuf>,
    /// Rehearse on a copy of the event's database, as often as you like: it stays as it is. Stop `twinboard serve` before; paired phones find
    /// the rehearsal at the same address.
    #[arg(long, requires = "config")]
    copy: bool,
    /// What players claim of the wrongs that are done to them.
    #[arg(long, value_enum, default_value_t = Claiming::Mostly)]
    claims: Claiming,
    /// Folder for the records, the journal and the database; without it, a new temporary one.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Arguments {
    /// Whether the tables play an event in rounds.
    fn is_event(&self) -> bool {
        self.matches.is_none() && self.config.is_none()
    }

    /// How many matches each table plays.
    fn matches_each(&self) -> u8 {
        self.matches.unwrap_or(if self.is_event() { director::ROUNDS } else { 1 })
    }
}

/// Plays the matches, compares the records with the truth, and keeps the pages up until a signal.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    // The records are written in two notations, one for each game: neither has to say that it leaves out the other.
    diagnostics::start("warn,adjudicator::outlets::export=error");
    let settings = Settings::prepare(arguments.out.clone(), arguments.http, arguments.speed)?;
    let tables = games::choose(arguments)?;
    shell::run(|shutdown| show(arguments, settings, tables, shutdown))
}

async fn show(
    arguments: &Arguments,
    settings: Settings,
    tables: Vec<Vec<RecordedGame>>,
    shutdown: CancellationToken,
) -> Result<()> {
    let served = match &arguments.config {
        Some(file) if arguments.copy => Served::start_on_copy(file, &settings).await?,
        Some(file) => Served::find(file, arguments.speed).await?,
        None => Served::start(&settings).await?,
    };
    print_line(format_args!(
        "open http://{}  ({} tables, {:?} players, Ctrl-C ends)",
        served.http, arguments.tables, arguments.players
    ))?;
    let whom = Whom {
        person: "Director".to_owned(),
        rank: "chief",
        sections: Vec::new(),
        tables: Vec::new(),
    };
    let invitation = Invitation::ask(served.http, &served.token, &whom).await?;
    let address = invitation.url(served.http);
    print_line(format_args!("a director's phone:\n{}", invitation.text(&address)?))?;
    let config = HallConfig {
        games: Vec::new(),
        profile: arguments.players.into(),
        trays: arguments.trays,
        seed: arguments.seed,
        speed: arguments.speed,
        tables: 0,
        device_folder: settings.devices(),
        lead_in: LEAD_IN,
    };
    let hall = if arguments.is_event() {
        Hall::start_rounds(config, arguments.sensor, &tables, director::BREAK)?
    } else {
        Hall::start_with_tables(config, arguments.sensor, &tables)?
    };
    let mut director = None;
    if arguments.is_event() {
        let results: Vec<_> =
            tables.iter().map(|games| games.iter().map(|game| game.result).collect()).collect();
        let of_event = Director::of(hall.matches(), &results, served.http, served.token.clone())?;
        director.insert(of_event).open().await?;
    }
    let claims = Claims::of(
        hall.matches(),
        (arguments.claims, arguments.seed, arguments.speed),
        served.http,
        served.token.clone(),
    );
    let clock = HubClock::accelerated(arguments.speed, std::time::SystemTime::now());
    let hub_stop = CancellationToken::new();
    let hub = tokio::spawn(hub::run(
        settings.hub(&hall, &served, arguments.trays)?,
        clock,
        hub_stop.clone(),
    ));
    let played = tokio::select! {
        () = shutdown.cancelled() => false,
        () = watch(&hall, claims, director) => true,
    };
    let over = over(&hall);
    if played || (arguments.is_event() && !over.is_empty()) {
        let comparison = settled(&served, &over, &shutdown).await?;
        print(format_args!("\n{comparison}"))?;
        if played || arguments.out.is_some() {
            comparison.write_records(&settings.records())?;
            print_line(format_args!("records in {}", settings.records().display()))?;
        }
    }
    if played {
        print_line(format_args!("the pages stay up at http://{} until Ctrl-C", served.http))?;
        shutdown.cancelled().await;
    }
    hub_stop.cancel();
    hub.await.context("the hub did not stop well")?.context("the hub stopped")?;
    served.stop().await?;
    settings.clean_up(played)
}

/// Waits until the last match is over, shows how far it is, has players claim and the simulated director confirm.
async fn watch(hall: &Hall, mut claims: Claims, mut director: Option<Director>) {
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
                let mut lines = claims.open_due(now_us).await;
                if let Some(director) = &mut director {
                    lines.extend(director.look(now_us).await);
                }
                for line in lines {
                    // A terminal that has gone away is no reason to end the hall.
                    let _ = bar.suspend(|| print_line(&line));
                }
            }
        }
    }
    bar.finish_and_clear();
}

/// The matches that are over, table by table.
fn over(hall: &Hall) -> Vec<HallMatch> {
    let now_us = hall.now_us();
    hall.matches().iter().filter(|one| one.end_us <= now_us).cloned().collect()
}

/// The records once these matches have ended at the adjudicator too, or what is there when time is up.
async fn settled(
    served: &Served,
    matches: &[HallMatch],
    shutdown: &CancellationToken,
) -> Result<Comparison> {
    let mut waited = Duration::ZERO;
    while served.matches_over().await < matches.len()
        && waited < ARRIVAL_MAX + served.delay()
        && !shutdown.is_cancelled()
    {
        tokio::time::sleep(TICK).await;
        waited += TICK;
    }
    let mut records = Vec::new();
    for (game, format, read) in [
        (Game::Bughouse, Format::Bpgn, record::of_bughouse as fn(&str) -> Vec<record::Record>),
        (Game::Chess, Format::Pgn, record::of_chess),
    ] {
        if matches.iter().any(|one| one.header.game == game) {
            let read = read(&export(&served.config, &Which::default(), format).await?);
            records.extend(read.into_iter().filter(|record| !served.is_earlier(&record.match_id)));
        }
    }
    Ok(Comparison::new(matches, records))
}
