//! The segments by which hands are judged, each with the position before it as it is believed now.
//!
//! A segment is judged again for as long as the belief about it changes, and later segments rest on
//! its plies. Captures, and the owners of pieces on squares, follow from them. So the
//! position before a segment is that of the likeliest hypothesis when it closed, and it is played
//! again when an earlier ply is found to be another.

use std::collections::BTreeMap;

use rules::{BoardId, Color, Ply, Position, Square, Supply};

use crate::{
    answers::marginals::{PlyEstimate, SegmentEstimate},
    sensing::hand_at_clock::SeenFrom,
};

/// Facts about a segment, kept for as long as its findings may change.
#[derive(Clone, Debug)]
pub(crate) struct JudgedSegment {
    pub(crate) board: BoardId,
    /// The board's press before the segment, or the beginning of play, microseconds.
    pub(crate) begun_us: u64,
    /// The player who pressed at its end and when, microseconds; none if the clock was stopped.
    pub(crate) press: Option<(Color, u64)>,
    /// The position before the segment, as believed now.
    pub(crate) position: Position,
    /// Time since which the presser's hand had been near the clock at the press, microseconds; none if
    /// the clock did not see it.
    pub(crate) near_since_us: Option<u64>,
    /// On which sides of the clock that hand had been seen at the press; none if the clock does not tell.
    pub(crate) seen_from: Option<SeenFrom>,
    /// Whether the clock has reported hands at all.
    pub(crate) hands_seen: bool,
    /// Whether play went on from the segment before it on its board: no position was put right in between.
    pub(crate) goes_on: bool,
    /// Its plies as last believed, each with the side that made it.
    pub(crate) plies: Vec<(Color, Ply)>,
    /// Probability, as believed now, that its press had no ply.
    pub(crate) bare: f64,
}

/// The presses around one segment of one board.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PressContext {
    /// The press before it on this board: player and time, microseconds.
    pub(crate) previous_press: Option<(Color, u64)>,
    /// The press after it on this board, if there was one yet: player and time, microseconds.
    pub(crate) next_press: Option<(Color, u64)>,
    /// Probability, as believed now, that the press before it had no ply.
    pub(crate) previous_was_bare: f64,
    /// Time from the press before that one to the press before the segment, microseconds, if the
    /// two players differ.
    pub(crate) previous_after_us: Option<u64>,
}

/// JudgedSegments of each board that are kept before the first one that can still be judged: those by
/// whose presses it is judged. Rule: [`PressContext`] has two.
const KEPT_BEFORE: usize = 2;

/// The segments of a match by layer of the trellis, as long as they can be judged again: no more
/// than the trellis has open layers, and [`KEPT_BEFORE`] of each board.
#[derive(Clone, Debug)]
pub(crate) struct JudgedSegments {
    pub(crate) kept: BTreeMap<usize, JudgedSegment>,
    pub(crate) supply: Supply,
}

impl JudgedSegments {
    /// Takes what is believed of a layer now. If its plies are others than before, the positions of
    /// the later segments of its board follow.
    pub(crate) fn believe(&mut self, layer: usize, answer: &SegmentEstimate) {
        let Some(kept) = self.kept.get_mut(&layer) else { return };
        kept.bare = answer.press_without_move;
        let plies: Vec<_> = answer.plies.iter().map(|ply| (ply.side, ply.ply)).collect();
        if kept.plies == plies {
            return;
        }
        kept.plies = plies;
        let (board, mut after) = (kept.board, kept.after(self.supply));
        let later = self.kept.range_mut(layer + 1..).map(|(_, kept)| kept);
        let later = later.filter(|kept| kept.board == board);
        for kept in later.take_while(|kept| kept.goes_on) {
            kept.position = after;
            after = kept.after(self.supply);
        }
    }

    /// Forgets the segments before this layer that nothing is judged by any more.
    pub(crate) fn forget_before(&mut self, layer: usize) {
        for board in BoardId::ALL {
            let earlier = self.kept.range(..layer).rev();
            let mut of_board = earlier.filter(|(_, kept)| kept.board == board);
            let last = of_board.nth(KEPT_BEFORE - 1).map_or(0, |(&at, _)| at);
            self.kept.retain(|&at, kept| kept.board != board || at >= last);
        }
    }

    /// The presses around the segment of a layer of this board.
    pub(crate) fn presses_around(&self, layer: usize, board: BoardId) -> PressContext {
        let on_board = |kept: &&JudgedSegment| kept.board == board;
        let earlier = self.kept.range(..layer).rev().map(|(_, kept)| kept);
        let mut later = self.kept.range(layer + 1..).map(|(_, kept)| kept);
        let (mut before, next) = (earlier.filter(on_board), later.find(on_board));
        let (previous, earlier) = (before.next(), before.next());
        let press = |of: Option<&JudgedSegment>| of.and_then(|kept| kept.press);
        let other = press(earlier).zip(press(previous)).filter(|(a, b)| a.0 != b.0);
        PressContext {
            previous_press: press(previous),
            next_press: press(next),
            previous_was_bare: previous.map_or(0.0, |kept| kept.bare),
            previous_after_us: other.map(|(earlier, press)| press.1.saturating_sub(earlier.1)),
        }
    }
}

impl JudgedSegment {
    /// Each ply with the position before it.
    pub(crate) fn replayed<'a>(
        &self,
        answer: &'a SegmentEstimate,
    ) -> impl Iterator<Item = (&'a PlyEstimate, Position)> {
        let mut position = self.position.clone();
        answer.plies.iter().map(move |ply| {
            let before = position.clone().with_turn(ply.side);
            position = before.clone();
            position.play(ply.ply);
            (ply, before)
        })
    }

    /// The squares that a castling rook leaves and reaches, if the ply castles.
    pub(crate) fn castling_rook(&self, ply: Ply) -> Option<(Square, Square)> {
        self.position.clone().play(ply).castling_rook
    }

    /// The position after its plies.
    fn after(&self, supply: Supply) -> Position {
        let mut position = self.position.clone();
        for &(side, ply) in &self.plies {
            position = position.with_turn(side);
            position.play_with(ply, supply);
        }
        position
    }
}
