//! What stands on a square, as far as the board can tell: colour, level or letter.
//!
//! A reed says that something stands there; other sensors hint at what. Since a square last changed, all it
//! has said is about one piece, its [`Placement`]: a [table](Table) of how likely the readings are for each
//! of the twelve pieces. A hypothesis is weighed by the tables of what its pieces say, each as far as it
//! is new since the last closing; a piece that a hypothesis has standing where another has been read, and
//! nothing changed since, is weighed by the whole table. No reading excludes a piece.
//!
//! Readings of one placement are not independent: a magnet that stands askew reads askew each time.
//! [`Levels`] learns how much of the spread that is.

mod levels;
mod placement;
mod table;

use std::borrow::Cow;

use rules::{Bitboard, Piece, Position, Square};

pub(crate) use levels::Levels;
pub(crate) use placement::IdentityReading;
use placement::Placement;
pub(crate) use table::Table;

/// How often a promoted piece that stands is still the pawn.
const PROMOTED_IS_PAWN: f64 = 0.5;
/// Readings that wait for their closing at most; the oldest half is dropped beyond that.
const MAX_WAITING: usize = 4_096;

/// A reading of one square, waiting to be closed with its segment.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    t_us: u64,
    square: Square,
    /// None if the square is empty now.
    says: Option<IdentityReading>,
    /// Whether another piece stands there than before.
    new: bool,
}

/// One board's squares and what they have said.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    levels: Levels,
    /// As closed segments have left them.
    closed: [Placement; 64],
    /// As they are now.
    now: [Placement; 64],
    waiting: Vec<Waiting>,
}

/// What the squares say about the pieces when a segment closes.
#[derive(Clone, Debug)]
pub(crate) struct IdentityLikelihood<'a> {
    levels: Cow<'a, Levels>,
    /// What all squares have said; empty on boards that tell no pieces apart.
    placements: Vec<Placement>,
    /// What is new of it.
    tables: Vec<(Square, Table)>,
    /// Squares on which another piece stands than at the last closing.
    replaced: Bitboard,
}

impl Identity {
    /// A board that is being set up.
    pub(crate) fn new(levels: Levels) -> Identity {
        let none = [Placement::NONE; 64];
        Identity { levels, closed: none, now: none, waiting: Vec::new() }
    }

    /// The levels of the pieces.
    pub(crate) fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The same, to learn them.
    pub(crate) fn levels_mut(&mut self) -> &mut Levels {
        &mut self.levels
    }

    /// A square says what stands on it. Whether that is another piece than before although the square
    /// was not empty in between.
    pub(crate) fn see(&mut self, t_us: u64, square: Square, says: IdentityReading) -> bool {
        let placement = &mut self.now[usize::from(square)];
        let exchanged = placement.is_other(says, &self.levels);
        let new = placement.is_empty() || exchanged;
        if new {
            *placement = Placement::NONE;
        }
        let told = placement.add(says, &mut self.levels);
        if told {
            self.wait(Waiting { t_us, square, says: Some(says), new });
        }
        exchanged
    }

    /// A square is empty.
    pub(crate) fn leave(&mut self, t_us: u64, square: Square) {
        let placement = &mut self.now[usize::from(square)];
        if !placement.is_empty() {
            *placement = Placement::NONE;
            self.wait(Waiting { t_us, square, says: None, new: true });
        }
    }

    fn wait(&mut self, waiting: Waiting) {
        if self.waiting.len() == MAX_WAITING {
            self.close(self.waiting[MAX_WAITING / 2].t_us);
        }
        self.waiting.push(waiting);
    }

    /// What has been said until `t_us`, as far as it is not closed yet.
    pub(crate) fn identity(&self, t_us: u64) -> IdentityLikelihood<'_> {
        let mut identity = IdentityLikelihood {
            levels: Cow::Borrowed(&self.levels),
            placements: Vec::new(),
            tables: Vec::new(),
            replaced: Bitboard::EMPTY,
        };
        if self.waiting.is_empty() && self.closed.iter().all(Placement::is_empty) {
            return identity;
        }
        let (placements, replaced, told) = self.until(t_us);
        for square in told {
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
            identity.tables.push((square, table));
        }
        identity.placements = placements.to_vec();
        identity.replaced = replaced;
        identity
    }

    /// Everything until `t_us` has been taken into account.
    pub(crate) fn close(&mut self, t_us: u64) {
        (self.closed, ..) = self.until(t_us);
        self.waiting.retain(|waiting| waiting.t_us > t_us);
    }

    /// The placements at `t_us`, squares whose piece is another since the last closing, and squares that have
    /// said something since.
    fn until(&self, t_us: u64) -> ([Placement; 64], Bitboard, Bitboard) {
        let mut placements = self.closed;
        let (mut replaced, mut told) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for waiting in self.waiting.iter().take_while(|waiting| waiting.t_us <= t_us) {
            let placement = &mut placements[usize::from(waiting.square)];
            if waiting.new {
                *placement = Placement::NONE;
                replaced.add(waiting.square);
            }
            if let Some(says) = waiting.says {
                placement.repeat(says);
                told.add(waiting.square);
            }
        }
        (placements, replaced, told)
    }

    /// Which piece stands on a square is known: its level is learnt.
    pub(crate) fn learn(&mut self, square: Square, piece: Piece) {
        let placement = self.closed[usize::from(square)];
        if let Some(level) = placement.level() {
            self.levels.learn(square, piece, level);
        }
    }
}

impl IdentityLikelihood<'_> {
    /// Nothing has been said.
    pub(crate) fn silent() -> IdentityLikelihood<'static> {
        IdentityLikelihood {
            levels: Cow::Owned(Levels::new(None, None)),
            placements: Vec::new(),
            tables: Vec::new(),
            replaced: Bitboard::EMPTY,
        }
    }

    /// The same, to be kept beyond what it was taken from; none if nothing has been said.
    pub(crate) fn keep(&self) -> Option<Box<IdentityLikelihood<'static>>> {
        let kept = || IdentityLikelihood {
            levels: Cow::Owned(self.levels.as_ref().clone()),
            placements: self.placements.clone(),
            tables: self.tables.clone(),
            replaced: self.replaced,
        };
        (!self.placements.is_empty()).then(|| Box::new(kept()))
    }

    /// The same, borrowed.
    pub(crate) fn again(&self) -> IdentityLikelihood<'_> {
        IdentityLikelihood {
            levels: Cow::Borrowed(&self.levels),
            placements: self.placements.clone(),
            tables: self.tables.clone(),
            replaced: self.replaced,
        }
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<IdentityLikelihood<'_>>()
            + self.placements.capacity() * size_of::<Placement>()
            + self.tables.capacity() * size_of::<(Square, Table)>()
    }

    /// Squares on which a piece has come to stand and has said something.
    pub(crate) fn new_arrivals(&self) -> Bitboard {
        self.tables.iter().map(|(square, _)| *square).collect::<Bitboard>() & self.replaced
    }

    /// How likely what was said is if `position` stands on the board after plies that ended on `arrivals`,
    /// relative to the piece that fits best on each square.
    pub(crate) fn likelihood(
        &self,
        position: &Position,
        arrivals: impl IntoIterator<Item = Square>,
    ) -> f64 {
        if self.placements.is_empty() {
            return 1.0;
        }
        let mut likelihood = 1.0;
        for (square, table) in &self.tables {
            likelihood *= of_square(position, *square, table);
        }
        for square in arrivals {
            let placement = &self.placements[usize::from(square)];
            if !placement.is_empty() && !self.replaced.contains(square) {
                // Nothing was seen to come here: what stood here before must have looked like it.
                likelihood *= of_square(position, square, &placement.table(&self.levels));
            }
        }
        likelihood
    }
}

fn of_square(position: &Position, square: Square, table: &Table) -> f64 {
    match position.piece_at(square) {
        // That nothing should be there at all is weighed by the observation model.
        None => 1.0,
        Some(piece) if position.promoted().contains(square) => {
            let pawn = Piece { role: rules::Role::Pawn, ..piece };
            PROMOTED_IS_PAWN * table.of(pawn) + (1.0 - PROMOTED_IS_PAWN) * table.of(piece)
        }
        Some(piece) => table.of(piece),
    }
}
