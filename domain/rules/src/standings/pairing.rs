//! Reports of a round: pairings with their games, byes, withdrawals and coin tosses.

use serde::{Deserialize, Serialize};

use super::{EntrantNumber, Score};
use crate::{Color, Seat};

/// Two entrants who meet in a round, and the games they have finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The round, from 1.
    pub round: u8,
    /// One of the two.
    pub first: EntrantNumber,
    /// The other.
    pub second: EntrantNumber,
    /// The games in the order in which they were played or stand on the boards. Until every game of the round is
    /// here the pairing is pending: it gives no points and counts as unplayed.
    pub games: Vec<PairingGame>,
    /// Confirmation of the result.
    pub confirmation: Confirmation,
}

/// One result between the two sides of a pairing. For bughouse teams it is one whole match at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairingGame {
    /// Outcome, played or not.
    pub outcome: Outcome,
    /// Side with White, where that is known and meaningful: a bughouse team has both colours.
    pub white: Option<Side>,
}

/// One of the two sides of a [`Pairing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// [`Pairing::first`].
    First,
    /// [`Pairing::second`].
    Second,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// Outcome of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A side won over the board.
    Win(Side),
    /// Drawn.
    Draw,
    /// A side won because the other was not there or was not allowed to play; no game was played.
    ForfeitWin(Side),
    /// Neither side was there or allowed to play; no game was played.
    DoubleForfeit,
    /// Played, and both sides lost by a ruling: 0-0.
    BothLose,
    /// Played, and by a ruling one side gets half a point and the other none: ½-0.
    HalfAndNone(Side),
}

impl Outcome {
    /// The outcome with the sides exchanged.
    #[must_use]
    pub const fn swapped(self) -> Outcome {
        match self {
            Outcome::Win(side) => Outcome::Win(side.other()),
            Outcome::ForfeitWin(side) => Outcome::ForfeitWin(side.other()),
            Outcome::HalfAndNone(side) => Outcome::HalfAndNone(side.other()),
            Outcome::Draw | Outcome::DoubleForfeit | Outcome::BothLose => self,
        }
    }

    /// The side that won, over the board or by forfeit.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            Outcome::Win(side) | Outcome::ForfeitWin(side) => Some(side),
            Outcome::Draw
            | Outcome::DoubleForfeit
            | Outcome::BothLose
            | Outcome::HalfAndNone(_) => None,
        }
    }

    /// The points that a game gives one side.
    #[must_use]
    pub fn points(self, side: Side) -> Score {
        match self {
            Outcome::Win(winner) | Outcome::ForfeitWin(winner) if winner == side => Score::ONE,
            Outcome::Draw => Score::HALF,
            Outcome::HalfAndNone(half) if half == side => Score::HALF,
            Outcome::Win(_)
            | Outcome::ForfeitWin(_)
            | Outcome::DoubleForfeit
            | Outcome::BothLose
            | Outcome::HalfAndNone(_) => Score::ZERO,
        }
    }

    /// Whether a game was played.
    #[must_use]
    pub const fn is_played(self) -> bool {
        !matches!(self, Outcome::ForfeitWin(_) | Outcome::DoubleForfeit)
    }
}

impl PairingGame {
    /// The game with the sides exchanged.
    #[must_use]
    pub fn swapped(self) -> PairingGame {
        PairingGame { outcome: self.outcome.swapped(), white: self.white.map(Side::other) }
    }
}

/// Confirmation of a report by a TD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confirmation {
    /// Reported by players or seen at the table; a TD has not confirmed it.
    Provisional,
    /// Confirmed by a TD.
    Confirmed,
}

/// A round that an entrant does not play and that was granted or assigned. That is a TD's act, so it is confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bye {
    /// The round, from 1.
    pub round: u8,
    /// Entrant with the bye.
    pub entrant: EntrantNumber,
    /// Kind of the bye.
    pub kind: ByeKind,
}

/// Kind of a bye.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ByeKind {
    /// The points of winning every game of the round: for the odd entrant of the round.
    FullPoint,
    /// Half as much, on request.
    HalfPoint,
    /// No points, on request.
    ZeroPoint,
}

/// An entrant who has left the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The entrant who left.
    pub entrant: EntrantNumber,
    /// The last round that the entrant was in; 0 when it was none.
    pub after_round: u8,
}

/// A coin toss (or drawing of lots) that was held among tied entrants. It is never computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoinToss {
    /// The entrants by their luck, the winner first.
    pub order: Vec<EntrantNumber>,
}

impl Pairing {
    /// The two pairings of a match whose partners play together for this round only, each for their own score.
    ///
    /// `seats` are the players in the order of [`Seat::ALL`]; `outcome` is that of the match, where [`Side::First`] is
    /// [`Team::One`](crate::Team::One). Both partners get the result of the match. Each player has two opponents in such a round but
    /// only one at the same board. Tie-breaks that use the opposition take that one. The reason: a round has one opponent in every
    /// tie-break's definition, and the one at the board is the one whose clock the player pressed.
    #[must_use]
    pub fn of_rotating_partners(
        round: u8,
        seats: [EntrantNumber; 4],
        outcome: Option<Outcome>,
        confirmation: Confirmation,
    ) -> [Pairing; 2] {
        let at = |first: Seat| {
            let white = match first.color {
                Color::White => Side::First,
                Color::Black => Side::Second,
            };
            Pairing {
                round,
                first: seats[first.index()],
                second: seats[first.opponent().index()],
                games: outcome
                    .map(|outcome| PairingGame { outcome, white: Some(white) })
                    .into_iter()
                    .collect(),
                confirmation,
            }
        };
        let white_at_a = Seat::ALL[0];
        [white_at_a, white_at_a.partner()].map(at)
    }
}
