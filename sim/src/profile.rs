//! How players behave, in one table: nobody has recorded real tables yet, so these are stated
//! assumptions, and everything that simulates a hand reads them here.
//!
//! The table says how often; how it then goes is drawn where it is done, and is just as much an
//! assumption:
//!
//! * A captured piece knocked aside stands half the time on a free square beside its own, where it is
//!   seen, and else between squares.
//! * A piece off centre reads late or flickers, half the time each.
//! * A forgotten press is noticed by the forgetter in 40 % of cases, up to 0.6 s after the reply has
//!   landed, and never in the others.
//! * 2–4 pieces within two squares of the target are knocked over; 30 % of them roll onto a free
//!   square, 25 % are put back on a wrong one first. In 40 % of accidents the clock is pressed before
//!   they stand again, and the opponent presses it back without a move.
//! * A promoted pawn that is laid on its side stands upright for a moment first, half the time. It
//!   stays unseen on every square it goes to.
//! * The next player's hand touches a piece within the last 80 % of the time between the landing and
//!   the press.
//! * A captured piece reaches the partner after the capture's press, by a hand's travel time, unless
//!   it is handed over before.

use std::{fmt, str::FromStr};

/// How careful the players of a simulated match are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Profile {
    /// Nothing goes wrong; every hand takes exactly its travel time.
    Ideal,
    /// Adults who play over the board every week.
    Club,
    /// Children at a scholastic event.
    Scholastic,
}

impl Profile {
    /// All profiles, most careful first.
    pub const ALL: [Profile; 3] = [Profile::Ideal, Profile::Club, Profile::Scholastic];

    /// The figure of one row of the table: a probability from 0 to 1, or for
    /// [`Behaviour::TravelSpread`] the relative spread of a travel time.
    #[must_use]
    pub fn rate(self, behaviour: Behaviour) -> f64 {
        TABLE[behaviour as usize].1[self as usize]
    }

    /// The name as the command line takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Ideal => "ideal",
            Profile::Club => "club",
            Profile::Scholastic => "scholastic",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("players {0:?} are not known: choose ideal, club or scholastic")]
pub struct ParseProfileError(String);

impl FromStr for Profile {
    type Err = ParseProfileError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Profile::ALL
            .into_iter()
            .find(|profile| profile.name() == text)
            .ok_or_else(|| ParseProfileError(text.chars().take(32).collect()))
    }
}

/// One row of the table. What a rate counts stands beside each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Behaviour {
    /// Relative spread of every travel time (Fitts' law: 150 ms + 120 ms × log2(1 + distance/width)).
    TravelSpread,
    /// Per move: the piece is dragged and closes the empty squares on its way for 10–60 ms each.
    Drag,
    /// Per capture: the victim is taken off with the attacker already in the hand.
    CaptureSwapped,
    /// Per capture: the victim is knocked aside and lifted after the attacker has landed.
    CaptureKnockedAside,
    /// Per capture swapped on the square: so quick that the square never reads empty.
    InstantSwap,
    /// Per piece put down: it stands off centre and reads late (50–800 ms) or flickers.
    OffCentre,
    /// Per ply: the lever is pressed before the piece has settled.
    EarlyPress,
    /// Per ply with a reply: the press is forgotten, and the opponent moves anyway.
    MissedPress,
    /// Per move: another own piece is touched first and put back.
    TouchMove,
    /// Per ply: a piece is adjusted, in the own or the opponent's turn.
    Adjust,
    /// Per capture: the piece is handed to the partner before the press.
    EarlyPass,
    /// Per ply: pieces are knocked over and put back, some on wrong squares first.
    KnockOver,
    /// Per ply: an illegal ply is made that nobody claims.
    IllegalPly,
    /// Per ply: the clock is pressed with the other hand.
    OtherHand,
    /// Per ply: the next player's hand moves before the press.
    Overlap,
    /// Per promotion: the promoted pawn lies on its side, unseen by the sensor.
    PromotedLying,
    /// Per castling: the rook moves first.
    CastlingRookFirst,
    /// Per castling: king and rook move at once, one in each hand.
    CastlingBothHands,
    /// Per board: king and queen are set up swapped, on both sides.
    SetupSwapped,
}

/// Every row for `ideal`, `club`, `scholastic`. (Rows about reserve trays have no place on boards
/// without them.) Captures that are neither swapped nor knocked aside take the victim off first;
/// castlings that are neither rook first nor with both hands move the king first.
#[rustfmt::skip]
pub const TABLE: [(Behaviour, [f64; 3]); 19] = [
    (Behaviour::TravelSpread,        [0.0, 0.15,   0.35]),
    (Behaviour::Drag,                [0.0, 0.05,   0.25]),
    (Behaviour::CaptureSwapped,      [0.0, 0.30,   0.30]),
    (Behaviour::CaptureKnockedAside, [0.0, 0.10,   0.30]),
    (Behaviour::InstantSwap,         [0.0, 0.05,   0.15]),
    (Behaviour::OffCentre,           [0.0, 0.01,   0.04]),
    (Behaviour::EarlyPress,          [0.0, 0.01,   0.05]),
    (Behaviour::MissedPress,         [0.0, 0.002,  0.015]),
    (Behaviour::TouchMove,           [0.0, 0.005,  0.03]),
    (Behaviour::Adjust,              [0.0, 0.01,   0.03]),
    (Behaviour::EarlyPass,           [0.0, 0.05,   0.30]),
    (Behaviour::KnockOver,           [0.0, 0.001,  0.007]),
    (Behaviour::IllegalPly,          [0.0, 0.0005, 0.007]),
    (Behaviour::OtherHand,           [0.0, 0.005,  0.04]),
    (Behaviour::Overlap,             [0.0, 0.02,   0.08]),
    (Behaviour::PromotedLying,       [0.0, 0.50,   0.50]),
    (Behaviour::CastlingRookFirst,   [0.0, 0.10,   0.20]),
    (Behaviour::CastlingBothHands,   [0.0, 0.05,   0.20]),
    (Behaviour::SetupSwapped,        [0.0, 0.0,    0.005]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_where_its_behaviour_looks_it_up() {
        for (index, (behaviour, rates)) in TABLE.iter().enumerate() {
            assert_eq!(*behaviour as usize, index, "{behaviour:?}");
            assert_eq!(rates[0], 0.0, "ideal players do nothing of {behaviour:?}");
            assert!(rates[1] <= rates[2], "children are no more careful than a club");
        }
    }

    #[test]
    fn an_unknown_profile_is_refused_with_the_known_ones() {
        let error = "grandmaster".parse::<Profile>().unwrap_err().to_string();
        assert!(error.contains("grandmaster") && error.contains("scholastic"), "{error}");
    }
}
