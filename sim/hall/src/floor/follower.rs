//! Light followers in place of inference: one gives plies by readings and by time, and fails on a clock that is tilted; another gives, revises
//! and takes
//! back plies by each board's own readings.

use std::collections::{BTreeMap, VecDeque};

use hub_core::session::Follow;
use inference::facts::Facts;
use inference::{PlyId, PlyReport, Stage, TrackerOutput};
use readings::{Reading, ReadingKind, SquareReading, TraceHeader};
use rules::{BoardId, Color, Ply, Square};

/// A ply is revised so long after a press, µs.
const REVISED_AFTER_US: u64 = 200_000;

/// The follower of one match.
#[derive(Debug)]
struct Stub {
    ply: Ply,
    /// Number of pieces that are put down in a ply.
    pieces: u32,
    plies: u32,
    squares: u32,
    revise_at: Option<u64>,
    outputs: VecDeque<TrackerOutput>,
}

/// Makes the follower of a match.
pub(crate) fn stub(_header: &TraceHeader, _facts: Facts) -> Box<dyn Follow> {
    stub_of("e2e4", 2)
}

/// The same of another release: it says other plies, and at other places.
pub(crate) fn other_stub(_header: &TraceHeader, _facts: Facts) -> Box<dyn Follow> {
    stub_of("d2d4", 3)
}

fn stub_of(ply: &str, pieces: u32) -> Box<dyn Follow> {
    let ply = ply.parse().expect("a ply");
    let outputs = VecDeque::new();
    Box::new(Stub { ply, pieces, plies: 0, squares: 0, revise_at: None, outputs })
}

impl Stub {
    fn say(&mut self, t_us: u64, stage: Stage, revision: u32) {
        let report = report(BoardId::A, self.plies, revision, self.ply);
        self.outputs.push_back(TrackerOutput::Ply(PlyReport { stage, t_us, ..report }));
    }
}

/// A ply published at time 0, for now.
fn report(board: BoardId, id: u32, revision: u32, ply: Ply) -> PlyReport {
    PlyReport {
        id: PlyId(id),
        revision,
        stage: Stage::Live,
        board,
        side: Color::White,
        t_us: 0,
        ply,
        p: 0.5,
        legal: true,
        alternatives: Vec::new(),
        clock_ms: None,
        touched_us: None,
        released_us: None,
    }
}

impl Follow for Stub {
    fn handle(&mut self, reading: &Reading) {
        self.handle_timeout(reading.t_us);
        match reading.kind {
            // Not by panic!, which prints.
            ReadingKind::Tilt { .. } => std::panic::resume_unwind(Box::new("a tilted clock")),
            ReadingKind::Square { reading: Some(says), .. } if says != SquareReading::Empty => {
                self.squares += 1;
                if self.squares.is_multiple_of(self.pieces) {
                    self.plies += 1;
                    self.say(reading.t_us, Stage::Live, 0);
                }
            }
            ReadingKind::Press { .. } if self.plies > 0 => {
                self.revise_at.get_or_insert(reading.t_us + REVISED_AFTER_US);
            }
            _ => {}
        }
    }

    fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.outputs.pop_front()
    }

    fn poll_timeout(&self) -> Option<u64> {
        self.revise_at
    }

    fn handle_timeout(&mut self, t_us: u64) {
        if let Some(at_us) = self.revise_at.filter(|&at_us| at_us <= t_us) {
            self.revise_at = None;
            self.say(at_us, Stage::Live, 1);
        }
    }

    fn finish(&mut self) {
        if self.plies > 0 {
            self.say(0, Stage::Final, 2);
        }
    }
}

/// A follower whose plies are what each board's own readings make of them, in their order: neither their arrival times nor other boards change
/// anything.
#[derive(Debug, Default)]
struct ByBoard {
    boards: BTreeMap<BoardId, Told>,
    outputs: VecDeque<TrackerOutput>,
}

/// Published plies of one board.
#[derive(Debug, Default)]
struct Told {
    squares: usize,
    /// The plies, with their revisions; none for those that were taken back.
    plies: Vec<Option<(Ply, u32)>>,
}

/// Makes the follower of a match at a table without faults.
pub(crate) fn by_board(_header: &TraceHeader, _facts: Facts) -> Box<dyn Follow> {
    Box::new(ByBoard::default())
}

/// Ids of both boards: each board counts by two.
fn id_of(board: BoardId, place: usize) -> u32 {
    2 * place as u32 + u32::from(board == BoardId::B)
}

/// A ply to this square.
fn ply_to(square: Square) -> Ply {
    let from = if square == Square::E2 { "d2" } else { "e2" };
    format!("{from}{square}").parse().expect("a ply")
}

impl ByBoard {
    /// Every other square makes a ply. At the second, of three plies one is taken back and one revised.
    fn take_square(&mut self, board: BoardId, square: Square, t_us: u64) {
        let told = self.boards.entry(board).or_default();
        let (place, is_first) = (told.squares / 2, told.squares.is_multiple_of(2));
        told.squares += 1;
        match (is_first, place % 3) {
            (true, _) => self.tell(board, place, Some((ply_to(square), 0)), t_us),
            (false, 0) => self.tell(board, place, None, t_us),
            (false, 1) => self.tell(board, place, Some((ply_to(square), 1)), t_us),
            (false, _) => {}
        }
    }

    /// The last ply of the board may be another one: it is taken back.
    fn take_gap(&mut self, board: BoardId, t_us: u64) {
        let plies = self.boards.get(&board).map(|told| &told.plies[..]).unwrap_or_default();
        if let Some(place) = plies.iter().rposition(Option::is_some) {
            self.tell(board, place, None, t_us);
        }
    }

    fn tell(&mut self, board: BoardId, place: usize, ply: Option<(Ply, u32)>, t_us: u64) {
        let plies = &mut self.boards.entry(board).or_default().plies;
        plies.resize(plies.len().max(place + 1), None);
        let before = std::mem::replace(&mut plies[place], ply);
        let id = id_of(board, place);
        match (ply, before) {
            (Some((ply, revision)), _) => {
                let report = PlyReport { t_us, ..report(board, id, revision, ply) };
                self.outputs.push_back(TrackerOutput::Ply(report));
            }
            (None, Some(_)) => {
                self.outputs.push_back(TrackerOutput::PlyRetracted { id: PlyId(id), t_us });
            }
            (None, None) => {}
        }
    }
}

impl Follow for ByBoard {
    fn handle(&mut self, reading: &Reading) {
        let Some(board) = reading.board else { return };
        match reading.kind {
            ReadingKind::Square { square, reading: Some(_), .. } => {
                self.take_square(board, square, reading.t_us);
            }
            ReadingKind::Gap { .. } => self.take_gap(board, reading.t_us),
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

    fn finish(&mut self) {
        for (&board, told) in &self.boards {
            let standing = told.plies.iter().enumerate();
            self.outputs.extend(standing.filter_map(|(place, ply)| {
                let (ply, revision) = (*ply)?;
                let report = report(board, id_of(board, place), revision + 1, ply);
                Some(TrackerOutput::Ply(PlyReport { stage: Stage::Final, ..report }))
            }));
        }
    }
}
