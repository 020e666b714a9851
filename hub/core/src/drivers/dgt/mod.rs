//! DGT electronic boards: they know their pieces, and may bring a clock.
//!
//! A board speaks in one of two ways. In [single-board mode](single) it has a line for itself, sends changes by
//! itself, and nothing protects its bytes but their high bit. In [bus mode](bus) several boards share a line, each is
//! asked in turn, messages have a checksum, and a board keeps its changes until they were fetched.
//!
//! A scan of the board takes 200 to 250 ms. Changes between two scans of a square remain unseen; a moving piece may
//! be seen on two squares at once; a square that a piece is captured on may never be seen empty. The tracker
//! takes that as it comes. Pieces that signal a result (draw, a side wins) are no pieces of the game:
//! their squares count as empty.

mod bus;
pub mod clock;
pub mod frame;
pub mod message;
mod on_bus;
mod single;

use readings::SquareReading;
use rules::{Piece, Square};

use self::clock::ClockSettings;
use self::message::Code;
use super::LineSettings;
use super::board::Squares;

pub(super) use bus::Bus;
pub(super) use single::Single;

/// Speed of the line, with DTR and RTS low, as one of the boards insists.
const LINE: LineSettings = LineSettings { baud: 9_600, dtr: Some(false), rts: Some(false) };

/// Message about a board without its clock: plies are closed by its presses.
const CLOCK_ABSENT: &str = "no clock is connected to the board: plug its cable in. Without a clock (clock = false) no times are recorded, and a \
    ply counts when it is answered or the board is left alone for 2.5 s";

/// Settings of a DGT board's driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DgtSettings {
    /// Whether the clock at the board is the board's clock.
    pub clock: bool,
    /// Settings for that clock's messages.
    pub clock_settings: ClockSettings,
    /// Whether the board lies with its eighth rank at White; none: detected from the set-up.
    pub reversed: Option<bool>,
}

/// The square that a board calls `number`: a8 = 0, b8 = 1 … h1 = 63.
fn square(number: u8) -> Square {
    Square::new(u32::from(number) ^ 56)
}

/// Reading of a square.
fn reading(code: Code) -> SquareReading {
    let letter = b".PRNBKQprnbkq".get(usize::from(code)).copied().filter(|_| code > 0);
    letter
        .and_then(|letter| Piece::from_char(char::from(letter)))
        .map_or(SquareReading::Empty, SquareReading::Piece)
}

fn readings(codes: &[Code; 64]) -> Squares {
    let mut squares = [SquareReading::Empty; 64];
    for (number, &code) in (0..).zip(codes) {
        squares[usize::from(square(number))] = reading(code);
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_counted_from_a8_and_pieces_by_side() {
        assert_eq!((square(0), square(7), square(63)), (Square::A8, Square::H8, Square::H1));
        let letter = |code| match reading(code) {
            SquareReading::Piece(piece) => piece.char(),
            _ => '.',
        };
        assert_eq!((0..16).map(letter).collect::<String>(), ".PRNBKQprnbkq...");
    }
}
