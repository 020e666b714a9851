//! The plain listener for hubs: bounded in connections and in connections of one address, then the broker.
//!
//! The broker library accepts every connection as long as there are files, and spins when there are none. So it listens on this machine
//! only, at a port of its own, and others connect here.

use std::{
    collections::HashMap,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy, split},
    net::{TcpListener, TcpSocket, TcpStream},
};
use tokio_util::sync::CancellationToken;

use crate::{
    limits::HUBS_OF_ONE_ADDRESS_MAX,
    machine::{
        accept::{Guest, Reception},
        connection_limit::Guests,
    },
};

/// Original addresses of the connections that the listener has handed on.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers(Arc<Mutex<HashMap<SocketAddr, SocketAddr>>>);

impl Callers {
    fn known(&self) -> MutexGuard<'_, HashMap<SocketAddr, SocketAddr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The original address behind one of this machine, or the address itself.
    pub(super) fn behind(&self, address: SocketAddr) -> SocketAddr {
        self.known().get(&address).copied().unwrap_or(address)
    }
}

/// The listener.
#[derive(Clone)]
pub(super) struct Entrance {
    /// Address at which the broker listens.
    pub(super) broker: SocketAddr,
    pub(super) callers: Callers,
}

impl Entrance {
    /// Accepts connections, up to the limit, until shutdown.
    pub(super) async fn run(self, listener: TcpListener, most: usize, shutdown: CancellationToken) {
        let guests = Guests::new(most, HUBS_OF_ONE_ADDRESS_MAX.min(most.div_ceil(2)));
        let mut reception = Reception::new(listener, guests, "hubs");
        while let Some(Guest { stream, address, place }) = reception.next(&shutdown).await {
            let (entrance, shutdown) = (self.clone(), shutdown.clone());
            tokio::spawn(async move {
                let served = entrance.serve(stream, address);
                if let Some(Err(error)) = shutdown.run_until_cancelled(served).await {
                    tracing::debug!(%error, %address, "a connection to the broker ended");
                }
                drop(place);
            });
        }
    }

    async fn serve(&self, stream: TcpStream, address: SocketAddr) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        // The address is known before the broker can ask for it.
        let here = Announced::new(&self.callers, socket.local_addr()?, address);
        let broker = socket.connect(self.broker).await?;
        broker.set_nodelay(true)?;
        relay(stream, broker).await?;
        drop(here);
        Ok(())
    }
}

/// Entry of a forwarded connection's original address, removed at its end.
struct Announced<'a> {
    callers: &'a Callers,
    here: SocketAddr,
}

impl<'a> Announced<'a> {
    fn new(callers: &'a Callers, here: SocketAddr, address: SocketAddr) -> Announced<'a> {
        callers.known().insert(here, address);
        Announced { callers, here }
    }
}

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        self.callers.known().remove(&self.here);
    }
}

/// Copies bytes between hub and broker until one of them closes, and then closes the other. A hub whose connection the
/// broker has closed must not keep its place here by silence.
pub(super) async fn relay(
    hub: impl AsyncRead + AsyncWrite + Unpin,
    broker: TcpStream,
) -> io::Result<()> {
    let (mut from_hub, mut to_hub) = split(hub);
    let (mut from_broker, mut to_broker) = broker.into_split();
    tokio::select! {
        copied = copy(&mut from_hub, &mut to_broker) => copied?,
        copied = copy(&mut from_broker, &mut to_hub) => {
            to_hub.shutdown().await?;
            copied?
        }
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (near, listener.accept().await.unwrap().0)
    }

    #[tokio::test]
    async fn whoever_the_broker_gives_up_is_given_up_here() {
        let ((mut hub, at_entrance), (to_broker, mut broker)) = (pair().await, pair().await);
        let relayed = tokio::spawn(relay(at_entrance, to_broker));
        hub.write_all(b"hello").await.unwrap();
        let mut heard = [0; 5];
        broker.read_exact(&mut heard).await.unwrap();
        broker.write_all(b"go away").await.unwrap();
        drop(broker);
        let mut said = String::new();
        hub.read_to_string(&mut said).await.unwrap();
        assert_eq!(said, "go away");
        let ended = tokio::time::timeout(Duration::from_secs(20), relayed).await;
        ended.expect("it ends though the hub keeps its end open").unwrap().unwrap();
    }

    #[tokio::test]
    async fn the_broker_is_told_where_a_connection_comes_from_as_long_as_it_is_there() {
        let broker = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (at, callers) = (listener.local_addr().unwrap(), Callers::default());
        let entrance = Entrance { broker: broker.local_addr().unwrap(), callers: callers.clone() };
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(entrance.run(listener, 4, shutdown.clone()));
        let hub = TcpStream::connect(at).await.unwrap();
        let (end, seen) = broker.accept().await.unwrap();
        assert_eq!(callers.behind(seen), hub.local_addr().unwrap());
        drop((hub, end));
        let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
        while callers.behind(seen) != seen {
            assert!(tokio::time::Instant::now() < deadline, "it is forgotten with its connection");
            tokio::task::yield_now().await;
        }
        shutdown.cancel();
        running.await.unwrap();
    }
}
