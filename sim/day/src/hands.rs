//! One board with its pieces and clock, and the hands at it: what they do becomes readings of the board's sensors.

use readings::{Occupancy, Reading, ReadingKind, SquareReading};
use rules::{Bitboard, Board, BoardId, Color, Piece, Ply, Square};

/// Sensors of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Senses {
    /// Squares know their pieces.
    pub(crate) knows_pieces: bool,
    /// Presses are read.
    pub(crate) has_presses: bool,
    /// The clock's display is read.
    pub(crate) has_display: bool,
}

/// Orientation of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    Straight,
    Quarter,
    Half,
}

/// A clock of which the display is read each second while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Time of White and of Black, milliseconds.
    pub(crate) left_ms: [i64; 2],
    pub(crate) running: Option<Color>,
}

const SECOND_US: u64 = 1_000_000;

/// One board.
#[derive(Clone, Debug)]
pub(crate) struct Hands {
    /// Board id under which it is read.
    pub(crate) id: BoardId,
    /// The other board, whose clock stands at this one.
    pub(crate) other_clock: Option<BoardId>,
    pub(crate) senses: Senses,
    pub(crate) now_us: u64,
    pub(crate) pieces: Board,
    pub(crate) clock: Clock,
    pub(crate) lie: Lie,
    /// The clock is placed with its sides exchanged.
    pub(crate) clock_is_turned: bool,
    /// A square that reads occupied whatever stands there.
    pub(crate) stuck: Option<Square>,
    /// Home square of a lost pawn.
    pub(crate) lost: Option<Square>,
    pub(crate) readings: Vec<Reading>,
}

impl Hands {
    /// A board in its box.
    pub(crate) fn new(id: BoardId, senses: Senses, now_us: u64) -> Hands {
        Hands {
            id,
            other_clock: None,
            senses,
            now_us,
            pieces: Board::empty(),
            clock: Clock { left_ms: [0, 0], running: None },
            lie: Lie::Straight,
            clock_is_turned: false,
            stuck: None,
            lost: None,
            readings: Vec::new(),
        }
    }

    fn read(&mut self, kind: ReadingKind) {
        let is_of_clock = matches!(kind, ReadingKind::Press { .. } | ReadingKind::Clock { .. });
        let id = self.other_clock.filter(|_| is_of_clock).unwrap_or(self.id);
        self.readings.push(Reading { t_us: self.now_us, board: Some(id), kind });
    }

    /// Squares on which no ply can be seen.
    pub(crate) fn unseen(&self) -> Bitboard {
        self.stuck.into_iter().chain(self.lost).collect()
    }

    /// Lets time pass until then; a clock that runs is read each second.
    pub(crate) fn wait_until(&mut self, until_us: u64) {
        while self.now_us < until_us {
            let step_us = SECOND_US.min(until_us - self.now_us);
            self.now_us += step_us;
            if let Some(side) = self.clock.running {
                let left = &mut self.clock.left_ms[usize::from(side.is_black())];
                *left = (*left - (step_us / 1_000) as i64).max(0);
                if step_us == SECOND_US {
                    self.tell_clock();
                }
            }
        }
    }

    pub(crate) fn wait(&mut self, us: u64) {
        self.wait_until(self.now_us + us);
    }

    fn as_sensed(&self, square: Square) -> Square {
        match self.lie {
            Lie::Straight => square,
            Lie::Half => square.rotate_180(),
            Lie::Quarter => square.rotate_90(),
        }
    }

    fn says(&self, square: Square) -> SquareReading {
        match self.pieces.piece_at(square) {
            Some(piece) if self.senses.knows_pieces => SquareReading::Piece(piece),
            Some(_) => SquareReading::Occupied,
            None => SquareReading::Empty,
        }
    }

    /// All squares at once.
    pub(crate) fn snapshot(&mut self) {
        let mut occupied = Bitboard::EMPTY;
        let mut squares = vec![SquareReading::Empty; 64];
        for square in Square::ALL {
            let says = self.says(square);
            let at = self.as_sensed(square);
            if says != SquareReading::Empty {
                occupied.add(at);
            }
            squares[usize::from(at)] = says;
        }
        if let Some(stuck) = self.stuck {
            occupied.add(stuck);
        }
        let kind = match self.senses.knows_pieces {
            true => ReadingKind::Snapshot { occupied: None, squares: Some(squares) },
            false => ReadingKind::Snapshot { occupied: Some(Occupancy(occupied)), squares: None },
        };
        self.read(kind);
    }

    /// Puts a piece on a square, or clears the square.
    pub(crate) fn put(&mut self, square: Square, piece: Option<Piece>) {
        if self.pieces.piece_at(square) == piece {
            return;
        }
        match piece {
            Some(piece) => self.pieces.set_piece_at(square, piece),
            None => self.pieces.discard_piece_at(square),
        }
        let at = self.as_sensed(square);
        if self.stuck == Some(at) {
            return;
        }
        let reading = Some(self.says(square));
        self.read(ReadingKind::Square { square: at, reading, level: None });
    }

    /// Moves a piece as hands do: lifts it, takes off what is on its target, puts it down.
    pub(crate) fn move_piece(&mut self, from: Square, to: Square) {
        let Some(piece) = self.pieces.piece_at(from) else { return };
        self.put(from, None);
        self.wait(200_000);
        if self.pieces.piece_at(to).is_some() {
            self.put(to, None);
            self.wait(200_000);
        }
        self.put(to, Some(piece));
    }

    pub(crate) fn play(&mut self, ply: Ply) {
        if let Some(from) = ply.from() {
            self.move_piece(from, ply.to());
        }
    }

    /// Makes the board look like this, a piece every 150 ms: first what is too many goes, then what is missing comes.
    pub(crate) fn arrange(&mut self, wanted: &Board) {
        for square in Square::ALL {
            let (now, then) = (self.pieces.piece_at(square), wanted.piece_at(square));
            if now.is_some() && then.is_none() {
                self.wait(150_000);
                self.put(square, None);
            }
        }
        for square in Square::ALL {
            let (now, then) = (self.pieces.piece_at(square), wanted.piece_at(square));
            if then.is_none() || now == then {
                continue;
            }
            self.wait(150_000);
            if now.is_some() {
                self.put(square, None);
                self.wait(150_000);
            }
            self.put(square, then);
        }
    }

    /// The initial position, without what is lost.
    pub(crate) fn put_back(&mut self) {
        let mut start = Board::new();
        if let Some(lost) = self.lost {
            start.discard_piece_at(lost);
        }
        self.arrange(&start);
    }

    pub(crate) fn clear(&mut self) {
        self.arrange(&Board::empty());
    }

    /// The kings stand in the centre, as children show who has won.
    pub(crate) fn show_kings(&mut self) {
        for (color, to) in [(Color::White, Square::E4), (Color::Black, Square::D5)] {
            let king = self.pieces.king_of(color);
            if let Some(from) = king.filter(|&from| from != to) {
                self.wait(500_000);
                self.move_piece(from, to);
            }
        }
    }

    fn side(&self, color: Color) -> Color {
        if self.clock_is_turned { color.other() } else { color }
    }

    fn tell_clock(&mut self) {
        if !self.senses.has_display {
            return;
        }
        let [white_ms, black_ms] = match self.clock_is_turned {
            false => self.clock.left_ms,
            true => [self.clock.left_ms[1], self.clock.left_ms[0]],
        };
        let running = self.clock.running.map(|side| self.side(side));
        self.read(ReadingKind::Clock { white_ms, black_ms, running });
    }

    /// A player presses: the other's time runs.
    pub(crate) fn press(&mut self, by: Color) {
        self.clock.running = Some(by.other());
        if self.senses.has_presses {
            let by = self.side(by);
            self.read(ReadingKind::Press { by });
        }
        self.tell_clock();
    }

    pub(crate) fn stop(&mut self) {
        if self.clock.running.take().is_some() {
            self.tell_clock();
        }
    }

    /// Starts a side's time without a press, as after a pause.
    pub(crate) fn resume(&mut self, side: Color) {
        match self.senses.has_display {
            true => {
                self.clock.running = Some(side);
                self.tell_clock();
            }
            false => self.press(side.other()),
        }
    }

    pub(crate) fn set_clock(&mut self, left_ms: [i64; 2]) {
        let before = self.clock;
        self.clock = Clock { left_ms, running: None };
        if self.clock != before {
            self.tell_clock();
        }
    }

    /// Readings of all sensors when a cable is plugged in.
    pub(crate) fn tell_all(&mut self) {
        self.snapshot();
        self.tell_clock();
    }
}
