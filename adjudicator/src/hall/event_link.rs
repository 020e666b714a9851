//! Players of a match, and effects of the event's acts on the tables.
//!
//! A table has no names. The pairing of its match has the players.

use event::{Change, Names, PairingId, ResultSource};
use rules::{Seat, standings::Outcome};

use super::{EventId, Game, Hall, Partition, People, Table};

/// View of the event at a table.
#[derive(PartialEq)]
pub(super) struct OfEvent {
    /// Its players: in the directors' view, and in the public one.
    people: [People; 2],
    /// A result that no match gave, and whether it is confirmed.
    result: Option<(Outcome, bool)>,
}

impl Hall {
    /// Players of a match, or the next players of a table without one.
    #[must_use]
    pub fn people(&self, table: &str, game: Option<&Game>, names: Names) -> People {
        match self.pairing_shown(table, game) {
            Some(pairing) => self.event.people_of(pairing, names),
            // Before an organiser has said who plays, the configuration may.
            None if self.event.state.sections().is_empty() => {
                let player = |seat| self.disclosure.player(table, seat).map(str::to_owned);
                People {
                    section: self.disclosure.section(table),
                    teams: self.disclosure.teams(table),
                    players: Seat::ALL.map(player),
                    ..People::default()
                }
            }
            None => People { section: self.disclosure.section(table), ..People::default() },
        }
    }

    /// The pairing that a table shows: its match's, or else the one that is to be played there, or else the last that has a result.
    #[must_use]
    pub fn pairing_shown(&self, table: &str, game: Option<&Game>) -> Option<PairingId> {
        if let Some(game) = game.filter(|game| game.pairing.is_some() || game.is_begun()) {
            return game.pairing;
        }
        if game.is_some_and(|game| !self.is_at_table(game)) {
            return None;
        }
        let last = || {
            let pairing = |id| Some((self.event.state.pairings().get(&id)?.round, id));
            let has_result = |id: &PairingId| {
                self.event.state.pairings().get(id).is_some_and(|pairing| {
                    !pairing.outcomes.is_empty() && pairing.withdrawn.is_none()
                })
            };
            let here = self.event.seating.at_table(table).filter(has_result);
            here.filter_map(pairing).max().map(|(_, id)| id)
        };
        self.pairing_at(table).filter(|_| game.is_none()).or_else(last)
    }

    /// A section of a table now: its pairing's, or else the configuration's.
    #[must_use]
    pub fn section_of(&self, table: &str, game: Option<&Game>) -> Option<String> {
        let known =
            self.pairing_shown(table, game).and_then(|id| self.event.state.pairings().get(&id));
        known.map(|pairing| pairing.section.clone()).or_else(|| self.disclosure.section(table))
    }

    /// A match may be in another section than before: where its changes are counted, too.
    pub(super) fn move_changes(&mut self, match_id: &str) {
        let Some(game) = self.tables.matches.get(match_id) else { return };
        let partition = self.partition_of(game);
        let event = EventId::of_plies(self.partitions.change(partition));
        let slot = self.tables.slot_of(&game.table);
        if game.changes().last().is_some_and(|(before, _)| before != partition)
            && let Some(game) = self.tables.matches.get_mut(match_id)
        {
            game.move_to(partition, event);
            self.partitions.note(partition, event);
        }
        if let Some(slot) = slot {
            self.tables.touch(slot);
        }
    }

    /// View of the event at each table, slot by slot.
    pub(super) fn event_at_tables(&self) -> Vec<OfEvent> {
        let at = |table: &Table| {
            let game = table.match_id.as_deref().and_then(|id| self.tables.matches.get(id));
            let readers = [Names::Shown, self.disclosure.names()];
            let people = readers.map(|names| self.people(&table.name, game, names));
            let pairing = self.pairing_shown(&table.name, game);
            let pairing = pairing.and_then(|id| self.event.state.pairings().get(&id));
            let of_paper = pairing.filter(|pairing| {
                pairing.result_source().is_some_and(|source| source != ResultSource::Matches)
            });
            let result = of_paper.and_then(|it| Some((it.outcomes.last().copied()?, it.confirmed)));
            OfEvent { people, result }
        };
        self.tables.list.slots().map(at).collect()
    }

    /// Notes what acts about the event changed, for those who watch. `before`: what the tables showed of it.
    pub(super) fn note_event_changes(
        &mut self,
        input: u64,
        changes: &[Change],
        before: &[OfEvent],
    ) {
        self.event.seating.follow(&self.event.state, changes);
        self.note_pairings(input, changes);
        for change in changes {
            self.partitions.touch_event(self.partition_of_change(change));
            match change {
                Change::Pairing(id) => {
                    let pairing = self.event.state.pairings().get(id);
                    let table = pairing.map(|pairing| pairing.table.clone());
                    self.show_tables(table);
                }
                Change::Seats(id) => self.follow_matches(*id),
                Change::Tables => self.show_tables(self.event.state.tables().to_vec()),
                Change::People
                | Change::Name
                | Change::Section(_)
                | Change::Result(_)
                | Change::Standings(_) => {}
            }
        }
        // A table with an unchanged view is not reported: the change may belong to a section that is shown later.
        for (slot, now) in self.event_at_tables().into_iter().enumerate() {
            if before.get(slot).is_some_and(|before| *before != now) {
                self.tables.touch(slot);
            }
        }
    }

    /// Matches are of other pairings, perhaps, after rounds were paired or results came in.
    fn note_pairings(&mut self, input: u64, changes: &[Change]) {
        let concerned = changes.iter().filter_map(|change| match change {
            Change::Pairing(id) | Change::Result(id) => Some((*id, change)),
            _ => None,
        });
        let mut tables = Vec::new();
        for (id, change) in concerned {
            if matches!(change, Change::Pairing(_)) {
                self.event.note_paired(input, id);
            }
            tables.extend(self.tables_of(id));
        }
        tables.sort_unstable();
        tables.dedup();
        tables.iter().for_each(|table| self.bind_again(table));
    }

    fn partition_of_change(&self, change: &Change) -> Partition {
        match change {
            Change::Name | Change::Tables | Change::People => Partition::GENERAL,
            Change::Section(section) | Change::Standings(section) => {
                self.partitions.of_section(Some(section))
            }
            Change::Pairing(id) | Change::Seats(id) | Change::Result(id) => {
                self.partition_of_pairing(*id)
            }
        }
    }

    pub(super) fn partition_of_pairing(&self, id: PairingId) -> Partition {
        let pairing = self.event.state.pairings().get(&id);
        self.partitions.of_section(pairing.map(|pairing| pairing.section.as_str()))
    }

    /// A table that no hub has reported is shown as soon as it has a pairing.
    fn show_tables(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names.into_iter().filter(|name| crate::config::is_segment(name)) {
            self.tables.table_slot(&name);
        }
    }
}
