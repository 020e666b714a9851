//! A front: it has rendered bytes and connections, and nothing else.
//!
//! It serves the pages of one hall. Batches come from the owner as they are rendered; what is the same for everybody is asked for once
//! and kept; everything else, and every act, is handed to the owner and answered with its answer.

mod asking;
mod kept;
mod live;
mod pages;
mod stream;

use std::{net::SocketAddr, sync::Arc};

use axum::{Router, routing::get};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::{asking::Asking, kept::Kept, stream::Stream};
use super::{bus::Bus, message::Of};
use crate::{
    config::Config,
    error::StartError,
    http::listeners::Listeners,
    limits::STREAMS_OF_ONE_ADDRESS_MAX,
    machine::{
        connection_limit::Guests,
        open_files, systemd,
        tasks::{TaskEnded, Tasks},
    },
    pki::notices::CertificateNotices,
};

/// What every handler of an audience needs.
#[derive(Clone)]
pub(super) struct Front {
    of: Of,
    stream: Arc<Stream>,
    asking: Arc<Asking>,
    kept: Arc<Kept>,
    streams: Guests,
    shutdown: CancellationToken,
}

/// A running front.
pub struct Running {
    /// Address of the pages.
    pub http_address: SocketAddr,
    /// Address of the pages for the hall's screens.
    pub hall_address: Option<SocketAddr>,
    /// Address of the encrypted pages.
    pub https_address: Option<SocketAddr>,
    shutdown: CancellationToken,
    tasks: Tasks,
    running: Vec<JoinHandle<()>>,
}

impl Running {
    /// Waits until shutdown, and until what is being sent then has been sent.
    ///
    /// # Errors
    ///
    /// A task ended by itself, which caused the stop.
    pub async fn wait(self) -> Result<(), TaskEnded> {
        self.shutdown.cancelled().await;
        systemd::stopping();
        tracing::info!("the front stops");
        for task in self.running {
            // Its end has been logged.
            let _ = task.await;
        }
        self.tasks.outcome()
    }
}

/// Starts a front of the hall `broker.shard`. It serves from the moment at which an owner of the hall can be asked.
///
/// # Errors
///
/// The configuration is wrong, or an address is in use.
pub async fn start(config: Config, shutdown: CancellationToken) -> Result<Running, StartError> {
    config.check()?;
    let config = Arc::new(config);
    let Some(cluster) = &config.cluster else { return Err(StartError::NoCluster) };
    let shares = open_files::raise_limit(&config.limits, Listeners::for_pages(&config));
    let listeners = Listeners::open(&config).await?;
    let at = listeners.addresses();
    let bus = Bus::open(cluster, &config.broker.shard, "front").await?;
    let tasks = Tasks::until(shutdown.clone());
    let streams = Guests::new(shares.streams, STREAMS_OF_ONE_ADDRESS_MAX);
    let asking = Arc::new(Asking::new(bus.clone()));
    let front = |of| Front {
        of,
        stream: Arc::new(Stream::default()),
        asking: asking.clone(),
        kept: Arc::default(),
        streams: streams.clone(),
        shutdown: shutdown.clone(),
    };
    let broadcast = front(Of::Broadcast);
    let hall = at.hall.map(|_| front(Of::Hall));
    let audiences = [Some(&broadcast), hall.as_ref()].into_iter().flatten();
    let followed = audiences.map(|front| (front.of, front.stream.clone())).collect();
    let follow = stream::follow(bus, asking.clone(), followed, shutdown.clone());
    let mut running = vec![tasks.spawn("batches of the owner", follow)];
    running.push(tasks.spawn("answers of the owner", asking.clone().receive(shutdown.clone())));
    let notices = CertificateNotices::of_events(config.td.device_hours);
    running.extend(listeners.watch_certificate(&tasks, &notices, &shutdown));
    let hall = hall.map(router).unwrap_or_default();
    running.extend(listeners.serve_front(
        router(broadcast),
        hall,
        &config,
        shares,
        &tasks,
        &shutdown,
    ));
    tracing::info!(http_address = %at.pages, shard = config.broker.shard, "the front is ready");
    systemd::ready();
    Ok(Running {
        http_address: at.pages,
        hall_address: at.hall,
        https_address: at.site,
        shutdown,
        tasks,
        running,
    })
}

fn router(front: Front) -> Router {
    Router::new()
        .route("/api/v1/live", get(live::live))
        .route("/healthz", get(pages::health))
        .fallback(pages::page)
        .with_state(front)
}
