//! Pieces that are put back after a match at a board without a clock: no press tells them from plies. Pure.

use readings::{Occupancy, Reading, ReadingKind, SquareReading, TraceHeader};
use rules::{Bitboard, BoardId, Square};

use super::STILL_US;

/// Minimum number of squares, each of which brings a board nearer to the start, that are pieces put back.
const PUT_BACK_MIN: usize = 5;
/// Maximum time for which a square is empty on which hands exchange one piece for another, microseconds.
const EXCHANGED_US: u64 = 1_500_000;

/// The first squares of pawns.
const PAWNS: Bitboard = Bitboard(0x00ff_0000_0000_ff00);

/// The readings of a whole match without those of pieces that were put back at its end, at boards without a clock.
///
/// Hands that put pieces back bring the board nearer to the start with every square, or exchange what stands there, and begin after a rest.
#[must_use]
pub fn without_put_back(header: &TraceHeader, readings: &[Reading]) -> Vec<Reading> {
    let clockless = header.boards.iter().filter(|(_, board)| board.clockless);
    let cuts: Vec<(BoardId, usize)> =
        clockless.filter_map(|(&board, _)| Some((board, begins_at(board, readings)?))).collect();
    let is_kept = |index: usize, reading: &Reading| {
        let is_square = matches!(reading.kind, ReadingKind::Square { .. });
        !is_square || !cuts.iter().any(|&(board, cut)| reading.board == Some(board) && index >= cut)
    };
    let numbered = readings.iter().enumerate();
    numbered.filter(|&(index, reading)| is_kept(index, reading)).map(|(_, it)| it.clone()).collect()
}

/// Index of the first reading of pieces that are put back.
fn begins_at(board: BoardId, readings: &[Reading]) -> Option<usize> {
    let mut occupied: Option<Bitboard> = None;
    let mut changes: Vec<Change> = Vec::new();
    for (index, reading) in readings.iter().enumerate().filter(|(_, it)| it.board == Some(board)) {
        match &reading.kind {
            ReadingKind::Snapshot { occupied: Some(Occupancy(read)), .. } => occupied = Some(*read),
            &ReadingKind::Square { square, reading: read, level } => {
                let Some(before) = occupied else { continue };
                let Some(read) = read.or(level.map(SquareReading::Level)) else { continue };
                let mut now = before;
                now.set(square, read != SquareReading::Empty);
                if now != before {
                    let is_nearer = now.contains(square) == Occupancy::INITIAL.0.contains(square);
                    changes.push(Change { index, t_us: reading.t_us, square, is_nearer });
                }
                occupied = Some(now);
            }
            _ => {}
        }
    }
    // A square of the start that is emptied and soon filled again gets another piece.
    let is_exchanged = |at: usize| {
        let emptied = &changes[at];
        let mut soon = changes[at + 1..]
            .iter()
            .take_while(|it| it.t_us.saturating_sub(emptied.t_us) <= EXCHANGED_US);
        soon.any(|it| it.square == emptied.square)
    };
    let run = changes.iter().rposition(|it| !it.is_nearer).map_or(0, |last| last + 1);
    let rests = |at: usize| {
        let (before, then) = (at.checked_sub(1).and_then(|it| changes.get(it)), changes.get(at));
        before.zip(then).is_some_and(|(it, then)| then.t_us.saturating_sub(it.t_us) >= STILL_US)
    };
    // Without a rest since, what was exchanged before is part of it.
    let exchanged = |run: usize| {
        let goes_on =
            |at: &usize| !rests(*at) && (changes[at - 1].is_nearer || is_exchanged(at - 1));
        (1..=run).rev().take_while(goes_on).last().map_or(run, |at| at - 1)
    };
    let first = (run..changes.len()).find(|&at| rests(at)).unwrap_or_else(|| exchanged(run));
    // A pawn that comes home was carried there.
    let is_pawn_home = |it: &Change| PAWNS.contains(it.square) && it.is_nearer;
    let is_set_up = occupied == Some(Occupancy::INITIAL.0);
    let brings_pawn_home = is_set_up && changes[first..].iter().any(is_pawn_home);
    (changes.len() - first >= PUT_BACK_MIN || brings_pawn_home).then(|| changes[first].index)
}

/// A change of a square.
struct Change {
    /// Its reading's.
    index: usize,
    t_us: u64,
    square: Square,
    /// Whether it brings the board nearer to the start.
    is_nearer: bool,
}
