//! Log looked through at the start: every input against its checksum, numbers without holes, and what the hubs' positions should be.
//!
//! SQLite checks no page, and a position repeats what the rows say. Without this look damage is believed, or is taken for a hub's nonsense,
//! and a position ahead of its rows has a hub give up rows that are nowhere.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use futures::TryStreamExt as _;
use sha2::{Digest as _, Sha256};
use sqlx::{Row as _, SqliteConnection};

use super::{
    from_stored,
    ranges::Ranges,
    stored_row::{Read, StoredRow},
};
use crate::log::input::InputKind;

/// Acts of the log that are remembered for the copy beside it, bytes of what they say.
const NEWEST_ACTS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Most characters that are told of what SQLite finds wrong.
const FOUND_CHARS_MAX: usize = 300;

/// In a larger file indices are not compared with their tables at a start, bytes; a still larger one is not looked through by SQLite at all. The
/// rows are looked through in any case. Measured with 600,000 rows, 128 MB, on two cores with a load of 20: 1.6 s, with indices 21 s.
const WHOLE_CHECK_BYTES_MAX: i64 = 16 << 20;
const QUICK_CHECK_BYTES_MAX: i64 = 2 << 30;

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
    /// Names what was done: each act has its device's key in it.
    pub(super) fn digest(&self) -> [u8; 16] {
        let digest = Sha256::digest(&self.payload);
        std::array::from_fn(|at| digest[at])
    }
}

/// What is in the log of a boot behind its position: rows that are whole, and the places of damaged ones.
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

/// What the log holds.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Found damaged now.
    pub(super) damaged: Vec<DamagedRow>,
    /// Found damaged at an earlier start, and nobody has given them again.
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
    /// Looks through the log.
    pub(super) async fn of(
        database: &mut SqliteConnection,
        unchecked_until: u64,
    ) -> Result<Survey, sqlx::Error> {
        let mut survey = Survey::default();
        // In the order in which they were written, and as the table has them: an index may be damaged, too.
        let query = format!(
            "SELECT rowid AS place, {} FROM input NOT INDEXED ORDER BY rowid",
            StoredRow::COLUMNS
        );
        let mut rows = sqlx::query(sqlx::AssertSqlSafe(query)).fetch(database);
        // Those since the last whole one.
        let mut damaged = Vec::new();
        while let Some(row) = rows.try_next().await? {
            match StoredRow::read(&row, unchecked_until) {
                Read::Damaged(found) => {
                    damaged.push(DamagedRow { place: row.try_get("place")?, found });
                }
                Read::Whole(row) => survey.take(row, &mut damaged),
                Read::Unchecked(row) => {
                    survey.unchecked += 1;
                    survey.take(row, &mut damaged);
                }
            }
        }
        drop(rows);
        let end = survey.last_id + damaged.len() as u64 + LEAP_MAX;
        survey.number(&mut damaged, end);
        Ok(survey)
    }

    /// The next whole row, and the damaged ones before it.
    fn take(&mut self, row: StoredRow, damaged: &mut Vec<DamagedRow>) {
        self.number(damaged, row.id);
        self.reach(row.id);
        match row.known_kind() {
            Some(InputKind::Row) => {
                if let (Some(boot), Some(sequence)) = (boot_of(&row), row.sequence) {
                    self.boots.entry(boot).or_default().present.add(sequence, sequence);
                }
            }
            Some(InputKind::RowsLost) => {
                let text = String::from_utf8_lossy(&row.payload).into_owned();
                let mut numbers = text.split(' ').map(str::parse::<u64>);
                if let (Some(hub), Some(Ok(boot)), Some(Ok(first)), Some(Ok(last))) =
                    (row.hub, numbers.next(), numbers.next(), numbers.next())
                {
                    self.boots.entry((hub, boot)).or_default().present.add(first, last);
                }
            }
            Some(InputKind::Act) => self.remember(row),
            Some(InputKind::Damaged) => {
                self.damaged_before += 1;
                if let (Some(boot), Some(sequence)) = (boot_of(&row), row.sequence) {
                    self.boots.entry(boot).or_default().damaged.insert(sequence, row.id);
                }
            }
            _ => {}
        }
    }

    fn remember(&mut self, row: StoredRow) {
        let StoredRow { id, received_ms, match_id, payload, .. } = row;
        let act = LoggedAct { id, received_ms, match_id, payload };
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

/// Positions as the database has them.
pub(super) async fn positions(
    database: &mut SqliteConnection,
) -> Result<HashMap<Boot, u64>, sqlx::Error> {
    let rows = sqlx::query("SELECT hub, boot_id, sequence FROM hub_position").fetch_all(database);
    let mut positions = HashMap::new();
    for row in rows.await? {
        // What cannot be read is no position.
        if let (Ok(hub), Ok(boot), Ok(sequence)) = (
            row.try_get::<String, _>("hub"),
            row.try_get::<i64, _>("boot_id"),
            row.try_get::<i64, _>("sequence"),
        ) {
            positions.insert((hub, from_stored(boot)), from_stored(sequence));
        }
    }
    Ok(positions)
}

/// What SQLite finds wrong with the file; nothing for one that is whole, or so large that it is not looked through.
pub(super) async fn check_file(
    database: &mut SqliteConnection,
) -> Result<Option<String>, sqlx::Error> {
    let bytes = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
    let bytes: i64 = sqlx::query_scalar(bytes).fetch_one(&mut *database).await?;
    if bytes > QUICK_CHECK_BYTES_MAX {
        tracing::warn!(
            bytes,
            "the database is too large to be looked through by SQLite at a start: its rows are"
        );
        return Ok(None);
    }
    let check = match bytes <= WHOLE_CHECK_BYTES_MAX {
        true => "PRAGMA integrity_check(3)",
        false => "PRAGMA quick_check(3)",
    };
    let found: Vec<String> = sqlx::query_scalar(check).fetch_all(database).await?;
    match found.as_slice() {
        [ok] if ok == "ok" => Ok(None),
        _ => Ok(Some(found.join("; ").replace('\n', " ").chars().take(FOUND_CHARS_MAX).collect())),
    }
}
