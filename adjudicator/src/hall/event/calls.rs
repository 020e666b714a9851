//! Tables that have called a director, from the page of their link.

use std::collections::BTreeMap;

/// An open call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The act.
    pub act: u64,
    /// Time of the call, Unix milliseconds.
    pub at_ms: u64,
}

/// Open calls by table: one a table at most.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Calls(BTreeMap<String, Call>);

impl Calls {
    /// A table calls. A second call beside an open one changes nothing.
    pub(in crate::hall) fn open(&mut self, table: &str, call: Call) {
        self.0.entry(table.to_owned()).or_insert(call);
    }

    /// Ends the call of a table.
    pub(in crate::hall) fn end(&mut self, table: &str) {
        self.0.remove(table);
    }

    /// Ends the call that an item of the directors' list is about.
    pub(in crate::hall) fn end_item(&mut self, item: &str) {
        self.0.retain(|table, call| call.item(table) != item);
    }

    pub(in crate::hall) fn of(&self, table: &str) -> Option<Call> {
        self.0.get(table).copied()
    }

    pub(in crate::hall) fn iter(&self) -> impl Iterator<Item = (&str, Call)> {
        self.0.iter().map(|(table, call)| (table.as_str(), *call))
    }
}

impl Call {
    /// Id of its item on the directors' list.
    #[must_use]
    pub fn item(&self, table: &str) -> String {
        format!("call:{table}:{}", self.act)
    }
}
