//! Connections of the web server: bounded in number, bounded by address, and in the time that they may take to ask for something.
//!
//! The same pages are served with and without encryption, on an address each.

use std::{convert::Infallible, net::IpAddr, time::Duration};

use axum::{Router, extract::Request, response::IntoResponse as _};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower_service::Service as _;

use super::{forwarded::Proxies, large_bodies::LargeAnswers};
use crate::{
    limits::PAGES_OF_ONE_ADDRESS_MAX,
    machine::{
        accept::{Guest, Reception},
        connection_limit::{ConnectionSlot, Guests, KnownAddresses},
    },
};

/// Longest wait for answers that are being sent when the server stops.
const FAREWELL_MAX: Duration = Duration::from_secs(5);

/// Longest time from the end of an answer, or from the beginning, to the end of the next request's header.
const HEADER_MAX: Duration = Duration::from_secs(20);
/// Longest time in which a client takes nothing of what it is sent: who asks and does not read keeps a place, and what it asked for, for nothing.
const UNREAD_MAX: Duration = Duration::from_secs(30);
/// Longest header of a request, and most of an answer that is kept for a client that does not read.
const BUFFER_BYTES_MAX: usize = 32 * 1024;
/// One in so many connections is for addresses from which directors came: whoever else fills the hall, they get to their list.
const DIRECTORS_PART: usize = 16;

/// Whose word counts at the door.
#[derive(Clone, Debug, Default)]
pub(super) struct Doorkeeper {
    /// Proxies that are named.
    pub(super) proxies: Proxies,
    /// Where directors came from.
    pub(super) directors: KnownAddresses,
}

/// From where a request comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// What connections may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionCosts {
    /// Who connects, in the plural, for the log.
    pub(super) whom: &'static str,
    /// Most connections.
    pub(super) connections: usize,
    /// Most connections of one address; a proxy on this machine is exempt.
    pub(super) of_one_address: usize,
    /// Of the connections, those that are for addresses from which directors came.
    pub(super) for_directors: usize,
    /// Longest wait for the header of a request.
    pub(super) header: Duration,
    /// Longest time in which a client takes nothing of what it is sent.
    pub(super) unread: Duration,
}

impl ConnectionCosts {
    /// For a hall, when at most so many connections may be open.
    pub(super) fn of_hall(whom: &'static str, connections: usize) -> ConnectionCosts {
        let of_one_address = PAGES_OF_ONE_ADDRESS_MAX.min(connections.div_ceil(2));
        let for_directors = connections / DIRECTORS_PART;
        let (header, unread) = (HEADER_MAX, UNREAD_MAX);
        ConnectionCosts { whom, connections, of_one_address, for_directors, header, unread }
    }
}

/// Serves until shutdown; answers that are being sent then are finished.
pub(super) async fn serve(
    listener: TcpListener,
    encryption: Option<TlsAcceptor>,
    router: Router,
    limits: ConnectionCosts,
    doorkeeper: Doorkeeper,
    shutdown: CancellationToken,
) {
    let Doorkeeper { proxies, directors } = doorkeeper;
    let guests = Guests::new(limits.connections, limits.of_one_address);
    let guests = guests.with_reserve(limits.for_directors, directors);
    let mut reception = Reception::new(listener, guests, limits.whom);
    let connections = TaskTracker::new();
    let large = LargeAnswers::default();
    while let Some(Guest { stream, address, place }) = reception.next(&shutdown).await {
        let peer = Peer(address.ip());
        let talk = Talk {
            router: router.clone(),
            large: large.clone(),
            proxies: proxies.clone(),
            peer,
            limits,
            shutdown: shutdown.clone(),
        };
        connections.spawn(welcome(stream, encryption.clone(), talk, place));
    }
    connections.close();
    if tokio::time::timeout(FAREWELL_MAX, connections.wait()).await.is_err() {
        tracing::warn!("answers of the web server were cut off, because clients did not read them");
    }
}

/// What a connection is served with.
struct Talk {
    router: Router,
    large: LargeAnswers,
    proxies: Proxies,
    peer: Peer,
    limits: ConnectionCosts,
    shutdown: CancellationToken,
}

async fn welcome(
    stream: TcpStream,
    encryption: Option<TlsAcceptor>,
    talk: Talk,
    place: ConnectionSlot,
) {
    // An event is small and wanted now.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps Nagle's algorithm");
    }
    match encryption {
        None => talk.converse(stream).await,
        Some(acceptor) => {
            match tokio::time::timeout(talk.limits.header, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => talk.converse(stream).await,
                Ok(Err(error)) => tracing::debug!(%error, "a browser turned away"),
                Err(_) => tracing::debug!("a browser did not finish its handshake"),
            }
        }
    }
    drop(place);
}

impl Talk {
    async fn converse(self, stream: impl AsyncRead + AsyncWrite + Unpin + 'static) {
        let Talk { router, large, proxies, peer, .. } = self;
        let service = service_fn(move |mut request: Request<Incoming>| {
            let asked_by = proxies.asked_by(peer.0, request.headers());
            let (mut router, large) = (router.clone(), large.clone());
            async move {
                let address = match asked_by {
                    Ok(address) => address,
                    Err(refusal) => return Ok::<_, Infallible>(refusal.into_response()),
                };
                request.extensions_mut().insert(Peer(address));
                Ok(large.counted(address, router.call(request).await?))
            }
        });
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.unread));
        let stream = Box::pin(stream);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header)
            .max_buf_size(BUFFER_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = self.shutdown.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a connection ended");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        task::JoinHandle,
    };

    use super::*;

    const LIMITS: ConnectionCosts = ConnectionCosts {
        whom: "pages",
        connections: 6,
        of_one_address: 2,
        for_directors: 0,
        header: Duration::from_millis(50),
        unread: Duration::from_millis(50),
    };

    async fn started(router: Router) -> (SocketAddr, CancellationToken, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = CancellationToken::new();
        let door = Doorkeeper::default();
        let server = tokio::spawn(serve(listener, None, router, LIMITS, door, shutdown.clone()));
        (address, shutdown, server)
    }

    #[tokio::test]
    async fn who_asks_for_nothing_is_sent_away_and_who_asks_is_answered() {
        let router = Router::new().route("/", get(async || "here"));
        let (address, shutdown, server) = started(router).await;
        let mut idle = TcpStream::connect(address).await.unwrap();
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
        let mut said = Vec::new();
        idle.read_to_end(&mut said).await.unwrap();
        slow.read_to_end(&mut said).await.unwrap();
        assert!(!String::from_utf8_lossy(&said).contains("here"));
        let mut asks = TcpStream::connect(address).await.unwrap();
        asks.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        asks.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        shutdown.cancel();
        server.await.unwrap();
    }

    #[tokio::test]
    async fn who_asks_and_does_not_read_the_answer_is_sent_away() {
        // More than the kernel keeps for somebody who does not read.
        let router = Router::new().route("/", get(async || vec![b' '; 64 << 20]));
        let (address, shutdown, server) = started(router).await;
        let mut asks = TcpStream::connect(address).await.unwrap();
        asks.write_all(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n").await.unwrap();
        // The server has given it up once nothing can be written to it any more.
        while asks.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        shutdown.cancel();
        server.await.unwrap();
    }
}
