//! `twinboard demo`: a simulated hall, live in the browser, and how right its records were.
//!
//! Without other wishes the tables play an event: rounds that a simulated director pairs and confirms, until somebody ends it.
//!
//! Everything is real but the hands: the nodes' firmware talks over serial devices to a hub, the hub
//! over a broker to an adjudicator, and that to the browser. All of them run in this process, but for an adjudicator that is rehearsed with.

mod arguments;
mod claims;
mod comparison;
mod director;
mod games;
mod record;
mod served;
mod settings;

use std::time::Duration;

use adjudicator::{
    export,
    views::records::{Format, Which},
};
use anyhow::{Context, Result};
use hub::HubClock;
use rules::Game;
use sim::{
    RecordedGame,
    real_time::{Hall, HallConfig, HallMatch},
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::arguments::Arguments;
use self::{
    claims::Claims, comparison::Comparison, director::Director, served::Served, settings::Settings,
};
use crate::{
    diagnostics,
    invite::{Invitation, Whom},
    progress, shell,
    stdout::{print, print_line},
};

/// Real time from opening the hall to the first set-up pieces: hub and nodes find each other.
const LEAD_IN: Duration = Duration::from_secs(2);
/// Interval of the progress bar.
const TICK: Duration = Duration::from_millis(500);
/// Maximum time of the records' arrival after the last match, real time.
const ARRIVAL_MAX: Duration = Duration::from_secs(30);

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
        settings.hub(&hall, (&served.broker, &served.config.broker.shard), arguments.trays)?,
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
    let missing = matches.len().saturating_sub(served.matches_over().await);
    if missing > 0 && !shutdown.is_cancelled() {
        print_line(format_args!(
            "{missing} matches are not over at the adjudicator: their records may lack plies"
        ))?;
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
