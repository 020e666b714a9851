//! Warnings about a round before it is played: players left out, rematches, colours again, and which
//! tables two sections want. None of it is refused: an organiser may mean it.

use std::collections::{BTreeMap, BTreeSet};

use rules::{
    Color,
    standings::{EntrantNumber, Outcome, Side},
};
use serde::Serialize;

use crate::{Event, Pairing, PairingId, SectionKind};

/// Number of games in a row with one colour from which a player is reported.
const SAME_COLOUR_MAX: usize = 2;
/// Difference between games with one colour and the other from which a player is reported.
const COLOUR_DIFFERENCE_MAX: usize = 2;

/// A warning about a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
pub enum RoundFinding {
    /// An entrant without pairing and bye.
    Unpaired {
        /// Pairing number of the entrant.
        number: EntrantNumber,
    },
    /// The two sides met before.
    Rematch {
        /// The pairing.
        pairing: PairingId,
        /// The round in which they met.
        met: u8,
    },
    /// A player has one colour more often than they should.
    Colour {
        /// The pairing.
        pairing: PairingId,
        /// Pairing number of the entrant.
        number: EntrantNumber,
        /// The colour.
        #[serde(serialize_with = "color_name")]
        color: Color,
        /// Number of games in a row, this round included.
        in_a_row: usize,
        /// Difference to the other colour, this round included.
        surplus: usize,
    },
    /// Another section has a pairing at the table in the same round.
    SharedTable {
        /// The pairing.
        pairing: PairingId,
        /// The other section.
        section: String,
    },
}

fn color_name<S: serde::Serializer>(color: &Color, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match color {
        Color::White => "white",
        Color::Black => "black",
    })
}

/// The two sides of a pairing, in any order.
type PairedSides = BTreeSet<BTreeSet<EntrantNumber>>;

fn meeting(pairing: &Pairing) -> PairedSides {
    pairing.sides.iter().map(|side| side.iter().copied().collect()).collect()
}

impl Event {
    /// Warnings about a round of a section: first players left out, then pairing by pairing. Empty where there is no such
    /// section, and before anybody is paired.
    #[must_use]
    pub fn round_findings(&self, section: &str, round: u8) -> Vec<RoundFinding> {
        if self.round(section, round).next().is_none() {
            return Vec::new();
        }
        let mut findings: Vec<RoundFinding> =
            self.unpaired(section, round).map(|number| RoundFinding::Unpaired { number }).collect();
        let mut met: BTreeMap<PairedSides, u8> = BTreeMap::new();
        for earlier in 1..round {
            met.extend(self.round(section, earlier).map(|(_, it)| (meeting(it), earlier)));
        }
        let elsewhere = self.tables_of_others(section, round);
        for (id, pairing) in self.round(section, round) {
            if let Some(&met) = met.get(&meeting(pairing)) {
                findings.push(RoundFinding::Rematch { pairing: id, met });
            }
            findings.extend(self.colour_findings(id, pairing));
            if let Some(other) = elsewhere.get(pairing.table.as_str()) {
                let section = (*other).to_owned();
                findings.push(RoundFinding::SharedTable { pairing: id, section });
            }
        }
        findings
    }

    /// Entrants of a section who could play in a round, and have neither pairing nor bye.
    pub fn unpaired(&self, section: &str, round: u8) -> impl Iterator<Item = EntrantNumber> {
        let paired: BTreeSet<EntrantNumber> = self
            .round(section, round)
            .flat_map(|(_, it)| it.numbers().collect::<Vec<_>>())
            .collect();
        let known = self.sections.get(section);
        let entrants = known.into_iter().flat_map(move |known| {
            let plays = known.entrants.iter().filter(move |(number, entrant)| {
                entrant.from_round <= round
                    && entrant.withdrawn_from.is_none_or(|from| from > round)
                    && !known.byes.contains_key(&(**number, round))
            });
            plays.map(|(number, _)| *number)
        });
        entrants.filter(move |number| !paired.contains(number))
    }

    fn tables_of_others(&self, section: &str, round: u8) -> BTreeMap<&str, &str> {
        let others = self.sections.keys().filter(|other| *other != section);
        others
            .flat_map(|other| {
                self.round(other, round).map(move |(_, it)| (it.table.as_str(), other.as_str()))
            })
            .collect()
    }

    /// Whether one of two players of chess has a colour again and again.
    fn colour_findings(&self, id: PairingId, pairing: &Pairing) -> Vec<RoundFinding> {
        let game = self.section(&pairing.section).map(|section| section.terms.game);
        if game != Ok(SectionKind::Players) {
            return Vec::new();
        }
        let finding = |number: EntrantNumber| {
            let colours = self.colours(&pairing.section, number, pairing.round);
            let color = *colours.last()?;
            let in_a_row = colours.iter().rev().take_while(|it| **it == color).count();
            let same = colours.iter().filter(|it| **it == color).count();
            let surplus = same.saturating_sub(colours.len() - same);
            (in_a_row > SAME_COLOUR_MAX || surplus > COLOUR_DIFFERENCE_MAX)
                .then_some(RoundFinding::Colour { pairing: id, number, color, in_a_row, surplus })
        };
        pairing.numbers().filter_map(finding).collect()
    }

    /// The colours of a player up to a round, without unplayed games.
    fn colours(&self, section: &str, number: EntrantNumber, round: u8) -> Vec<Color> {
        let rounds = (1..=round).flat_map(|round| self.round(section, round));
        let colour = |(_, pairing): (PairingId, &Pairing)| {
            let is_first = pairing.sides[0].contains(&number);
            if !is_first && !pairing.sides[1].contains(&number) {
                return None;
            }
            let forfeit =
                |it: &Outcome| matches!(it, Outcome::ForfeitWin(_) | Outcome::DoubleForfeit);
            if pairing.outcomes.iter().any(forfeit) {
                return None;
            }
            let has_white = (self.white_side(pairing)? == Side::First) == is_first;
            Some(if has_white { Color::White } else { Color::Black })
        };
        rounds.filter_map(colour).collect()
    }
}
