//! The log with its rules, wherever it is kept: what is next, what there is room for, and what is known after a failure.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use delivery::{Accepted, Position};
use rand::{RngExt as _, distr::Alphanumeric};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{
    Batch, Damage, Place, StoreError,
    group::{Group, Rows},
    postgres::Postgres,
    quota::{self, Quotas},
    shard_log::{READ_BYTES_MAX, READ_LIMIT, ShardLog},
    sqlite::Sqlite,
    stored_row::to_stored,
    survey::Boot,
    tail::Tail,
};
use crate::log::input::{Input, InputKind, NewInput, weight};

/// Characters of the name that a database has while it is open.
const ID_LENGTH: usize = 16;

/// Interval between two renewals of a lease.
const RENEW_EVERY: Duration = Duration::from_secs(2);

/// Whether there may be more in the log than was read in one go.
#[must_use]
pub fn may_be_more(read: &[Input]) -> bool {
    let bytes: usize = read.iter().map(|input| input.payload.len()).sum();
    read.len() >= READ_LIMIT as usize || bytes >= READ_BYTES_MAX
}

/// The log.
pub struct Store {
    pub(super) place: Place,
    pub(super) log: Box<dyn ShardLog>,
    /// Names this opening: the log may have been restored from a backup since the last one, and nothing in it would tell.
    id: String,
    /// Held while writing: ids follow the order of commits because there is one writer.
    pub(super) last_id: Mutex<u64>,
    /// Held while rows are written.
    pub(super) rows: Mutex<Rows>,
    /// Whether the outcome of a commit is unknown: it may be in the database, and not on the disk.
    is_unsettled: AtomicBool,
    /// The inputs that were committed last.
    tail: std::sync::Mutex<Tail>,
    /// Damage of the log.
    pub(super) damage: std::sync::Mutex<Damage>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the log to be written, making or migrating its tables as needed. On a server this takes the lease, and waits for that of an owner
    /// that was killed to end.
    ///
    /// # Errors
    ///
    /// It cannot be opened, another adjudicator has it, or it was made by a newer version.
    pub async fn open(place: impl Into<Place>) -> Result<Store, StoreError> {
        let place = place.into();
        let log: Box<dyn ShardLog> = match &place {
            Place::File(path) => Box::new(Sqlite::open(path).await?),
            Place::Server(server) => Box::new(Postgres::open(server).await?),
        };
        let mut store = Store::over(place, log).await?;
        match store.look_through().await {
            Ok(()) => Ok(store),
            Err(error) => {
                store.close().await;
                Err(error)
            }
        }
    }

    /// Opens an existing log to read from it, beside a running adjudicator. Nothing in it is changed, its form neither.
    ///
    /// # Errors
    ///
    /// There is none, or it was made by a newer version.
    pub async fn open_existing(place: impl Into<Place>) -> Result<Store, StoreError> {
        let place = place.into();
        let log: Box<dyn ShardLog> = match &place {
            Place::File(path) => Box::new(Sqlite::open_existing(path).await?),
            Place::Server(server) => Box::new(Postgres::open_existing(server).await?),
        };
        Store::over(place, log).await
    }

    /// The rules over a log.
    pub(super) async fn over(place: Place, log: Box<dyn ShardLog>) -> Result<Store, StoreError> {
        let read = async {
            let positions = log.positions().await?;
            let quotas = Quotas::of(log.filled().await?, &positions);
            Ok((log.last_id().await?, quotas))
        };
        let (last_id, quotas) = match read.await {
            Ok(read) => read,
            Err(error) => {
                log.close().await;
                return Err(error);
            }
        };
        let id = rand::rng().sample_iter(Alphanumeric).take(ID_LENGTH).map(char::from).collect();
        let rows = Rows { quotas, positions: HashMap::new(), behind: HashMap::new() };
        Ok(Store {
            place,
            log,
            id,
            last_id: Mutex::new(last_id),
            rows: Mutex::new(rows),
            is_unsettled: AtomicBool::new(false),
            tail: std::sync::Mutex::default(),
            damage: std::sync::Mutex::default(),
        })
    }

    /// Id of the log: numbers of another log, or of this one before a copy was put back, mean nothing in it.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.log.generation()
    }

    /// Epoch of its owner: a later owner has a higher one.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.log.epoch()
    }

    /// Names the database as it was opened: another at every start.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Number of the newest committed input; 0 when there is none.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn last_id(&self) -> Result<u64, StoreError> {
        self.log.last_id().await
    }

    /// Commits the rows of several messages that are next in their boots, by the rule of [`delivery::accept`]: all or none. Rows that
    /// will never come are noted as lost, as an input of their own. Of a hub that has filled its share ([`HUB_BYTES_MAX`]) nothing is
    /// taken, and nothing of a new boot of a hub that has had [`HUB_BOOTS_MAX`]. Returns what became of each message.
    ///
    /// [`HUB_BYTES_MAX`]: crate::limits::HUB_BYTES_MAX
    /// [`HUB_BOOTS_MAX`]: crate::limits::HUB_BOOTS_MAX
    ///
    /// # Errors
    ///
    /// The database refuses; then nothing of the group is acknowledged.
    pub async fn append_group(
        &self,
        received_ms: u64,
        batches: &[Batch<'_>],
    ) -> Result<Vec<Accepted>, StoreError> {
        let mut last_id = self.last_id.lock().await;
        self.settle(&mut last_id).await?;
        let mut remembered = self.rows.lock().await;
        // A group is small beside a share, and whatever is above in one is known in the next.
        let batches: Vec<Batch<'_>> = batches
            .iter()
            .map(|batch| match remembered.quotas.has_room(batch) {
                true => *batch,
                false => batch.without_rows(),
            })
            .collect();
        let begin = (*last_id, received_ms);
        let appended = Group::of(&*self.log, &mut remembered, begin, &batches).await?;
        let positions = self.commit(appended.group, &mut last_id).await?;
        let taken = appended.taken;
        remembered.positions.extend(positions);
        for (hub, boots) in appended.begun {
            remembered.quotas.begin(hub, boots);
        }
        for (batch, accepted) in batches.iter().zip(&taken) {
            remembered.quotas.add(batch.hub, committed_bytes(batch, accepted));
        }
        let given_again = remembered.forget_given_again(&batches, &taken);
        if given_again > 0 {
            let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
            damage.damaged = damage.damaged.saturating_sub(given_again);
            damage.given_again += given_again;
        }
        Ok(taken)
    }

    /// Commits a birth or will of a hub. Returns whether there was room for it.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn append_state(
        &self,
        received_ms: u64,
        hub: &str,
        payload: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let bytes = weight(&payload);
        if !self.rows.lock().await.quotas.has_room_for_state(hub, &payload) {
            return Ok(false);
        }
        let (kind, of_hub) = (InputKind::HubState, Some(hub.to_owned()));
        let input = NewInput { kind, hub: of_hub, match_id: None, payload };
        self.append(received_ms, input).await?;
        self.rows.lock().await.quotas.add(hub, bytes);
        Ok(true)
    }

    /// Commits an input that is no hub's and returns its number.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn append(&self, received_ms: u64, input: NewInput) -> Result<u64, StoreError> {
        let mut last_id = self.last_id.lock().await;
        self.settle(&mut last_id).await?;
        let group = Group::new(*last_id, received_ms).input(input);
        self.commit(group, &mut last_id).await?;
        Ok(*last_id)
    }

    /// Commits a group, and returns its positions. Its outcome is unknown until this returns, and after a failure or a drop.
    async fn commit(
        &self,
        group: Group,
        last_id: &mut u64,
    ) -> Result<BTreeMap<Boot, u64>, StoreError> {
        if group.is_empty() {
            return Ok(group.positions);
        }
        self.is_unsettled.store(true, Ordering::Release);
        let committed = self.log.commit(&group).await;
        self.note(&committed);
        committed?;
        *last_id = group.last_id();
        self.tail().extend(group.inputs);
        self.is_unsettled.store(false, Ordering::Release);
        Ok(group.positions)
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After a failure, makes sure of all that is in the database, before anything is answered from it or written behind it.
    async fn settle(&self, last_id: &mut u64) -> Result<(), StoreError> {
        if self.is_unsettled.load(Ordering::Acquire) {
            let settled = self.log.settle().await;
            self.note(&settled);
            *last_id = settled?;
            self.tail().clear();
            self.rows.lock().await.positions.clear();
            self.is_unsettled.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Remembers for directors whether a server accepts inputs. A file's disk is checked beforehand.
    fn note<T>(&self, done: &Result<T, StoreError>) {
        if let Place::Server(_) = self.place {
            let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
            damage.refused = done.as_ref().err().map(ToString::to_string);
        }
    }

    /// Inputs after `after`, oldest first: some thousands or some megabytes. [`may_be_more`] says whether that may not be all.
    ///
    /// # Errors
    ///
    /// The database refuses, or holds an input that this version does not know.
    pub async fn read(&self, after: u64) -> Result<Vec<Input>, StoreError> {
        let read = self.log.read(after, READ_LIMIT).await?;
        read.into_iter().map(|read| read.input().map_err(StoreError::Statement)).collect()
    }

    /// The same for followers of the log. The newest inputs come from memory, not from the database.
    ///
    /// # Errors
    ///
    /// The database refuses, or holds an input that this version does not know.
    pub async fn follow(&self, after: u64) -> Result<Vec<Input>, StoreError> {
        let kept = self.tail().after(after);
        match kept {
            Some(inputs) => Ok(inputs),
            None => self.read(after).await,
        }
    }

    /// Last committed sequence of a boot; 0 for none.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn position(&self, hub: &str, boot_id: u64) -> Result<u64, StoreError> {
        self.settle(&mut *self.last_id.lock().await).await?;
        self.log.position(&(hub.to_owned(), boot_id)).await
    }

    /// The position of every hub's latest boot: what its retained acknowledgement says.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn latest_positions(&self) -> Result<Vec<Position>, StoreError> {
        self.settle(&mut *self.last_id.lock().await).await?;
        let mut positions = self.log.positions().await?;
        positions.sort_unstable_by(|one, other| {
            let age = |at: &super::shard_log::BootPosition| (at.seen_ms, to_stored(at.boot.1));
            one.boot.0.cmp(&other.boot.0).then(age(other).cmp(&age(one)))
        });
        positions.dedup_by(|later, first| later.boot.0 == first.boot.0);
        let position = |at: super::shard_log::BootPosition| Position {
            hub: at.boot.0,
            boot_id: at.boot.1,
            sequence: at.sequence,
        };
        Ok(positions.into_iter().map(position).collect())
    }

    /// Keeps the lease of the log until shutdown.
    ///
    /// # Errors
    ///
    /// Another owner has the log.
    pub async fn keep(&self, shutdown: CancellationToken) -> Result<(), StoreError> {
        let wait = || tokio::time::sleep(RENEW_EVERY);
        while shutdown.run_until_cancelled(wait()).await.is_some() {
            match self.log.renew().await {
                Ok(()) => {}
                Err(error @ StoreError::Stale { .. }) => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "the lease of the log cannot be extended; it is tried again")
                }
            }
        }
        Ok(())
    }

    /// Used part of a hub's share, bytes.
    #[cfg(test)]
    pub(super) async fn written(&self, hub: &str) -> u64 {
        self.rows.lock().await.quotas.bytes(hub)
    }

    /// Closes the log; a file has everything in it then, and a server's log may be taken by another owner.
    pub async fn close(&self) {
        self.log.close().await;
    }
}

/// Share that a committed message uses.
fn committed_bytes(batch: &Batch<'_>, accepted: &Accepted) -> u64 {
    let rows = batch.rows.iter().skip(accepted.duplicates).take(accepted.accepted);
    let lost = accepted.lost.map_or(0, |_| quota::weight_of_loss());
    rows.map(|row| weight(&row.payload)).sum::<u64>() + lost
}
