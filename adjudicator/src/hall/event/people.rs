//! Players of a pairing, by their public names.

use event::{Names, PairingId, SectionKind};
use referee::ResultReason;
use rules::{Seat, Team, standings::EntrantNumber};
use serde::Serialize;

use super::EventFold;

/// Players at a table, as far as they may be named.
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
    /// All players of one of the sides, without their seats.
    #[serde(skip)]
    pub members: Vec<String>,
}

impl People {
    /// The sides and the players, as far as they are known.
    pub fn everybody(&self) -> impl Iterator<Item = &String> {
        self.sides.iter().flatten().chain(self.players.iter().flatten())
    }

    /// Winner and cause of a result: `Harbor Hawks by mate`, of chess `White by resignation`.
    #[must_use]
    pub fn result_words(
        &self,
        game: rules::Game,
        winner: Option<Team>,
        reason: ResultReason,
    ) -> String {
        let of_chess = |team: Team| {
            let is_first =
                self.first_is_one.map(|first_is_one| first_is_one == (team == Team::One));
            let side = self.sides.as_ref().zip(is_first);
            let color = if team == Team::One { "White" } else { "Black" };
            side.map_or_else(
                || color.to_owned(),
                |(sides, is_first)| format!("{} ({color})", sides[usize::from(!is_first)]),
            )
        };
        let who = match (winner, game) {
            (Some(team), rules::Game::Chess) => of_chess(team),
            (Some(team), rules::Game::Bughouse) => {
                self.team_labels()[usize::from(team == Team::Two)].clone()
            }
            (None, _) if reason == ResultReason::Forfeit => "nobody".to_owned(),
            (None, _) => "draw".to_owned(),
        };
        format!("{who} by {}", reason.name().replace('-', " "))
    }

    /// Names of team 1 and team 2.
    #[must_use]
    pub fn team_labels(&self) -> [String; 2] {
        self.teams.clone().unwrap_or_else(|| ["Team 1".to_owned(), "Team 2".to_owned()])
    }
}

impl EventFold {
    /// Names of the two sides of a pairing.
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

    /// Players of a pairing.
    pub(in crate::hall) fn people_of(&self, id: PairingId, names: Names) -> People {
        let Some(pairing) = self.state.pairings().get(&id) else { return People::default() };
        let kind = self.state.section(&pairing.section).map(|section| section.terms.game);
        let [first, second] = self.sides_of(id, names);
        let teams = self.state.first_side_is_team_one(id).map(|is_first| match is_first {
            true => [first.clone(), second.clone()],
            false => [second.clone(), first.clone()],
        });
        // In chess the list of pairings has the colours; a team's seats are unknown until a director sets them.
        let seats = match kind {
            Ok(SectionKind::Players) => self.state.seats(id),
            _ => pairing.seats.clone(),
        };
        let player = |seat: Seat| self.state.person_name(*seats.get(seat.index())?, names);
        let sides = pairing.sides.iter();
        let of_sides = sides.flat_map(|side| self.state.players_of(&pairing.section, side));
        let members = of_sides.filter_map(|id| self.state.person_name(id, names)).collect();
        People {
            members,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_names_who_won_and_not_team_1() {
        let mate = (Some(Team::Two), ResultReason::Mate);
        let draw = (None, ResultReason::Agreement);
        let names = || ["Harbor Hawks".to_owned(), "Pine Pawns".to_owned()];
        let teams = People { teams: Some(names()), ..People::default() };
        let players =
            People { sides: Some(names()), first_is_one: Some(true), ..People::default() };
        let of =
            |people: &People, game, (winner, reason)| people.result_words(game, winner, reason);
        assert_eq!(of(&teams, rules::Game::Bughouse, mate), "Pine Pawns by mate");
        assert_eq!(of(&People::default(), rules::Game::Bughouse, mate), "Team 2 by mate");
        assert_eq!(of(&players, rules::Game::Chess, mate), "Pine Pawns (Black) by mate");
        assert_eq!(of(&People::default(), rules::Game::Chess, mate), "Black by mate");
        assert_eq!(of(&teams, rules::Game::Bughouse, draw), "draw by agreement");
    }
}
