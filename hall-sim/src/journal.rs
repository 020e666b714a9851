//! A hub's journal: what is committed survives a kill, what is not does not.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use delivery::{Answer, JournalRow, Note, Query};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::sabotage::Sabotage;

/// Commits that a journal can be set back by.
const HISTORY_MAX: usize = 20;
/// What is added to a boot's id is below this, as in the hub.
const BOOT_ID_NOISE: u64 = 1 << 20;
/// Boots whose last row is kept although it is acknowledged, as in the hub.
const BOOTS_KEPT: usize = 32;

/// What the writer is asked to do.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Keep a row: its number in the run.
    Row(u32),
    /// What the adjudicator has.
    Note(Note),
}

#[derive(Clone, Debug)]
struct Row {
    row_id: i64,
    boot_id: u64,
    sequence: u64,
    number: u32,
    acknowledged: bool,
}

#[derive(Clone, Debug, Default)]
struct State {
    rows: Rc<VecDeque<Row>>,
    last_row_id: i64,
    last_boot_id: u64,
}

/// The file.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    state: State,
    before: VecDeque<State>,
    keeps_history: bool,
    pub(crate) is_full: bool,
    /// Acknowledged rows kept.
    rows_kept: usize,
}

impl Journal {
    pub(crate) fn new(rows_kept: usize, keeps_history: bool) -> Journal {
        Journal { rows_kept, keeps_history, ..Journal::default() }
    }

    /// Begins a boot. `taken`: whether another card with this hub's id has used an id.
    pub(crate) fn begin_boot(
        &mut self,
        now_us: u64,
        rng: &mut ChaCha8Rng,
        taken: impl Fn(u64) -> bool,
        sabotage: Sabotage,
    ) -> u64 {
        if sabotage == Sabotage::OneBootId && self.state.last_boot_id != 0 {
            return self.state.last_boot_id;
        }
        loop {
            let noise = rng.random_range(0..BOOT_ID_NOISE);
            let boot_id = now_us.max(self.state.last_boot_id + 1) + noise;
            // One in a million: not what is looked for here.
            if !taken(boot_id) {
                self.state.last_boot_id = boot_id;
                return boot_id;
            }
        }
    }

    /// Commits all of `commands`, and returns the rows that were numbered: sequence and number.
    pub(crate) fn commit(
        &mut self,
        commands: &[Command],
        boot_id: u64,
        next_sequence: &mut u64,
        sabotage: Sabotage,
    ) -> Vec<(u64, u32)> {
        if self.keeps_history {
            self.before.push_back(self.state.clone());
            if self.before.len() > HISTORY_MAX {
                self.before.pop_front();
            }
        }
        let mut numbered = Vec::new();
        let last_row_id = &mut self.state.last_row_id;
        let rows = Rc::make_mut(&mut self.state.rows);
        for command in commands {
            match *command {
                Command::Row(number) => {
                    *last_row_id += 1;
                    let (row_id, sequence) = (*last_row_id, *next_sequence);
                    rows.push_back(Row { row_id, boot_id, sequence, number, acknowledged: false });
                    numbered.push((sequence, number));
                    *next_sequence += 1;
                }
                Command::Note(Note::Acknowledged { boot_id, sequence }) => {
                    mark(rows, true, |row| row.boot_id == boot_id && row.sequence <= sequence);
                }
                Command::Note(Note::GivenBack { .. }) if sabotage == Sabotage::NeverGivesBack => {}
                Command::Note(Note::GivenBack { boot_id, sequence }) => {
                    mark(rows, false, |row| row.boot_id == boot_id && row.sequence > sequence);
                }
            }
        }
        self.prune(sabotage);
        numbered
    }

    fn prune(&mut self, sabotage: Sabotage) {
        let oldest = self.state.last_row_id - i64::try_from(self.rows_kept).unwrap_or(i64::MAX);
        let rows = Rc::make_mut(&mut self.state.rows);
        let mut last_rows: BTreeMap<u64, i64> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.acknowledged) {
            last_rows.insert(row.boot_id, row.row_id);
        }
        let mut last_rows: Vec<i64> = last_rows.into_values().collect();
        last_rows.sort_unstable();
        let boots_kept = if sabotage == Sabotage::PrunesLastRows { 0 } else { BOOTS_KEPT };
        let kept = last_rows.split_off(last_rows.len().saturating_sub(boots_kept));
        let is_free = |row: &Row| row.acknowledged || sabotage == Sabotage::PrunesUnsent;
        rows.retain(|row| !is_free(row) || row.row_id > oldest || kept.contains(&row.row_id));
    }

    /// Loses up to so many of the newest commits.
    pub(crate) fn set_back(&mut self, commits: usize) -> bool {
        let commits = commits.min(self.before.len());
        let Some(state) = self.before.len().checked_sub(commits).and_then(|n| self.before.get(n))
        else {
            return false;
        };
        self.state = state.clone();
        self.before.truncate(self.before.len() - commits);
        commits > 0
    }

    pub(crate) fn answer(&self, query: &Query, sabotage: Sabotage) -> Answer {
        let rows = &self.state.rows;
        match *query {
            Query::RowsAfter { row_id, limit } => {
                let passes = |row: &&Row| {
                    sabotage == Sabotage::RowPassedOver
                        && row.row_id.unsigned_abs().is_multiple_of(40)
                };
                let from = rows.partition_point(|row| row.row_id <= row_id);
                let waiting = rows.range(from..).filter(|row| !row.acknowledged);
                Answer::RowsAfter(
                    waiting.filter(|row| !passes(row)).take(limit).map(journal_row).collect(),
                )
            }
            Query::LastAcknowledged(limit) => {
                let mut last: BTreeMap<u64, &Row> = BTreeMap::new();
                for row in rows.iter().filter(|row| row.acknowledged) {
                    last.insert(row.boot_id, row);
                }
                let mut last: Vec<&Row> = last.into_values().collect();
                last.sort_by_key(|row| row.row_id);
                let from = last.len().saturating_sub(limit);
                Answer::LastAcknowledged(last.into_iter().skip(from).map(journal_row).collect())
            }
            Query::FirstSequences => {
                let mut first = BTreeMap::new();
                for row in rows.iter() {
                    let sequence = first.entry(row.boot_id).or_insert(row.sequence);
                    *sequence = row.sequence.min(*sequence);
                }
                Answer::FirstSequences(first)
            }
        }
    }

    /// Rows that wait for an acknowledgement.
    pub(crate) fn waiting(&self) -> usize {
        self.state.rows.iter().filter(|row| !row.acknowledged).count()
    }

    /// Whether a row is there.
    pub(crate) fn has(&self, boot_id: u64, sequence: u64) -> bool {
        self.state.rows.iter().any(|row| row.boot_id == boot_id && row.sequence == sequence)
    }

    /// The last row that is there of a boot.
    pub(crate) fn last(&self, boot_id: u64) -> u64 {
        let of_boot = self.state.rows.iter().filter(|row| row.boot_id == boot_id);
        of_boot.map(|row| row.sequence).max().unwrap_or(0)
    }
}

fn mark(rows: &mut VecDeque<Row>, acknowledged: bool, which: impl Fn(&Row) -> bool) {
    rows.iter_mut().filter(|row| which(row)).for_each(|row| row.acknowledged = acknowledged);
}

fn journal_row(row: &Row) -> JournalRow {
    let Row { row_id, boot_id, sequence, number, .. } = *row;
    JournalRow { row_id, boot_id, sequence, body: crate::truth::body(sequence, number) }
}
