//! Who plays a pairing, by the names that may be said.

use event::{Names, PairingId, SectionKind};
use rules::{Seat, standings::EntrantNumber};
use serde::Serialize;

use super::EventFold;

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

impl EventFold {
    /// What the two sides of a pairing are called.
    #[must_use]
    pub(in crate::hall) fn sides_of(&self, id: PairingId, names: Names) -> [String; 2] {
        let Some(pairing) = self.state.pairings().get(&id) else { return Default::default() };
        let side = |numbers: &Vec<EntrantNumber>| {
            let name =
                |number: &EntrantNumber| self.state.entrant_name(&pairing.section, *number, names);
            numbers.iter().map(name).collect::<Vec<_>>().join(" and ")
        };
        pairing.sides.each_ref().map(side)
    }

    /// Who plays a pairing.
    pub(in crate::hall) fn people_of(&self, id: PairingId, names: Names) -> People {
        let Some(pairing) = self.state.pairings().get(&id) else { return People::default() };
        let kind = self.state.section(&pairing.section).map(|section| section.terms.game);
        let [first, second] = self.sides_of(id, names);
        let teams = self.state.first_side_is_team_one(id).map(|is_first| match is_first {
            true => [first.clone(), second.clone()],
            false => [second.clone(), first.clone()],
        });
        // In chess the list of pairings says who has White; who of a team sits at which board is only known once it was said.
        let seats = match kind {
            Ok(SectionKind::Players) => self.state.seats(id),
            _ => pairing.seats.clone(),
        };
        let player = |seat: Seat| {
            let player = self.state.players().get(seats.get(seat.index())?)?;
            (names == Names::Shown).then(|| player.name.reveal().to_owned())
        };
        People {
            section: Some(pairing.section.clone()),
            round: Some(pairing.round),
            sides: Some([first, second]),
            first_is_one: self.state.first_side_is_team_one(id),
            // In chess the players are the sides.
            teams: teams.filter(|_| kind != Ok(SectionKind::Players)),
            players: Seat::ALL.map(player),
        }
    }
}
