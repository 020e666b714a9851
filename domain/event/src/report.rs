//! Input of the standings, and results in the form that a pairing program accepts.

use std::collections::BTreeMap;

use rules::{
    Seat,
    standings::{
        Bye, Club, ClubStandings, Clubs, Confirmation, Entrant as ReportedEntrant, EntrantKind,
        EntrantNumber, NC_SCHOLASTIC_CLUBS, Outcome, Pairing as ReportedPairing, PairingGame,
        Problem, Results, Section as Reported, Side, Standings, Withdrawal,
    },
};

use crate::{
    Entry, Event, Pairing, PlayerId, Refusal,
    RefusalKind::{Contradicts, OutOfBounds},
    SectionKind,
};

/// Naming of persons. Teams, clubs and pairing numbers always appear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Players appear by their pairing number.
    #[default]
    Hidden,
    /// Players appear by name: directors see who plays.
    Shown,
    /// Players appear as their families have agreed.
    Consented {
        /// Whether players without an own choice appear by name, because the organiser has their consents.
        otherwise: bool,
    },
}

impl Event {
    /// A section as the standings take it.
    ///
    /// # Errors
    ///
    /// When there is no such section.
    pub fn reported(&self, section: &str, names: Names) -> Result<Reported, Refusal> {
        let known = self.section(section)?;
        let entrants = known
            .entrants
            .iter()
            .map(|(&number, entrant)| self.reported_entrant(number, entrant.entry, names))
            .collect();
        let played = self
            .pairings
            .values()
            .filter(|pairing| pairing.section == section && pairing.withdrawn.is_none());
        let withdrawals = known.entrants.iter().filter_map(|(&entrant, it)| {
            let after_round = it.withdrawn_from?.saturating_sub(1);
            Some(Withdrawal { entrant, after_round })
        });
        let byes = known.byes.iter().map(|(&(entrant, round), &kind)| Bye { round, entrant, kind });
        Ok(Reported {
            rounds: known.terms.rounds,
            games_per_round: known.terms.games_per_round,
            scoring: known.terms.scoring,
            entrants,
            pairings: played
                .flat_map(|pairing| self.reported_pairings(known.terms.game, pairing))
                .collect(),
            byes: byes.collect(),
            withdrawals: withdrawals.collect(),
            coin_tosses: known.coin_tosses.clone(),
        })
    }

    /// Results of every entrant of a section in every round.
    ///
    /// # Errors
    ///
    /// When there is no such section.
    pub fn results(&self, section: &str, names: Names) -> Result<Results, Refusal> {
        let reported = self.reported(section, names)?;
        Results::new(&reported).map_err(|problems| contradiction(section, &problems))
    }

    /// The standings of a section after a round; without one, after the last round that has a result. A round that is only paired does not
    /// count.
    ///
    /// # Errors
    ///
    /// When there is no such section or round.
    pub fn standings(
        &self,
        section: &str,
        after_round: Option<u8>,
        names: Names,
    ) -> Result<Standings, Refusal> {
        let results = self.results(section, names)?;
        let after_round = after_round.unwrap_or_else(|| self.last_round_with_result(section));
        results.standings(after_round, &self.section(section)?.terms.tie_breaks).map_err(|error| {
            Refusal::new(OutOfBounds, format!("section {section}"), error.to_string(), "correct it")
        })
    }

    /// The last round of a section of which a pairing has a result; 0 before the first.
    fn last_round_with_result(&self, section: &str) -> u8 {
        let of_section = self.pairings.values().filter(|pairing| pairing.section == section);
        let played = of_section
            .filter(|pairing| pairing.withdrawn.is_none() && !pairing.outcomes.is_empty());
        played.map(|pairing| pairing.round).max().unwrap_or(0)
    }

    /// The standings of the clubs whose players are in a section: the best four scores count (`nc-scholastic 18`).
    /// None where no player of the section has a club. Clubs are numbered in the order of their names.
    ///
    /// # Errors
    ///
    /// When there is no such section or round.
    pub fn club_standings(
        &self,
        section: &str,
        after_round: Option<u8>,
    ) -> Result<Option<ClubStandings>, Refusal> {
        let results = self.results(section, Names::Hidden)?;
        let known = self.section(section)?;
        let mut members: BTreeMap<&str, Vec<EntrantNumber>> = BTreeMap::new();
        for (&number, entrant) in &known.entrants {
            if let Entry::Player(player) = entrant.entry
                && let Some(club) = self.players.get(&player).and_then(|it| it.club.as_deref())
            {
                members.entry(club).or_default().push(number);
            }
        }
        if members.is_empty() {
            return Ok(None);
        }
        let clubs = (1..).zip(members).map(|(number, (name, members))| Club {
            number: EntrantNumber(number),
            name: name.to_owned(),
            members,
        });
        let clubs = Clubs::new(&results, NC_SCHOLASTIC_CLUBS, clubs.collect(), Vec::new())
            .map_err(|problems| contradiction(section, &problems))?;
        let after_round = after_round.unwrap_or_else(|| self.last_round_with_result(section));
        clubs.standings(after_round, &known.terms.tie_breaks).map(Some).map_err(|error| {
            Refusal::new(OutOfBounds, format!("section {section}"), error.to_string(), "correct it")
        })
    }

    /// Name of an entrant: a team's, or a player's where persons may be named.
    #[must_use]
    pub fn entrant_name(&self, section: &str, number: EntrantNumber, names: Names) -> String {
        match self.entrant(section, number) {
            Ok(entrant) => self.reported_entrant(number, entrant.entry, names).name,
            Err(_) => format!("No. {number}"),
        }
    }

    fn reported_entrant(
        &self,
        number: EntrantNumber,
        entry: Entry,
        names: Names,
    ) -> ReportedEntrant {
        let named = |player: PlayerId| self.person_name(player, names);
        let person = |player: PlayerId| named(player).unwrap_or_else(|| format!("No. {number}"));
        match entry {
            Entry::Player(player) => {
                let rating = self.players.get(&player).and_then(|it| it.rating);
                ReportedEntrant { number, name: person(player), kind: EntrantKind::Player, rating }
            }
            Entry::Team(team) => {
                let known = self.teams.get(&team);
                let members = known.into_iter().flat_map(|team| team.members).filter_map(named);
                let members = members.collect();
                let name = known.map_or_else(|| team.to_string(), |team| team.name.clone());
                ReportedEntrant { number, name, kind: EntrantKind::Team { members }, rating: None }
            }
        }
    }

    fn reported_pairings(&self, game: SectionKind, pairing: &Pairing) -> Vec<ReportedPairing> {
        let confirmation =
            if pairing.confirmed { Confirmation::Confirmed } else { Confirmation::Provisional };
        let round = pairing.round;
        if game == SectionKind::RotatingPartners {
            let Some((seats, first_is_team_one)) = self.rotating_seats(pairing) else {
                return Vec::new();
            };
            let outcome = pairing
                .outcomes
                .first()
                .map(|&outcome| if first_is_team_one { outcome } else { outcome.swapped() });
            return ReportedPairing::of_rotating_partners(round, seats, outcome, confirmation)
                .to_vec();
        }
        let [Some(&first), Some(&second)] = [pairing.sides[0].first(), pairing.sides[1].first()]
        else {
            return Vec::new();
        };
        let white = match game {
            SectionKind::Players => self.white_side(pairing),
            _ => None,
        };
        // The player who had White in the first game has Black in the next.
        let game = |(index, &outcome): (usize, &Outcome)| {
            let white = white.map(|side| if index % 2 == 0 { side } else { side.other() });
            PairingGame { outcome, white }
        };
        let games = pairing.outcomes.iter().enumerate().map(game).collect();
        vec![ReportedPairing { round, first, second, games, confirmation }]
    }

    /// The side that has White.
    pub(crate) fn white_side(&self, pairing: &Pairing) -> Option<Side> {
        // A list of pairings has White first.
        let Some(white) = pairing.seats.first() else { return Some(Side::First) };
        let sides = self.side_players(pairing).ok()?;
        Some(if sides[0].contains(white) { Side::First } else { Side::Second })
    }

    /// The pairing numbers by seat, and whether the first side is team 1. Before seats are chosen the partners are
    /// listed in the order of the pairing, which only shows who waits for a result.
    fn rotating_seats(&self, pairing: &Pairing) -> Option<([EntrantNumber; 4], bool)> {
        let [&[one, two], &[three, four]] = [&pairing.sides[0][..], &pairing.sides[1][..]] else {
            return None;
        };
        if pairing.seats.len() != Seat::ALL.len() {
            return Some(([one, three, four, two], true));
        }
        let number = |player: PlayerId| {
            let plays = |number: &EntrantNumber| {
                let entrant = self.entrant(&pairing.section, *number);
                entrant.is_ok_and(|entrant| entrant.entry == Entry::Player(player))
            };
            pairing.numbers().find(plays)
        };
        let mut seats = [one; 4];
        for (seat, &player) in seats.iter_mut().zip(&pairing.seats) {
            *seat = number(player)?;
        }
        Some((seats, pairing.sides[0].contains(&seats[0])))
    }
}

/// Never expected: every act is checked so that no contradiction gets in.
fn contradiction(section: &str, problems: &[Problem]) -> Refusal {
    let what = problems.first().map(ToString::to_string).unwrap_or_default();
    Refusal::new(Contradicts, format!("section {section}"), what, "correct the acts")
}
