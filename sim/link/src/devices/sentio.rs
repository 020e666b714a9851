//! A Sentio board: a line with the occupied squares, ten times a second.
//!
//! # Sources
//!
//! A colon, eight numbers from rank 8 on with the a-file as the highest bit, a space before the line's end: lines of a real board in
//! PicoChess's tests (`tests/test_certabo_parser.py`).

use rules::Square;

use super::Scene;
use super::repeating::{Repeating, Says};

/// The board at its line.
pub type Sentio = Repeating<Squares>;

/// What the board looks at.
pub struct Squares(Box<dyn Scene>);

impl Sentio {
    /// A board that lies with its first rank at White.
    #[must_use]
    pub fn new(world: impl Scene + 'static) -> Sentio {
        Repeating::of(Squares(Box::new(world)))
    }
}

impl Says for Squares {
    const LINE_US: u64 = 100_000;
    const WAITING_BYTES_MAX: usize = 1_024;

    fn look(&mut self, now_us: u64) {
        self.0.run_until(now_us);
    }

    fn line(&self) -> String {
        let mut ranks = [0_u8; 8];
        for square in Square::ALL {
            if self.0.piece(square).is_some() {
                let index = usize::from(square);
                ranks[7 - index / 8] |= 1 << (7 - index % 8);
            }
        }
        let numbers = ranks.map(|rank| rank.to_string());
        format!(":{} \r\n", numbers.join(" "))
    }
}
