//! Probes: the position of the adjudicator's store for each boot, before rows are sent.
//!
//! It may be another than before: restored from a backup, or new. So the last acknowledged row of each boot is sent once more,
//! and the answer contains the store's position of the boot. Rows of a later boot are valid only after those of the boots
//! before: none is sent before all answers have arrived and the journal has stored the rows to be resent.

use std::collections::{BTreeMap, VecDeque};

use prost::Message as _;
use proto::mqtt::message::Row;

use super::{Note, Window};
use crate::JournalRow;

/// Boots of which the adjudicator is asked how far it has them.
pub(super) const PROBES_MAX: usize = 32;
/// Age, against the newest row, beyond which a boot belongs to another event and is not probed, µs. Four days: an event from
/// Friday to Sunday is whole with hubs that are switched off each night, and that of the weekend before stays out.
const PROBE_AGE_MAX_US: u64 = 4 * 24 * 60 * 60 * 1_000_000;

/// The questions, and what is still open of them.
#[derive(Debug, Default)]
pub(super) struct Probes {
    due: bool,
    /// The rows with which the adjudicator was asked and has not answered, by boot.
    open: BTreeMap<u64, JournalRow>,
    /// Boots that are to be asked for.
    to_send: VecDeque<u64>,
    /// Number of notes that the journal was given, and that it has committed.
    told: u64,
    noted: u64,
    /// The last note that gave rows back, until it is committed.
    given_back: Option<u64>,
}

impl Probes {
    /// The store may be another now.
    pub(super) fn raise(&mut self) {
        self.due = true;
    }

    /// Whether the journal is to be asked for the last acknowledged row of each boot.
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// Takes the last acknowledged rows of the journal: those of recent boots are what is asked with.
    pub(super) fn found(&mut self, rows: Vec<JournalRow>, window: &mut Window) {
        self.due = false;
        let newest_us = rows.iter().map(hub_time_us).max().unwrap_or(0);
        let is_recent =
            |row: &JournalRow| newest_us.saturating_sub(hub_time_us(row)) <= PROBE_AGE_MAX_US;
        let recent: Vec<JournalRow> = rows.into_iter().filter(is_recent).collect();
        for probe in &recent {
            window.note_acknowledged(probe.boot_id, probe.sequence);
        }
        self.to_send = recent.iter().map(|row| row.boot_id).collect();
        self.open = recent.into_iter().map(|row| (row.boot_id, row)).collect();
    }

    /// The next row to ask with.
    pub(super) fn next(&self) -> Option<&JournalRow> {
        self.open.get(self.to_send.front()?)
    }

    /// Marks it as handed to the client.
    pub(super) fn mark_sent(&mut self) {
        self.to_send.pop_front();
    }

    /// Sends unanswered probes again: probe or answer may be lost.
    pub(super) fn ask_again(&mut self) {
        self.to_send = self.open.keys().copied().collect();
    }

    /// Notes the adjudicator's position of a boot. Whether that was asked.
    pub(super) fn answered(&mut self, boot_id: u64) -> bool {
        self.to_send.retain(|to_send| *to_send != boot_id);
        self.open.remove(&boot_id).is_some()
    }

    /// The journal was given a note.
    pub(super) fn note_given(&mut self, note: Note) {
        self.told += 1;
        if matches!(note, Note::GivenBack { .. }) {
            self.given_back = Some(self.told);
        }
    }

    /// The journal has committed so many notes in all. Whether all rows that were given back wait in it now.
    pub(super) fn journal_noted(&mut self, notes: u64) -> bool {
        self.noted = notes;
        self.given_back.take_if(|last| *last <= notes).is_some()
    }

    /// Whether the journal has committed all notes.
    pub(super) fn is_noted(&self) -> bool {
        self.noted >= self.told
    }

    /// Whether an answer is awaited.
    pub(super) fn is_waiting(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether rows are to be resent and the journal has not stored that yet.
    pub(super) fn is_giving_back(&self) -> bool {
        self.given_back.is_some()
    }

    /// Whether rows may be missing at the adjudicator that come before all that are in the window.
    pub(super) fn is_unsure(&self) -> bool {
        self.due || self.is_waiting() || self.is_giving_back()
    }
}

/// First row that the journal has of each boot, as far as queried.
#[derive(Debug, Default)]
pub(super) struct Beginnings(BTreeMap<u64, u64>);

impl Beginnings {
    /// Whether that of one of `boots` is not known.
    pub(super) fn lack(&self, boots: &[u64]) -> bool {
        boots.iter().any(|boot_id| !self.0.contains_key(boot_id))
    }

    /// Takes what the journal says; of `boots` that it does not have, nothing is known.
    pub(super) fn found(&mut self, first_sequences: BTreeMap<u64, u64>, boots: &[u64]) {
        self.0 = first_sequences;
        for boot_id in boots {
            self.0.entry(*boot_id).or_insert(0);
        }
    }

    /// The journal may have changed.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// First sequence of a boot whose row `first` is to be sent; 0 if unknown.
    pub(super) fn of(&self, boot_id: u64, first: u64) -> u64 {
        self.0.get(&boot_id).copied().filter(|begins| *begins <= first).unwrap_or(0)
    }
}

/// Time of a row; 0 for one that cannot be decoded.
fn hub_time_us(row: &JournalRow) -> u64 {
    Row::decode(&row.body[..]).map_or(0, |row| row.hub_time_us)
}
