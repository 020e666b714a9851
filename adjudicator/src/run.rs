//! Starts the adjudicator's parts in the order in which they can fail, and stops them in reverse.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    task::{self, JoinHandle},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    broker::{self, Broker},
    cluster::owner::OwnerLine,
    config::{Config, Webhook},
    error::StartError,
    front::{
        audience::{Audience, Audiences},
        runtime::FrontRuntime,
    },
    http::{Desk, listeners::Listeners, metrics::Metrics},
    ingest::{self, Ingest, mqtt_client::Link},
    limits::MIN_TOKEN_LENGTH,
    log::{Store, StoreError, sqlite::StoreLock},
    machine::{
        announce,
        broadcast_notices::BroadcastNotices,
        clock_steps::ClockSteps,
        disk::Disk,
        open_files::{self, Shares},
        systemd,
        tasks::{TaskEnded, Tasks},
    },
    outlets::{
        broadcast::{self, Destination},
        families::Families,
        home_assistant::HomeAssistant,
        outbound::OutboundError,
        pgn_folder::RecordFolder,
        webhooks::{self, Sender, Sources},
    },
    owner::{
        commit::Commits,
        follower::{self, Stage},
        watchdog,
    },
    pki::{
        joining::{self, Joining},
        notices::CertificateNotices,
        secrets,
    },
    rehearsal::{self, RehearsedHub},
    views::{
        delays::Delays,
        needs::{Since, machine::Machine},
    },
};

/// Interval between two checks for room on a full disk, before the log is opened.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Interval between two log lines that the disk is full.
const SAY_EVERY: Duration = Duration::from_secs(60);

/// A running adjudicator.
pub struct Running {
    /// Address of the pages.
    pub http_address: SocketAddr,
    /// Address of the pages for the hall's screens.
    pub hall_address: Option<SocketAddr>,
    /// Address of the metrics for Prometheus.
    pub metrics_address: Option<SocketAddr>,
    /// Address of the encrypted pages.
    pub https_address: Option<SocketAddr>,
    /// Address for hubs with certificates, if the broker is embedded.
    pub gate_address: Option<SocketAddr>,
    /// Address for hubs, if the broker is embedded.
    pub mqtt_address: Option<SocketAddr>,
    floor: Arc<Stage>,
    /// The last input before this run.
    began: u64,
    shutdown: CancellationToken,
    tasks: Tasks,
    servers: Vec<JoinHandle<()>>,
    followers: Vec<JoinHandle<()>>,
    ingest: JoinHandle<()>,
    broker: Box<dyn Broker>,
    store: Arc<Store>,
    /// Runtime of the fronts.
    _front: FrontRuntime,
    /// Held as long as a file is written.
    _lock: Option<StoreLock>,
}

impl Running {
    /// Number of matches whose play is over, decided or not.
    pub fn matches_over(&self) -> usize {
        self.floor.hall().games().iter().filter(|game| game.is_done()).count()
    }

    /// The hubs of a rehearsal as they are now.
    pub fn rehearsed_hubs(&self) -> Vec<RehearsedHub> {
        rehearsal::seen(&self.floor.hall(), self.began)
    }

    /// Waits until shutdown, then stops everything: first the pages, then the intake, then
    /// the broker, last the database.
    ///
    /// # Errors
    ///
    /// A task ended by itself, which caused the stop.
    pub async fn wait(self) -> Result<(), TaskEnded> {
        self.shutdown.cancelled().await;
        systemd::stopping();
        tracing::info!("the adjudicator stops");
        for task in self.servers.into_iter().chain([self.ingest]).chain(self.followers) {
            // Its end has been logged.
            let _ = task.await;
        }
        self.broker.stop().await;
        self.store.close().await;
        self.tasks.outcome()
    }
}

/// Starts the adjudicator. When this returns, nothing can fail for its configuration any more.
///
/// # Errors
///
/// The configuration is wrong, an address is in use, or the database cannot be used.
pub async fn start(config: Config, shutdown: CancellationToken) -> Result<Running, StartError> {
    let (config, checked) = beside(move || {
        let checked = config.check();
        (config, checked)
    })
    .await;
    checked?;
    joining::prepare(&config)?;
    for (place, code, treatment) in config.td.treatments() {
        let cost = crate::config::alerts::cost(code);
        tracing::info!("{place}: {code} is set to {treatment:?}; {cost}");
    }
    let shares = open_files::raise_limit(&config.limits, Listeners::for_pages(&config));
    let td_token = td_token(&config)?;
    let hooks = webhooks_of(&config)?;
    let families = Families::new(&config)?;
    let folders = RecordFolder::open_all(&config)?;
    let destinations = Destination::all(&config)?;
    let listeners = Listeners::open(&config).await?;
    let at = listeners.addresses();
    let lock = config.log_place()?.lock()?;
    if lock.is_some() {
        rehearsal::delete_copy(&config.store.path);
    }
    let (store, floor) = open_log(&config, &shutdown).await?;
    let began = floor.hall().last_input();
    let (of, to, generation) = (config.clone(), floor.clone(), store.generation());
    let audiences = beside(move || Audiences::new(&of, &to, generation)).await;
    let line = OwnerLine::open(&config, store.epoch()).await?;
    let tasks = Tasks::until(shutdown.clone());
    let notices = CertificateNotices::of_events(config.td.device_hours);
    let broker = broker::open(&config, shares, &tasks, &notices).await?;
    let joining = Joining::open(&config, broker.gate().map(|at| at.port()))?;
    let announced = joining.is_some().then(|| config.broker.id.clone());
    let link = Link::open(&broker.endpoint(), &config, store.id(), &tasks)?;
    let devices = HomeAssistant::new(&broker.endpoint(), &config.broker)?;
    let appended = Arc::new(watch::Sender::new(0));
    let clock_rate = config.http.clock_rate;
    let (log, to_floor) = (store.clone(), floor.clone());
    let hubs_max = config.limits.hubs;
    let ingest = Ingest::new(log, to_floor, link, appended.clone(), clock_rate, hubs_max);
    let commits = Arc::new(Commits::new(store.clone(), floor.clone(), appended.clone()));
    let file = config.store.url.is_none().then_some(config.store.path.as_path());
    let (disk, watching) = Disk::watch(file, config.store.warn_below_mb, shutdown.clone());
    let (clock, watching_clock) = ClockSteps::watch(shutdown.clone());
    let hall_log = HallLog {
        config: Arc::new(config),
        store: store.clone(),
        floor: floor.clone(),
        public: audiences.broadcast,
        machine: Machine {
            disk,
            clock,
            certificates: notices.clone(),
            broadcasts: BroadcastNotices::default(),
            since: Since::default(),
            log: store.clone(),
        },
        tasks: tasks.clone(),
        shutdown: shutdown.clone(),
    };
    let mut followers = hall_log.follow(appended);
    followers.extend(folders.into_iter().map(|folder| hall_log.keep(folder)));
    followers.extend(destinations.into_iter().map(|one| hall_log.broadcast(one)));
    followers.extend((!hooks.is_empty()).then(|| hall_log.tell(hooks)));
    followers.extend(families.map(|families| {
        let (floor, public) = (hall_log.floor.clone(), hall_log.public.clone());
        tasks.spawn("messages to families", families.run(floor, public, shutdown.clone()))
    }));
    followers.extend(devices.map(|devices| {
        tasks.spawn("Home Assistant", devices.run(hall_log.floor.clone(), shutdown.clone()))
    }));
    followers.extend(
        announced
            .map(|id| tasks.spawn("announcement", announce::run(at.pages, id, shutdown.clone()))),
    );
    followers.push(tasks.spawn("look at the disk", watching));
    followers.push(tasks.spawn("look at the clock", watching_clock));
    followers.extend(listeners.watch_certificate(&tasks, &notices, &shutdown));
    followers.push(hall_log.feed_watchdog());
    followers.push(hall_log.keep_log());
    let desk = hall_log.desk(commits, td_token, shares).accepting(joining);
    let metrics = hall_log.metrics();
    let front = FrontRuntime::start().map_err(StartError::Threads)?;
    let fronts = tasks.on(front.handle());
    let for_screens = at.hall.map(|_| audiences.hall.clone());
    let mut servers = listeners.serve(&desk, audiences.hall, metrics, shares, &fronts, &shutdown);
    servers.extend(
        line.into_iter()
            .flat_map(|line| line.serve(&desk, for_screens.clone(), &fronts, &shutdown)),
    );
    let ingest = tasks.spawn("ingest", ingest.run(shutdown.clone()));
    tracing::info!(http_address = %at.pages, "the adjudicator is ready");
    systemd::ready();
    let (mqtt_address, gate_address) = (broker.listens_on(), broker.gate());
    Ok(Running {
        http_address: at.pages,
        hall_address: at.hall,
        metrics_address: at.metrics,
        https_address: at.site,
        gate_address,
        mqtt_address,
        floor,
        began,
        shutdown,
        tasks,
        servers,
        followers,
        ingest,
        broker,
        store,
        _front: front,
        _lock: lock,
    })
}

/// Does work that the size of a configuration chooses beside the runtime's threads: another hall may be in play there.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Opens the log and builds the hall from it. On a full disk this waits for room and logs it: a program that ended would be started
/// again at once.
async fn open_log(
    config: &Config,
    shutdown: &CancellationToken,
) -> Result<(Arc<Store>, Arc<Stage>), StoreError> {
    let mut said: Option<Instant> = None;
    loop {
        let error = match open_log_now(config).await {
            Err(error) if error.is_full() => error,
            opened => return opened,
        };
        if said.is_none_or(|at| at.elapsed() >= SAY_EVERY) {
            tracing::error!(
                "{error}: free space on the disk of the database, the start goes on then"
            );
            said = Some(Instant::now());
        }
        systemd::still_starting();
        if shutdown.run_until_cancelled(sleep(LOOK_EVERY)).await.is_none() {
            return Err(error);
        }
    }
}

async fn open_log_now(config: &Config) -> Result<(Arc<Store>, Arc<Stage>), StoreError> {
    let store = Arc::new(Store::open(config.log_place()?).await?);
    let of = config.clone();
    let floor = beside(move || Stage::with_delays(&of, &Delays::of_everybody(&of))).await;
    match ingest::close_last_run(&store, &floor).await {
        Ok(()) => Ok((store, floor)),
        Err(error) => {
            store.close().await;
            Err(error)
        }
    }
}

/// The log of the hall, and the parts that its followers share.
struct HallLog {
    config: Arc<Config>,
    store: Arc<Store>,
    floor: Arc<Stage>,
    public: Arc<Audience>,
    machine: Machine,
    tasks: Tasks,
    shutdown: CancellationToken,
}

impl HallLog {
    /// The floor, and what is shown later of it.
    fn follow(&self, appended: Arc<watch::Sender<u64>>) -> Vec<JoinHandle<()>> {
        let rate = self.config.http.clock_rate;
        let (floor, store) = (self.floor.clone(), self.store.clone());
        let release = follower::release(floor.clone(), self.shutdown.clone());
        let floor = follower::follow_floor(floor, store, appended, rate, self.shutdown.clone());
        vec![self.tasks.spawn("floor", floor), self.tasks.spawn("delays", release)]
    }

    /// The task that keeps a folder of records current.
    fn keep(&self, folder: RecordFolder) -> JoinHandle<()> {
        let (config, public) = (self.config.clone(), self.public.clone());
        self.tasks.spawn("folder of records", folder.keep(config, public, self.shutdown.clone()))
    }

    /// The task that sends rounds to an outside destination.
    fn broadcast(&self, destination: Destination) -> JoinHandle<()> {
        let (config, of) = (self.config.clone(), (self.public.clone(), self.floor.clone()));
        let notices = self.machine.broadcasts.clone();
        let sending = broadcast::run(destination, config, of, notices, self.shutdown.clone());
        self.tasks.spawn("broadcast", sending)
    }

    /// The task that sends webhooks.
    fn tell(&self, hooks: Vec<(Webhook, Sender)>) -> JoinHandle<()> {
        let sources = Sources {
            public: self.public.clone(),
            floor: self.floor.clone(),
            machine: self.machine.clone(),
            td: self.config.td.clone(),
            clock_rate: self.config.http.clock_rate,
        };
        self.tasks.spawn("webhooks", webhooks::run(hooks, sources, self.shutdown.clone()))
    }

    /// The lease of the log; without it this ends, and with it the program.
    fn keep_log(&self) -> JoinHandle<()> {
        let (store, shutdown) = (self.store.clone(), self.shutdown.clone());
        self.tasks.spawn("lease of the log", async move {
            if let Err(error) = store.keep(shutdown).await {
                tracing::error!("{error}");
            }
        })
    }

    /// Whoever restarts an adjudicator that stands still.
    fn feed_watchdog(&self) -> JoinHandle<()> {
        let (floor, store) = (self.floor.clone(), self.store.clone());
        self.tasks.spawn("watchdog", watchdog::feed(floor, store, self.shutdown.clone()))
    }

    /// The state from which pages are answered.
    fn desk(&self, commits: Arc<Commits>, td_token: Option<Arc<str>>, shares: Shares) -> Desk {
        let (config, public) = (self.config.clone(), self.public.clone());
        let log = (self.store.clone(), commits, self.machine.clone());
        Desk::new(config, public, self.floor.clone(), log, td_token, shares, self.shutdown.clone())
    }

    fn metrics(&self) -> Metrics {
        let clock_rate = self.config.http.clock_rate;
        let (floor, machine) = (self.floor.clone(), self.machine.clone());
        Metrics { floor, machine, td: self.config.td.clone(), clock_rate }
    }
}

/// The configured webhooks.
fn webhooks_of(config: &Config) -> Result<Vec<(Webhook, Sender)>, OutboundError> {
    config.webhooks.iter().map(|hook| Ok((hook.clone(), Sender::new(hook)?))).collect()
}

fn td_token(config: &Config) -> Result<Option<Arc<str>>, StartError> {
    let Some(path) = &config.http.td_token_file else { return Ok(None) };
    let token = secrets::read(path)?;
    if token.len() < MIN_TOKEN_LENGTH {
        return Err(StartError::WeakToken);
    }
    Ok(Some(token.into()))
}
