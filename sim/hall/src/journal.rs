//! A hub's journal as a model: what is committed survives a kill, what is not does not. It answers what the hub's SQLite answers; a test
//! of the hub gives both the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use delivery::{Answer, JournalRow, Note, Query};
use hub_core::HubTime;
use hub_core::journal::{
    Entry, MatchRecord, NodeOffset, Recovered, Standing, number_rows, told_of,
};
use hub_core::journal_line::Line;
use hub_core::orders::OrderRecord;
use hub_core::review::{MatchTrace, TraceInput};
use prost::Message as _;
use proto::link::ResumePoint;
use proto::mqtt::message;

use crate::sabotage::Sabotage;

/// Commits that a journal can be set back by.
const HISTORY_MAX: usize = 20;
/// Boots whose last row is kept although it is acknowledged, as in the hub.
const BOOTS_KEPT: usize = 32;

/// Interval of rows, of a hub of a later release, whose event is unknown to others.
const LATER_ROWS_EVERY: u64 = 3;
/// A field that no message of this release has: number 99, three bytes.
pub(crate) const LATER_FIELD: [u8; 6] = [0x9A, 0x06, 3, 1, 2, 3];

/// Command for the writer.
#[derive(Clone, Debug)]
pub enum Command {
    /// Keep an entry.
    Entry(Box<Entry>),
    /// Keep what the adjudicator has.
    Note(Note),
}

/// A row that was numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) sequence: u64,
    /// Hash of the whole row: no other row has it.
    pub(crate) digest: u64,
}

#[derive(Clone, Debug)]
struct Row {
    row_id: i64,
    boot_id: u64,
    sequence: u64,
    body: Rc<Vec<u8>>,
    acknowledged: bool,
}

/// One line of a table's session.
#[derive(Clone, Debug)]
struct Input {
    input_id: i64,
    table: Rc<str>,
    at: HubTime,
    made: HubTime,
    match_id: Option<Rc<str>>,
    line: Rc<str>,
}

#[derive(Clone, Debug)]
struct Match {
    table: Rc<str>,
    record: MatchRecord,
    /// The input behind which the match begins.
    first_input: i64,
}

#[derive(Clone, Debug, Default)]
struct State {
    rows: Rc<VecDeque<Row>>,
    last_row_id: i64,
    last_boot_id: u64,
    inputs: Rc<Vec<Input>>,
    last_input_id: i64,
    sessions: BTreeMap<String, Recovered>,
    offsets: BTreeMap<String, ResumePoint>,
    matches: BTreeMap<String, Match>,
    /// With their tables, in the order in which they came.
    orders: Rc<Vec<(String, OrderRecord)>>,
    /// All rows ever committed, for the checks of a run.
    entries: Rc<Vec<Rc<Entry>>>,
}

/// The file.
#[derive(Debug, Default)]
pub struct Journal {
    state: State,
    before: VecDeque<State>,
    keeps_history: bool,
    keeps_entries: bool,
    /// Some of its rows have content that this release does not know.
    is_of_later_release: bool,
    pub(crate) is_full: bool,
    /// Acknowledged rows kept.
    rows_kept: usize,
    /// Finished matches kept.
    matches_kept: usize,
}

impl Journal {
    /// An empty journal that keeps so many acknowledged rows and finished matches.
    #[must_use]
    pub fn new(rows_kept: usize, matches_kept: usize) -> Journal {
        Journal { rows_kept, matches_kept, ..Journal::default() }
    }

    /// Keeps what it was before each of its latest commits, so that it can be set back.
    #[must_use]
    pub(crate) fn with_history(mut self, keeps_history: bool) -> Journal {
        self.keeps_history = keeps_history;
        self
    }

    /// Keeps every entry that was committed.
    #[must_use]
    pub(crate) fn with_entries(mut self, keeps_entries: bool) -> Journal {
        self.keeps_entries = keeps_entries;
        self
    }

    /// The journal belongs to a hub of a later release.
    #[must_use]
    pub(crate) fn of_later_release(mut self, is_of_later_release: bool) -> Journal {
        self.is_of_later_release = is_of_later_release;
        self
    }

    /// Begins a boot at a wall clock's time, with noise from `noise`. `taken`: whether another card with this hub's id has used an id.
    pub(crate) fn begin_boot(
        &mut self,
        now_us: u64,
        mut noise: impl FnMut() -> u64,
        taken: impl Fn(u64) -> bool,
        sabotage: Sabotage,
    ) -> u64 {
        if sabotage == Sabotage::OneBootId && self.state.last_boot_id != 0 {
            return self.state.last_boot_id;
        }
        loop {
            let boot_id = now_us.max(self.state.last_boot_id + 1) + noise();
            // One in a million: not the subject of this check.
            if !taken(boot_id) {
                self.state.last_boot_id = boot_id;
                return boot_id;
            }
        }
    }

    /// Commits all of `commands` at once, as rows of a boot.
    pub fn commit(&mut self, commands: &[Command], boot_id: u64, next_sequence: &mut u64) {
        self.commit_sabotaged(commands, boot_id, next_sequence, Sabotage::None);
    }

    /// Commits like [`Self::commit`], with a sabotage; returns the rows that were numbered.
    pub(crate) fn commit_sabotaged(
        &mut self,
        commands: &[Command],
        boot_id: u64,
        next_sequence: &mut u64,
        sabotage: Sabotage,
    ) -> Vec<Numbered> {
        if self.keeps_history {
            self.before.push_back(self.state.clone());
            if self.before.len() > HISTORY_MAX {
                self.before.pop_front();
            }
        }
        let mut numbered = Vec::new();
        let mut has_ended = false;
        for command in commands {
            match command {
                Command::Entry(entry) => {
                    has_ended |= entry.matches.iter().any(|(_, record)| record.ended);
                    numbered.extend(self.write(entry, boot_id, next_sequence, sabotage));
                }
                Command::Note(note) => self.note(*note, sabotage),
            }
        }
        self.prune_rows(sabotage);
        if has_ended {
            self.prune_matches();
        }
        numbered
    }

    fn write(
        &mut self,
        entry: &Entry,
        boot_id: u64,
        next_sequence: &mut u64,
        sabotage: Sabotage,
    ) -> Vec<Numbered> {
        let table: Rc<str> = entry.table.as_str().into();
        let is_of_later_release = self.is_of_later_release;
        let state = &mut self.state;
        let before = state.last_input_id;
        if sabotage != Sabotage::InputsAreNotKept {
            let inputs = Rc::make_mut(&mut state.inputs);
            for input in &entry.inputs {
                state.last_input_id += 1;
                inputs.push(Input {
                    input_id: state.last_input_id,
                    table: Rc::clone(&table),
                    at: input.at,
                    made: input.made,
                    match_id: input.match_id.as_deref().map(Rc::from),
                    line: input.line.as_str().into(),
                });
            }
        }
        let mut numbered = Vec::new();
        for mut row in number_rows(entry, next_sequence, |_| ()) {
            state.last_row_id += 1;
            let (row_id, sequence) = (state.last_row_id, row.sequence);
            let is_unknown = is_of_later_release && sequence.is_multiple_of(LATER_ROWS_EVERY);
            let body = match is_unknown {
                true => {
                    row.event = None;
                    [row.encode_to_vec(), LATER_FIELD.to_vec()].concat()
                }
                false => row.encode_to_vec(),
            };
            let body = Rc::new(body);
            numbered.push(Numbered { sequence, digest: crate::truth::digest(&body) });
            let row = Row { row_id, boot_id, sequence, body, acknowledged: false };
            Rc::make_mut(&mut state.rows).push_back(row);
        }
        for (inputs, record) in &entry.matches {
            let first_input = state.last_input_id.min(before + *inputs as i64);
            let new = || Match { table: Rc::clone(&table), record: record.clone(), first_input };
            let known = state.matches.entry(record.match_id.clone()).or_insert_with(new);
            known.record.ended = record.ended;
            if known.record.prologue != record.prologue {
                known.record.prologue.clone_from(&record.prologue);
                known.first_input = first_input;
            }
        }
        self.write_session(entry, sabotage);
        let state = &mut self.state;
        for order in &entry.orders {
            let orders = Rc::make_mut(&mut state.orders);
            match orders.iter_mut().find(|(_, known)| known.id == order.id) {
                Some((_, known)) => known.ended = order.ended,
                None => orders.push((entry.table.clone(), order.clone())),
            }
        }
        for offset in &entry.offsets {
            let last = state.offsets.get(&offset.node_id).copied();
            if NodeOffset::advances(last, offset.reached) {
                state.offsets.insert(offset.node_id.clone(), offset.reached);
            }
        }
        if self.keeps_entries {
            let mut entry = entry.clone();
            if sabotage == Sabotage::MadeWhenTold {
                entry.inputs.iter_mut().for_each(|input| input.made = input.at);
            }
            Rc::make_mut(&mut state.entries).push(Rc::new(entry));
        }
        numbered
    }

    /// Counts the outputs since the checkpoint, so that a replay knows which ones are journalled.
    fn write_session(&mut self, entry: &Entry, sabotage: Sabotage) {
        let of_table = self.state.inputs.iter().rev().find(|input| *input.table == *entry.table);
        let last_input_id = of_table.map_or(0, |input| input.input_id);
        if let Some(checkpoint) = &entry.checkpoint {
            let session = self.state.sessions.entry(entry.table.clone()).or_default();
            session.checkpoint = Some(checkpoint.clone());
            session.input_id = session.input_id.max(last_input_id);
            session.outputs = 0;
            session.reached = session.reached.max(entry.reached);
            session.said_by.clone_from(&entry.said_by);
        } else if !entry.rows.is_empty() && sabotage != Sabotage::OutputsAreNotCounted {
            let session = self.state.sessions.entry(entry.table.clone()).or_default();
            match session.outputs == 0 || session.said_by == entry.said_by {
                true => session.said_by.clone_from(&entry.said_by),
                false => session.said_by.clear(),
            }
            session.outputs += entry.rows.len() as u64;
            session.reached = session.reached.max(entry.reached);
        }
    }

    fn note(&mut self, note: Note, sabotage: Sabotage) {
        let rows = Rc::make_mut(&mut self.state.rows);
        match note {
            Note::Acknowledged { boot_id, sequence } => {
                mark(rows, true, |row| row.boot_id == boot_id && row.sequence <= sequence);
            }
            Note::GivenBack { .. } if sabotage == Sabotage::NeverGivesBack => {}
            Note::GivenBack { boot_id, sequence } => {
                mark(rows, false, |row| row.boot_id == boot_id && row.sequence > sequence);
            }
        }
    }

    fn prune_rows(&mut self, sabotage: Sabotage) {
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

    /// Forgets finished matches beyond a number, and inputs that belong to none and are in a checkpoint.
    fn prune_matches(&mut self) {
        let state = &mut self.state;
        let ended = state.matches.iter().filter(|(_, it)| it.record.ended);
        let mut ended: Vec<(HubTime, String)> =
            ended.map(|(id, it)| (it.record.opened, id.clone())).collect();
        ended.sort_unstable();
        let beyond = ended.len().saturating_sub(self.matches_kept);
        let gone: BTreeSet<String> = ended.into_iter().take(beyond).map(|(_, id)| id).collect();
        state.matches.retain(|id, _| !gone.contains(id));
        let (matches, sessions) = (&state.matches, &state.sessions);
        Rc::make_mut(&mut state.inputs).retain(|input| {
            let is_of_match = input.match_id.as_deref().is_some_and(|id| matches.contains_key(id));
            let included = sessions.get(&*input.table).map_or(0, |session| session.input_id);
            is_of_match || input.input_id > included
        });
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

    /// Answers a query of a [`delivery::Sender`].
    #[must_use]
    pub fn answer(&self, query: &Query) -> Answer {
        self.answer_sabotaged(query, Sabotage::None)
    }

    pub(crate) fn answer_sabotaged(&self, query: &Query, sabotage: Sabotage) -> Answer {
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

    /// The last checkpoint of a table's session.
    #[must_use]
    pub fn recovered(&self, table: &str) -> Recovered {
        self.state.sessions.get(table).cloned().unwrap_or_default()
    }

    /// The inputs of a table after one, in order.
    pub fn replay(&self, table: &str, after: i64) -> impl Iterator<Item = &str> {
        let from = self.state.inputs.partition_point(|input| input.input_id <= after);
        let inputs = self.state.inputs[from..].iter();
        inputs.filter(move |input| *input.table == *table).map(|input| &*input.line)
    }

    /// The trace of a match; `None` if the journal does not have it.
    #[must_use]
    pub fn trace(&self, match_id: &str) -> Option<MatchTrace> {
        Some(self.trace_sabotaged(match_id, Sabotage::None)?.1)
    }

    /// The same with the time at which the match was opened.
    pub(crate) fn trace_sabotaged(
        &self,
        match_id: &str,
        sabotage: Sabotage,
    ) -> Option<(HubTime, MatchTrace)> {
        let Match { record, first_input, .. } = self.state.matches.get(match_id)?;
        let of_match = |input: &&Input| {
            input.match_id.as_deref() == Some(match_id) && input.input_id > *first_input
        };
        let read = |input: &Input| {
            let Ok(Line::Reading(reading)) = serde_json::from_str(&input.line) else { return None };
            let counts = sabotage == Sabotage::ReviewsByCountedTime;
            let made_us = if counts { reading.t_us } else { input.made.as_micros() };
            Some(TraceInput { reading, made_us })
        };
        let inputs = self.state.inputs.iter().filter(of_match).filter_map(read).collect();
        let prologue = record.prologue.lines().filter_map(|it| serde_json::from_str(it).ok());
        let (header, opened) = (serde_json::from_str(&record.header).ok()?, record.opened);
        let trace = MatchTrace::new(header, opened, prologue.collect(), inputs, record.ended);
        Some((opened, trace))
    }

    /// The latest orders of a table, at most `limit`, oldest first.
    #[must_use]
    pub fn orders(&self, table: &str, limit: usize) -> Vec<OrderRecord> {
        let of_table = self.state.orders.iter().filter(|(of, _)| of == table);
        let orders: Vec<OrderRecord> = of_table.map(|(_, order)| order.clone()).collect();
        orders[orders.len().saturating_sub(limit)..].to_vec()
    }

    /// The last committed event of a node.
    #[must_use]
    pub fn resume_point(&self, node_id: &str) -> Option<ResumePoint> {
        self.state.offsets.get(node_id).copied()
    }

    /// The latest hub time that has passed for any table: a hub's clock must not read earlier.
    #[must_use]
    pub fn latest(&self) -> HubTime {
        let inputs = self.state.inputs.iter().map(|input| input.at);
        let reached = self.state.sessions.values().map(|session| session.reached);
        inputs.chain(reached).max().unwrap_or(HubTime::ZERO)
    }

    /// The matches, oldest first, and whether each is over.
    #[must_use]
    pub fn matches(&self) -> Vec<(String, bool)> {
        let mut matches: Vec<(&String, &Match)> = self.state.matches.iter().collect();
        matches.sort_by_key(|(id, it)| (it.record.opened, *id));
        matches.into_iter().map(|(id, it)| (id.clone(), it.record.ended)).collect()
    }

    /// The open matches of a table, oldest first, each with its rows.
    #[must_use]
    pub fn standing(&self, table: &str) -> Vec<Standing> {
        let is_open = |it: &&Match| *it.table == *table && !it.record.ended;
        let mut open: Vec<&MatchRecord> =
            self.state.matches.values().filter(is_open).map(|it| &it.record).collect();
        open.sort_by_key(|record| (record.opened, &record.match_id));
        let rows = || {
            let bodies = self.state.rows.iter();
            bodies.filter_map(|row| message::Row::decode(&row.body[..]).ok()?.event)
        };
        let standing = |record: &MatchRecord| Standing {
            record: record.clone(),
            told: told_of(&record.match_id, rows()),
        };
        open.into_iter().map(standing).collect()
    }

    /// Entries that were ever committed and not lost again, in order.
    pub(crate) fn entries(&self) -> &[Rc<Entry>] {
        &self.state.entries
    }

    /// Rows that wait for an acknowledgement.
    pub(crate) fn waiting(&self) -> usize {
        self.state.rows.iter().filter(|row| !row.acknowledged).count()
    }

    /// Whether a row is there.
    pub(crate) fn has(&self, boot_id: u64, sequence: u64) -> bool {
        self.state.rows.iter().any(|row| row.boot_id == boot_id && row.sequence == sequence)
    }

    /// The last row present of a boot.
    pub(crate) fn last(&self, boot_id: u64) -> u64 {
        let of_boot = self.state.rows.iter().filter(|row| row.boot_id == boot_id);
        of_boot.map(|row| row.sequence).max().unwrap_or(0)
    }
}

fn mark(rows: &mut VecDeque<Row>, acknowledged: bool, which: impl Fn(&Row) -> bool) {
    rows.iter_mut().filter(|row| which(row)).for_each(|row| row.acknowledged = acknowledged);
}

fn journal_row(row: &Row) -> JournalRow {
    let Row { row_id, boot_id, sequence, body, .. } = row;
    JournalRow { row_id: *row_id, boot_id: *boot_id, sequence: *sequence, body: body.to_vec() }
}
