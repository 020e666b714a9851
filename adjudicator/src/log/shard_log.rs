//! The interface of a shard's log, which SQLite and PostgreSQL implement.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{
    StoreError,
    group::Group,
    mending::Mend,
    stored_row::{Read, StoredRow},
    survey::{Boot, LoggedAct, Survey},
};

/// Maximum number of inputs of one read.
pub(super) const READ_LIMIT: u32 = 2000;

/// Bytes of payload after which one read ends: a message is at most a sixteenth of it.
pub(super) const READ_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Committed position of a boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BootPosition {
    pub(super) boot: Boot,
    pub(super) sequence: u64,
    /// Arrival of its last row, Unix milliseconds.
    pub(super) seen_ms: u64,
}

/// Room that the inputs of a hub use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) hub: String,
    /// Their payload, bytes.
    pub(super) bytes: u64,
    pub(super) inputs: u64,
}

/// Soundness of a database besides the inputs themselves.
#[derive(Debug, Default)]
pub(super) struct Inspected {
    /// Damage of its file that it finds.
    pub(super) file: Option<String>,
    /// The last acts, as a copy beside the log has them.
    pub(super) acts: Vec<LoggedAct>,
    /// Whether that copy is damaged.
    pub(super) is_copy_damaged: bool,
    /// Number of the last input by a counter of its own.
    pub(super) counted: u64,
}

/// An input at its place in the table.
pub(super) type Placed = (i64, Read);

/// The log of one shard, as a database keeps it. A log that was opened to be written has an epoch, which each commit checks.
#[async_trait]
pub(super) trait ShardLog: Debug + Send + Sync {
    /// Names the log; a copy has another.
    fn generation(&self) -> u32;

    /// Epoch of its owner. Of a log that has a lock and no lease, the time: a later owner has a later one.
    fn epoch(&self) -> u64 {
        crate::time::now_ms()
    }

    /// Reason why the copy of the last acts cannot be written, where there is one.
    fn copy_fails(&self) -> Option<String> {
        None
    }

    /// Number of the newest committed input; 0 when there is none.
    async fn last_id(&self) -> Result<u64, StoreError>;

    /// Settles a commit of unknown outcome: none of it is committed later, and all that is committed is on the disk. Returns the number of
    /// the newest input.
    async fn settle(&self) -> Result<u64, StoreError>;

    /// Commits all of a group or nothing, if the log ends where the group begins and the epoch is this log's.
    async fn commit(&self, group: &Group) -> Result<(), StoreError>;

    /// Last committed sequence of a boot; 0 for none.
    async fn position(&self, boot: &Boot) -> Result<u64, StoreError>;

    /// All positions. Unreadable ones are left out.
    async fn positions(&self) -> Result<Vec<BootPosition>, StoreError>;

    /// Room that each hub uses.
    async fn filled(&self) -> Result<Vec<Filled>, StoreError>;

    /// Inputs after a number, oldest first: at most so many, [`READ_LIMIT`] or fewer, and some megabytes.
    async fn read(&self, after: u64, limit: u32) -> Result<Vec<Read>, StoreError>;

    /// Inputs after a place in the table, whatever their numbers are: some thousands or some megabytes.
    async fn scan(&self, after: i64) -> Result<Vec<Placed>, StoreError>;

    /// The last input that may be without a checksum.
    fn unchecked_until(&self) -> u64;

    /// Looks at what is beside the inputs, and mends it where the database can.
    async fn inspect(&self) -> Result<Inspected, StoreError>;

    /// Writes what a look through the log found to be wrong, all or nothing.
    async fn mend(&self, mend: &Mend) -> Result<(), StoreError>;

    /// Begins the copy of the last acts, where there is one.
    async fn begin_acts(&self, _acts: Vec<LoggedAct>) {}

    /// Fills an empty log with the inputs of another, all or nothing.
    async fn fill(&self, from: &mut Filling<'_>) -> Result<(), StoreError>;

    /// Extends the lease, where there is one.
    async fn renew(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Closes the connections, and gives the lease back.
    async fn close(&self);
}

/// Another log on its way into an empty one.
pub(super) struct Filling<'a> {
    log: &'a dyn ShardLog,
    place: i64,
    left: u64,
    progress: &'a (dyn Fn(u64) + Sync),
    survey: Survey,
}

/// Content of a log besides its inputs.
pub(super) struct Beside {
    pub(super) positions: Vec<BootPosition>,
    pub(super) unchecked_until: u64,
}

impl<'a> Filling<'a> {
    /// The first so many inputs of a log.
    pub(super) fn new(
        log: &'a dyn ShardLog,
        last_id: u64,
        progress: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        Filling { log, place: i64::MIN, left: last_id, progress, survey: Survey::default() }
    }

    /// The next inputs with their checksums; none at the end.
    pub(super) async fn next(&mut self) -> Result<Vec<(Option<i64>, StoredRow)>, StoreError> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let placed = if most == 0 { Vec::new() } else { self.log.scan(self.place).await? };
        let mut rows = Vec::with_capacity(placed.len());
        for (place, read) in placed.into_iter().take(most) {
            self.place = place;
            let (row, is_checked) = match read {
                Read::Whole(row) => (row, true),
                Read::Unchecked(row) => (row, false),
                Read::Damaged(row) => return Err(StoreError::DamagedInput { input: row.id }),
            };
            self.survey.take(&row, &mut Vec::new());
            rows.push((is_checked.then(|| row.checksum()), row));
        }
        self.left -= rows.len() as u64;
        (self.progress)(rows.len() as u64);
        Ok(rows)
    }

    /// The content that belongs to the given inputs: a log with a writer has gone on since.
    pub(super) async fn end(&self) -> Result<Beside, StoreError> {
        let mut positions = self.log.positions().await?;
        for at in &mut positions {
            at.sequence = self.survey.boots.get(&at.boot).map_or(0, |it| it.present.without_gap());
        }
        positions.retain(|at| at.sequence > 0);
        let last_id = self.survey.last_id;
        Ok(Beside { positions, unchecked_until: self.log.unchecked_until().min(last_id) })
    }
}
