//! The whole hub: journal, tables, ports and uplink as tasks, started and stopped in order.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use delivery::HubReport;
use hub_core::livechess::Boards;
use proto::mqtt::SegmentError;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, error, info, info_span, warn};

use crate::HubClock;
use crate::config::{Config, LeftOut, TableConfig};
use crate::desk::Desk;
use crate::disk;
use crate::firmware::update_on_request;
use crate::gpio::{self, Bank, Direction, GpioError, PiPins, Switch, SwitchPlace};
use crate::heat;
use crate::http_server::Service;
use crate::join::rejoin;
use crate::journal::{Journal, JournalError, JournalOptions, Opened};
use crate::livechess::LiveBoards;
use crate::liveness::{Heartbeat, Liveness};
use crate::metrics::{self, Machine, Metrics};
use crate::ports::{self, INPUTS_MAX, NodeInput, PortsOptions};
use crate::power;
use crate::rehearsal;
use crate::shared_hub::{SharedHub, TableInputs};
use crate::systemd;
use crate::table::{TableOptions, TableTask};
use crate::troubles::Troubles;
use crate::uplink::{self, ACKNOWLEDGEMENT_TIMEOUT, UplinkOptions};

/// Longest wait of a stopping hub for its tasks.
const STOP_MAX: Duration = Duration::from_secs(5);

/// Connections of programs that follow boards.
const PROGRAMS_MAX: usize = 16;
/// What nodes are asked, as much as may wait.
const REQUESTS_MAX: usize = 16;

/// Reason why a hub cannot run.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Hub id or shard.
    #[error(transparent)]
    Topic(#[from] SegmentError),
    /// A task ended that should not.
    #[error("the hub's {0} ended unexpectedly; see the log before this")]
    Task(String),
}

/// Runs a hub until `shutdown`: rebuilds the tables' sessions from the journal, opens the ports,
/// connects to the broker. Trouble at a port, the broker or the disk is reported and waited out.
///
/// # Errors
///
/// When the journal cannot be opened or read, or a task fails.
pub async fn run(
    config: Config,
    clock: HubClock,
    shutdown: CancellationToken,
) -> Result<(), HubError> {
    let pins = open_pins(&config);
    run_with_pins(config, clock, pins, shutdown).await
}

fn open_pins(config: &Config) -> Result<Box<dyn Bank>, GpioError> {
    match config.uses_pins() {
        true => PiPins::open().map(|pins| Box::new(pins) as Box<dyn Bank>),
        false => Err(GpioError::NoPi),
    }
}

/// [`run`] on a machine with these pins.
///
/// # Errors
///
/// As there.
pub async fn run_with_pins(
    mut config: Config,
    clock: HubClock,
    mut pins: Result<Box<dyn Bank>, GpioError>,
    shutdown: CancellationToken,
) -> Result<(), HubError> {
    let span = info_span!("hub", hub = %config.hub_id);
    // With other tables all tasks start again, as after a power cut: the journal brings back what they were at.
    while let Some(placed) =
        serve(config, clock, pins, shutdown.child_token()).instrument(span.clone()).await?
    {
        info!(parent: &span, tables = placed.tables.len(), "the hub has other tables or another adjudicator: its tasks start again");
        (config, pins) = (placed, Err(GpioError::NoPi));
        if config.uses_pins() {
            pins = open_pins(&config);
        }
    }
    Ok(())
}

/// The tasks of a running hub, in the order in which they stop: each hands on what it has.
pub(crate) struct Tasks {
    pub(crate) ports: JoinHandle<Result<(), JournalError>>,
    pub(crate) tables: JoinSet<Result<(), JournalError>>,
    pub(crate) tables_stop: CancellationToken,
    /// Lights, buzzer and levers; none on a machine without pins.
    pub(crate) pins: Option<JoinHandle<()>>,
    pub(crate) uplink: JoinHandle<Result<(), SegmentError>>,
    pub(crate) uplink_stop: CancellationToken,
    pub(crate) writer: JoinHandle<()>,
}

/// Serves one configuration until `shutdown`, or until the desk has placed nodes: then it returns the configuration with them.
async fn serve(
    config: Config,
    clock: HubClock,
    pins: Result<Box<dyn Bank>, GpioError>,
    shutdown: CancellationToken,
) -> Result<Option<Config>, HubError> {
    for LeftOut { table, problems } in &config.left_out {
        for problem in problems {
            error!("table {table:?} is left out: {problem}; the other tables go on");
        }
    }
    let liveness = Liveness::default();
    let writer = liveness.task("journal");
    let opening = Journal::open(JournalOptions {
        file: config.journal.clone(),
        hub_id: config.hub_id.clone(),
        keep_matches: config.keep_matches,
        now: clock.now(),
        heartbeat: writer.clone(),
    });
    // It waits for room on a full disk.
    let opened = tokio::select! {
        opened = opening => opened?,
        never = systemd::keep_starting() => match never {},
        () = shutdown.cancelled() => return Ok(None),
    };
    let damage = opened.damage.words();
    if let Some(words) = &damage {
        error!(journal = %config.journal.display(), "{words}");
    }
    let (report, troubles, machine, mut watchers) =
        watch_machine(&config, writer, damage, &liveness, &shutdown);
    if let Some(address) = config.metrics_address {
        let (liveness, reader) = (liveness.clone(), opened.reader.clone());
        let metrics = Metrics { hub: config.hub_id.clone(), liveness, machine, reader };
        watchers.spawn(metrics::serve(address, metrics, shutdown.clone()));
    }
    let live_boards = config.livechess_address.map(|address| {
        let boards = LiveBoards::new(Boards::of_tables(&config.tables));
        let (name, key) = ("LiveChess's interface at /api/v1.0", "hub.livechess_address");
        let service = Service { address, name, key, connections_max: PROGRAMS_MAX };
        let (of_connections, stop) = (boards.clone(), shutdown.clone());
        watchers
            .spawn(service.serve(stop, move |stream| of_connections.clone().connection(stream)));
        boards
    });
    let journal = opened.journal.clone();
    let clock = clock.not_before(opened.latest);
    let reader = opened.reader.clone();
    let (places, mut placed) = mpsc::channel(1);
    let tables = config.tables.len();
    let config = Arc::new(config);
    let mut tasks = start(
        &config,
        clock,
        pins,
        (opened, live_boards),
        (report, troubles, &mut watchers, places),
        &liveness,
        &shutdown,
    )
    .await?;
    systemd::start_watchdog(liveness, shutdown.clone());
    systemd::ready(&format!("{tables} tables"));
    info!(tables, "the hub runs");
    let mut again = None;
    let ended = tokio::select! {
        // Looked at first: the ports stop by the same token, and that is no failure of theirs.
        biased;
        () = shutdown.cancelled() => None,
        Some(config) = placed.recv() => {
            again = Some(config);
            None
        }
        Some(table) = tasks.tables.join_next() => Some(failure("table", table)),
        uplink = &mut tasks.uplink => Some(failure("uplink", uplink)),
        ports = &mut tasks.ports => Some(failure("ports", ports)),
        writer = &mut tasks.writer => Some(failure("journal", writer.map(Ok::<(), HubError>))),
        error = end_of(&mut watchers) => Some(error),
        error = panic_of(&mut tasks.pins) => Some(HubError::Task(format!("pins ({error})"))),
    };
    if again.is_none() {
        systemd::stopping();
        info!("the hub stops");
    }
    shutdown.cancel();
    tasks.stop(journal).await;
    watchers.shutdown().await;
    reader.close().await;
    ended.map_or(Ok(again), Err)
}

/// Waits until the task of the pins fails, for ever if it ends by itself: a hub without pins goes on, but lights that stand still
/// and levers that nobody reads are worse than a new start.
async fn panic_of(pins: &mut Option<JoinHandle<()>>) -> JoinError {
    if let Some(task) = pins
        && let Err(error) = task.await
    {
        return error;
    }
    *pins = None;
    std::future::pending().await
}

/// Waits until a watcher of the machine ends: without it a full disk or the heat would go unnoticed.
async fn end_of(watchers: &mut JoinSet<()>) -> HubError {
    match watchers.join_next().await {
        Some(ended) => failure("machine", ended.map(Ok::<(), HubError>)),
        None => std::future::pending().await,
    }
}

/// Reason why a task that should run for ever has ended.
fn failure<E: Into<HubError>>(name: &str, ended: Result<Result<(), E>, JoinError>) -> HubError {
    match ended {
        Ok(Err(error)) => error.into(),
        Ok(Ok(())) => HubError::Task(name.to_owned()),
        Err(error) => HubError::Task(format!("{name} ({error})")),
    }
}

async fn start(
    config: &Arc<Config>,
    clock: HubClock,
    pins: Result<Box<dyn Bank>, GpioError>,
    (opened, live_boards): (Opened, Option<LiveBoards>),
    (report, troubles, watchers, places): (
        watch::Receiver<HubReport>,
        Troubles,
        &mut JoinSet<()>,
        mpsc::Sender<Config>,
    ),
    liveness: &Liveness,
    shutdown: &CancellationToken,
) -> Result<Tasks, HubError> {
    let Opened { journal, reader, writer, .. } = opened;
    let (tables_stop, uplink_stop) = (CancellationToken::new(), CancellationToken::new());
    let (requests, asked) = mpsc::channel(REQUESTS_MAX);
    let (updates, updates_asked) = mpsc::channel(1);
    let (placings, placings_asked) = mpsc::channel(1);
    let (rehearsals, rehearsed) = watch::channel(None);
    let hub = SharedHub::new(clock);
    let table = |table: &TableConfig, inputs| TableOptions {
        hub_id: config.hub_id.clone(),
        table: table.clone(),
        hub: hub.clone(),
        inputs,
        journal: journal.clone(),
        reader: reader.clone(),
        heartbeat: liveness.task(format!("table {}", table.name)),
        live_boards: live_boards.clone(),
    };
    let (inputs, tables) = start_tables(&config.tables, table, &tables_stop).await?;
    let heartbeat = liveness.task("uplink");
    let options = UplinkOptions {
        hub_id: config.hub_id.clone(),
        broker: config.broker.clone(),
        tables: config.tables.iter().map(|table| table.name.clone()).collect(),
        acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
        journal,
        reader: reader.clone(),
        requests,
        orders: inputs.clone(),
        updates,
        placings,
        report,
        heartbeat: heartbeat.clone(),
        rehearsals: Some(rehearsals),
    };
    if config.source.joined().is_some() {
        let rejoining = rejoin(config.source.clone(), heartbeat, places.clone(), shutdown.clone());
        watchers.spawn(rejoining.instrument(info_span!("join")));
    }
    let uplink = uplink::run(options, uplink_stop.clone()).instrument(info_span!("uplink"));
    let (directions, pins) = match config.uses_pins() {
        true => {
            let (directions, task) = start_pins(config, pins, &inputs, liveness, clock, shutdown);
            (directions, Some(task))
        }
        false => (HashMap::new(), None),
    };
    let desk =
        Desk { config: config.clone(), hub: hub.clone(), troubles: troubles.clone(), places };
    watchers.spawn(desk.run(placings_asked, shutdown.clone()).instrument(info_span!("desk")));
    let update = update_on_request(hub.clone(), updates_asked, troubles, shutdown.clone());
    watchers.spawn(update.instrument(info_span!("nodes")));
    let rehearse = rehearsal::follow(config.clone(), hub.clone(), rehearsed, shutdown.clone());
    watchers.spawn(rehearse.instrument(info_span!("rehearsal")));
    let options = PortsOptions { hub, requests: asked, liveness: liveness.clone(), directions };
    let (config, ports_stop) = (Arc::clone(config), shutdown.clone());
    let ports = async move { ports::run(&config, &reader, options, ports_stop).await };
    let (ports, uplink) = (tokio::spawn(ports), tokio::spawn(uplink));
    Ok(Tasks { ports, tables, tables_stop, pins, uplink, uplink_stop, writer })
}

/// Rebuilds every table from the journal and lets it run; how each is reached.
pub(crate) async fn start_tables(
    tables: &[TableConfig],
    options: impl Fn(&TableConfig, mpsc::Receiver<NodeInput>) -> TableOptions,
    stop: &CancellationToken,
) -> Result<(TableInputs, JoinSet<Result<(), JournalError>>), HubError> {
    let (mut inputs, mut tasks) = (TableInputs::new(), JoinSet::new());
    for table in tables {
        let (sender, receiver) = mpsc::channel(INPUTS_MAX);
        inputs.insert(table.name.clone(), sender);
        let span = info_span!("table", table = %table.name);
        systemd::still_starting();
        let task = TableTask::recover(options(table, receiver)).instrument(span.clone()).await?;
        tasks.spawn(task.run(stop.clone()).instrument(span));
    }
    Ok((inputs, tasks))
}

/// Starts the watchers of the machine, whose reports go up with the hub's birth; returns their tasks.
fn watch_machine(
    config: &Config,
    writer: Heartbeat,
    damage: Option<String>,
    liveness: &Liveness,
    shutdown: &CancellationToken,
) -> (watch::Receiver<HubReport>, Troubles, Machine, JoinSet<()>) {
    let (troubles, report) = Troubles::none();
    let machine = Machine::default();
    troubles.tell("journal", damage);
    let mut watchers = JoinSet::new();
    let (journal, heartbeat) = (config.journal.clone(), liveness.task("disk"));
    let (of_disk, stop) = (machine.clone(), shutdown.clone());
    watchers.spawn(disk::watch(journal, writer, heartbeat, troubles.clone(), of_disk, stop));
    watchers.spawn(heat::watch(troubles.clone(), machine.clone(), shutdown.clone()));
    watchers.spawn(power::watch(troubles.clone(), machine.clone(), shutdown.clone()));
    (report, troubles, machine, watchers)
}

/// Lights, buzzer, levers and buttons on the hub's own pins: whatever becomes of them, the hub goes on.
fn start_pins(
    config: &Config,
    mut bank: Result<Box<dyn Bank>, GpioError>,
    inputs: &TableInputs,
    liveness: &Liveness,
    clock: HubClock,
    shutdown: &CancellationToken,
) -> (HashMap<PathBuf, Direction>, JoinHandle<()>) {
    let directions = gpio::directions(&config.gpio, &mut bank);
    let mut switches = Vec::new();
    for table in &config.tables {
        let Some(inputs) = inputs.get(&table.name) else { continue };
        switches.extend(table.levers.iter().map(|lever| SwitchPlace {
            pin: lever.pin,
            switch: Switch::Lever { board: lever.board, name: table.lever_name(lever) },
            inputs: inputs.clone(),
        }));
    }
    for button in &config.gpio.call_buttons {
        let Some(inputs) = inputs.get(&button.table) else { continue };
        let inputs = inputs.clone();
        switches.push(SwitchPlace { pin: button.pin, switch: Switch::CallButton, inputs });
    }
    let (gpio, liveness) = (config.gpio.clone(), liveness.clone());
    let span = info_span!("gpio");
    let task = gpio::run(gpio, bank, switches, liveness, clock, shutdown.clone()).instrument(span);
    (directions, tokio::spawn(task))
}

impl Tasks {
    /// Stops what still runs, in order, with bounded patience: whatever is cut short is in the nodes
    /// or in the journal.
    pub(crate) async fn stop(mut self, journal: Journal) {
        if !self.ports.is_finished() && timeout(STOP_MAX, &mut self.ports).await.is_err() {
            self.ports.abort();
        }
        self.tables_stop.cancel();
        let tables = async { while self.tables.join_next().await.is_some() {} };
        let written = async {
            tables.await;
            journal.flush().await
        };
        if timeout(STOP_MAX, written).await.is_err() {
            warn!("the journal cannot be written; what waits for it stays in the nodes");
        }
        self.tables.abort_all();
        if let Some(mut pins) = self.pins
            && timeout(STOP_MAX, &mut pins).await.is_err()
        {
            pins.abort();
        }
        self.uplink_stop.cancel();
        if !self.uplink.is_finished() && timeout(STOP_MAX, &mut self.uplink).await.is_err() {
            self.uplink.abort();
        }
        drop(journal);
        if !self.writer.is_finished() && timeout(STOP_MAX, &mut self.writer).await.is_err() {
            warn!("the journal was left in the middle of a transaction; it recovers by itself");
            self.writer.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn whoever_looks_after_the_machine_and_fails_ends_the_hub() {
        let mut watchers = JoinSet::new();
        watchers.spawn(std::future::pending());
        assert!(timeout(Duration::from_millis(50), end_of(&mut watchers)).await.is_err());
        watchers.spawn(async { panic!("a thermometer that is none") });
        let words = end_of(&mut watchers).await.to_string();
        assert!(words.contains("machine (") && words.contains("thermometer"), "{words}");
    }

    #[tokio::test]
    async fn pins_that_fail_are_told_and_pins_that_end_are_not_missed() {
        let mut failing = Some(tokio::spawn(async { panic!("a light that is none") }));
        assert!(panic_of(&mut failing).await.is_panic());
        let mut ending = Some(tokio::spawn(async {}));
        assert!(timeout(Duration::from_millis(50), panic_of(&mut ending)).await.is_err());
        assert!(ending.is_none());
        assert!(panic_of(&mut None).now_or_never().is_none());
    }
}
