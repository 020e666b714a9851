//! The lease of a shard: who writes it, in which epoch, and until when.
//!
//! Time is the server's. A lease that has ended is no reason to stop: only the epoch decides, which the next owner raises.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rand::{RngExt as _, distr::Alphanumeric};
use sqlx::{Connection as _, PgConnection, PgExecutor, Row as _};
use tokio::time::timeout;

use super::{ANSWER_MAX, Lease, Server};
use crate::log::{Place, StoreError, stored_row::from_stored};

/// Time for which a silent owner keeps its shard.
pub(super) const LEASE: Duration = Duration::from_secs(6);

/// Interval between two checks whether a lease has ended.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// File in which Linux has the machine's name.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

/// Characters that tell one opening from another of the same machine.
const OPENING_LENGTH: usize = 8;

/// Takes the lease, with the next epoch; what the generation of the log is. An owner that was killed is waited for, one that lives is not.
pub(super) async fn take(
    server: &Server,
    connection: &mut PgConnection,
) -> Result<(Lease, i64), StoreError> {
    let machine = std::fs::read_to_string(HOST_NAME).unwrap_or_default();
    let opening: String =
        rand::rng().sample_iter(Alphanumeric).take(OPENING_LENGTH).map(char::from).collect();
    let owner = format!("{}/{}/{opening}", machine.trim(), std::process::id());
    let of = |error| server.named(error);
    let began = Instant::now();
    loop {
        let taken = sqlx::query(
            "INSERT INTO shard (name, last_id, epoch, owner, lease_until, generation, unchecked_until) \
             VALUES ($1, 0, 1, $2, clock_timestamp() + make_interval(secs => $3), $4, 0) \
             ON CONFLICT (name) DO UPDATE SET epoch = shard.epoch + 1, owner = excluded.owner, \
             lease_until = clock_timestamp() + make_interval(secs => $3) \
             WHERE shard.lease_until <= clock_timestamp() RETURNING epoch, generation",
        )
        .bind(&server.shard)
        .bind(&owner)
        .bind(LEASE.as_secs_f64())
        .bind(i64::from(rand::random_range(1..=i32::MAX)))
        .fetch_all(&mut *connection);
        // A primary without its standby accepts it, and never answers.
        let taken = timeout(ANSWER_MAX, taken).await.map_err(|_| server.silent())?.map_err(of)?;
        if let Some(row) = taken.first() {
            let epoch: i64 = row.try_get("epoch").map_err(of)?;
            let generation = row.try_get("generation").map_err(of)?;
            return Ok((Lease { owner, epoch: AtomicU64::new(from_stored(epoch)) }, generation));
        }
        if began.elapsed() > LEASE + LOOK_EVERY {
            let (_, holder) = held(server, connection).await?;
            return Err(StoreError::InUse {
                place: Place::Server(server.clone()),
                holder: Some(holder),
            });
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether nobody has the lease; no log yet is nobody's, too.
pub(super) async fn is_free(server: &Server) -> Result<bool, StoreError> {
    let (_, mut connection) = server.connect().await?;
    let of = |error| server.named(error);
    let has_logs = "SELECT to_regclass('shard') IS NOT NULL";
    let has_logs: bool =
        sqlx::query_scalar(has_logs).fetch_one(&mut connection).await.map_err(of)?;
    let held = match has_logs {
        false => None,
        true => {
            let held = "SELECT lease_until > clock_timestamp() FROM shard WHERE name = $1";
            let held = sqlx::query_scalar(held).bind(&server.shard);
            held.fetch_optional(&mut connection).await.map_err(of)?
        }
    };
    drop(connection.close().await);
    Ok(held != Some(true))
}

/// Extends the lease; false if another owner has it.
pub(super) async fn renew(
    database: impl PgExecutor<'_>,
    server: &Server,
    lease: &Lease,
) -> Result<bool, sqlx::Error> {
    let until = "UPDATE shard SET lease_until = clock_timestamp() + make_interval(secs => $3) WHERE name = $1 AND owner = $2";
    let renewed = sqlx::query(until).bind(&server.shard).bind(&lease.owner);
    let renewed = renewed.bind(LEASE.as_secs_f64()).execute(database).await?;
    Ok(renewed.rows_affected() == 1)
}

/// Raises the epoch of the owner's own lease: what it has sent before commits nothing after this. The epoch, and where the log ends.
pub(super) async fn raise(
    server: &Server,
    connection: &mut PgConnection,
    lease: &Lease,
) -> Result<(u64, u64), StoreError> {
    let raised = sqlx::query(
        "UPDATE shard SET epoch = epoch + 1, lease_until = clock_timestamp() + make_interval(secs => $3) \
         WHERE name = $1 AND owner = $2 RETURNING epoch, last_id",
    );
    let raised = raised.bind(&server.shard).bind(&lease.owner).bind(LEASE.as_secs_f64());
    let of = |error| server.named(error);
    let raised = raised.fetch_all(&mut *connection).await.map_err(of)?;
    let Some(row) = raised.first() else {
        return Err(refusal(server, connection, lease.epoch.load(Ordering::Acquire)).await);
    };
    let number = |column| row.try_get::<i64, _>(column).map(from_stored);
    Ok((number("epoch").map_err(of)?, number("last_id").map_err(of)?))
}

/// Ends the lease, so that the next owner need not wait.
pub(super) async fn give_back(
    server: &Server,
    connection: &mut PgConnection,
    lease: &Lease,
) -> Result<(), StoreError> {
    let ended = sqlx::query(
        "UPDATE shard SET lease_until = clock_timestamp() WHERE name = $1 AND owner = $2",
    );
    let ended = ended.bind(&server.shard).bind(&lease.owner).execute(connection).await;
    ended.map(drop).map_err(|error| server.named(error))
}

/// Reason why a commit in an epoch was refused: another owner has the log, or the log ends elsewhere.
pub(super) async fn refusal(
    server: &Server,
    connection: &mut PgConnection,
    epoch: u64,
) -> StoreError {
    match held(server, connection).await {
        Ok((now, _)) if now == epoch => StoreError::Moved,
        Ok((now, holder)) => StoreError::Stale {
            place: Place::Server(server.clone()),
            epoch,
            holder: format!("{now} now, of {holder}"),
        },
        Err(error) => error,
    }
}

/// The epoch of a shard, and who has it.
async fn held(server: &Server, connection: &mut PgConnection) -> Result<(u64, String), StoreError> {
    let held = sqlx::query("SELECT epoch, owner FROM shard WHERE name = $1").bind(&server.shard);
    let of = |error| server.named(error);
    let row = held.fetch_one(connection).await.map_err(of)?;
    let epoch: i64 = row.try_get("epoch").map_err(of)?;
    Ok((from_stored(epoch), row.try_get("owner").map_err(of)?))
}
