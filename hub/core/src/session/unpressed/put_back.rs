//! Pieces that are put back after a match at a board without a clock: no press tells them from plies. Pure.

use readings::{Occupancy, Reading, ReadingKind, SquareReading, TraceHeader};
use rules::{Bitboard, BoardId};

use super::STILL_US;

/// Minimum number of squares, each of which brings a board nearer to the start, that are pieces put back.
const PUT_BACK_MIN: usize = 5;

/// The readings of a whole match without those of pieces that were put back at its end, at boards without a clock.
///
/// Hands that put pieces back bring the board nearer to the start with every square, and begin after a rest.
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
    // Index, time, and whether it brings the board nearer to the start.
    let mut changes: Vec<(usize, u64, bool)> = Vec::new();
    for (index, reading) in readings.iter().enumerate().filter(|(_, it)| it.board == Some(board)) {
        match &reading.kind {
            ReadingKind::Snapshot { occupied: Some(Occupancy(read)), .. } => occupied = Some(*read),
            &ReadingKind::Square { square, reading: read, level } => {
                let Some(before) = occupied else { continue };
                let Some(read) = read.or(level.map(SquareReading::Level)) else { continue };
                let mut now = before;
                now.set(square, read != SquareReading::Empty);
                if now != before {
                    let misplaced = |it: Bitboard| (it ^ Occupancy::INITIAL.0).count();
                    changes.push((index, reading.t_us, misplaced(now) < misplaced(before)));
                }
                occupied = Some(now);
            }
            _ => {}
        }
    }
    let run = changes.iter().rposition(|(.., nearer)| !nearer).map_or(0, |last| last + 1);
    let rests = |at: usize| at > 0 && changes[at].1.saturating_sub(changes[at - 1].1) >= STILL_US;
    let first = (run..changes.len()).find(|&at| rests(at)).unwrap_or(run);
    (changes.len() - first >= PUT_BACK_MIN).then(|| changes[first].0)
}
