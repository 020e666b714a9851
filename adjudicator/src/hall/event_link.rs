//! Who plays a match, and what acts about the event change at the tables.
//!
//! A table has no names. Who plays there is said by the pairing of its match.

use event::{Change, Names, PairingId, SectionKind};
use rules::{Seat, standings::EntrantNumber};
use serde::Serialize;

use super::{EventId, Game, Hall, Partition, Table};

/// Who plays at a table, as far as it may be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct People {
    /// The section.
    pub section: Option<String>,
    /// The round.
    pub round: Option<u8>,
    /// The two sides in the order of the pairing list.
    pub sides: Option<[String; 2]>,
    /// Team 1 and team 2, once it is known which side is which.
    pub teams: Option<[String; 2]>,
    /// Whether the first side is team 1, in chess White; none without a pairing.
    #[serde(skip)]
    pub first_is_one: Option<bool>,
    /// The players in the order of [`Seat::ALL`].
    #[serde(skip)]
    pub players: [Option<String>; 4],
}

impl People {
    /// The sides and the players, as far as they are known.
    pub fn everybody(&self) -> impl Iterator<Item = &String> {
        self.sides.iter().flatten().chain(self.players.iter().flatten())
    }

    /// What team 1 and team 2 are called.
    #[must_use]
    pub fn team_labels(&self) -> [String; 2] {
        self.teams.clone().unwrap_or_else(|| ["Team 1".to_owned(), "Team 2".to_owned()])
    }
}

impl Hall {
    /// The event.
    #[must_use]
    pub fn event(&self) -> &event::Event {
        &self.event
    }

    /// Who plays a match, or is to play at a table that has none.
    #[must_use]
    pub fn people(&self, table: &str, game: Option<&Game>, names: Names) -> People {
        match self.pairing_shown(table, game) {
            Some(pairing) => self.people_of(pairing, names),
            // Before an organiser has said who plays, the configuration may.
            None if self.event.sections().is_empty() => {
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

    /// What the two sides of a pairing are called.
    #[must_use]
    pub fn sides_of(&self, id: PairingId, names: Names) -> [String; 2] {
        let Some(pairing) = self.event.pairings().get(&id) else { return Default::default() };
        let side = |numbers: &Vec<EntrantNumber>| {
            let name =
                |number: &EntrantNumber| self.event.entrant_name(&pairing.section, *number, names);
            numbers.iter().map(name).collect::<Vec<_>>().join(" and ")
        };
        pairing.sides.each_ref().map(side)
    }

    fn people_of(&self, id: PairingId, names: Names) -> People {
        let Some(pairing) = self.event.pairings().get(&id) else { return People::default() };
        let kind = self.event.section(&pairing.section).map(|section| section.terms.game);
        let [first, second] = self.sides_of(id, names);
        let teams = self.event.first_side_is_team_one(id).map(|is_first| match is_first {
            true => [first.clone(), second.clone()],
            false => [second.clone(), first.clone()],
        });
        // In chess the list of pairings says who has White; who of a team sits at which board is only known once it was said.
        let seats = match kind {
            Ok(SectionKind::Players) => self.event.seats(id),
            _ => pairing.seats.clone(),
        };
        let player = |seat: Seat| {
            let player = self.event.players().get(seats.get(seat.index())?)?;
            (names == Names::Shown).then(|| player.name.reveal().to_owned())
        };
        People {
            section: Some(pairing.section.clone()),
            round: Some(pairing.round),
            sides: Some([first, second]),
            first_is_one: self.event.first_side_is_team_one(id),
            // In chess the players are the sides.
            teams: teams.filter(|_| kind != Ok(SectionKind::Players)),
            players: Seat::ALL.map(player),
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
            let here = self.event.pairings().iter().filter(|(_, pairing)| {
                let has_result = !pairing.outcomes.is_empty() && pairing.withdrawn.is_none();
                pairing.table == table && has_result
            });
            here.max_by_key(|(id, pairing)| (pairing.round, **id)).map(|(id, _)| *id)
        };
        self.pairing_at(table).filter(|_| game.is_none()).or_else(last)
    }

    /// A section of a table now: its pairing's, or else the configuration's.
    #[must_use]
    pub fn section_of(&self, table: &str, game: Option<&Game>) -> Option<String> {
        let known = self.pairing_shown(table, game).and_then(|id| self.event.pairings().get(&id));
        known.map(|pairing| pairing.section.clone()).or_else(|| self.disclosure.section(table))
    }

    /// A match may be in another section than before: where its changes are counted, too.
    pub(super) fn move_changes(&mut self, match_id: &str) {
        let Some(game) = self.matches.get(match_id) else { return };
        let partition = self.partition_of(game);
        let event = EventId::of_plies(self.partitions.change(partition));
        let slot = self.slot_of(&game.table);
        if game.changes().last().is_some_and(|(before, _)| before != partition)
            && let Some(game) = self.matches.get_mut(match_id)
        {
            game.move_to(partition, event);
            self.partitions.note(partition, event);
        }
        if let Some(slot) = slot {
            self.touch_table(slot);
        }
    }

    /// Who is at each table, slot by slot.
    pub(super) fn people_at_tables(&self) -> Vec<People> {
        let at = |table: &Table| {
            let game = table.match_id.as_deref().and_then(|id| self.matches.get(id));
            self.people(&table.name, game, Names::Shown)
        };
        self.tables.slots().map(at).collect()
    }

    /// Notes what acts about the event changed, for those who watch. `before`: who was at the tables.
    pub(super) fn note_event_changes(&mut self, input: u64, changes: &[Change], before: &[People]) {
        self.seating.follow(&self.event, changes);
        self.note_pairings(input, changes);
        for change in changes {
            self.partitions.touch_event(self.partition_of_change(change));
            match change {
                Change::Pairing(id) => {
                    let pairing = self.event.pairings().get(id);
                    let table = pairing.map(|pairing| pairing.table.clone());
                    self.show_tables(table);
                }
                Change::Seats(id) => self.follow_matches(*id),
                Change::Tables => self.show_tables(self.event.tables().to_vec()),
                Change::People
                | Change::Name
                | Change::Section(_)
                | Change::Result(_)
                | Change::Standings(_) => {}
            }
        }
        // A table that shows the same as before is not told of: something may have changed in a section that is shown later.
        for (slot, now) in self.people_at_tables().into_iter().enumerate() {
            if before.get(slot).is_some_and(|before| *before != now) {
                self.touch_table(slot);
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
                self.note_paired(input, id);
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
        let pairing = self.event.pairings().get(&id);
        self.partitions.of_section(pairing.map(|pairing| pairing.section.as_str()))
    }

    /// A table that a hub has yet to speak of is shown as soon as somebody is to play there.
    fn show_tables(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names.into_iter().filter(|name| crate::config::is_segment(name)) {
            self.table_slot(&name);
        }
    }
}
