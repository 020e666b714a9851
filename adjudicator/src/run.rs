//! Starts everything in the order in which it can fail, and stops it in the other.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use sd_notify::NotifyState;
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::{
    acts::Commits,
    api::{self, Desk, ListenError},
    audience::Audiences,
    authority::AuthorityError,
    broker::{self, Broker, BrokerError},
    config::{Config, ConfigError, Webhook},
    ingest::{self, Ingest},
    metrics::{self, Metrics},
    mqtt::Link,
    open_files,
    records::{FolderError, PgnFolder},
    secrets::{self, SecretError},
    stage::{self, Stage},
    store::{Store, StoreError, StoreLock},
    tls::{self, Identity},
    webhooks::{self, Sender, Sources, WebhookError},
};

/// Shortest token a tournament director may have.
const MIN_TOKEN_LENGTH: usize = 16;

const HOUR: Duration = Duration::from_secs(3600);

/// Why the adjudicator did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A value in the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The broker.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The web server's address.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A file with a secret.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A certificate.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// Shard or id.
    #[error("configuration value broker.shard or broker.id: {0}")]
    Segment(#[from] proto::mqtt::SegmentError),
    /// The folder of PGN files.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Somebody who is to be told of what happens.
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    /// The tournament directors' token.
    #[error("http.td_token_file: the token must have {MIN_TOKEN_LENGTH} characters or more")]
    WeakToken,
}

/// A running adjudicator.
pub struct Running {
    /// Where the pages are.
    pub http_address: SocketAddr,
    /// Where the pages are that the hall's screens see.
    pub hall_address: Option<SocketAddr>,
    /// Where the numbers for Prometheus are.
    pub metrics_address: Option<SocketAddr>,
    /// Where the pages are served encrypted.
    pub https_address: Option<SocketAddr>,
    /// Where hubs connect with certificates, if the broker is ours.
    pub gate_address: Option<SocketAddr>,
    /// Where hubs connect, if the broker is ours.
    pub mqtt_address: Option<SocketAddr>,
    floor: Arc<Stage>,
    shutdown: CancellationToken,
    servers: Vec<JoinHandle<()>>,
    followers: Vec<JoinHandle<()>>,
    ingest: JoinHandle<()>,
    broker: Box<dyn Broker>,
    store: Arc<Store>,
    /// Held as long as the database is written.
    _lock: StoreLock,
}

impl Running {
    /// How many matches are over; what is known of them is settled then.
    pub fn matches_over(&self) -> usize {
        self.floor.hall().games().iter().filter(|game| game.referee().is_over()).count()
    }

    /// Waits until shutdown, then stops everything: first what people see, then what comes in, then
    /// the broker, last the database.
    pub async fn wait(self) {
        self.shutdown.cancelled().await;
        let _ = sd_notify::notify(&[NotifyState::Stopping]);
        tracing::info!("the adjudicator stops");
        for task in self.servers.into_iter().chain([self.ingest]).chain(self.followers) {
            if let Err(error) = task.await {
                tracing::error!(%error, "a task did not end well");
            }
        }
        self.broker.stop().await;
        self.store.close().await;
    }
}

/// Starts the adjudicator. Everything that can be refused has been when this returns.
///
/// # Errors
///
/// A wrong configuration, a taken address, a database that cannot be used.
pub async fn start(config: Config, shutdown: CancellationToken) -> Result<Running, StartError> {
    config.check()?;
    let shares = open_files::raise_limit();
    let td_token = td_token(&config)?;
    let hooks = webhooks_of(&config)?;
    let pgn_folder = config.records.pgn_folder.as_deref().map(PgnFolder::open).transpose()?;
    let listener = api::listen(config.http.address).await?;
    let http_address = listener.local_addr().unwrap_or(config.http.address);
    let of_hall = match config.http.hall_address {
        Some(address) => Some(api::listen(address).await?),
        None => None,
    };
    let hall_address = of_hall.as_ref().and_then(|listener| listener.local_addr().ok());
    let site = Site::open(&config).await?;
    let https_address = site.as_ref().map(|site| site.address);
    let measured = match config.http.metrics_address {
        Some(address) => Some(api::listen(address).await?),
        None => None,
    };
    let metrics_address = measured.as_ref().and_then(|listener| listener.local_addr().ok());
    let lock = StoreLock::take(&config.store.path)?;
    let store = Arc::new(Store::open(&config.store.path).await?);
    let floor = Stage::new(&config, Duration::ZERO);
    ingest::close_last_run(&store, &floor).await?;
    let audiences = Audiences::open(&config, &floor, &store).await?;
    let public = audiences.broadcast;
    let broker = broker::open(&config, shares).await?;
    let link = Link::open(&broker.endpoint(), &config.broker, store.id())?;
    let appended = Arc::new(watch::Sender::new(0));
    let clock_rate = config.http.clock_rate;
    let ingest = Ingest::new(store.clone(), floor.clone(), link, appended.clone(), clock_rate);
    let commits = Arc::new(Commits::new(store.clone(), floor.clone(), appended.clone()));
    let mut followers = vec![tokio::spawn(stage::follow_floor(
        floor.clone(),
        store.clone(),
        appended,
        config.http.clock_rate,
        shutdown.clone(),
    ))];
    for stage in audiences.delayed {
        let follower = stage::follow_delayed(stage, store.clone(), shutdown.clone());
        followers.push(tokio::spawn(follower));
    }
    let sources =
        Sources { public: public.clone(), floor: floor.clone(), td: config.td.clone(), clock_rate };
    let metrics = Metrics { floor: floor.clone(), td: config.td.clone(), clock_rate };
    let config = Arc::new(config);
    if let Some(folder) = pgn_folder {
        let kept = folder.keep(config.clone(), public.clone(), shutdown.clone());
        followers.push(tokio::spawn(kept));
    }
    let desk = Desk::new(
        config,
        public,
        floor.clone(),
        (store.clone(), commits),
        td_token,
        shares,
        shutdown.clone(),
    );
    let mut servers = vec![tokio::spawn(api::serve(listener, None, desk.clone()))];
    if let Some(listener) = of_hall {
        servers.push(tokio::spawn(api::serve(listener, None, desk.with(audiences.hall))));
    }
    if let Some(Site { listener, acceptor, identity, address }) = site {
        tracing::info!(%address, "pages are served encrypted");
        servers.push(tokio::spawn(api::serve(listener, Some(acceptor), desk)));
        followers.push(tokio::spawn(identity.watch(shutdown.clone())));
    }
    if let Some(listener) = measured {
        servers.push(tokio::spawn(metrics::serve(listener, metrics, shutdown.clone())));
    }
    if !hooks.is_empty() {
        followers.push(tokio::spawn(webhooks::run(hooks, sources, shutdown.clone())));
    }
    let ingest = tokio::spawn(ingest.run(shutdown.clone()));
    tracing::info!(%http_address, "the adjudicator is ready");
    // Fails only outside systemd, where nobody waits for it.
    let _ = sd_notify::notify(&[NotifyState::Ready]);
    let (mqtt_address, gate_address) = (broker.listens_on(), broker.gate());
    Ok(Running {
        http_address,
        hall_address,
        metrics_address,
        https_address,
        gate_address,
        mqtt_address,
        floor,
        shutdown,
        servers,
        followers,
        ingest,
        broker,
        store,
        _lock: lock,
    })
}

/// The pages, encrypted.
struct Site {
    listener: TcpListener,
    acceptor: TlsAcceptor,
    identity: Arc<Identity>,
    address: SocketAddr,
}

impl Site {
    /// What the configuration asks for, if it does.
    async fn open(config: &Config) -> Result<Option<Site>, StartError> {
        let Some(at) = config.http.tls_address else { return Ok(None) };
        let identity = tls::of_site(config)?;
        let event_ends = SystemTime::now() + HOUR * config.td.device_hours;
        if identity.until() < event_ends {
            tracing::warn!("the pages' certificate ends before the event does (td.device_hours)");
        }
        let acceptor = identity.for_browsers()?;
        let listener = api::listen(at).await?;
        let address = listener.local_addr().unwrap_or(at);
        Ok(Some(Site { listener, acceptor, identity, address }))
    }
}

/// Runs the adjudicator until shutdown.
///
/// # Errors
///
/// As [`start`].
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), StartError> {
    start(config, shutdown).await?.wait().await;
    Ok(())
}

/// Whom the configuration wants to be told.
fn webhooks_of(config: &Config) -> Result<Vec<(Webhook, Sender)>, WebhookError> {
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
