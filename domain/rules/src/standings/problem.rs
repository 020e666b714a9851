//! Problems of a reported section: each names the entrant and the round.

use std::fmt;

use thiserror::Error;

use super::{EntrantNumber, GAMES_PER_ROUND_MAX, ROUNDS_MAX};

/// An entrant as a problem names it: `Ada Lovelace (3)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The pairing number.
    pub number: EntrantNumber,
    /// The name.
    pub name: String,
}

impl fmt::Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.name, self.number)
    }
}

/// Problem of a section that cannot be scored, with its cure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// No rounds, or more than a section may have.
    #[error("a section has 1 to {ROUNDS_MAX} rounds, not {rounds}: correct the number of rounds")]
    Rounds {
        /// Stated number.
        rounds: u8,
    },
    /// No games in a round, or more than a pairing may have.
    #[error(
        "a round has 1 to {GAMES_PER_ROUND_MAX} games a pairing, not {games}: correct the number of games a round"
    )]
    GamesPerRound {
        /// Stated number.
        games: u8,
    },
    /// Two entrants have one number.
    #[error("{one} and {other:?} have the same number: give one of them another")]
    SameNumber {
        /// One of them.
        one: Named,
        /// The other's name.
        other: String,
    },
    /// A number that no entrant has.
    #[error(
        "round {round}: no entrant has the number {number} ({context}): enter them or correct the number"
    )]
    UnknownEntrant {
        /// The round.
        round: u8,
        /// The number.
        number: EntrantNumber,
        /// Place: `opponent of Ada Lovelace (3)`, `bye`.
        context: String,
    },
    /// A coin toss with a number that no entrant has, or with one entrant twice.
    #[error("coin toss: {number} {reason}: correct the coin toss")]
    CoinToss {
        /// The number.
        number: EntrantNumber,
        /// Reason.
        reason: &'static str,
    },
    /// Two coin tosses that order two entrants differently.
    #[error("two coin tosses order {one} and {other} differently: keep the one that counts")]
    CoinTossesDiffer {
        /// One of them.
        one: Named,
        /// The other.
        other: Named,
    },
    /// A player against themselves.
    #[error("round {round}: {entrant} is paired with themselves: correct the pairing")]
    PairedWithThemselves {
        /// The round.
        round: u8,
        /// The entrant.
        entrant: Named,
    },
    /// A round that the section does not have.
    #[error(
        "round {round} is reported for {entrant}, but the section has {rounds} rounds: correct the round or the number of rounds"
    )]
    NoSuchRound {
        /// The round reported.
        round: u8,
        /// The entrant of the report.
        entrant: Named,
        /// Number of rounds.
        rounds: u8,
    },
    /// More games than a pairing has in a round.
    #[error(
        "round {round}: {reported} games are reported between {entrant} and {opponent}, but a round has {games}: remove what is too much"
    )]
    TooManyGames {
        /// The round.
        round: u8,
        /// One side.
        entrant: Named,
        /// The other side.
        opponent: Named,
        /// Games reported.
        reported: usize,
        /// Games a round.
        games: u8,
    },
    /// One pairing reported twice with different results.
    #[error(
        "round {round}: {entrant} against {opponent} is reported twice with different results: keep the right one"
    )]
    ReportsDiffer {
        /// The round.
        round: u8,
        /// One side.
        entrant: Named,
        /// The other side.
        opponent: Named,
    },
    /// Two different things for one entrant in one round.
    #[error("round {round}: {entrant} has {one} and {other}: keep the one that is right")]
    TwiceInOneRound {
        /// The round.
        round: u8,
        /// The entrant.
        entrant: Named,
        /// One report: `a game against Ada Lovelace (3)`, `a half-point bye`.
        one: String,
        /// The other report.
        other: String,
    },
    /// Two different withdrawals of one entrant.
    #[error(
        "{entrant} is withdrawn after round {one} and after round {other}: keep the one that is right"
    )]
    WithdrawnTwice {
        /// The entrant.
        entrant: Named,
        /// One round.
        one: u8,
        /// The other round.
        other: u8,
    },
    /// A report is about an entrant who has left.
    #[error(
        "round {round}: {entrant} has {what}, but is withdrawn after round {after_round}: correct one of them"
    )]
    WithdrawnBefore {
        /// The round.
        round: u8,
        /// The entrant.
        entrant: Named,
        /// The report.
        what: String,
        /// The last round before the withdrawal.
        after_round: u8,
    },
    /// A club's number is another's too.
    #[error(
        "the clubs {one:?} and {other:?} have the same number {number}: give one of them another"
    )]
    SameClubNumber {
        /// The number.
        number: EntrantNumber,
        /// One of them.
        one: String,
        /// The other.
        other: String,
    },
    /// A club's member who is not in the section.
    #[error(
        "the club {club:?} has a member with the number {number}, whom no entrant has: enter them or correct the number"
    )]
    UnknownMember {
        /// The club.
        club: String,
        /// The number.
        number: EntrantNumber,
    },
    /// A player of two clubs, or twice in one.
    #[error("{entrant} is a member of {one:?} and again of {other:?}: keep one membership")]
    MemberTwice {
        /// The entrant.
        entrant: Named,
        /// One club.
        one: String,
        /// The other, or the same once more.
        other: String,
    },
}
