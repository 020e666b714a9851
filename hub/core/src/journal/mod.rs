//! Contents, inputs and answers of a hub's journal: the same for SQLite as for the simulation's model.
//!
//! Committed entries survive every stop of the hub; other entries are as if they had never existed. So nothing is acknowledged or published
//! before it is committed.

mod entry;

use proto::link::HubTime;
use proto::mqtt::message::{Row, row::Event};
use proto::mqtt::{check_row, match_of};

pub use entry::{Entry, InputLine, MatchRecord, NodeOffset, OutgoingEvent};

/// A table's session at its last checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Its last state without a match; none for a table that is new.
    pub checkpoint: Option<String>,
    /// The last input that the checkpoint includes.
    pub input_id: i64,
    /// Rows journalled since: the replay's first ones.
    pub outputs: u64,
    /// Time up to which the session had advanced: later readings count as later, although no input was read by then.
    pub reached: HubTime,
    /// Release and settings that produced these rows ([`crate::table::TableSettings::said_by`]); empty if there were several.
    pub said_by: String,
}

/// A match that a journal has as open.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The opening of the match.
    pub record: MatchRecord,
    /// Its rows, from the one that opened it on; none if the journal has lost some of them.
    pub told: Vec<Event>,
}

/// The rows of a match, from the one that opened it on; none if that is not among them.
pub fn told_of(match_id: &str, rows: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let of_match = rows.into_iter().filter(|event| match_of(event) == Some(match_id));
    of_match.skip_while(|event| !matches!(event, Event::MatchOpened(_))).collect()
}

/// How a journal numbers an entry's rows: [`Entry::rows`] first, then [`Entry::answers`]. A row that no adjudicator takes is named by
/// `refuse` and left out: it would be refused again and again, and with it everything behind it.
///
/// `next_sequence` is the number of the next row of this boot, and is brought up to date.
pub fn number_rows(
    entry: &Entry,
    next_sequence: &mut u64,
    mut refuse: impl FnMut(&proto::mqtt::RowsError),
) -> Vec<Row> {
    let mut rows = Vec::new();
    for outgoing in entry.rows.iter().chain(&entry.answers) {
        let row = Row {
            sequence: *next_sequence,
            hub_time_us: outgoing.at.as_micros(),
            table: entry.table.clone(),
            event: Some(outgoing.event.clone()),
        };
        match check_row(&row) {
            Ok(()) => {
                *next_sequence += 1;
                rows.push(row);
            }
            Err(problem) => refuse(&problem),
        }
    }
    rows
}
