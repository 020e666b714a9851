//! Where people and programs that measure are served: every address is taken before anything else starts, so that a taken one is
//! refused at once.

use std::{net::SocketAddr, sync::Arc};

use axum::Router;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Config,
    error::{ListenError, StartError},
    front::{audience::Audience, fan_out},
    http::{
        self, Desk,
        metrics::{self, Metrics},
    },
    machine::{connection_limit::KnownAddresses, open_files::Shares, tasks::Tasks},
    pki::{
        notices::CertificateNotices,
        tls::{self, Identity},
    },
};

/// Addresses that are taken.
pub(crate) struct Listeners {
    pages: Taken,
    hall: Option<Taken>,
    site: Option<Site>,
    metrics: Option<Taken>,
}

/// Where a running adjudicator serves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    /// The pages.
    pub(crate) pages: SocketAddr,
    /// The pages that the hall's screens see.
    pub(crate) hall: Option<SocketAddr>,
    /// The pages, encrypted.
    pub(crate) site: Option<SocketAddr>,
    /// The numbers for Prometheus.
    pub(crate) metrics: Option<SocketAddr>,
}

impl Listeners {
    /// What the configuration asks for.
    ///
    /// # Errors
    ///
    /// An address that is taken or is not this machine's, a certificate that cannot be used.
    pub(crate) async fn open(config: &Config) -> Result<Listeners, StartError> {
        Ok(Listeners {
            pages: Taken::take(config.http.address).await?,
            hall: Taken::take_if(config.http.hall_address).await?,
            site: Site::open(config).await?,
            metrics: Taken::take_if(config.http.metrics_address).await?,
        })
    }

    /// Listeners for pages.
    pub(crate) fn for_pages(config: &Config) -> u64 {
        1 + [config.http.hall_address, config.http.tls_address].into_iter().flatten().count() as u64
    }

    pub(crate) fn addresses(&self) -> Addresses {
        Addresses {
            pages: self.pages.address,
            hall: self.hall.as_ref().map(|taken| taken.address),
            site: self.site.as_ref().map(|site| site.taken.address),
            metrics: self.metrics.as_ref().map(|taken| taken.address),
        }
    }

    /// Follows the files of the site's certificate, if there is a site.
    pub(crate) fn watch_certificate(
        &self,
        tasks: &Tasks,
        notices: &CertificateNotices,
        shutdown: &CancellationToken,
    ) -> Option<JoinHandle<()>> {
        let identity = self.site.as_ref()?.identity.clone();
        let watching = identity.watch(notices.clone(), shutdown.clone());
        Some(tasks.spawn("certificate of the pages", watching))
    }

    /// Serves everywhere; `hall` is what the hall's screens see.
    pub(crate) fn serve(
        self,
        desk: &Desk,
        hall: Arc<Audience>,
        metrics: Metrics,
        shares: Shares,
        tasks: &Tasks,
        shutdown: &CancellationToken,
    ) -> Vec<JoinHandle<()>> {
        let publish = |audience: &Arc<Audience>| {
            tasks.spawn("live events", fan_out::publish(audience.clone(), shutdown.clone()))
        };
        let pages = http::serve(self.pages.listener, None, desk.clone());
        let mut servers = vec![publish(&desk.public), tasks.spawn("pages", pages)];
        if let Some(taken) = self.hall {
            servers.push(publish(&hall));
            let served = http::serve(taken.listener, None, desk.with(hall));
            servers.push(tasks.spawn("pages of the hall", served));
        }
        if let Some(Site { taken, acceptor, .. }) = self.site {
            tracing::info!(address = %taken.address, "pages are served encrypted");
            let served = http::serve(taken.listener, Some(acceptor), desk.clone());
            servers.push(tasks.spawn("encrypted pages", served));
        }
        if let Some(taken) = self.metrics {
            let shutdown = shutdown.clone();
            let served = metrics::serve(taken.listener, metrics, shares.metrics, shutdown);
            servers.push(tasks.spawn("metrics", served));
        }
        servers
    }
}

impl Listeners {
    /// Serves the routers of a front: for everybody, and for the hall's screens.
    pub(crate) fn serve_front(
        self,
        broadcast: Router,
        hall: Router,
        config: &Arc<Config>,
        shares: Shares,
        tasks: &Tasks,
        shutdown: &CancellationToken,
    ) -> Vec<JoinHandle<()>> {
        let site = self.site.map(|Site { taken, acceptor, .. }| {
            ("encrypted pages", taken, Some(acceptor), broadcast.clone())
        });
        let hall = self.hall.map(|taken| ("pages of the hall", taken, None, hall));
        let all = [Some(("pages", self.pages, None, broadcast)), hall, site];
        let served = all.into_iter().flatten().map(|(name, taken, encryption, router)| {
            let (config, shutdown) = (config.clone(), shutdown.clone());
            tasks.spawn(name, async move {
                let limits = (&*config, shares, KnownAddresses::default());
                http::serve_router(taken.listener, encryption, router, limits, shutdown).await;
            })
        });
        served.collect()
    }
}

/// A listener, and where it listens: the port is known even where any free one was asked for.
struct Taken {
    listener: TcpListener,
    address: SocketAddr,
}

impl Taken {
    async fn take(at: SocketAddr) -> Result<Taken, ListenError> {
        let listener = http::listen(at).await?;
        let address = listener.local_addr().unwrap_or(at);
        Ok(Taken { listener, address })
    }

    async fn take_if(at: Option<SocketAddr>) -> Result<Option<Taken>, ListenError> {
        match at {
            Some(at) => Taken::take(at).await.map(Some),
            None => Ok(None),
        }
    }
}

/// The pages, encrypted.
struct Site {
    taken: Taken,
    acceptor: TlsAcceptor,
    identity: Arc<Identity>,
}

impl Site {
    /// What the configuration asks for, if it does.
    async fn open(config: &Config) -> Result<Option<Site>, StartError> {
        let Some(at) = config.http.tls_address else { return Ok(None) };
        let identity = tls::of_site(config)?;
        let acceptor = identity.for_browsers()?;
        Ok(Some(Site { taken: Taken::take(at).await?, acceptor, identity }))
    }
}
