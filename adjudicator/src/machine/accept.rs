//! Takes connections in: from whoever has a place, until shutdown, and with a pause when the system has no more to give.
//!
//! Without the pause an accept loop spins where files have run out, and fills the log with the same sentence.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::machine::connection_limit::{Guests, Place};

/// Pause after a connection that could not be accepted: what is missing (open files, memory) does not come back in no time.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often it is said that connections cannot be accepted.
const REPORT_EVERY: Duration = Duration::from_secs(60);

/// Somebody who was taken in.
pub(crate) struct Guest {
    pub(crate) stream: TcpStream,
    pub(crate) address: SocketAddr,
    /// Kept as long as the connection.
    pub(crate) place: Place,
}

/// A listener, and whom it takes in.
pub(crate) struct Reception {
    listener: TcpListener,
    guests: Guests,
    /// Who cannot be taken in, for the log.
    whom: &'static str,
    reported: Option<Instant>,
}

impl Reception {
    /// `whom`: who comes here, in the plural.
    pub(crate) fn new(listener: TcpListener, guests: Guests, whom: &'static str) -> Reception {
        Reception { listener, guests, whom, reported: None }
    }

    /// The next one; none at shutdown. Connections without a place are closed at once.
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
                            "{} cannot be let in; are too many files open (LimitNOFILE)?", self.whom
                        );
                        self.reported = Some(Instant::now());
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}
