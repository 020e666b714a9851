//! Announcement of the adjudicator in the hall's network by mDNS, for hubs that have no address yet. It proves nothing: see [`proto::join`].

use std::net::SocketAddr;

use mdns_sd::{ServiceDaemon, ServiceInfo};
use proto::join::SERVICE;
use tokio_util::sync::CancellationToken;

/// Announces the pages at an address until shutdown. A network without multicast is reported, and nothing else is the matter.
pub(crate) async fn run(pages: SocketAddr, id: String, shutdown: CancellationToken) {
    if pages.ip().is_loopback() {
        tracing::warn!(
            "http.address is this machine alone: new hubs cannot ask here; set it to 0.0.0.0:{}",
            pages.port()
        );
        return shutdown.cancelled().await;
    }
    match announce(pages, &id) {
        Ok(daemon) => {
            shutdown.cancelled().await;
            // Fails when its thread has ended, which is as good.
            let _ = daemon.shutdown();
        }
        Err(error) => {
            tracing::warn!(%error, "the adjudicator is not announced: hubs need its address (twinboard hub --join --adjudicator HOST:PORT)");
            shutdown.cancelled().await;
        }
    }
}

fn announce(pages: SocketAddr, id: &str) -> Result<ServiceDaemon, mdns_sd::Error> {
    let host = format!("twinboard-{id}.local.");
    let service = ServiceInfo::new(SERVICE, id, &host, "", pages.port(), None)?;
    let service = match pages.ip().is_unspecified() {
        true => service.enable_addr_auto(),
        false => ServiceInfo::new(SERVICE, id, &host, pages.ip(), pages.port(), None)?,
    };
    let daemon = ServiceDaemon::new()?;
    daemon.register(service)?;
    tracing::info!(port = pages.port(), "announced for new hubs");
    Ok(daemon)
}
