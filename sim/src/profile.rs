//! Behaviour of players, in one table: nobody has recorded real tables yet, so these are stated
//! assumptions, and everything that simulates a hand reads them here.
//!
//! The table has the rates; the course of each behaviour is drawn where it is performed, and is just as much an
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
//! * Half of the variance of travel times is the person's: who is quick is quick all match long
//!   ([`PERSON_SHARE`]). The other half is drawn anew for every travel.
//! * An adjusted piece is nudged within its square with a fingertip: it is off its contact for a
//!   moment (median 90 ms, 5 % above 200 ms), and nobody has to make up their mind about anything.
//! * A piece that is touched and put back is lifted by a player who means to move it and then thinks
//!   better of it. Choosing anew and setting it down again takes at least 0.2 s and mostly longer:
//!   median 0.6 s, 5 % below 0.3 s.
//! * The other hand waits beside the clock and presses 20–220 ms after the piece has landed: it has
//!   no way to go, but it still has to see the landing.
//! * A clock that is knocked over falls with a press that was too hard and lies for 0.6–5 s; one that
//!   is rocked by a press stands again within 80 ms, which its tilt switch may just see. Both start up
//!   to 60 ms after the press.
//! * A hand is seen by a hand sensor from 60–160 ms before its press until 80–300 ms after it. A hand
//!   that hovers stays until the same player moves again.
//! * A promoted pawn of chess is exchanged on the last rank for a piece from beside the board, by a hand's travel times. Who presses
//!   first notices 0.3–1.5 s later that the pawn still stands there, and exchanges it in the opponent's time, before the
//!   opponent moves. The other player lets it pass.
//! * A clock that is set wrong has for one side, or for both, between 10 s and two minutes too much.
//!   (Too little would end matches that were not lost on time.)
//! * A clock that jumps shows 5–60 s more for one side from some press on; one that drifts runs slow
//!   by 1–3 %.
//! * A square's contact that fails stays open or closed from some moment in the first half of the
//!   match on, or chatters for 2–10 s; or the board's node loses 0.3–2 s of readings. Boards of matches
//!   that are drawn anew fail in more ways, whatever they sense with (`board_fault.rs`).
//! * On boards with reserve trays the partner lays it into a slot 0.2–0.6 s after that (ideal: 0.3 s),
//!   the lowest free one in 80 % of cases, and takes what is dropped from there. A piece that is kept
//!   in the hand or beside the tray stays so until it is dropped; it counts as hidden if that takes
//!   more than 10 s. Slots are rearranged 0.4–2 s after an arrival: one piece goes to another slot within
//!   0.2–0.6 s.

use std::{fmt, str::FromStr};

/// Part of the variance of travel times that lies between persons; the rest lies within one.
pub const PERSON_SHARE: f64 = 0.5;

/// Carefulness of the players of a simulated match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Profile {
    /// Players without mishaps; every hand takes exactly its travel time.
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

/// One row of the table. The unit of each rate is given beside it.
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
    /// Per promotion in bughouse: the promoted pawn lies on its side, unseen by the sensor.
    PromotedLying,
    /// Per castling: the rook moves first.
    CastlingRookFirst,
    /// Per castling: king and rook move at once, one in each hand.
    CastlingBothHands,
    /// Per board: king and queen are set up swapped, on both sides.
    SetupSwapped,
    /// Per press: the clock is knocked over.
    ClockKnockedOver,
    /// Per press: the clock is rocked, but stands.
    ClockRocked,
    /// Per press: the hand stays at the clock until the same player's next ply.
    ClockHover,
    /// Per board: the clock is set to another time than the event's.
    ClockSetWrong,
    /// Per board: the clock's display jumps.
    ClockJump,
    /// Per board: the clock runs slow.
    ClockDrift,
    /// Per board: a contact or the line of the board fails.
    SensorFault,
    /// Per captured piece, on boards with trays: it never gets into a slot.
    HeldBack,
    /// Per arrival in a tray: a piece is moved to another slot.
    Rearranged,
    /// Per promotion without a capture in chess: the pawn is taken off before it reaches the last rank.
    PromotedOffBoard,
    /// Per promotion in chess whose pawn reached the last rank: the clock is pressed before the pawn is exchanged.
    PromotedLate,
    /// Per move of a piece from square to square: it is held over its square for 0.3–3 s before it is put down.
    HeldOverBoard,
    /// Per captured piece: its captor keeps it for 1–7 s after the press, and hands it over together with what is captured
    /// meanwhile.
    PassedLate,
    /// Per drop, on boards with trays: the piece is taken out of its slot 0.5–4 s before the hand sets out.
    TakenEarly,
    /// Per press: it does not hold. Half the time the lever goes back by itself and is pressed again, half the time
    /// it does not move at first.
    PressSlips,
    /// Per ply: two to four own pieces are put right before the move.
    Tidies,
    /// Per check that was ignored: the opponent takes the king, which claims the illegal ply, and the match ends.
    KingTaken,
    /// Per press with the other hand: it comes from the lap once the piece stands, in as good time as the hand that moved, and does not wait
    /// beside the clock.
    OtherHandFromLap,
}

impl Behaviour {
    /// Whether the table counts boards; all other rows count what happens on one.
    #[must_use]
    pub const fn is_per_board(self) -> bool {
        use Behaviour::{ClockDrift, ClockJump, ClockSetWrong, SensorFault, SetupSwapped};
        matches!(self, SetupSwapped | ClockSetWrong | ClockJump | ClockDrift | SensorFault)
    }
}

/// Every row for `ideal`, `club`, `scholastic`. (Rows about reserve trays show only on boards
/// with them, rows about a partner only in bughouse.) The rows below the set-up are assumptions beyond those of players' hands: nobody has
/// counted them, and they stand here so that what looks for them can be measured. Of those below, the five from the pieces held over their squares on are what only hands do that
/// are [drawn anew](Players::drawn). Captures that are
/// neither swapped nor knocked aside take the victim off first; castlings that are neither rook first
/// nor with both hands move the king first.
#[rustfmt::skip]
pub const TABLE: [(Behaviour, [f64; 3]); 37] = [
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
    (Behaviour::ClockKnockedOver,    [0.0, 0.0003, 0.002]),
    (Behaviour::ClockRocked,         [0.0, 0.002,  0.01]),
    (Behaviour::ClockHover,          [0.0, 0.002,  0.02]),
    (Behaviour::ClockSetWrong,       [0.0, 0.005,  0.02]),
    (Behaviour::ClockJump,           [0.0, 0.001,  0.002]),
    (Behaviour::ClockDrift,          [0.0, 0.001,  0.001]),
    (Behaviour::SensorFault,         [0.0, 0.002,  0.002]),
    (Behaviour::HeldBack,            [0.0, 0.05,   0.10]),
    (Behaviour::Rearranged,          [0.0, 0.02,   0.10]),
    (Behaviour::PromotedOffBoard,    [0.0, 0.30,   0.30]),
    (Behaviour::PromotedLate,        [0.0, 0.02,   0.10]),
    (Behaviour::HeldOverBoard,       [0.0, 0.0,    0.0]),
    (Behaviour::PassedLate,          [0.0, 0.0,    0.0]),
    (Behaviour::TakenEarly,          [0.0, 0.0,    0.0]),
    (Behaviour::PressSlips,          [0.0, 0.0,    0.0]),
    (Behaviour::Tidies,              [0.0, 0.0,    0.0]),
    (Behaviour::KingTaken,           [0.0, 0.33,   0.33]),
    (Behaviour::OtherHandFromLap,    [0.0, 0.0,    0.0]),
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
