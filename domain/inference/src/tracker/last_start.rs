//! The last match of a trace in which a table started over.
//!
//! Children start over when somebody had the wrong colour or a clock ran the wrong way. The plies
//! until then belong to no match. A hub opens a match of its own for the new start. A trace that
//! holds both is cut here, so that a tracker follows one match only.

use std::collections::BTreeMap;

use readings::{Occupancy, Reading, ReadingKind, TraceHeader};
use rules::{BoardId, Color};

use crate::sensing::{
    board_input::{BoardInput, Phase},
    clock::DisplayReading,
};

/// The readings of the match that was started last: what each sensor showed when it started, and
/// everything since.
///
/// A match starts over when a clock is started while both boards stand as before the first ply, its
/// own clock at the full time, after play was stopped there. If the other board is in the middle of
/// a stopped game, that game goes on. Of one match all readings are returned.
#[must_use]
pub fn since_last_start<'a>(header: &TraceHeader, readings: &'a [Reading]) -> Vec<&'a Reading> {
    let base_ms = i64::from(header.base_s) * 1_000;
    let mut boards = BoardId::ALL.map(|board| BoardInput::new(header, board));
    let mut start = 0;
    for (at, reading) in readings.iter().enumerate() {
        let Some(board) = reading.board.filter(|board| header.boards.contains_key(board)) else {
            continue;
        };
        let [input, other] = [board, board.other()].map(|board| &boards[board.index()]);
        if starts_a_clock(input, &reading.kind) && is_put_back(input, base_ms) && waits(other) {
            start = at;
            boards.iter_mut().for_each(|input| input.phase = Phase::BeforeStart);
        }
        take(&mut boards[board.index()], reading);
    }
    let mut kept = last_of_each_sensor(&readings[..start]);
    kept.extend(&readings[start..]);
    kept
}

/// Whether a reading starts White's clock.
fn starts_a_clock(input: &BoardInput, kind: &ReadingKind) -> bool {
    match kind {
        ReadingKind::Press { by } => *by == Color::Black,
        ReadingKind::Clock { running, .. } => {
            *running == Some(Color::White) && input.clock.running().is_none()
        }
        _ => false,
    }
}

fn is_set_up(input: &BoardInput) -> bool {
    input.segment.now == Occupancy::INITIAL.0
}

/// Whether a stopped game is set up again: initial squares, and both clocks at the full time `base_ms`.
fn is_put_back(input: &BoardInput, base_ms: i64) -> bool {
    let is_full = |ms: Option<i64>| ms.is_some_and(|ms| ms >= base_ms);
    input.phase == Phase::Stopped
        && is_set_up(input)
        && input.clock.running().is_none()
        && input.clock.left_ms(0).into_iter().all(is_full)
}

/// Whether a board has no play and its pieces are as before the first ply.
fn waits(input: &BoardInput) -> bool {
    input.phase == Phase::BeforeStart || input.phase == Phase::Stopped && is_set_up(input)
}

/// Takes a reading as far as it shows a start.
fn take(input: &mut BoardInput, reading: &Reading) {
    match &reading.kind {
        ReadingKind::Square { .. } => {
            input.read_square(reading.t_us, &reading.kind);
        }
        ReadingKind::Snapshot { occupied, squares } => {
            input.read_snapshot(reading.t_us, *occupied, squares.as_deref());
        }
        ReadingKind::Press { by } => {
            input.clock.press(reading.t_us, *by);
            input.phase = Phase::Playing;
        }
        ReadingKind::Clock { white_ms, black_ms, running } => {
            let left_ms = [*white_ms, *black_ms];
            input.clock.shown = Some(DisplayReading::new(reading.t_us, left_ms, *running));
            match (running, input.phase) {
                (Some(_), _) => input.phase = Phase::Playing,
                (None, Phase::Playing) => input.phase = Phase::Stopped,
                _ => {}
            }
        }
        _ => {}
    }
}

/// The last reading of each sensor that shows a state, in the order of time.
fn last_of_each_sensor(readings: &[Reading]) -> Vec<&Reading> {
    let mut last = BTreeMap::new();
    for (at, reading) in readings.iter().enumerate() {
        let sensor = match &reading.kind {
            ReadingKind::Snapshot { .. } => (0, 0, false),
            ReadingKind::Square { square, .. } => (1, square.to_u32(), false),
            ReadingKind::Clock { .. } => (2, 0, false),
            ReadingKind::Tray { side, slot, .. } => (3, u32::from(*slot), side.is_white()),
            ReadingKind::Tilt { .. } => (4, 0, false),
            ReadingKind::Hand { side, .. } => (5, 0, side.is_white()),
            ReadingKind::Press { .. } | ReadingKind::Gap { .. } | ReadingKind::End => continue,
        };
        last.insert((reading.board, sensor), at);
    }
    let mut kept: Vec<usize> = last.into_values().collect();
    kept.sort_unstable();
    kept.into_iter().map(|at| &readings[at]).collect()
}
