//! Groups of inputs that are committed together: the next rows of several messages, or one other input.

use std::collections::{BTreeMap, HashMap};

use delivery::{Accepted, accept};

use super::{
    StoreError,
    quota::Quotas,
    shard_log::ShardLog,
    stored_row::StoredRow,
    survey::{Behind, Boot},
};
use crate::log::input::{InputKind, NewInput, NewRow};

/// Maximum number of boots whose positions are remembered: those of a large hall's hubs for some days. Beyond it the log is asked again.
const KNOWN_MAX: usize = 4_096;

/// Rows of one boot of a hub.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The hub's id.
    pub hub: &'a str,
    /// The boot.
    pub boot_id: u64,
    /// The first row of the boot that the hub still has; 0 when it does not say.
    pub first_available: u64,
    /// The rows.
    pub rows: &'a [NewRow],
}

impl Batch<'_> {
    /// An empty group of the same boot.
    pub(super) fn without_rows(&self) -> Self {
        Batch { rows: &[], first_available: 0, ..*self }
    }

    /// The boot.
    pub(super) fn boot(&self) -> Boot {
        (self.hub.to_owned(), self.boot_id)
    }
}

/// Remembered positions of the rows in the log.
pub(super) struct Rows {
    pub(super) quotas: Quotas,
    /// Last committed sequence of each boot, as far as it is remembered.
    pub(super) positions: HashMap<Boot, u64>,
    /// Boots of which more is in the log than their positions say, because something before it is damaged.
    pub(super) behind: HashMap<Boot, Behind>,
}

impl Rows {
    async fn position(&mut self, log: &dyn ShardLog, boot: &Boot) -> Result<u64, StoreError> {
        if let Some(&sequence) = self.positions.get(boot) {
            return Ok(sequence);
        }
        let sequence = log.position(boot).await?;
        if self.positions.len() >= KNOWN_MAX {
            self.positions.clear();
        }
        self.positions.insert(boot.clone(), sequence);
        Ok(sequence)
    }

    /// Damaged rows of these boots whose sequences are committed again are damaged no more; how many they were.
    pub(super) fn forget_given_again(&mut self, batches: &[Batch<'_>], taken: &[Accepted]) -> u64 {
        if self.behind.is_empty() {
            return 0;
        }
        let mut count = 0;
        for (batch, accepted) in batches.iter().zip(taken) {
            if let Some(behind) = self.behind.get_mut(&batch.boot()) {
                count += accepted.taken().filter_map(|taken| behind.damaged.remove(&taken)).count();
            }
        }
        count as u64
    }
}

/// A group.
#[derive(Debug)]
pub(super) struct Group {
    /// Number of the input that the log must end with.
    pub(super) after: u64,
    pub(super) received_ms: u64,
    /// New inputs: their numbers follow each other from `after`.
    pub(super) inputs: Vec<StoredRow>,
    /// Rows that take the places of damaged ones.
    pub(super) mended: Vec<StoredRow>,
    /// New positions of boots.
    pub(super) positions: BTreeMap<Boot, u64>,
}

/// The rows of several messages that are next in their boots, and what became of each message.
pub(super) struct Appended<'a> {
    pub(super) group: Group,
    pub(super) taken: Vec<Accepted>,
    /// Boots that begin, by hub.
    pub(super) begun: HashMap<&'a str, u64>,
}

impl Group {
    /// An empty group.
    pub(super) fn new(after: u64, received_ms: u64) -> Group {
        let (inputs, mended) = (Vec::new(), Vec::new());
        Group { after, received_ms, inputs, mended, positions: BTreeMap::new() }
    }

    /// Number of the newest input once it is committed.
    pub(super) fn last_id(&self) -> u64 {
        self.after + self.inputs.len() as u64
    }

    /// Whether there is nothing to be committed.
    pub(super) fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.positions.is_empty()
    }

    /// An input that is no row.
    pub(super) fn input(mut self, input: NewInput) -> Group {
        let NewInput { kind, hub, match_id, payload } = input;
        let row = StoredRow { hub, match_id, payload, ..self.next(kind) };
        self.inputs.push(row);
        self
    }

    fn next(&self, kind: InputKind) -> StoredRow {
        let (id, received_ms) = (self.last_id() + 1, self.received_ms);
        StoredRow { id, received_ms, kind: kind.name().to_owned(), ..StoredRow::default() }
    }

    /// The rows of messages that are next in their boots, by the rule of [`delivery::accept`].
    pub(super) async fn of<'a>(
        log: &dyn ShardLog,
        remembered: &mut Rows,
        (after, received_ms): (u64, u64),
        batches: &[Batch<'a>],
    ) -> Result<Appended<'a>, StoreError> {
        let mut group = Group::new(after, received_ms);
        let mut taken = Vec::with_capacity(batches.len());
        let mut begun: HashMap<&str, u64> = HashMap::new();
        for batch in batches {
            let boot = batch.boot();
            let known = match group.positions.get(&boot) {
                Some(&sequence) => sequence,
                None => remembered.position(log, &boot).await?,
            };
            let of_hub = begun.get(batch.hub).copied().unwrap_or_default();
            let batch = match known > 0 || remembered.quotas.may_begin(batch.hub, of_hub) {
                true => *batch,
                false => batch.without_rows(),
            };
            let sequences: Vec<u64> = batch.rows.iter().map(|row| row.sequence).collect();
            let accepted = accept(known, batch.first_available, &sequences);
            if accepted.is_news() {
                group.add(&batch, &accepted, remembered.behind.get(&boot));
                if known == 0 {
                    *begun.entry(batch.hub).or_default() += 1;
                }
                group.positions.insert(boot, accepted.position);
            }
            taken.push(accepted);
        }
        Ok(Appended { group, taken, begun })
    }

    /// The rows of a message that are next, and what will never come before them.
    fn add(&mut self, batch: &Batch<'_>, accepted: &Accepted, behind: Option<&Behind>) {
        if let Some((first, last)) = accepted.lost {
            let payload = format!("{} {first} {last}", batch.boot_id).into_bytes();
            let hub = Some(batch.hub.to_owned());
            self.inputs.push(StoredRow { hub, payload, ..self.next(InputKind::RowsLost) });
        }
        for sequence in accepted.taken() {
            let Some(row) = batch.rows.iter().find(|row| row.sequence == sequence) else {
                continue;
            };
            let stored = StoredRow {
                hub: Some(batch.hub.to_owned()),
                boot_id: Some(batch.boot_id),
                sequence: Some(row.sequence),
                table: Some(row.table.clone()),
                match_id: row.match_id.clone(),
                payload: row.payload.clone(),
                ..self.next(InputKind::Row)
            };
            match behind {
                Some(behind) if behind.present.has(sequence) => {}
                // A row that is damaged in the log has come again: it replaces the damaged one.
                Some(Behind { damaged, .. }) if damaged.contains_key(&sequence) => {
                    self.mended.push(StoredRow { id: damaged[&sequence], ..stored });
                }
                _ => self.inputs.push(stored),
            }
        }
    }
}
