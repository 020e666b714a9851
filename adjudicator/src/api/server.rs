//! Connections of the web server: bounded in number, bounded by address, and in the time that they may take to ask for something.
//!
//! A connection costs an open file, whether it asks for anything or not. Without bounds one machine that opens a thousand and
//! says nothing keeps everybody else out, the hubs included.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Pause after a connection that could not be accepted: what is missing (open files, memory) does not come back in no time.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often it is said that connections cannot be accepted.
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// Longest wait for answers that are being sent when the server stops.
const FAREWELL_MAX: Duration = Duration::from_secs(5);

/// What connections may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Most connections.
    pub(super) connections: usize,
    /// Most connections of one address; a proxy on this machine is exempt.
    pub(super) of_one_address: usize,
    /// Longest time from the end of an answer, or from the beginning, to the end of the next request's header.
    pub(super) header: Duration,
}

impl Default for Limits {
    /// For a hall: every spectator has a page open, and a school's telephones may share an address.
    fn default() -> Limits {
        Limits { connections: 8192, of_one_address: 512, header: Duration::from_secs(20) }
    }
}

/// Who is connected.
#[derive(Clone, Debug)]
struct Guests {
    limits: Limits,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// The place of one connection; free again when dropped.
#[derive(Debug)]
struct Place {
    guests: Guests,
    address: IpAddr,
}

impl Guests {
    fn new(limits: Limits) -> Guests {
        Guests { limits, by_address: Arc::default() }
    }

    /// A place for a connection from `address`; none when it has too many, or all are taken.
    fn admit(&self, address: IpAddr) -> Option<Place> {
        let address = household(address);
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if by_address.values().sum::<usize>() >= self.limits.connections {
            return None;
        }
        let count = by_address.entry(address).or_insert(0);
        if *count >= self.limits.of_one_address && !is_this_machine(address) {
            return None;
        }
        *count += 1;
        Some(Place { guests: self.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut by_address = self.guests.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

/// What counts as one address: of IPv6 the network, in which a machine has as many addresses as it likes.
fn household(address: IpAddr) -> IpAddr {
    const NETWORK: u128 = !((1 << 64) - 1);
    match address.to_canonical() {
        IpAddr::V6(address) if address != Ipv6Addr::LOCALHOST => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK))
        }
        address => address,
    }
}

fn is_this_machine(address: IpAddr) -> bool {
    address == Ipv4Addr::LOCALHOST || address == Ipv6Addr::LOCALHOST
}

/// Serves until shutdown; answers that are being sent then are finished.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
) {
    let (guests, connections) = (Guests::new(limits), TaskTracker::new());
    let mut reported: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                // One without a place is closed at once.
                if let Some(place) = guests.admit(address.ip()) {
                    let shutdown = shutdown.clone();
                    connections.spawn(converse(stream, router.clone(), limits, place, shutdown));
                }
            }
            Err(error) => {
                if reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
                    tracing::error!(%error, "the web server cannot accept connections; are too many files open (LimitNOFILE)?");
                    reported = Some(Instant::now());
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    connections.close();
    if tokio::time::timeout(FAREWELL_MAX, connections.wait()).await.is_err() {
        tracing::warn!(
            "answers of the web server were cut off, because somebody does not read them"
        );
    }
}

async fn converse(
    stream: TcpStream,
    router: Router,
    limits: Limits,
    place: Place,
    shutdown: CancellationToken,
) {
    // An event is small and wanted now.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps Nagle's algorithm");
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
    drop(place);
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const LIMITS: Limits =
        Limits { connections: 6, of_one_address: 2, header: Duration::from_millis(50) };

    #[test]
    fn one_address_takes_its_share_and_all_together_no_more_than_there_is() {
        let guests = Guests::new(LIMITS);
        let from = |text: &str| guests.admit(text.parse().unwrap());
        let mut places: Vec<Place> = (0..2).map(|_| from("10.0.0.1").unwrap()).collect();
        assert!(from("10.0.0.1").is_none());
        assert!(from("::ffff:10.0.0.1").is_none(), "the same address in other words");
        places.extend((0..2).map(|host| from(&format!("2001:db8::{host}")).unwrap()));
        assert!(from("2001:db8::77").is_none(), "a machine has a whole network");
        places.extend((0..2).map(|_| from("127.0.0.1").unwrap()));
        assert!(from("127.0.0.1").is_none() && from("10.0.0.2").is_none(), "all are taken");
        places.clear();
        assert!(guests.by_address.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn who_asks_for_nothing_is_sent_away_and_who_asks_is_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = CancellationToken::new();
        let router = Router::new().route("/", get(async || "here"));
        let server = tokio::spawn(serve(listener, router, LIMITS, shutdown.clone()));
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
}
