//! Tables for pairings of files that have none: free of those of other sections, as far as there are enough.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Problem,
    draft::Draft,
    newest::{Meeting, StatedRound, meeting_of},
};
use crate::{Deed, Event, PairingId, limits::TABLES_MAX};

impl Draft<'_> {
    /// Lists tables in an event that has none: those that a file names, or so many.
    pub(super) fn list_tables(&mut self, named: Vec<String>, count: usize) {
        if !self.event().tables().is_empty() {
            return;
        }
        let first = self.options().first_table.map_or(1, usize::from).max(1);
        let mut tables: Vec<String> = match named.is_empty() {
            true => (first..first.saturating_add(count)).map(|it| it.to_string()).collect(),
            false => named,
        };
        tables.sort_by_cached_key(|table| (table.parse().unwrap_or(u32::MAX), table.clone()));
        tables.dedup();
        if tables.is_empty() || tables.len() > TABLES_MAX {
            return;
        }
        self.act(None, None, Deed::TablesListed { tables });
    }

    /// Gives each pairing without a table one: the known one it has, else the first free one.
    pub(super) fn choose_tables(
        &mut self,
        section: &str,
        round: u8,
        stated: &mut StatedRound,
        known: &BTreeMap<Meeting, PairingId>,
    ) {
        let needs: Vec<usize> = (0..stated.pairings.len())
            .filter(|&at| stated.pairings[at].table.is_none())
            .filter(|&at| !known.contains_key(&meeting_of(&stated.pairings[at].sides)))
            .collect();
        if needs.is_empty() {
            return;
        }
        let event = self.event();
        let own: BTreeSet<&str> =
            event.round(section, round).map(|(_, it)| it.table.as_str()).collect();
        let others = tables_of_others(event, section, round);
        let start = self.options().first_table.map(|first| first.to_string());
        let from = start.and_then(|first| event.tables().iter().position(|it| *it == first));
        let here =
            event.tables().iter().skip(from.unwrap_or(0)).filter(|it| !own.contains(it.as_str()));
        let (free, shared): (Vec<_>, Vec<_>) =
            here.cloned().partition(|it| from.is_some() || !others.contains(it.as_str()));
        let count = event.tables().len();
        let mut tables = free.into_iter().chain(shared);
        for (done, at) in needs.iter().enumerate() {
            let pairing = &mut stated.pairings[*at];
            pairing.table = tables.next();
            if pairing.table.is_none() {
                let what = format!(
                    "the event has {count} tables, and round {round} of {section} needs {} more",
                    needs.len() - done
                );
                let todo =
                    "list more tables (event open EVENT.json --tables N, or the event's page)";
                let problem = Problem::error(pairing.line, Some(&pairing.column), what, todo);
                self.note(problem);
                return;
            }
        }
    }
}

/// The tables at which other sections play a round of the same number.
fn tables_of_others<'event>(
    event: &'event Event,
    section: &str,
    round: u8,
) -> BTreeSet<&'event str> {
    let others = event.sections().keys().filter(|other| *other != section);
    others.flat_map(|other| event.round(other, round)).map(|(_, it)| it.table.as_str()).collect()
}
