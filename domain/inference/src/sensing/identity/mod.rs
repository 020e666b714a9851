//! ```text
//! p(readings | position) = Π_s N_s(piece on s) · Π_a T_a(piece on a)
//! N_s = T_s                                  if another piece has come to s since the last closing
//!     = T_s / T_s(last closing), greatest 1  otherwise
//! promoted piece q:   0.5 · T(pawn) + 0.5 · T(q);   no piece on s:   1
//! ```
//!
//! `T_s` is the [table](Table) of a square: the likelihood of its readings for each of the twelve pieces,
//! relative to the piece that fits best. `s` runs over the squares with readings since the last closing.
//! `a` runs over the squares where the plies set a piece down, although the sensors saw no other piece come:
//! the piece that stood there before must have looked like it, so the whole table counts. The observation
//! model weighs a missing piece, so an empty square counts 1 here. No reading excludes a piece.
//!
//! A reed tells only that something stands on a square. Other sensors tell colour, level or letter. All
//! readings of a square since its last change are about one piece: its [`Placement`]. They are not
//! independent, because a magnet that stands askew reads askew each time ([`Levels`]).

mod levels;
mod placement;
mod table;

use readings::SquareReading;
use rules::{Bitboard, Piece, Position, Square};

use super::placing::Lie;
pub(crate) use levels::Levels;
use placement::Placement;
use table::Table;

/// Probability that a promoted piece on a square is still the pawn, 0 to 1. Assumed: set by hand.
const PROMOTED_IS_PAWN: f64 = 0.5;
/// Maximum number of readings that wait for their closing. Beyond it the oldest half is closed at once. Bound: on memory.
const MAX_WAITING: usize = 4_096;

/// A reading of one square, waiting to be closed with its segment.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    t_us: u64,
    square: Square,
    says: SquareReading,
    /// Whether another piece stands there than before.
    new: bool,
}

/// The identity readings of one board's squares.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The levels of the pieces.
    pub(crate) levels: Levels,
    /// At the end of the last closed segment.
    closed: [Placement; 64],
    /// After all readings.
    now: [Placement; 64],
    waiting: Vec<Waiting>,
}

/// The likelihood of all pieces on all squares when a segment closes.
#[derive(Clone, Debug)]
pub(crate) struct IdentityLikelihood {
    levels: Levels,
    /// All readings of all squares.
    placements: [Placement; 64],
    /// The tables of the squares with readings since the last closing, new readings only.
    tables: Vec<(Square, Table)>,
    /// Squares on which another piece stands than at the last closing.
    replaced: Bitboard,
}

impl Identity {
    /// A board that is being set up.
    pub(crate) fn new(levels: Levels) -> Identity {
        let none = [Placement::default(); 64];
        Identity { levels, closed: none, now: none, waiting: Vec::new() }
    }

    /// Takes what a square says. Returns whether another piece stands there than before, although
    /// the square was not empty in between.
    pub(crate) fn read(&mut self, t_us: u64, square: Square, says: SquareReading) -> bool {
        let placement = &mut self.now[usize::from(square)];
        let was_empty = placement.is_empty();
        let is_other = placement.is_other(says, &self.levels);
        if is_other || says == SquareReading::Empty {
            *placement = Placement::default();
        }
        let new = placement.is_empty();
        let tells = match says {
            SquareReading::Empty => !was_empty,
            SquareReading::Occupied => false,
            _ => placement.add(says),
        };
        if tells {
            self.wait(Waiting { t_us, square, says, new });
        }
        is_other
    }

    fn wait(&mut self, waiting: Waiting) {
        if self.waiting.len() == MAX_WAITING {
            self.close(self.waiting[MAX_WAITING / 2].t_us);
        }
        self.waiting.push(waiting);
    }

    /// The likelihood by all readings until `t_us` that are not closed yet. None if the board distinguishes
    /// no pieces.
    pub(crate) fn identity(&self, t_us: u64) -> Option<Box<IdentityLikelihood>> {
        if self.waiting.is_empty() && self.closed.iter().all(Placement::is_empty) {
            return None;
        }
        let (placements, replaced, read) = self.until(t_us);
        let mut tables = Vec::new();
        for square in read {
            let place = usize::from(square);
            if placements[place].is_empty() {
                continue;
            }
            let whole = placements[place].table(&self.levels);
            let table = if replaced.contains(square) {
                whole
            } else {
                whole.beyond(&self.closed[place].table(&self.levels))
            };
            tables.push((square, table));
        }
        let levels = self.levels.clone();
        Some(Box::new(IdentityLikelihood { levels, placements, tables, replaced }))
    }

    /// Closes the readings until `t_us`: they have been taken into account.
    pub(crate) fn close(&mut self, t_us: u64) {
        (self.closed, ..) = self.until(t_us);
        self.waiting.retain(|waiting| waiting.t_us > t_us);
    }

    /// The placements at `t_us`, the squares with another piece since the last closing, and the squares with
    /// a reading since then.
    fn until(&self, t_us: u64) -> ([Placement; 64], Bitboard, Bitboard) {
        let mut placements = self.closed;
        let (mut replaced, mut read) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for waiting in self.waiting.iter().take_while(|waiting| waiting.t_us <= t_us) {
            let placement = &mut placements[usize::from(waiting.square)];
            if waiting.new {
                *placement = Placement::default();
                replaced.add(waiting.square);
            }
            if waiting.says != SquareReading::Empty {
                placement.repeat(waiting.says);
                read.add(waiting.square);
            }
        }
        (placements, replaced, read)
    }

    /// Turns all squares.
    pub(crate) fn put_right(&mut self, lie: Lie) {
        for placements in [&mut self.closed, &mut self.now] {
            let right = lie.turn.rearranged(placements);
            placements.copy_from_slice(&right);
        }
        for waiting in &mut self.waiting {
            waiting.square = lie.turn.square(waiting.square);
        }
    }

    /// The piece that the sensor of a square names, if it names one.
    pub(crate) fn named(&self, square: Square) -> Option<Piece> {
        self.now[usize::from(square)].named()
    }

    /// Memory taken by the readings that wait, bytes.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Waiting>()
    }

    /// Learns the level of a piece that is known to stand on a square.
    pub(crate) fn learn(&mut self, square: Square, piece: Piece) {
        let placement = self.closed[usize::from(square)];
        if placement.levels > 0 {
            self.levels.learn(piece, placement.level());
        }
    }
}

impl IdentityLikelihood {
    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<IdentityLikelihood>() + self.tables.capacity() * size_of::<(Square, Table)>()
    }

    /// Squares with a reading of a piece that has come since the last closing.
    pub(crate) fn new_arrivals(&self) -> Bitboard {
        self.tables.iter().map(|(square, _)| *square).collect::<Bitboard>() & self.replaced
    }

    /// Likelihood of the readings if `position` stands on the board after plies that ended on `arrivals`,
    /// relative to the piece that fits best on each square.
    pub(crate) fn likelihood(
        &self,
        position: &Position,
        arrivals: impl IntoIterator<Item = Square>,
    ) -> f64 {
        let mut likelihood = 1.0;
        for (square, table) in &self.tables {
            likelihood *= of_square(position, *square, table);
        }
        for square in arrivals {
            let placement = &self.placements[usize::from(square)];
            if !placement.is_empty() && !self.replaced.contains(square) {
                // No other piece was seen to come: the piece before must have looked like this one.
                likelihood *= of_square(position, square, &placement.table(&self.levels));
            }
        }
        likelihood
    }
}

fn of_square(position: &Position, square: Square, table: &Table) -> f64 {
    match position.piece_at(square) {
        // The observation model weighs a missing piece.
        None => 1.0,
        Some(piece) if position.promoted().contains(square) => {
            let pawn = Piece { role: rules::Role::Pawn, ..piece };
            PROMOTED_IS_PAWN * table.of(pawn) + (1.0 - PROMOTED_IS_PAWN) * table.of(piece)
        }
        Some(piece) => table.of(piece),
    }
}
