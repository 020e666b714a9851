//! An index of the event: pairings by table and by player.

use std::collections::HashMap;

use event::{Change, Event, PairingId, PlayerId};

/// Index of the event's pairings, withdrawn ones too, by table and by entrants.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Seating {
    at_table: HashMap<String, Vec<PairingId>>,
    of_player: HashMap<PlayerId, Vec<PairingId>>,
}

impl Seating {
    /// Builds the index again if acts changed pairings, seats or people.
    pub(in crate::hall) fn follow(&mut self, event: &Event, changes: &[Change]) {
        let is_of_pairings = |change: &Change| match change {
            Change::Pairing(_) | Change::Seats(_) | Change::People => true,
            Change::Name
            | Change::Tables
            | Change::Section(_)
            | Change::Result(_)
            | Change::Standings(_) => false,
        };
        if changes.iter().any(is_of_pairings) {
            *self = Seating::of(event);
        }
    }

    fn of(event: &Event) -> Seating {
        let mut seating = Seating::default();
        for (&id, pairing) in event.pairings() {
            if let Some(at_table) = seating.at_table.get_mut(&pairing.table) {
                at_table.push(id);
            } else {
                seating.at_table.insert(pairing.table.clone(), vec![id]);
            }
            for &player in &pairing.seats {
                seating.of_player.entry(player).or_default().push(id);
            }
        }
        seating
    }

    /// Pairings of a table in the order of their ids.
    pub(in crate::hall) fn at_table(&self, table: &str) -> impl Iterator<Item = PairingId> {
        self.at_table.get(table).into_iter().flatten().copied()
    }

    /// Pairings in which a player has a seat.
    pub(in crate::hall) fn of_player(&self, player: PlayerId) -> impl Iterator<Item = PairingId> {
        self.of_player.get(&player).into_iter().flatten().copied()
    }
}
