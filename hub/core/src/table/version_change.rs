//! A table whose inputs do not come to the rows that are journalled: the hub is another release by now, or the table has other settings.
//!
//! Which of the rows were told before cannot be counted off then: what is left out of too many is lost, and what is left out of too few is
//! told twice. So it is looked at what was told. A match that is still the same match, by its settings, goes on, and what is different is told as
//! the next revisions. Of any other match nobody can say more: it is closed as it stands.

use super::{Table, TableOutput};
use crate::journal::Standing;
use crate::notice::{Level, Notice};

/// Why inputs do not come to the rows that are journalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// Another program said them, or the same one with other settings. Whether people have not heard of it before.
    Program {
        /// False if the program before this one found it so.
        is_news: bool,
    },
    /// The same program, and it says another number of rows.
    Count {
        /// Rows that are journalled.
        told: u64,
        /// Rows that the inputs come to.
        said: u64,
    },
}

impl Table {
    /// Goes on from what was told, without a match that cannot go on.
    pub(super) fn settle(&mut self, mismatch: Mismatch, standing: Vec<Standing>) {
        let (mut goes_on, mut closed) = (None, Vec::new());
        for one in standing {
            if goes_on.is_none() && self.session.go_on(&one) {
                goes_on = Some(one.record.match_id);
            } else {
                closed.push(one);
            }
        }
        if goes_on.is_none() {
            self.session.leave_match();
        }
        closed.iter().for_each(|one| self.session.close(one));
        self.collect(0);
        // Also without rows: what is said from here on is counted from this state on.
        self.commit_entry();
        self.tell_mismatch(mismatch, goes_on, &closed);
    }

    fn tell_mismatch(&mut self, mismatch: Mismatch, goes_on: Option<String>, closed: &[Standing]) {
        let (why, is_news) = match mismatch {
            Mismatch::Program { is_news } => (
                "the hub is another release, or has another configuration for this table, than when it was stopped".to_owned(),
                is_news,
            ),
            Mismatch::Count { told, said } => (
                format!("{told} rows were published, but the journal now gives {said} (report this with the hub's journal)"),
                true,
            ),
        };
        let table = &self.settings.table.name;
        let goes_on = goes_on.map(|id| {
            format!("match {id} continues, and readings that now have another meaning are published as a correction")
        });
        let closed = closed.iter().map(|Standing { record, .. }| {
            format!(
                "match {} is closed as it stands: write down how it ends; the next match is followed when all its pieces are set up",
                record.match_id
            )
        });
        let level = if is_news || closed.len() > 0 { Level::Warning } else { Level::Info };
        let what: Vec<String> = goes_on.into_iter().chain(closed).collect();
        let what = if what.is_empty() { "no match was open".to_owned() } else { what.join("; ") };
        let notice = Notice::new(level, format!("table {table}: {why}; {what}"));
        self.outputs.push_back(TableOutput::Notice(notice));
    }
}
