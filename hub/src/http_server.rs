//! An address at which the hub answers over HTTP: had as soon as it is free, with a bounded number of connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

/// Longest time until a request's header is whole.
pub(crate) const HEADER_MAX: Duration = Duration::from_secs(5);
/// Pause after a connection that could not be accepted.
const ACCEPT_AGAIN: Duration = Duration::from_millis(200);
/// Wait after an address that could not be had.
const LISTEN_AGAIN: Duration = Duration::from_secs(10);

/// An address of the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    /// Name of the service, for people.
    pub(crate) name: &'static str,
    /// The key of the configuration that has the address.
    pub(crate) key: &'static str,
    /// Connections at a time; more wait.
    pub(crate) connections_max: usize,
}

impl Service {
    /// Serves connections until shutdown. A hub whose address is in use goes on without it, and tries again.
    pub(crate) async fn serve<F>(
        self,
        shutdown: CancellationToken,
        connection: impl Fn(TcpStream) -> F,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let Service { address, name, key, .. } = self;
        let serving = async {
            let mut said = false;
            loop {
                match TcpListener::bind(address).await {
                    Ok(listener) => {
                        info!(%address, "{name}");
                        return self.accept(listener, connection).await;
                    }
                    Err(error) if !std::mem::replace(&mut said, true) => warn!(
                        %address, %error, "no {name}: correct {key}; the hub goes on, and tries again"
                    ),
                    Err(_) => {}
                }
                sleep(LISTEN_AGAIN).await;
            }
        };
        shutdown.run_until_cancelled(serving).await;
    }

    /// Serves the connections to a listener.
    pub(crate) async fn accept<F>(self, listener: TcpListener, connection: impl Fn(TcpStream) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let places = Arc::new(Semaphore::new(self.connections_max));
        loop {
            // The semaphore is never closed.
            let Ok(place) = places.clone().acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let served = connection(stream);
                    tokio::spawn(async move {
                        served.await;
                        drop(place);
                    });
                }
                Err(error) => {
                    debug!(%error, "a connection for {} was not accepted", self.name);
                    sleep(ACCEPT_AGAIN).await;
                }
            }
        }
    }
}
