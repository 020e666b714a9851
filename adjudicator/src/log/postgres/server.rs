//! A shard's place on a PostgreSQL server, and the meaning of the server's refusals.

use std::{fmt, sync::Arc, time::Duration};

use sqlx::{Connection as _, PgConnection, Row as _, postgres::PgConnectOptions};

use super::{
    ANSWER_MAX,
    hosts::{Hosts, Primary},
    lease,
};
use crate::log::{Place, StoreError};

/// Oldest supported server, as servers number their versions.
const VERSION_MIN: i32 = 130_000;

/// Time for which the server keeps a transaction, and with it the shard, of a silent writer.
const IDLE_MAX: &str = "20s";

/// The server's code for a transaction that may not write.
const READ_ONLY: &str = "25006";

/// A shard's place in a database of a server, or of a primary and its standbys.
#[derive(Clone)]
pub struct Server {
    hosts: Arc<Hosts>,
    pub(super) shard: String,
}

impl Server {
    /// The log of a shard in the database at an address.
    ///
    /// # Errors
    ///
    /// The address is none of PostgreSQL's, has a password in it, or leaves open whether a connection to another machine is encrypted.
    pub fn new(url: &str, password: Option<&str>, shard: &str) -> Result<Server, StoreError> {
        let refuse = |problem: &str| Err(StoreError::Address(problem.to_owned()));
        let Some((_, rest)) = url.split_once("://").filter(|_| Server::is_address(url)) else {
            return refuse("write postgres://USER@HOST/DATABASE");
        };
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
        if user.contains(':') || rest.contains("password=") {
            return refuse(
                "a password stands in the address, where programs and logs show it: put it into a file and name that in store.password_file",
            );
        }
        let hosts = Hosts::of(url, password).map_err(StoreError::Address)?;
        // Without a word this would be encrypted or not, as the server likes.
        if hosts.leaves_encryption_open() {
            return refuse(
                "say whether the connection to another machine is encrypted: ?sslmode=verify-full&sslrootcert=FILE, or ?sslmode=disable in a network that is \
                 your own",
            );
        }
        Ok(Server { hosts: Arc::new(hosts), shard: shard.to_owned() })
    }

    /// Whether a text is the address of a server, and no file.
    #[must_use]
    pub fn is_address(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Connects: to the only host, or to the primary among several.
    pub(super) async fn connect(&self) -> Result<Primary, StoreError> {
        let Some(only) = self.hosts.only() else {
            let primary = self.hosts.primary().await;
            return primary.map_err(|found| StoreError::NoPrimary { place: self.place(), found });
        };
        let connected = tokio::time::timeout(ANSWER_MAX, PgConnection::connect_with(only)).await;
        let connected = connected.map_err(|_| self.silent())?;
        connected.map(|connection| (0, connection)).map_err(|error| match self.named(error) {
            StoreError::Statement(source) => StoreError::Open { place: self.place(), source },
            error => error,
        })
    }

    /// Options of the connections to a host.
    pub(super) fn options(&self, place: usize) -> &PgConnectOptions {
        self.hosts.at(place)
    }

    /// Whether there are several hosts, of which one is the primary.
    pub(super) fn may_fail_over(&self) -> bool {
        self.hosts.only().is_none()
    }

    /// Connects to write, if what the server commits is on its disk and can be written.
    pub(super) async fn writer(&self) -> Result<Primary, StoreError> {
        let (host, mut connection) = self.connect().await?;
        let of = |error| self.named(error);
        let row = sqlx::query(
            "SELECT pg_is_in_recovery() AS is_standby, current_setting('server_version_num')::INT AS version, \
             current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit, \
             current_setting('transaction_read_only') AS read_only, \
             set_config('idle_in_transaction_session_timeout', $1, false), set_config('statement_timeout', '0', false)",
        )
        .bind(IDLE_MAX)
        .fetch_one(&mut connection)
        .await
        .map_err(of)?;
        let setting = |name| row.try_get::<String, _>(name).map_err(of);
        if row.try_get("is_standby").map_err(of)? {
            return Err(self.read_only("the server is a standby"));
        }
        if setting("read_only")? == "on" {
            return Err(self.read_only("default_transaction_read_only is on"));
        }
        let version: i32 = row.try_get("version").map_err(of)?;
        let unfit = |found: String| Err(StoreError::Unfit { place: self.place(), found });
        if version < VERSION_MIN {
            let (is, least) = (version / 10_000, VERSION_MIN / 10_000);
            return unfit(format!("the server is PostgreSQL {is}; it needs {least} or later"));
        }
        if setting("fsync")? == "off" {
            return unfit(
                "fsync is off, so a power cut may lose rows that were acknowledged to hubs: set fsync = on in postgresql.conf".to_owned(),
            );
        }
        if setting("synchronous_commit")? == "off" {
            let on = sqlx::query("SET synchronous_commit = on").execute(&mut connection);
            on.await.map_err(of)?;
        }
        Ok((host, connection))
    }

    /// Whether no owner has the shard now.
    pub(in crate::log) async fn has_no_owner(&self) -> Result<bool, StoreError> {
        let looked = tokio::time::timeout(ANSWER_MAX, lease::is_free(self)).await;
        looked.map_err(|_| self.silent())?
    }

    fn place(&self) -> Place {
        Place::Server(self.clone())
    }

    fn read_only(&self, found: &str) -> StoreError {
        StoreError::ReadOnly { place: self.place(), found: found.to_owned() }
    }

    /// No answer came in time.
    pub(super) fn silent(&self) -> StoreError {
        self.silent_for(ANSWER_MAX)
    }

    /// The server did not answer within this time.
    pub(super) fn silent_for(&self, waited: Duration) -> StoreError {
        let words = format!("no answer in {} s", waited.as_secs());
        StoreError::Statement(sqlx::Error::Io(std::io::Error::new(
            std::io::ErrorKind::TimedOut,
            words,
        )))
    }

    /// An error as what it means.
    pub(super) fn named(&self, error: sqlx::Error) -> StoreError {
        match error.as_database_error() {
            Some(refusal) if refusal.code().as_deref() == Some(READ_ONLY) => {
                self.read_only(refusal.message())
            }
            _ => StoreError::Statement(error),
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Server { hosts, shard } = self;
        write!(f, "{hosts} (shard {shard})")
    }
}

/// Without its password.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_leaves_a_secret_or_its_encryption_open_is_refused_with_what_to_write() {
        for (url, words) in [
            ("mysql://db/event", "postgres://USER@HOST/DATABASE"),
            ("postgres://me:secret@localhost/event", "store.password_file"),
            ("postgres://me@localhost/event?password=secret", "store.password_file"),
            ("postgres://me@db.example/event", "sslmode=verify-full"),
            ("postgres://me@localhost,db.example/event", "sslmode=verify-full"),
        ] {
            let refused = Server::new(url, None, "hall").unwrap_err().to_string();
            assert!(refused.contains(words) && !refused.contains("secret"), "{url}: {refused}");
        }
        for url in [
            "postgres://me@localhost/event",
            "postgres://me@127.0.0.1:5433/event",
            "postgres://me@db.example/event?sslmode=verify-full",
            "postgres:///event?host=/run/postgresql",
            "postgres://me@db1.example,db2.example/event?sslmode=verify-full",
        ] {
            let server = Server::new(url, Some("hidden"), "hall").unwrap();
            assert!(!format!("{server} {server:?}").contains("hidden"), "{server}");
        }
    }
}
