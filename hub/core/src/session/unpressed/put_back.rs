//! Pieces that are put back after a match, at a board without a clock or beside a clock that runs: no press tells them from plies. Pure.

use readings::{BoardHeader, Occupancy, Reading, ReadingKind, SquareReading, TraceHeader};
use rules::{Bitboard, BoardId, Square};

use super::STILL_US;
use crate::session::life::{MISPLACED_MAX, PAWNS};

/// Minimum number of squares, each of which brings a board nearer to the start, that are pieces put back.
const PUT_BACK_MIN: usize = 5;
/// Maximum number of changes of squares that a ply makes, castling apart.
const OF_ONE_PLY_MAX: usize = 3;
/// Maximum time for which a square is empty on which hands exchange one piece for another, microseconds.
const EXCHANGED_US: u64 = 1_500_000;

/// The readings of a whole match without those of pieces that were put back at its end, at a board without a clock, or with a clock that runs
/// after its last press.
///
/// Hands that put pieces back bring the board nearer to the start with every square, or exchange what stands there, and begin after a rest.
/// Pieces that go home one by one between two rests, the sides in turn, are plies, a pawn excepted.
#[must_use]
pub fn without_put_back(header: &TraceHeader, readings: &[Reading]) -> Vec<Reading> {
    without_put_back_at(header, readings, &BoardId::ALL)
}

/// The same at some boards.
pub(in crate::session) fn without_put_back_at(
    header: &TraceHeader,
    readings: &[Reading],
    boards: &[BoardId],
) -> Vec<Reading> {
    let cut = |(&board, header): (&BoardId, &BoardHeader)| {
        Some((board, begins_at(board, header.clockless, readings)?))
    };
    let cuts: Vec<(BoardId, usize)> =
        header.boards.iter().filter(|(id, _)| boards.contains(id)).filter_map(cut).collect();
    let is_kept = |index: usize, reading: &Reading| {
        let is_of_squares =
            matches!(reading.kind, ReadingKind::Square { .. } | ReadingKind::Snapshot { .. });
        let is_cut =
            |&(board, cut): &(BoardId, usize)| reading.board == Some(board) && index >= cut;
        !is_of_squares || !cuts.iter().any(is_cut)
    };
    let numbered = readings.iter().enumerate();
    numbered.filter(|&(index, reading)| is_kept(index, reading)).map(|(_, it)| it.clone()).collect()
}

/// Index of the first reading of pieces that are put back.
fn begins_at(board: BoardId, clockless: bool, readings: &[Reading]) -> Option<usize> {
    let (mut occupied, mut start) = (None::<Bitboard>, Occupancy::INITIAL.0);
    // What stands on a board whose clock is stopped is no ply.
    let (mut runs, mut is_stopped) = (None, false);
    let mut changes: Vec<SquareChange> = Vec::new();
    for (index, reading) in readings.iter().enumerate().filter(|(_, it)| it.board == Some(board)) {
        match &reading.kind {
            ReadingKind::Snapshot { occupied: Some(Occupancy(read)), .. } => {
                // A square that read wrongly when the match began does so at its end.
                let is_near = (*read ^ Occupancy::INITIAL.0).count() <= MISPLACED_MAX;
                if occupied.is_none() && is_near {
                    start = *read;
                }
                // What all squares together show is no ply either: a board that was set up comes under another cable.
                let before = occupied.replace(*read).filter(|_| !is_stopped);
                let differ = before.map_or(Bitboard::EMPTY, |before| before ^ *read);
                changes.extend(differ.into_iter().map(|square| SquareChange {
                    index,
                    t_us: reading.t_us,
                    square,
                    is_nearer: read.contains(square) == start.contains(square),
                }));
            }
            &ReadingKind::Square { square, reading: read, level } => {
                let Some(before) = occupied else { continue };
                let Some(read) = read.or(level.map(SquareReading::Level)) else { continue };
                let mut now = before;
                now.set(square, read != SquareReading::Empty);
                if now != before && !is_stopped {
                    let is_nearer = now.contains(square) == start.contains(square);
                    changes.push(SquareChange { index, t_us: reading.t_us, square, is_nearer });
                }
                occupied = Some(now);
            }
            ReadingKind::Clock { running, .. } if !clockless => {
                is_stopped = running.is_none();
                if running.is_some() && std::mem::replace(&mut runs, *running) != *running {
                    changes.clear();
                }
            }
            ReadingKind::Press { .. } if !clockless => changes.clear(),
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
    let mut after_rests = (run..changes.len()).filter(|&at| rests(at)).peekable();
    let mut first = after_rests.next().unwrap_or_else(|| exchanged(run));
    while let Some(&next) = after_rests.peek()
        && are_plies_home(&changes[first..next], start)
    {
        first = next;
        after_rests.next();
    }
    // A pawn that comes home was carried there.
    let is_pawn_home = |it: &SquareChange| PAWNS.contains(it.square) && it.is_nearer;
    let is_set_up = occupied == Some(start);
    let brings_pawn_home = is_set_up && changes[first..].iter().any(is_pawn_home);
    let is_put_back = changes.len() - first >= PUT_BACK_MIN || brings_pawn_home;
    // What is more than a ply, as kings that were shown, is none: after the press nothing else can tell.
    if !clockless && first > OF_ONE_PLY_MAX {
        first = 0;
    }
    is_put_back.then(|| changes[first].index)
}

/// Whether pieces went home one by one, the two sides in turn. Hands that put pieces back do not rest after that; pawns cannot go home.
fn are_plies_home(changes: &[SquareChange], start: Bitboard) -> bool {
    let (plies, rest) = changes.as_chunks::<2>();
    let goes_home = |[left, come]: &[SquareChange; 2]| {
        left.square != come.square && start.contains(come.square) && !PAWNS.contains(come.square)
    };
    let is_white = |[_, come]: &[SquareChange; 2]| Bitboard::SOUTH.contains(come.square);
    let in_turn = plies.is_sorted_by(|one, other| is_white(one) != is_white(other));
    rest.is_empty() && in_turn && plies.iter().all(goes_home)
}

/// A change of a square.
struct SquareChange {
    /// Its reading's.
    index: usize,
    t_us: u64,
    square: Square,
    /// Whether it brings the board nearer to the start.
    is_nearer: bool,
}
