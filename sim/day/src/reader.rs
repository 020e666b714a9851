//! Who reads the plies: the shipped inference, or a light reader in its place.

use std::collections::VecDeque;

use hub_core::session::{Follow, NewFollower, tracker, with_presses};
use inference::facts::Facts;
use inference::{PlyId, PlyReport, Stage, TrackerOutput};
use readings::{Reading as SensorReading, ReadingKind, SquareReading, TraceHeader};
use rules::{Bitboard, BoardId, Color, Ply, Square};

/// Who reads the plies of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// A light reader: what changed on a board between two presses is one ply, or none.
    #[default]
    Light,
    /// The shipped inference.
    Tracker,
}

impl Reading {
    pub(crate) fn follower(self) -> NewFollower {
        match self {
            Reading::Light => light,
            Reading::Tracker => tracker,
        }
    }
}

fn light(header: &TraceHeader, _facts: Facts) -> Box<dyn Follow> {
    with_presses(header, Light::default())
}

/// The same without the presses that nobody made.
pub(crate) fn light_without_presses(_header: &TraceHeader, _facts: Facts) -> Box<dyn Follow> {
    Box::new(Light::default())
}

/// Reads plies that occupied squares show without doubt.
#[derive(Debug, Default)]
struct Light {
    boards: [LightBoard; 2],
    plies: u32,
    outputs: VecDeque<TrackerOutput>,
}

#[derive(Debug, Default)]
struct LightBoard {
    is_known: bool,
    now: Bitboard,
    /// At the last press.
    then: Bitboard,
    /// Filled again since.
    filled: Bitboard,
}

impl LightBoard {
    fn snapshot(&mut self, occupied: Bitboard) {
        if !self.is_known {
            self.then = occupied;
        }
        (self.is_known, self.now) = (true, occupied);
    }

    fn square(&mut self, square: Square, is_occupied: bool) {
        if is_occupied && self.then.contains(square) {
            self.filled.add(square);
        }
        self.now.set(square, is_occupied);
    }

    fn ply(&mut self) -> Option<Ply> {
        let (left, come) = (self.then & !self.now, self.now & !self.then);
        let back = self.filled & self.now;
        (self.then, self.filled) = (self.now, Bitboard::EMPTY);
        let only = |squares: Bitboard| squares.into_iter().next().filter(|_| squares.count() == 1);
        let (from, to) = match (left.count(), come.count(), back.count()) {
            (1, 1, _) => (only(left), only(come)),
            (1, 0, _) => (only(left), only(back)),
            _ => (None, None),
        };
        let (from, to) = (from?, to?);
        Some(Ply::Move { from, to, promotion: None })
    }
}

impl Light {
    fn press(&mut self, t_us: u64, board: BoardId, side: Color) {
        let Some(ply) = self.boards[board.index()].ply() else { return };
        self.plies += 1;
        self.outputs.push_back(TrackerOutput::Ply(PlyReport {
            id: PlyId(self.plies),
            revision: 0,
            stage: Stage::Live,
            board,
            side,
            t_us,
            ply,
            p: 0.99,
            legal: true,
            alternatives: Vec::new(),
            clock_ms: None,
            touched_us: None,
            released_us: None,
        }));
    }
}

impl Follow for Light {
    fn handle(&mut self, reading: &SensorReading) {
        let Some(board) = reading.board else { return };
        let at = &mut self.boards[board.index()];
        match &reading.kind {
            ReadingKind::Snapshot { occupied, squares } => {
                let of_pieces = squares.as_ref().map(|squares| {
                    let occupied = squares.iter().zip(Square::ALL);
                    let occupied = occupied.filter(|(says, _)| **says != SquareReading::Empty);
                    occupied.map(|(_, square)| square).collect::<Bitboard>()
                });
                let known = occupied.map(|occupied| occupied.0).or(of_pieces);
                known.into_iter().for_each(|known| at.snapshot(known));
            }
            ReadingKind::Square { square, reading: Some(says), .. } => {
                at.square(*square, *says != SquareReading::Empty);
            }
            ReadingKind::Press { by } => self.press(reading.t_us, board, *by),
            _ => {}
        }
    }

    fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.outputs.pop_front()
    }

    fn poll_timeout(&self) -> Option<u64> {
        None
    }

    fn handle_timeout(&mut self, _t_us: u64) {}

    fn finish(&mut self) {}
}
