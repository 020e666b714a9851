//! Starts a front: listeners, the line to the owner, pages.

use std::{net::SocketAddr, sync::Arc};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    cluster::front,
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

/// A running front.
pub struct RunningFront {
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

impl RunningFront {
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
pub async fn start(
    config: Config,
    shutdown: CancellationToken,
) -> Result<RunningFront, StartError> {
    config.check()?;
    let config = Arc::new(config);
    let Some(cluster) = &config.cluster else { return Err(StartError::NoCluster) };
    let shares = open_files::raise_limit(&config.limits, Listeners::for_pages(&config));
    let listeners = Listeners::open(&config).await?;
    let at = listeners.addresses();
    let tasks = Tasks::until(shutdown.clone());
    let streams = Guests::new(shares.streams, STREAMS_OF_ONE_ADDRESS_MAX);
    let (shard, has_hall) = (&config.broker.shard, at.hall.is_some());
    let pages = front::open(cluster, shard, has_hall, streams, &tasks, &shutdown).await?;
    let front::Pages { broadcast, hall, mut running } = pages;
    let notices = CertificateNotices::of_events(config.td.device_hours);
    running.extend(listeners.watch_certificate(&tasks, &notices, &shutdown));
    running.extend(listeners.serve_front(broadcast, hall, &config, shares, &tasks, &shutdown));
    tracing::info!(http_address = %at.pages, shard, "the front is ready");
    systemd::ready();
    Ok(RunningFront {
        http_address: at.pages,
        hall_address: at.hall,
        https_address: at.site,
        shutdown,
        tasks,
        running,
    })
}
