//! Players, teams, sections and pairings after the acts.

use std::collections::BTreeMap;

use rules::standings::{ByeKind, CoinToss, EntrantNumber, Outcome};

use crate::{
    Entry, PairingId, PersonName, PlayerId, SectionTerms,
    believed::{Played, Said},
};

/// A registered person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The name.
    pub name: PersonName,
    /// The school or club.
    pub club: Option<String>,
    /// The number in a federation's list.
    pub id: Option<String>,
    /// The rating in it.
    pub rating: Option<u16>,
}

/// Two players who stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// The name that is shown.
    pub name: String,
    /// The players.
    pub members: [PlayerId; 2],
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its terms.
    pub terms: SectionTerms,
    /// Its entrants, by pairing number.
    pub entrants: BTreeMap<EntrantNumber, Entrant>,
    /// The last round that was opened; 0 before the first.
    pub opened: u8,
    /// Byes, by round and entrant.
    pub byes: BTreeMap<(EntrantNumber, u8), ByeKind>,
    /// Coin tosses that were held.
    pub coin_tosses: Vec<CoinToss>,
    /// Beginnings of rounds, Unix milliseconds, as far as they were set.
    pub starts: BTreeMap<u8, u64>,
}

/// Someone with a pairing number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The entrant.
    pub entry: Entry,
    /// The first round they can be paired in.
    pub from_round: u8,
    /// The first round without them, once they have left.
    pub withdrawn_from: Option<u8>,
}

/// Two sides that meet in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The section.
    pub section: String,
    /// The round, from 1.
    pub round: u8,
    /// The table.
    pub table: String,
    /// The board number of the pairing programme, if it is not the table.
    pub board: Option<u32>,
    /// The pairing numbers of each side.
    pub sides: [Vec<EntrantNumber>; 2],
    /// Seats, in the order of [`rules::Seat::ALL`]; empty until chosen.
    pub seats: Vec<PlayerId>,
    /// Whether a match of it runs.
    pub running: bool,
    /// The results of its games so far, seen from the first side.
    pub outcomes: Vec<Outcome>,
    /// Whether a director has confirmed them.
    pub confirmed: bool,
    /// Reason why it is not played, once it was withdrawn.
    pub withdrawn: Option<String>,
    /// People's word on it, beside its matches.
    pub(crate) said: Said,
    /// Score of its matches.
    pub(crate) played: Played,
}

impl Pairing {
    /// The pairing numbers of both sides.
    pub fn numbers(&self) -> impl Iterator<Item = EntrantNumber> + '_ {
        self.sides.iter().flatten().copied()
    }

    /// The board number of the pairing programme, or else the table: what results are returned by.
    #[must_use]
    pub fn board_label(&self) -> String {
        self.board.map_or_else(|| self.table.clone(), |board| board.to_string())
    }

    /// Its place, for people.
    #[must_use]
    pub fn place(&self) -> String {
        format!("section {}, round {}, table {}", self.section, self.round, self.table)
    }
}

/// Changes of an act, from which views know what to draw again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The event's name, or what is announced.
    Name,
    /// The list of tables.
    Tables,
    /// Players, teams, their names, or what may be shown of them.
    People,
    /// A section: its terms, entrants, byes, rounds.
    Section(String),
    /// A pairing: its existence, table, sides, or withdrawal.
    Pairing(PairingId),
    /// Seats of a pairing.
    Seats(PairingId),
    /// A result, or that it is confirmed; a match that runs or has ended.
    Result(PairingId),
    /// The standings of a section.
    Standings(String),
}
