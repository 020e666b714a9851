//! `displaced-pieces`: pieces that a ply did not concern were knocked off their squares.
//!
//! Serves the rules by which the culprit puts them back on the own time, and by which the opponent may press
//! without a move meanwhile (`us-chess-bughouse-2018 17`, the same number of the other bughouse books,
//! `us-chess-blitz-2020 9`, `nc-blitz 9`). Several pieces that leave their squares at once were not lifted: one hand
//! needs longer from piece to piece.

use rules::{Bitboard, Square};

use super::{Finding, history::Absence, seen::Seen};
use crate::{answer::SegmentAnswer, output::AnomalyCode, trellis::Layer};

/// Pieces that leave their squares within this time, microseconds, fell: a hand goes from one to the next in 150 ms
/// at the least.
const FALL_US: u64 = 120_000;
/// Two pieces may have been lifted by two hands.
const TWO_PIECES: f64 = 0.93;
/// More are no chance.
const MORE_PIECES: f64 = 0.99;

/// Pieces that fell together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fall {
    pub(super) t_us: u64,
    pub(super) pieces: Vec<Absence>,
}

impl Fall {
    /// The probability that it was an accident.
    pub(super) fn confidence(&self) -> f64 {
        if self.pieces.len() > 2 { MORE_PIECES } else { TWO_PIECES }
    }

    /// The squares, in words.
    pub(super) fn squares(&self) -> String {
        let names: Vec<String> =
            self.pieces.iter().map(|fallen| fallen.square.to_string()).collect();
        names.join(", ")
    }
}

/// The pieces that fell together between two presses, if any did: the most there are.
pub(super) fn fall(layer: &Layer, answer: &SegmentAnswer, seen: Seen<'_>) -> Option<Fall> {
    let meant = seen.meant(answer);
    let standing = seen.scene.occupied() & !meant;
    let absences = seen.history.absences(standing, seen.scene.begun_us, layer.t_us);
    let mut most: &[Absence] = &[];
    for first in 0..absences.len() {
        let soon = absences[first..]
            .iter()
            .take_while(|later| later.lifted_us <= absences[first].lifted_us + FALL_US)
            .count();
        if soon > most.len() {
            most = &absences[first..first + soon];
        }
    }
    let squares: Bitboard = most.iter().map(|absence| absence.square).collect();
    (squares.count() >= 2).then(|| Fall { t_us: most[0].lifted_us, pieces: most.to_vec() })
}

/// Whether another piece that no ply was meant for left its square together with this one.
pub(super) fn fell_together(seen: Seen<'_>, meant: Bitboard, absence: Absence) -> bool {
    let others = (seen.scene.occupied() & !meant).without(absence.square);
    let from_us = absence.lifted_us.saturating_sub(FALL_US);
    seen.history
        .between(from_us, absence.lifted_us + FALL_US)
        .any(|event| !event.occupied && others.contains(event.square))
}

/// A finding for pieces that fell between two presses.
pub(super) fn displaced_pieces(
    layer: &Layer,
    answer: &SegmentAnswer,
    seen: Seen<'_>,
) -> Option<Finding> {
    let fall = fall(layer, answer, seen)?;
    let side = answer.plies.last().map(|ply| ply.side).or(layer.presser);
    let standing: Vec<Square> = fall
        .pieces
        .iter()
        .filter(|fallen| fallen.filled_us.is_some())
        .map(|fallen| fallen.square)
        .collect();
    Some(Finding {
        code: AnomalyCode::DisplacedPieces,
        side,
        t_us: fall.t_us,
        confidence: fall.confidence(),
        slot: None,
        reason: None,
        evidence: format!(
            "{} pieces on board {} left their squares at once ({}) without being part of a ply; {} of them \
             stood again when the clock was pressed.",
            fall.pieces.len(),
            layer.board,
            fall.squares(),
            standing.len(),
        ),
    })
}
