//! `twinboard demo`: a simulated hall, live in the browser, and how right its records were.
//!
//! Everything is real but the hands: the nodes' firmware talks over serial devices to a hub, the hub
//! over a broker to an adjudicator, and that to the browser. All of them run in this process, but for an adjudicator that is rehearsed with.

mod arguments;
mod claims;
mod comparison;
mod games;
mod record;
mod served;
mod settings;

use std::time::Duration;

use adjudicator::{
    export::export,
    records::{Format, Which},
};
use anyhow::{Context, Result};
use hub::HubClock;
use rules::Game;
use sim::{
    RecordedGame,
    hall::{Hall, HallConfig},
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::arguments::Arguments;
use self::{claims::Claims, comparison::Comparison, served::Served, settings::Settings};
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
    diagnostics::start("warn,adjudicator::export=error");
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
        Some(file) => Served::find(file, arguments.speed).await?,
        None => Served::start(&settings).await?,
    };
    print_line(format_args!(
        "open http://{}  ({} tables, {:?} players, Ctrl-C ends)",
        served.http, arguments.tables, arguments.players
    ))?;
    let director = Whom {
        person: "Director".to_owned(),
        rank: "chief",
        sections: Vec::new(),
        tables: Vec::new(),
    };
    let invitation = Invitation::ask(served.http, &served.token, &director).await?;
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
    let hall = Hall::start_with_tables(config, arguments.sensor, &tables)?;
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
        () = watch(&hall, claims) => true,
    };
    if played {
        let comparison = settled(&served, &hall, &shutdown).await?;
        print(format_args!("\n{comparison}"))?;
        comparison.write_records(&settings.records())?;
        print_line(format_args!(
            "records in {}\nthe pages stay up at http://{} until Ctrl-C",
            settings.records().display(),
            served.http
        ))?;
        shutdown.cancelled().await;
    }
    hub_stop.cancel();
    hub.await.context("the hub did not stop well")?.context("the hub stopped")?;
    served.stop().await?;
    settings.clean_up(played)
}

/// Waits until the last match is over, shows how far it is, and has players claim.
async fn watch(hall: &Hall, mut claims: Claims) {
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
                for line in claims.open_due(now_us).await {
                    // A terminal that has gone away is no reason to end the hall.
                    let _ = bar.suspend(|| print_line(&line));
                }
            }
        }
    }
    bar.finish_and_clear();
}

/// Records once all matches have ended at the adjudicator too, or the records so far when time is up.
async fn settled(served: &Served, hall: &Hall, shutdown: &CancellationToken) -> Result<Comparison> {
    let mut waited = Duration::ZERO;
    while served.matches_over().await < hall.matches().len()
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
        if hall.matches().iter().any(|one| one.header.game == game) {
            records.extend(read(&export(&served.config, &Which::default(), format).await?));
        }
    }
    Ok(Comparison::new(hall.matches(), records))
}
