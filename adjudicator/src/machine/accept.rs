//! Acceptance of connections: from each client that has a place, until shutdown, with a pause when the system has no files left.
//!
//! Without the pause an accept loop spins where files have run out, and fills the log with the same sentence.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::machine::connection_limit::{ConnectionSlot, Guests};

/// Pause after a connection that could not be accepted: missing files or memory take a while to come back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Interval between two warnings that connections cannot be accepted.
const REPORT_EVERY: Duration = Duration::from_secs(60);

/// An accepted connection.
pub(crate) struct Guest {
    pub(crate) stream: TcpStream,
    pub(crate) address: SocketAddr,
    /// The client's place, held as long as the connection.
    pub(crate) place: ConnectionSlot,
}

/// A listener, and the places of its clients.
pub(crate) struct Reception {
    listener: TcpListener,
    guests: Guests,
    /// Kind of client, in the plural, for the log.
    whom: &'static str,
    reported: Option<Instant>,
}

impl Reception {
    /// `whom`: the kind of client that connects here, in the plural.
    pub(crate) fn new(listener: TcpListener, guests: Guests, whom: &'static str) -> Reception {
        Reception { listener, guests, whom, reported: None }
    }

    /// The next connection; none at shutdown. Connections without a place are closed at once.
    pub(crate) async fn next(&mut self, shutdown: &CancellationToken) -> Option<Guest> {
        loop {
            match shutdown.run_until_cancelled(self.listener.accept()).await? {
                Ok((stream, address)) => {
                    if let Some(place) = self.guests.admit(address.ip()) {
                        return Some(Guest { stream, address, place });
                    }
                }
                Err(error) => {
                    if self.reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
                        tracing::error!(
                            %error,
                            "{} cannot be admitted; are too many files open (LimitNOFILE)?", self.whom
                        );
                        self.reported = Some(Instant::now());
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}
