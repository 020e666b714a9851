//! The event: its staff, what people did about it, and who is seated where. Nothing here names the tables.

pub(super) mod calls;
pub(super) mod done;
pub(super) mod people;
pub mod screens;
pub(super) mod seating;
pub(super) mod seen;
pub mod staff;

use std::collections::BTreeMap;

use event::{Pairing, PairingId};

use self::{
    calls::Calls, done::Done, screens::Screens, seating::Seating, seen::SeenItems, staff::Staff,
};
use super::{shared::Shared, treatments::Chosen};

/// The event as people's acts have made it. A clone shares all unchanged parts.
#[derive(Clone, Debug, Default)]
pub(super) struct EventFold {
    /// The event by now.
    pub(super) state: Shared<event::Event>,
    pub(super) seating: Shared<Seating>,
    /// Acts about it, oldest first.
    done: Shared<Vec<Done>>,
    /// Input that made each pairing.
    pub(super) paired: Shared<BTreeMap<PairingId, u64>>,
    /// Time of the last result from paper of each pairing, Unix milliseconds of this machine.
    pub(super) paper_ms: Shared<BTreeMap<PairingId, u64>>,
    /// Treatments of findings that directors chose.
    pub(super) treatments: Shared<Chosen>,
    pub(super) staff: Shared<Staff>,
    pub(super) seen: SeenItems,
    pub(super) calls: Shared<Calls>,
    pub(super) screens: Shared<Screens>,
}

impl EventFold {
    /// Games of a pairing in its round.
    #[must_use]
    pub(super) fn games_of(&self, pairing: &Pairing) -> usize {
        self.state.section(&pairing.section).map_or(1, |it| it.terms.games_per_round).into()
    }

    pub(super) fn is_to_be_played(&self, id: PairingId) -> bool {
        self.state.pairings().get(&id).is_some_and(|pairing| pairing.withdrawn.is_none())
    }

    /// Times at which pairings came to their tables: a pairing that is newer than a match's beginning is of a later round.
    pub(super) fn note_paired(&mut self, input: u64, id: PairingId) {
        self.paired.entry(id).or_insert(input);
    }
}
