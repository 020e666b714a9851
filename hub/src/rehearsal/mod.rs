//! Rehearsal: a second, small hub in this one that plays recorded readings into the shard of the rehearsal.
//!
//! It has a journal of its own, which is deleted at the end, and a connection of its own. The event's journal, rows and nodes are untouched:
//! what the nodes read meanwhile is recorded as ever. A match that begins at one of the hub's tables ends the rehearsal here.

mod recording;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hub_core::port::Place;
use proto::mqtt::{message::Rehearsal, rehearsal_shard};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, error, info, info_span, warn};

use crate::SharedHub;
use crate::config::{Broker, Config, TableConfig};
use crate::journal::{Journal, JournalOptions, Opened};
use crate::liveness::Liveness;
use crate::run::{HubError, Tasks, start_tables};
use crate::table::TableOptions;
use crate::troubles::Troubles;
use crate::uplink::{self, ACKNOWLEDGEMENT_TIMEOUT, UplinkOptions};

use recording::Player;
pub use recording::plies;

/// Time without the adjudicator's announcement after which a rehearsal ends.
const UNANNOUNCED_MAX: Duration = Duration::from_secs(10);
/// Maximum time of a rehearsal.
const REHEARSAL_MAX: Duration = Duration::from_secs(15 * 60);
/// Interval at which the nodes and the tables of the event are checked meanwhile.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// Finished matches that the journal of a rehearsal keeps.
const KEEP_MATCHES: u32 = 16;

/// Reason why a rehearsal ended at this hub.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ending {
    /// The hub stops.
    Shutdown,
    /// The adjudicator ended it, or is offline.
    Unannounced,
    /// The rehearsal took [`REHEARSAL_MAX`].
    TooLong,
    /// A match of the event is played at this table.
    Play(String),
}

/// Holds each rehearsal that an adjudicator announces, once, until `shutdown`. `hub` is the event's.
pub(crate) async fn follow(
    config: Arc<Config>,
    hub: SharedHub,
    mut announced: watch::Receiver<Option<Rehearsal>>,
    shutdown: CancellationToken,
) {
    let file = journal(&config.journal);
    let mut held = None;
    loop {
        // Also what a power cut left.
        delete(&file);
        let next = announced.wait_for(|it| it.as_ref().is_some_and(|it| held != Some(it.id)));
        let next = async { next.await.map(|it| it.as_ref().map(|it| it.id)) };
        let Some(next) = shutdown.run_until_cancelled(next).await else { return };
        // Otherwise the uplink has ended, and the hub with it.
        let Ok(id) = next else { return shutdown.cancelled().await };
        held = id;
        if let Err(error) = hold(&config, &file, &hub, &mut announced, id, &shutdown).await {
            error!("the rehearsal is not held here: {error}");
        }
    }
}

/// The file of a rehearsal's journal, beside the event's.
fn journal(of_event: &Path) -> PathBuf {
    of_event.with_extension("rehearsal.sqlite")
}

fn delete(file: &Path) {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        if let Err(error) = std::fs::remove_file(&name)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            warn!(file = %PathBuf::from(name).display(), %error, "what a rehearsal left cannot be deleted");
        }
    }
}

async fn hold(
    config: &Config,
    file: &Path,
    hub: &SharedHub,
    announced: &mut watch::Receiver<Option<Rehearsal>>,
    id: Option<u64>,
    shutdown: &CancellationToken,
) -> Result<(), HubError> {
    let in_play = hub.with(|core| core.table_in_play().ok().flatten().map(str::to_owned));
    let tables: Vec<TableConfig> = match in_play {
        Some(_) => Vec::new(),
        None => config.tables.iter().map(recording::table).collect(),
    };
    info!(tables = tables.len(), "a rehearsal begins: recorded readings are played");
    let liveness = Liveness::default();
    let clock = hub.clock();
    let Opened { journal, reader, writer, .. } = Journal::open(JournalOptions {
        file: file.to_owned(),
        hub_id: config.hub_id.clone(),
        keep_matches: KEEP_MATCHES,
        now: clock.now(),
        heartbeat: liveness.task("journal"),
    })
    .await?;
    let rehearsed = SharedHub::new(clock);
    let (tables_stop, uplink_stop) = (CancellationToken::new(), CancellationToken::new());
    let options = |table: &TableConfig, inputs| TableOptions {
        hub_id: config.hub_id.clone(),
        table: table.clone(),
        hub: rehearsed.clone(),
        inputs,
        journal: journal.clone(),
        reader: reader.clone(),
        heartbeat: liveness.task(format!("table {}", table.name)),
        live_boards: None,
    };
    let (inputs, table_tasks) = start_tables(&tables, options, &tables_stop).await?;
    let (troubles, report) = Troubles::none();
    let orders: BTreeMap<_, _> = inputs.clone();
    // Nodes of a rehearsal take no requests.
    let ((requests, _), (updates, _), (placings, _)) =
        (mpsc::channel(1), mpsc::channel(1), mpsc::channel(1));
    let shard = rehearsal_shard(&config.broker.shard);
    let options = UplinkOptions {
        hub_id: config.hub_id.clone(),
        broker: Broker { shard, ..config.broker.clone() },
        tables: tables.iter().map(|table| table.name.clone()).collect(),
        acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
        journal: journal.clone(),
        reader,
        requests,
        orders,
        updates,
        placings,
        report,
        heartbeat: liveness.task("uplink"),
        rehearsals: None,
    };
    let uplink = uplink::run(options, uplink_stop.clone()).instrument(info_span!("uplink"));
    let play_stop = CancellationToken::new();
    let player = Player::new(&tables, inputs, clock).play(play_stop.clone());
    let playing = async move {
        player.await;
        Ok(())
    };
    let mut tasks = Tasks {
        ports: tokio::spawn(playing),
        tables: table_tasks,
        tables_stop,
        pins: None,
        uplink: tokio::spawn(uplink),
        uplink_stop,
        writer,
    };
    let ending = tokio::select! {
        ending = end(hub, &troubles, announced, id, shutdown) => Some(ending),
        Some(_) = tasks.tables.join_next() => None,
        _ = &mut tasks.uplink => None,
    };
    match ending {
        Some(ending) => info!(?ending, "the rehearsal ends"),
        None => error!("the rehearsal ends, because a part of it failed; see the log before this"),
    }
    play_stop.cancel();
    tasks.stop(journal).await;
    Ok(())
}

/// Waits until a rehearsal is to end, and keeps its report of the event's nodes current.
async fn end(
    hub: &SharedHub,
    troubles: &Troubles,
    announced: &mut watch::Receiver<Option<Rehearsal>>,
    id: Option<u64>,
    shutdown: &CancellationToken,
) -> Ending {
    let began = Instant::now();
    let mut seen = began;
    let mut check = interval(CHECK_EVERY);
    check.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        if shutdown.run_until_cancelled(check.tick()).await.is_none() {
            return Ending::Shutdown;
        }
        let now_id = announced.borrow_and_update().as_ref().map(|it| it.id);
        if now_id == id {
            seen = Instant::now();
        }
        if seen.elapsed() >= UNANNOUNCED_MAX || (now_id.is_some() && now_id != id) {
            return Ending::Unannounced;
        }
        if began.elapsed() >= REHEARSAL_MAX {
            return Ending::TooLong;
        }
        let (in_play, absent) = hub.with(|core| {
            let absent = absent_words(core.absent_nodes());
            (core.table_in_play().ok().flatten().map(str::to_owned), absent)
        });
        if let Some(table) = in_play {
            // Published before the farewell, so that the protocol has the reason.
            let words = format!("no rehearsal here: a match is played at table {table}");
            troubles.tell_of_nodes(vec![words], None);
            drop(timeout(CHECK_EVERY, shutdown.cancelled()).await);
            return Ending::Play(table);
        }
        troubles.tell_of_nodes(absent, None);
    }
}

/// The troubles of tables with places that have no node.
fn absent_words<'a>(places: impl Iterator<Item = &'a Place>) -> Vec<String> {
    let mut by_table: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Place { table, node } in places {
        let words = format!("{} {} ({})", node.kind, node.board, node.name());
        by_table.entry(table).or_default().push(words);
    }
    let words = |(table, nodes): (&str, Vec<String>)| {
        format!(
            "table {table}: not connected: {}; look at their cables, then run twinboard doctor",
            nodes.join(", ")
        )
    };
    by_table.into_iter().map(words).collect()
}
