//! Log looked through at the start: every input against its checksum, numbers without holes, and what the hubs' positions should be.
//!
//! A database checks few of its pages, and a position repeats the rows. Without this survey damage is believed, or counts as a hub's fault,
//! and a position ahead of its rows has a hub give up rows that are nowhere.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use sha2::{Digest as _, Sha256};

use super::{
    StoreError,
    ranges::Ranges,
    shard_log::ShardLog,
    stored_row::{Read, StoredRow},
};
use crate::log::input::InputKind;

/// Acts of the log that are remembered for the copy beside it, bytes of what they say.
const NEWEST_ACTS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A damaged last input may be so much further than the one before it: some may be missing between them.
const LEAP_MAX: u64 = 1_000;

/// A hub's id and one of its boots.
pub(super) type Boot = (String, u64);

/// An act as the copy beside the log keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoggedAct {
    pub(super) id: u64,
    pub(super) received_ms: u64,
    pub(super) match_id: Option<String>,
    pub(super) payload: Vec<u8>,
}

impl LoggedAct {
    /// An input that is one.
    pub(super) fn of(row: &StoredRow) -> Option<LoggedAct> {
        (row.known_kind() == Some(InputKind::Act)).then(|| LoggedAct {
            id: row.id,
            received_ms: row.received_ms,
            match_id: row.match_id.clone(),
            payload: row.payload.clone(),
        })
    }

    /// Names what was done: each act has its device's key in it.
    pub(super) fn digest(&self) -> [u8; 16] {
        let digest = Sha256::digest(&self.payload);
        std::array::from_fn(|at| digest[at])
    }
}

/// Rows of a boot in the log behind its position: whole ones, and the places of damaged ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Behind {
    pub(super) present: Ranges,
    /// Inputs by sequence.
    pub(super) damaged: BTreeMap<u64, u64>,
}

/// An input that is not what was written.
#[derive(Clone, Debug)]
pub(super) struct DamagedRow {
    /// Its place in the table, which no index says.
    pub(super) place: i64,
    pub(super) found: StoredRow,
}

/// Content of the log.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Found damaged now.
    pub(super) damaged: Vec<DamagedRow>,
    /// Found damaged at an earlier start, and not sent again since.
    pub(super) damaged_before: u64,
    /// Written by a release that wrote no checksum.
    pub(super) unchecked: u64,
    /// Numbers that no input has: first, last.
    pub(super) holes: Vec<(u64, u64)>,
    pub(super) last_id: u64,
    /// The rows of every boot; those that are noted as lost count.
    pub(super) boots: HashMap<Boot, Behind>,
    pub(super) acts: HashSet<[u8; 16]>,
    pub(super) newest_acts: VecDeque<LoggedAct>,
    newest_acts_bytes: usize,
}

impl Survey {
    /// Looks through the log, in the order of its table. `counted` is the number of its last input by a counter of its own, 0 without one.
    pub(super) async fn of(log: &dyn ShardLog, counted: u64) -> Result<Survey, StoreError> {
        let mut survey = Survey::default();
        // Those since the last whole one.
        let mut damaged = Vec::new();
        let mut after = i64::MIN;
        loop {
            let rows = log.scan(after).await?;
            let Some((last, _)) = rows.last() else { break };
            after = *last;
            for (place, read) in rows {
                match read {
                    Read::Damaged(found) => damaged.push(DamagedRow { place, found }),
                    Read::Whole(row) => survey.take(&row, &mut damaged),
                    Read::Unchecked(row) => {
                        survey.unchecked += 1;
                        survey.take(&row, &mut damaged);
                    }
                }
            }
        }
        let end = survey.last_id + damaged.len() as u64 + LEAP_MAX;
        survey.number(&mut damaged, end);
        if counted > survey.last_id {
            survey.holes.push((survey.last_id + 1, counted));
            survey.last_id = counted;
        }
        Ok(survey)
    }

    /// The next whole row, and the damaged ones before it.
    pub(super) fn take(&mut self, row: &StoredRow, damaged: &mut Vec<DamagedRow>) {
        self.number(damaged, row.id);
        self.reach(row.id);
        match row.known_kind() {
            Some(InputKind::Row) => {
                if let (Some(boot), Some(sequence)) = (boot_of(row), row.sequence) {
                    self.boots.entry(boot).or_default().present.add(sequence, sequence);
                }
            }
            Some(InputKind::RowsLost) => {
                let text = String::from_utf8_lossy(&row.payload).into_owned();
                let mut numbers = text.split(' ').map(str::parse::<u64>);
                if let (Some(hub), Some(Ok(boot)), Some(Ok(first)), Some(Ok(last))) =
                    (row.hub.clone(), numbers.next(), numbers.next(), numbers.next())
                {
                    self.boots.entry((hub, boot)).or_default().present.add(first, last);
                }
            }
            Some(InputKind::Act) => self.remember(row),
            Some(InputKind::Damaged) => {
                self.damaged_before += 1;
                if let (Some(boot), Some(sequence)) = (boot_of(row), row.sequence) {
                    self.boots.entry(boot).or_default().damaged.insert(sequence, row.id);
                }
            }
            _ => {}
        }
    }

    fn remember(&mut self, row: &StoredRow) {
        let Some(act) = LoggedAct::of(row) else { return };
        self.acts.insert(act.digest());
        self.newest_acts_bytes += act.payload.len();
        self.newest_acts.push_back(act);
        while self.newest_acts_bytes > NEWEST_ACTS_BYTES_MAX && self.newest_acts.len() > 1 {
            let oldest = self.newest_acts.pop_front();
            self.newest_acts_bytes -= oldest.map_or(0, |act| act.payload.len());
        }
    }

    /// Gives damaged rows their numbers: what each says, if it lies between those of its neighbours, or the next one.
    fn number(&mut self, damaged: &mut Vec<DamagedRow>, next: u64) {
        let count = damaged.len() as u64;
        for (after, mut row) in (1..=count).rev().zip(damaged.drain(..)) {
            let may_be = self.last_id + 1..(next + 1).saturating_sub(after);
            if !may_be.contains(&row.found.id) {
                row.found.id = self.last_id + 1;
            }
            self.reach(row.found.id);
            self.damaged.push(row);
        }
    }

    /// The next number is there; those before it that are not are missing.
    fn reach(&mut self, id: u64) {
        if id > self.last_id + 1 {
            self.holes.push((self.last_id + 1, id - 1));
        }
        self.last_id = self.last_id.max(id);
    }
}

fn boot_of(row: &StoredRow) -> Option<Boot> {
    Some((row.hub.clone()?, row.boot_id?))
}
