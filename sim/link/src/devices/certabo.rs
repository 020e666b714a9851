//! A Certabo board with RFID: a line with the tags of all squares, over and over. Some empty squares name a tag in every line, each time
//! another one.
//!
//! # Sources
//!
//! Colon, 320 decimal numbers from a8 on, space and CR LF: the maker's reader and simulator (CERTABO/Nano, `codes.py`, `chess_sim.ino`). Tags
//! that are equal in every line, and 5 to 12 of 32 empty squares that name another tag in each: seven lines of a real board in PicoChess's
//! tests (`tests/test_certabo_parser.py`). Codes of mostly zeros on empty squares: the maker's simulator. Second queens on d3 and d6: the
//! makers' manual, as PicoChess reads it; scenes without such queens have none.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Piece, Square};

use super::repeating::{Repeating, Says};
use super::tags::Tag;
use super::{Scene, TagPool};

/// The board at its line.
pub type Certabo = Repeating<Tags>;

/// Which tag the board reads on each square.
pub struct Tags {
    world: Box<dyn Scene>,
    reversed: bool,
    pool: TagPool,
    tags: [Option<(Piece, Tag)>; 64],
    /// Codes of empty squares in this line.
    noise: [Tag; 64],
    noisy: bool,
    rng: ChaCha8Rng,
}

impl Certabo {
    /// A board whose pieces have tags of this pool.
    #[must_use]
    pub fn new(world: impl Scene + 'static, reversed: bool, pool: TagPool) -> Certabo {
        Repeating::of(Tags::new(Box::new(world), reversed, pool, None))
    }

    /// The same with the noise of real boards on empty squares.
    #[must_use]
    pub fn noisy(world: impl Scene + 'static, reversed: bool, pool: TagPool, seed: u64) -> Certabo {
        Repeating::of(Tags::new(Box::new(world), reversed, pool, Some(seed)))
    }
}

impl Tags {
    fn new(world: Box<dyn Scene>, reversed: bool, pool: TagPool, noise: Option<u64>) -> Tags {
        let rng = ChaCha8Rng::seed_from_u64(noise.unwrap_or(0));
        let noisy = noise.is_some();
        let (tags, noise) = ([None; 64], [[0; 5]; 64]);
        let mut tags = Tags { world, reversed, pool, tags, noise, noisy, rng };
        tags.exchange();
        tags
    }

    /// Draws what empty squares say.
    fn draw_noise(&mut self) {
        for noise in &mut self.noise {
            *noise = match self.rng.random_range(0..32) {
                // 5 to 12 of 32 in the recorded lines.
                0..8 => self.rng.random(),
                8 => [0, 0, self.rng.random(), 0, 0],
                _ => [0; 5],
            };
        }
    }

    /// Sees which piece stands where: pieces that were taken up first, so that their tags can be put down again.
    fn exchange(&mut self) {
        for square in Square::ALL {
            let place = &mut self.tags[usize::from(square)];
            if let Some((piece, tag)) = *place
                && self.world.piece(square) != Some(piece)
            {
                self.pool.take_up(piece, tag);
                *place = None;
            }
        }
        for square in Square::ALL {
            let place = &mut self.tags[usize::from(square)];
            if let (None, Some(piece)) = (*place, self.world.piece(square)) {
                *place = Some((piece, self.pool.put_down(piece)));
            }
        }
    }
}

impl Says for Tags {
    /// Time to read all squares and send them: a line has some 700 characters at 38,400 baud.
    const LINE_US: u64 = 300_000;
    const WAITING_BYTES_MAX: usize = 4_096;

    fn look(&mut self, now_us: u64) {
        self.world.run_until(now_us);
        self.exchange();
        if self.noisy {
            self.draw_noise();
        }
    }

    fn line(&self) -> String {
        let mut line = String::from(":");
        for number in 0..64_u32 {
            let square = Square::new(number ^ 56 ^ if self.reversed { 63 } else { 0 });
            let index = usize::from(square);
            let tag = self.tags[index].map_or(self.noise[index], |(_, tag)| tag);
            for byte in tag {
                line.push_str(&byte.to_string());
                line.push(' ');
            }
        }
        line.push_str("\r\n");
        line
    }
}
