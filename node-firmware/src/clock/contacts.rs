//! The contacts of a clock: which there are, and at which bit each is read.

use proto::link::{HandOrigin, Side};

pub(super) const CHANNELS: usize = 11;
pub(super) const WHITE_DOWN: u8 = 0;
pub(super) const BLACK_DOWN: u8 = 1;
pub(super) const TILTED: u8 = 2;
pub(super) const WHITE_HAND: u8 = 3;
pub(super) const BLACK_HAND: u8 = 4;
/// The first of the four keys.
pub(super) const KEYS: u8 = 5;
pub(super) const WHITE_HAND_AWAY: u8 = 9;
pub(super) const BLACK_HAND_AWAY: u8 = 10;

/// Readings of a clock's contacts at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockInputs {
    /// White's button is pressed, or White's side of the lever is down.
    pub white_down: bool,
    /// Black's button is pressed, or Black's side of the lever is down.
    pub black_down: bool,
    /// The clock is tilted.
    pub tilted: bool,
    /// A hand is near White's side: with two sensors for each player, on the board's side of the clock.
    pub white_hand: bool,
    /// The same for Black.
    pub black_hand: bool,
    /// A hand is near White's side, away from the board.
    pub white_hand_away: bool,
    /// The same for Black.
    pub black_hand_away: bool,
    /// The setting keys that are pressed, in the order of [`crate::Key::ALL`].
    pub keys: [bool; 4],
}

impl ClockInputs {
    /// A lever whose side `down` is down, on an upright clock with no hand near.
    pub fn lever(down: Side) -> Self {
        let white_down = down == Side::White;
        Self { white_down, black_down: !white_down, ..Self::default() }
    }

    pub(super) fn bits(self) -> u64 {
        u64::from(self.white_down) << WHITE_DOWN
            | u64::from(self.black_down) << BLACK_DOWN
            | u64::from(self.tilted) << TILTED
            | u64::from(self.white_hand) << WHITE_HAND
            | u64::from(self.black_hand) << BLACK_HAND
            | u64::from(self.white_hand_away) << WHITE_HAND_AWAY
            | u64::from(self.black_hand_away) << BLACK_HAND_AWAY
            | self.keys.iter().zip(KEYS..).fold(0, |bits, (&on, key)| bits | u64::from(on) << key)
    }
}

/// The hand that a channel sees: of which player, and on which side of the clock.
pub(super) fn hand(channel: u8) -> Option<(Side, HandOrigin)> {
    match channel {
        WHITE_HAND => Some((Side::White, HandOrigin::Board)),
        BLACK_HAND => Some((Side::Black, HandOrigin::Board)),
        WHITE_HAND_AWAY => Some((Side::White, HandOrigin::Away)),
        BLACK_HAND_AWAY => Some((Side::Black, HandOrigin::Away)),
        _ => None,
    }
}

/// The side that is down, if one and only one is.
pub(super) fn side_down(bits: u64) -> Option<Side> {
    match (bits >> WHITE_DOWN & 1, bits >> BLACK_DOWN & 1) {
        (1, 0) => Some(Side::White),
        (0, 1) => Some(Side::Black),
        _ => None,
    }
}
