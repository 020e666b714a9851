//! An overview over the halls of an event: how far each is, and how much waits for directors there. It has no names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::views::{TableView, needs::Need, read_view::Sight};

/// Progress of a section.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(default)]
struct SectionProgress {
    section: String,
    /// Rounds that are planned.
    rounds: u8,
    /// The last round that was opened; 0: none.
    opened: u8,
    /// Pairings of that round.
    pairings: usize,
    /// Pairings of the round without a confirmed result.
    unconfirmed: usize,
}

/// A hall at a moment, as an audience sees it. An owner of another release may leave fields out.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub(crate) struct HallSummary {
    /// Name of the event.
    event: String,
    sections: Vec<SectionProgress>,
    /// Number of tables in each state.
    tables: BTreeMap<String, usize>,
    /// Number of items on the directors' list, by urgency.
    needs: BTreeMap<String, usize>,
}

impl HallSummary {
    /// A hall as an audience sees it. `needs`: the list of its directors.
    pub(crate) fn of(event: &str, sight: &Sight, needs: &[Need]) -> HallSummary {
        let mut tables = BTreeMap::new();
        for (hall, table) in sight.tables() {
            *tables.entry(TableView::state_of(hall, table).to_owned()).or_default() += 1;
        }
        let mut by_urgency = BTreeMap::new();
        for need in needs {
            *by_urgency.entry(need.urgency.name()).or_default() += 1;
        }
        let known = sight.latest().map(|hall| hall.event().sections().keys());
        let sections = known.into_iter().flatten().filter_map(|name| {
            let event = sight.of_section(name)?.event();
            let section = event.section(name).ok()?;
            let (mut pairings, mut unconfirmed) = (0, 0);
            for (_, pairing) in event.round(name, section.opened) {
                pairings += 1;
                unconfirmed += usize::from(!pairing.confirmed);
            }
            let (rounds, opened) = (section.terms.rounds, section.opened);
            Some(SectionProgress { section: name.clone(), rounds, opened, pairings, unconfirmed })
        });
        let sections = sections.collect();
        HallSummary { event: event.to_owned(), sections, tables, needs: by_urgency }
    }
}

/// A hall of the event.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HallLine {
    /// Its name (`broker.shard`).
    pub(crate) hall: String,
    /// `connected` or `not connected`: whether an owner writes its log now.
    pub(crate) owner: &'static str,
    /// Age of its last report, seconds.
    pub(crate) age_s: u64,
    /// The hall.
    #[serde(flatten)]
    pub(crate) summary: HallSummary,
}

/// All halls of the event that are known of.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HallsView {
    /// By name.
    pub(crate) halls: Vec<HallLine>,
}

/// Words for whether an owner is connected.
pub(crate) fn connected(is_there: bool) -> &'static str {
    if is_there { "connected" } else { "not connected" }
}
