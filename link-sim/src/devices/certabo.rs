//! A Certabo board with RFID: a line with the tags of all squares, over and over.

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
}

impl Certabo {
    /// A board whose pieces have tags of this pool.
    #[must_use]
    pub fn new(world: impl Scene + 'static, reversed: bool, pool: TagPool) -> Certabo {
        let mut tags = Tags { world: Box::new(world), reversed, pool, tags: [None; 64] };
        tags.exchange();
        Repeating::of(tags)
    }
}

impl Tags {
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
    }

    fn line(&self) -> String {
        let mut line = String::from(":");
        for number in 0..64_u32 {
            let square = Square::new(number ^ 56 ^ if self.reversed { 63 } else { 0 });
            let tag = self.tags[usize::from(square)].map_or([0; 5], |(_, tag)| tag);
            for byte in tag {
                line.push_str(&byte.to_string());
                line.push(' ');
            }
        }
        line.push_str("\r\n");
        line
    }
}
