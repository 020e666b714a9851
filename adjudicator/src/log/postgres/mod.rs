//! The log of a shard in a PostgreSQL database, for an event of several machines.
//!
//! A commit is one statement, and a statement is a transaction: it moves the shard's counter on if the counter is where it is expected and the
//! epoch is this owner's, and only then writes anything. So numbers have no holes and follow the order of commits, which a sequence of the
//! database would not give. Nothing is acknowledged before the server is ready for the next statement: the transaction
//! ends only then. When no answer comes the outcome is not known; before anything is answered or written again the owner raises its own
//! epoch, so that what is still on its way commits nothing, and reads where the log ends.

mod commit;
#[cfg(test)]
mod fault_tests;
mod hosts;
mod lease;
#[cfg(test)]
mod lease_model;
mod server;
#[cfg(test)]
pub(super) mod test_server;

use std::{
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
pub use server::Server;
use sqlx::{
    Connection as _, PgConnection, PgPool, Row as _,
    migrate::MigrateError,
    postgres::{PgPoolOptions, PgRow},
};
use tokio::{sync::Mutex, time::timeout};

use super::{
    Place, StoreError,
    group::Group,
    mending::Mend,
    migrations,
    shard_log::{
        BootPosition, Filled, Filling, Inspected, Placed, READ_BYTES_MAX, READ_LIMIT, ShardLog,
    },
    stored_row::{Read, StoredRow, from_stored, to_stored},
    survey::Boot,
};

/// Connections that read.
const READERS_MAX: u32 = 3;

/// Longest wait for a server's answer. A lease is shorter; a commit that is answered later is fenced off by its epoch.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// Longest check of the tables' form, and migration of a log to a newer one.
const MIGRATION_MAX: Duration = Duration::from_secs(60);

/// State of an owner that writes a log.
#[derive(Debug)]
struct Lease {
    /// Names this opening.
    owner: String,
    epoch: AtomicU64,
}

/// Connections that read, and the place of their host in the address.
#[derive(Debug)]
struct Readers {
    host: usize,
    pool: PgPool,
}

impl Readers {
    fn of(server: &Server, host: usize) -> Readers {
        let pool = PgPoolOptions::new().max_connections(READERS_MAX).acquire_timeout(ANSWER_MAX);
        Readers { host, pool: pool.connect_lazy_with(server.options(host).clone()) }
    }
}

/// The log of a shard.
#[derive(Debug)]
pub(super) struct Postgres {
    server: Server,
    /// The one connection that writes. One on which something failed, or was broken off, is not used again.
    writer: Mutex<Option<PgConnection>>,
    readers: RwLock<Readers>,
    /// None where the log is only read.
    lease: Option<Lease>,
    generation: u32,
    unchecked_until: u64,
}

impl Postgres {
    /// Opens the log to be written, making or migrating the tables as needed, and takes its lease.
    pub(super) async fn open(server: &Server) -> Result<Postgres, StoreError> {
        let (host, mut writer) = server.writer().await?;
        let place = || Place::Server(server.clone());
        let migrations = migrations::of_postgres();
        let migrated = timeout(MIGRATION_MAX, migrations.run(&mut writer)).await;
        migrated.map_err(|_| server.silent_for(MIGRATION_MAX))?.map_err(|source| match source {
            MigrateError::Execute(error) => server.named(error),
            source => StoreError::Version { place: place(), source },
        })?;
        let (lease, generation) = lease::take(server, &mut writer).await?;
        let mut postgres = Postgres::over(server, (host, Some(writer)), generation).await?;
        postgres.lease = Some(lease);
        Ok(postgres)
    }

    /// Opens an existing log to be read.
    pub(super) async fn open_existing(server: &Server) -> Result<Postgres, StoreError> {
        let place = || Place::Server(server.clone());
        let of = |error| server.named(error);
        let (host, mut connection) = server.connect().await?;
        let has_one = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
        let has_one: bool =
            sqlx::query_scalar(has_one).fetch_one(&mut connection).await.map_err(of)?;
        if !has_one {
            return Err(StoreError::NoLog { place: place() });
        }
        migrations::check(&mut connection, &migrations::of_postgres())
            .await
            .map_err(|source| StoreError::Version { place: place(), source })?;
        let generation = sqlx::query_scalar("SELECT generation FROM shard WHERE name = $1")
            .bind(&server.shard)
            .fetch_optional(&mut connection)
            .await
            .map_err(of)?;
        let generation: i64 = generation.ok_or_else(|| StoreError::NoLog { place: place() })?;
        drop(connection.close().await);
        Postgres::over(server, (host, None), generation).await
    }

    async fn over(
        server: &Server,
        (host, writer): (usize, Option<PgConnection>),
        generation: i64,
    ) -> Result<Postgres, StoreError> {
        let readers = Readers::of(server, host);
        let until = sqlx::query_scalar("SELECT unchecked_until FROM shard WHERE name = $1");
        let until = until.bind(&server.shard).fetch_one(&readers.pool);
        let until = timeout(ANSWER_MAX, until).await.map_err(|_| server.silent())?;
        Ok(Postgres {
            server: server.clone(),
            writer: Mutex::new(writer),
            readers: RwLock::new(readers),
            lease: None,
            generation: u32::try_from(generation).unwrap_or_default(),
            unchecked_until: from_stored(until.map_err(|error| server.named(error))?),
        })
    }

    /// Connections that read.
    fn readers(&self) -> PgPool {
        self.readers.read().unwrap_or_else(PoisonError::into_inner).pool.clone()
    }

    /// Reads at the host that is written to: another one may lack what was committed.
    fn read_at(&self, host: usize) {
        let mut readers = self.readers.write().unwrap_or_else(PoisonError::into_inner);
        if readers.host != host {
            let before = std::mem::replace(&mut *readers, Readers::of(&self.server, host));
            // From here on it gives no connection away; those that it has end with it.
            drop(before.pool.close());
        }
    }

    /// Does something with the connection that writes, which is used again only if that was done, and in time.
    async fn write<T>(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = self.writer.lock().await;
        let done = timeout(ANSWER_MAX, async {
            let mut connection = match writer.take() {
                Some(connection) => connection,
                None => {
                    let (host, connection) = self.server.writer().await?;
                    self.read_at(host);
                    connection
                }
            };
            let done = work(&mut connection).await?;
            Ok((done, connection))
        });
        let (done, connection) = done.await.unwrap_or_else(|_| Err(self.server.silent()))?;
        *writer = Some(connection);
        Ok(done)
    }

    /// Waits for an answer no longer than anything else does.
    async fn read_within<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, StoreError> {
        let read = timeout(ANSWER_MAX, work).await;
        read.map_err(|_| self.server.silent())?.map_err(|error| self.server.named(error))
    }

    fn lease(&self) -> Result<&Lease, StoreError> {
        let place = || Place::Server(self.server.clone());
        let read = || "this program has opened it to read only".to_owned();
        self.lease.as_ref().ok_or_else(|| StoreError::ReadOnly { place: place(), found: read() })
    }

    fn epoch(&self) -> Result<u64, StoreError> {
        self.lease().map(|lease| lease.epoch.load(Ordering::Acquire))
    }

    /// The rows after a number.
    async fn page(&self, after: i64, limit: u32) -> Result<Vec<Read>, StoreError> {
        let readers = self.readers();
        // The server sends what it has begun to send: so it is the server that counts the bytes.
        let rows = sqlx::query(
            "SELECT id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum FROM \
             (SELECT *, SUM(LENGTH(payload)) OVER (ORDER BY id) - LENGTH(payload) AS before FROM \
             (SELECT * FROM input WHERE shard = $1 AND id > $2 ORDER BY id LIMIT $3) AS next) AS counted \
             WHERE before < $4 ORDER BY id",
        )
        .bind(&self.server.shard)
        .bind(after)
        .bind(i64::from(limit))
        .bind(READ_BYTES_MAX as i64)
        .fetch_all(&readers);
        let rows = self.read_within(rows).await?;
        Ok(rows.iter().map(|row| stored(row, self.unchecked_until)).collect())
    }
}

#[async_trait]
impl ShardLog for Postgres {
    fn epoch(&self) -> u64 {
        self.lease.as_ref().map_or(0, |lease| lease.epoch.load(Ordering::Acquire))
    }

    fn generation(&self) -> u32 {
        self.generation
    }

    fn unchecked_until(&self) -> u64 {
        self.unchecked_until
    }

    async fn last_id(&self) -> Result<u64, StoreError> {
        let id = sqlx::query_scalar("SELECT last_id FROM shard WHERE name = $1");
        let id: i64 =
            self.read_within(id.bind(&self.server.shard).fetch_one(&self.readers())).await?;
        Ok(from_stored(id))
    }

    async fn settle(&self) -> Result<u64, StoreError> {
        let lease = self.lease()?;
        let raised =
            self.write(async |connection| lease::raise(&self.server, connection, lease).await);
        let (epoch, last_id) = raised.await?;
        lease.epoch.store(epoch, Ordering::Release);
        Ok(last_id)
    }

    async fn commit(&self, group: &Group) -> Result<(), StoreError> {
        let epoch = self.epoch()?;
        let columns = commit::Columns::of(group);
        self.write(async |connection| {
            let committed = columns.commit(connection, &self.server.shard, epoch, group).await;
            match committed.map_err(|error| self.server.named(error))? {
                true => Ok(()),
                false => Err(lease::refusal(&self.server, connection, epoch).await),
            }
        })
        .await
    }

    async fn position(&self, (hub, boot_id): &Boot) -> Result<u64, StoreError> {
        let readers = self.readers();
        let sequence = sqlx::query_scalar(
            "SELECT sequence FROM hub_position WHERE shard = $1 AND hub = $2 AND boot_id = $3",
        );
        let sequence = sequence.bind(&self.server.shard).bind(hub.as_bytes());
        let sequence = sequence.bind(to_stored(*boot_id)).fetch_optional(&readers);
        Ok(self.read_within(sequence).await?.map_or(0, from_stored))
    }

    async fn positions(&self) -> Result<Vec<BootPosition>, StoreError> {
        let rows = sqlx::query(
            "SELECT hub, boot_id, sequence, seen_ms FROM hub_position WHERE shard = $1",
        );
        let rows =
            self.read_within(rows.bind(&self.server.shard).fetch_all(&self.readers())).await?;
        let position = |row: &PgRow| {
            Some(BootPosition {
                boot: (text(row, "hub").ok()??, from_stored(row.try_get("boot_id").ok()?)),
                sequence: from_stored(row.try_get("sequence").ok()?),
                seen_ms: from_stored(row.try_get("seen_ms").ok()?),
            })
        };
        Ok(rows.iter().filter_map(position).collect())
    }

    async fn filled(&self) -> Result<Vec<Filled>, StoreError> {
        let inputs = sqlx::query(
            "SELECT hub, SUM(LENGTH(payload)) AS bytes, COUNT(*) AS inputs FROM input WHERE shard = $1 AND \
             kind IN ('row', 'hub-state', 'rows-lost') AND hub IS NOT NULL GROUP BY hub",
        );
        let rows =
            self.read_within(inputs.bind(&self.server.shard).fetch_all(&self.readers())).await?;
        let filled = |row: &PgRow| {
            Ok(Filled {
                hub: text(row, "hub")?.unwrap_or_default(),
                bytes: from_stored(row.try_get("bytes")?),
                inputs: from_stored(row.try_get("inputs")?),
            })
        };
        rows.iter().map(filled).collect::<Result<_, sqlx::Error>>().map_err(StoreError::Statement)
    }

    async fn read(&self, after: u64, limit: u32) -> Result<Vec<Read>, StoreError> {
        self.page(to_stored(after), limit).await
    }

    async fn scan(&self, after: i64) -> Result<Vec<Placed>, StoreError> {
        let page = self.page(after, READ_LIMIT).await?;
        Ok(page.into_iter().map(|read| (to_stored(read.row().id), read)).collect())
    }

    async fn inspect(&self) -> Result<Inspected, StoreError> {
        Ok(Inspected { counted: self.last_id().await?, ..Inspected::default() })
    }

    async fn mend(&self, mend: &Mend) -> Result<(), StoreError> {
        let epoch = self.epoch()?;
        self.write(async |connection| {
            let mended = commit::mend(connection, &self.server.shard, epoch, mend).await;
            match mended.map_err(|error| self.server.named(error))? {
                true => Ok(()),
                false => Err(lease::refusal(&self.server, connection, epoch).await),
            }
        })
        .await
    }

    async fn fill(&self, from: &mut Filling<'_>) -> Result<(), StoreError> {
        // It takes as long as it takes: the log is renewed meanwhile.
        let (_, mut connection) = self.server.writer().await?;
        commit::fill(&self.server, &mut connection, self.epoch()?, from).await
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let lease = self.lease()?;
        let readers = self.readers();
        let renewed = self.read_within(lease::renew(&readers, &self.server, lease)).await;
        let renewed = match renewed {
            // Another host may be the primary by now, and a quiet hall writes nothing that would find it.
            Err(_) if self.server.may_fail_over() => {
                let of = |error| self.server.named(error);
                let renew = async |connection: &mut PgConnection| {
                    lease::renew(connection, &self.server, lease).await.map_err(of)
                };
                self.write(renew).await?
            }
            renewed => renewed?,
        };
        match renewed {
            true => Ok(()),
            false => {
                let (_, mut connection) = self.server.connect().await?;
                Err(lease::refusal(&self.server, &mut connection, self.epoch()?).await)
            }
        }
    }

    async fn close(&self) {
        if let Some(lease) = &self.lease {
            let given_back = self
                .write(async |connection| lease::give_back(&self.server, connection, lease).await);
            if let Err(error) = given_back.await {
                tracing::warn!(%error, "the lease of the log was not given back: it ends by itself");
            }
        }
        self.readers().close().await;
        if let Some(connection) = self.writer.lock().await.take() {
            drop(connection.close().await);
        }
    }
}

/// Reads a name.
fn text(row: &PgRow, column: &str) -> Result<Option<String>, sqlx::Error> {
    let bytes: Option<Vec<u8>> = row.try_get(column)?;
    bytes.map(String::from_utf8).transpose().map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Reads an input, as far as it can be read.
fn stored(row: &PgRow, unchecked_until: u64) -> Read {
    let mut found = StoredRow::default();
    let is_read = fill(&mut found, row).is_ok();
    Read::of(found, is_read, row.try_get("checksum").ok(), unchecked_until)
}

fn fill(found: &mut StoredRow, row: &PgRow) -> Result<(), sqlx::Error> {
    found.id = from_stored(row.try_get("id")?);
    found.received_ms = from_stored(row.try_get("received_ms")?);
    found.kind = row.try_get("kind")?;
    found.hub = text(row, "hub")?;
    found.boot_id = row.try_get::<Option<i64>, _>("boot_id")?.map(from_stored);
    found.sequence = row.try_get::<Option<i64>, _>("sequence")?.map(from_stored);
    found.table = text(row, "table_name")?;
    found.match_id = text(row, "match_id")?;
    found.payload = row.try_get("payload")?;
    Ok(())
}
