//! Orientation of a board and its clock on the table, found from the first plies.
//!
//! ```text
//! prior(lie)      = p(turn) · p(clock | turn) · WRONG_SQUARE^n
//! w(lie)          = prior(lie) · p(start | clock) · Π over presses p(press | lie)
//! p(start)        = 1 if White's time runs first, else WRONG_START
//! p(press)        = 1             if only pieces of the player whose turn it is left their squares, and that player pressed
//!                 = SEVERAL       if pieces of both players did
//!                 = NOTHING       if none did, and the player whose turn it is pressed; 1 if the opponent did
//!                 = ODD           otherwise
//! settled         if the usual lie has CLEAR of the sum, and p(start) and every p(press | usual lie) are 1
//! ```
//!
//! `n` is the number of squares that read otherwise than in the set-up position when play begins.
//!
//! A board may lie turned by a quarter or a half, and a clock may stand with White's button at Black.
//! Set-up squares of reeds look the same after half a turn, so the plies must tell: White begins, and
//! each player moves the own pieces and presses the own button. Presses at a board without a clock are
//! implied by its squares: they turn with the board, and White's is the first. Sensors that tell colours tell the
//! turn of the board when play begins. Nothing here knows how pieces move, and hands that reach over
//! early look like plies. So these weights settle the usual lie only: of others the plies decide
//! (`tracker/lie.rs`).

use readings::{ReadingKind, SensorKind, SquareReading};
use rules::{Bitboard, Color, Square};

/// Probability that a board lies turned by half. Assumed.
const HALF: f64 = 2e-3;
/// Probability of each quarter turn. Assumed: the white corner lies wrong, which many see.
const QUARTER: f64 = 1e-4;
/// Probability that a clock is turned the other way round. Assumed: it stands between two boards, and
/// Black may carry it over.
const CLOCK: f64 = 5e-3;
/// Probability that the clock is turned the other way round at a board that lies turned by half: the
/// table was set up from the other side. Assumed.
const CLOCK_WITH_BOARD: f64 = 0.5;
/// Likelihood of each square that reads otherwise than in the set-up position. Assumed.
const WRONG_SQUARE: f64 = 1e-2;
/// Probability that the wrong time is started first. Assumed.
const WRONG_START: f64 = 0.05;
/// Likelihood of a press after plies of both players. Assumed.
const SEVERAL: f64 = 0.05;
/// Likelihood of a press without any change by the player to move. Assumed.
const NOTHING: f64 = 0.1;
/// Likelihood of a press that fits neither player. Assumed.
const ODD: f64 = 1e-3;
/// The usual lie is settled from this posterior on, 0 to 1. Assumed: one clear ply and press.
const CLEAR: f64 = 0.9999;
/// Readings do not wait from this posterior of the usual lie on, 0 to 1. Assumed.
const UNDOUBTED: f64 = 0.99;
/// A lie is settled for good from this posterior on, 0 to 1. Assumed.
pub(crate) const SURE: f64 = 0.999;
/// Presses after which readings wait no longer. Bound: on delay.
const MAX_PRESSES: usize = 6;
/// Presses after which a settled lie is not doubted any more. Bound: on work and memory.
const MAX_DOUBTED: usize = 60;
/// Lies with a smaller posterior than this are not followed on trial, 0 to 1. Bound: on work.
const MIN_TRIAL: f64 = 1e-6;
/// A board with more wrong squares than this under every turn is not set up: it is followed as it is. Assumed.
const MAX_WRONG: usize = 8;
/// Part of the sum of all colours or levels that must lie on the right sides. Assumed.
const CLEAR_COLOURS: f64 = 0.6;

/// Turn of a board, clockwise as White sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Turn {
    #[default]
    None,
    Quarter,
    Half,
    ThreeQuarters,
}

impl Turn {
    const ALL: [Turn; 4] = [Turn::None, Turn::Half, Turn::Quarter, Turn::ThreeQuarters];

    /// The square of the game that a square of the sensors is.
    pub(crate) fn square(self, sensed: Square) -> Square {
        let quarter = |square: Square| {
            let index = u32::from(square);
            let (file, rank) = (index % 8, index / 8);
            Square::ALL[(8 * (7 - file) + rank) as usize]
        };
        match self {
            Turn::None => sensed,
            Turn::Quarter => quarter(sensed),
            Turn::Half => quarter(quarter(sensed)),
            Turn::ThreeQuarters => quarter(quarter(quarter(sensed))),
        }
    }

    /// The squares of the game that these squares of the sensors are.
    pub(crate) fn squares(self, sensed: Bitboard) -> Bitboard {
        sensed.into_iter().map(|square| self.square(square)).collect()
    }

    /// Values of all squares in the order of the game's squares.
    pub(crate) fn rearranged<T: Copy>(self, sensed: &[T]) -> Vec<T> {
        let mut right = sensed.to_vec();
        for (square, &value) in Square::ALL.into_iter().zip(sensed) {
            if let Some(place) = right.get_mut(usize::from(self.square(square))) {
                *place = value;
            }
        }
        right
    }

    const fn prior(self) -> f64 {
        match self {
            Turn::None => 1.0,
            Turn::Half => HALF,
            Turn::Quarter | Turn::ThreeQuarters => QUARTER,
        }
    }
}

/// Orientation of a board and its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lie {
    pub(crate) turn: Turn,
    pub(crate) clock_turned: bool,
}

impl Lie {
    /// The player whose button is pressed, by the side that the clock names.
    pub(crate) fn player(self, named: Color) -> Color {
        if self.clock_turned { named.other() } else { named }
    }

    /// The reading as it would be if board and clock lay right.
    pub(crate) fn put_right(self, kind: &ReadingKind) -> ReadingKind {
        match kind {
            ReadingKind::Snapshot { occupied, squares } => ReadingKind::Snapshot {
                occupied: occupied
                    .map(|occupied| readings::Occupancy(self.turn.squares(occupied.0))),
                squares: squares.as_ref().map(|squares| self.turn.rearranged(squares)),
            },
            ReadingKind::Square { square, reading, level } => ReadingKind::Square {
                square: self.turn.square(*square),
                reading: *reading,
                level: *level,
            },
            ReadingKind::Press { by } => ReadingKind::Press { by: self.player(*by) },
            ReadingKind::Clock { white_ms, black_ms, running } if self.clock_turned => {
                ReadingKind::Clock {
                    white_ms: *black_ms,
                    black_ms: *white_ms,
                    running: running.map(Color::other),
                }
            }
            ReadingKind::Hand { side, near, from } => {
                ReadingKind::Hand { side: self.player(*side), near: *near, from: *from }
            }
            other => other.clone(),
        }
    }
}

/// One way in which board and clock may lie, with the pieces of both players.
#[derive(Clone, Debug)]
struct Hypothesis {
    lie: Lie,
    prior: f64,
    weight: f64,
    /// Squares of White's and of Black's pieces.
    sides: [Bitboard; 2],
    mover: Color,
}

/// Beliefs about the orientation of one board and its clock.
#[derive(Clone, Debug)]
pub(crate) struct Placing {
    sensor: SensorKind,
    /// Without a clock that could be turned the other way round: its presses are implied by the squares.
    clockless: bool,
    /// Occupied squares as the sensors name them, and when all were read last before play.
    now: Bitboard,
    set_up: Bitboard,
    /// The same when the segment began, and the squares that changed in it.
    begun: Bitboard,
    touched: Bitboard,
    /// The colour of each square, as far as the sensors show it: above 0 White's, below 0 Black's.
    colours: [f64; 64],
    /// Level above which a square is occupied, at boards that read levels. Learnt when play begins.
    threshold: f64,
    /// Empty before play begins.
    hypotheses: Vec<Hypothesis>,
    running: Option<Color>,
    presses: usize,
    last_press: Option<(Color, u64)>,
    settled: Option<(Lie, f64)>,
    /// Presses when the plies were last asked how board and clock lie.
    weighed: usize,
}

/// A press this soon after one by the same player is the same, microseconds. Assumed: as the tracker does.
const SAME_PRESS_US: u64 = 300_000;

impl Placing {
    /// A board before the match.
    pub(crate) fn new(sensor: SensorKind, clockless: bool) -> Placing {
        let initial = readings::Occupancy::INITIAL.0;
        Placing {
            sensor,
            clockless,
            now: initial,
            set_up: initial,
            begun: initial,
            touched: Bitboard::EMPTY,
            colours: [0.0; 64],
            threshold: f64::INFINITY,
            hypotheses: Vec::new(),
            running: None,
            presses: 0,
            last_press: None,
            settled: None,
            weighed: 0,
        }
    }

    /// Orientation of board and clock, and the posterior, once it is settled.
    pub(crate) const fn settled(&self) -> Option<(Lie, f64)> {
        self.settled
    }

    /// Whether play has begun, and it is not certain yet how board and clock lie.
    pub(crate) fn is_open(&self) -> bool {
        !self.hypotheses.is_empty()
            && self.presses <= MAX_DOUBTED
            && self.settled.is_none_or(|(_, p)| p < SURE)
    }

    /// Whether something speaks against the usual lie, and none is settled yet.
    pub(crate) fn is_doubted(&self) -> bool {
        let usual = |(lie, p): (Lie, f64)| lie == Lie::default() && p >= UNDOUBTED;
        self.settled.is_none() && self.likeliest().is_some_and(|likeliest| !usual(likeliest))
    }

    /// Whether enough was read, since they were asked last, for the plies to decide.
    pub(crate) fn is_due(&self) -> bool {
        let is_clear = || self.is_doubted() && self.likeliest().is_some_and(|(_, p)| p >= SURE);
        match self.settled {
            None => self.presses > self.weighed && (self.is_late() || is_clear()),
            Some(_) => self.is_open() && 2 * self.presses >= 3 * self.weighed.max(2),
        }
    }

    /// Whether readings have waited long enough.
    pub(crate) const fn is_late(&self) -> bool {
        self.presses >= MAX_PRESSES
    }

    /// The lies that the plies may decide between, each with its prior.
    pub(crate) fn on_trial(&mut self) -> Vec<(Lie, f64)> {
        self.weighed = self.presses;
        let total: f64 = self.hypotheses.iter().map(|of| of.weight).sum();
        let likely = |of: &&Hypothesis| of.weight >= MIN_TRIAL * total;
        self.hypotheses.iter().filter(likely).map(|of| (of.lie, of.prior)).collect()
    }

    /// Settles a lie, with its posterior.
    pub(crate) fn settle(&mut self, lie: Lie, p: f64) {
        self.settled = Some((lie, p));
    }

    /// Takes a reading as the sensors give it.
    pub(crate) fn read(&mut self, t_us: u64, kind: &ReadingKind) {
        if self.settled.is_some() && !self.is_open() {
            return;
        }
        match kind {
            ReadingKind::Snapshot { occupied, squares } => {
                self.snapshot(*occupied, squares.as_deref())
            }
            ReadingKind::Square { square, reading, level } => {
                let reading = level.map(SquareReading::Level).or(*reading);
                reading.into_iter().for_each(|reading| self.square(*square, reading));
            }
            ReadingKind::Press { by } => self.press(t_us, *by),
            ReadingKind::Clock { running, .. } => {
                let before = std::mem::replace(&mut self.running, *running);
                match (before, running) {
                    (Some(before), Some(now)) if before != *now => self.press(t_us, before),
                    (None, Some(now)) if self.hypotheses.is_empty() => {
                        self.press(t_us, now.other())
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        let clear = |&(lie, p): &(Lie, f64)| lie == Lie::default() && p >= CLEAR;
        if self.settled.is_none() && self.presses > 0 && self.is_orderly() {
            self.settled = self.likeliest().filter(clear);
        }
    }

    /// Whether play has begun as it should if everything lies right.
    fn is_orderly(&self) -> bool {
        let usual = self.hypotheses.iter().find(|of| of.lie == Lie::default());
        usual.is_some_and(|usual| usual.weight >= usual.prior)
    }

    fn snapshot(
        &mut self,
        occupied: Option<readings::Occupancy>,
        squares: Option<&[SquareReading]>,
    ) {
        if let Some(squares) = squares.filter(|squares| squares.len() == 64) {
            for (square, &reading) in Square::ALL.into_iter().zip(squares) {
                self.square(square, reading);
            }
        } else if let Some(occupied) = occupied {
            self.touched |= self.now ^ occupied.0;
            self.now = occupied.0;
        }
        if self.hypotheses.is_empty() {
            self.set_up = self.now;
        }
    }

    fn square(&mut self, square: Square, reading: SquareReading) {
        let of = |color: Color| if color.is_white() { 1.0 } else { -1.0 };
        let colour = match reading {
            SquareReading::Empty | SquareReading::Occupied => 0.0,
            SquareReading::Side(color) => of(color),
            SquareReading::Piece(piece) => of(piece.color),
            SquareReading::Level(level) => f64::from(level),
        };
        self.colours[usize::from(square)] = colour;
        let is_occupied = match reading {
            SquareReading::Level(_) => colour.abs() > self.threshold,
            reading => reading != SquareReading::Empty,
        };
        if self.now.contains(square) != is_occupied {
            self.now.toggle(square);
            self.touched.add(square);
        }
    }

    fn press(&mut self, t_us: u64, by: Color) {
        let known = self.last_press.replace((by, t_us));
        if known.is_some_and(|(known, at_us)| {
            known == by && t_us.saturating_sub(at_us) <= SAME_PRESS_US
        }) {
            return;
        }
        if self.hypotheses.is_empty() {
            self.begin(by);
            // A press before any ply only starts the clock.
            if (self.now ^ self.begun).is_empty() {
                return;
            }
        }
        self.presses += 1;
        let (begun, now, touched) = (self.begun, self.now, self.touched);
        for hypothesis in &mut self.hypotheses {
            hypothesis.press(begun, now, touched, by);
        }
        (self.begun, self.touched) = (now, Bitboard::EMPTY);
    }

    /// Play begins: `by` pressed first.
    fn begin(&mut self, by: Color) {
        let initial = readings::Occupancy::INITIAL.0;
        if self.sensor == SensorKind::HallMagnitude {
            self.learn_threshold();
        }
        let wrong = |turn: Turn, now: Bitboard| (turn.squares(now) ^ initial).count();
        let least = Turn::ALL.into_iter().map(|turn| wrong(turn, self.now)).min().unwrap_or(0);
        if least > MAX_WRONG {
            self.settled = Some((Lie::default(), 1.0));
            return;
        }
        let colours = self.turn_by_colours();
        // Plies that were made before play was noticed belong to the first segment.
        let is_set_up = (self.now ^ initial).count() == least;
        let is_first_ply = (self.now ^ self.set_up).count() <= 2;
        self.begun = match is_set_up && least <= 2 {
            true => initial,
            // A square may have read wrongly before, too.
            false if is_first_ply => self.set_up,
            false => self.now,
        };
        let is_possible = |turn: &Turn| colours.is_none_or(|known| known == *turn);
        for turn in Turn::ALL.into_iter().filter(is_possible) {
            let with_board = turn == Turn::Half;
            let clocks = [false, true].into_iter();
            for clock_turned in clocks.filter(|it| !self.clockless || *it == with_board) {
                let lie = Lie { turn, clock_turned };
                let set_up = 0..wrong(turn, self.now).saturating_sub(least);
                // Black starts White's clock; without one the first press is that of White's ply.
                let is_usual = lie.player(by).is_black() != self.clockless;
                let start = if is_usual { 1.0 } else { WRONG_START };
                let turned = if with_board { CLOCK_WITH_BOARD } else { CLOCK };
                let clock = if clock_turned { turned } else { 1.0 - turned };
                let prior = set_up.fold(turn.prior() * clock, |w, _| w * WRONG_SQUARE);
                let weight = prior * start;
                let of_ranks = |half: Bitboard| turn.squares(self.begun) & half;
                let sides = [of_ranks(Bitboard::SOUTH), of_ranks(Bitboard::NORTH)];
                self.hypotheses.push(Hypothesis { lie, prior, weight, sides, mover: Color::White });
            }
        }
    }

    /// Learns the level of an occupied square: half of the weakest of the 32 strongest.
    fn learn_threshold(&mut self) {
        let mut levels = self.colours.map(f64::abs);
        levels.sort_by(|a, b| b.total_cmp(a));
        self.threshold = levels[31] / 2.0;
        let occupied = |square: &Square| self.colours[usize::from(*square)].abs() > self.threshold;
        self.now = Square::ALL.into_iter().filter(occupied).collect();
        self.begun = self.now;
        self.touched = Bitboard::EMPTY;
    }

    /// The turn of the board by the colours of its pieces. None if the sensors show none.
    fn turn_by_colours(&self) -> Option<Turn> {
        let total: f64 = self.colours.iter().map(|colour| colour.abs()).sum();
        let score = |turn: Turn| {
            let of = |(square, colour): (Square, &f64)| {
                let is_white = u32::from(turn.square(square)) < 32;
                if is_white { *colour } else { -*colour }
            };
            Square::ALL.into_iter().zip(&self.colours).map(of).sum::<f64>()
        };
        if total <= 0.0 {
            return None;
        }
        Turn::ALL.into_iter().find(|&turn| score(turn) >= CLEAR_COLOURS * total)
    }

    /// The likeliest lie and its posterior, 0 to 1. None before play begins.
    fn likeliest(&self) -> Option<(Lie, f64)> {
        let total: f64 = self.hypotheses.iter().map(|of| of.weight).sum();
        let best = self.hypotheses.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
        (total > 0.0).then(|| (best.lie, best.weight / total))
    }
}

impl Hypothesis {
    /// A press of `by`, as the clock names it, after these changes of the squares.
    fn press(&mut self, begun: Bitboard, now: Bitboard, touched: Bitboard, by: Color) {
        let turn = self.lie.turn;
        let (left, arrived) = (turn.squares(begun & !now), turn.squares(now & !begun));
        let exchanged = turn.squares(begun & now & touched);
        let (presser, mover) = (self.lie.player(by), self.mover);
        let of = |color: Color| usize::from(color.is_black());
        let [own, others] = [mover, mover.other()].map(|color| self.sides[of(color)]);
        let (own_left, others_left) = ((left & own).any(), (left & others).any());
        self.weight *= match (own_left, others_left) {
            (true, false) if presser == mover => 1.0,
            (false, false) if arrived.is_empty() && presser == mover => NOTHING,
            (false, false) if arrived.is_empty() => 1.0,
            (true, true) => SEVERAL,
            _ => ODD,
        };
        self.sides.iter_mut().for_each(|side| *side &= !left);
        // What arrived is the mover's, and so is what took by an exchange on the square.
        let taken = if arrived.is_empty() { exchanged & others } else { Bitboard::EMPTY };
        self.sides[of(mover)] |= arrived | taken;
        self.sides[of(mover.other())] &= !taken;
        self.mover = presser.other();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str, reading: SquareReading) -> ReadingKind {
        let square = name.parse().expect("a square");
        ReadingKind::Square { square, reading: Some(reading), level: None }
    }

    /// A reed board that lies like this, with moves and the sides that the clock names.
    fn played(lie: Lie, moves: &[(&str, &str)]) -> Placing {
        let mut placing = Placing::new(SensorKind::Reed, false);
        let occupied =
            Some(readings::Occupancy(lie.turn.inverse().squares(readings::Occupancy::INITIAL.0)));
        placing.read(0, &ReadingKind::Snapshot { occupied, squares: None });
        let sensed = |name: &str| {
            let of_game: Square = name.parse().expect("a square");
            lie.turn.inverse().square(of_game).to_string()
        };
        let mut by = Color::Black;
        let mut t_us = 1_000_000;
        placing.read(t_us, &ReadingKind::Press { by: lie.player(by) });
        for (from, to) in moves {
            by = by.other();
            placing.read(t_us, &square(&sensed(from), SquareReading::Empty));
            placing.read(t_us, &square(&sensed(to), SquareReading::Occupied));
            t_us += 1_000_000;
            placing.read(t_us, &ReadingKind::Press { by: lie.player(by) });
        }
        placing
    }

    impl Turn {
        /// The turn that undoes this one.
        fn inverse(self) -> Turn {
            match self {
                Turn::Quarter => Turn::ThreeQuarters,
                Turn::ThreeQuarters => Turn::Quarter,
                turn => turn,
            }
        }
    }

    const MOVES: [(&str, &str); 8] = [
        ("e2", "e4"),
        ("d7", "d5"),
        ("g1", "f3"),
        ("g8", "f6"),
        ("b1", "c3"),
        ("b8", "c6"),
        ("a2", "a3"),
        ("a7", "a6"),
    ];

    #[test]
    fn usual_lie_is_settled_by_the_first_ply() {
        let placing = played(Lie::default(), &MOVES[..1]);
        assert_eq!(placing.settled().map(|(lie, _)| lie), Some(Lie::default()));
    }

    #[test]
    fn every_lie_is_found_within_a_few_plies() {
        for turn in Turn::ALL {
            for clock_turned in [false, true] {
                let lie = Lie { turn, clock_turned };
                // With a turned clock, Black might have begun; so more plies are waited for.
                let several = clock_turned;
                let placing = played(lie, if several { &MOVES } else { &MOVES[..4] });
                let found = placing.settled().or_else(|| placing.likeliest());
                assert_eq!(found.map(|(lie, _)| lie), Some(lie), "{lie:?}");
            }
        }
    }

    #[test]
    fn reading_of_a_turned_board_is_put_right() {
        for turn in Turn::ALL {
            let lie = Lie { turn, clock_turned: true };
            let sensed = turn.inverse().square(Square::E4);
            let kind = ReadingKind::Square { square: sensed, reading: None, level: None };
            assert!(matches!(lie.put_right(&kind), ReadingKind::Square { square: Square::E4, .. }));
        }
        let press = Lie { turn: Turn::None, clock_turned: true };
        let press = press.put_right(&ReadingKind::Press { by: Color::White });
        assert!(matches!(press, ReadingKind::Press { by: Color::Black }));
    }
}
