//! The segments by which hands are judged, each with the position before it as it is believed now.
//!
//! A segment is judged again for as long as the belief about it changes, and later segments rest on its plies. What was
//! captured, and whose piece stood on a square, follows from them. So the position before a segment is that of the
//! likeliest hypothesis when it closed, and it is played anew when an earlier ply is found to be another.

use rules::{BoardId, Color, Ply, Position, Supply};
use smallvec::SmallVec;

use crate::{anomaly::support::context::SegmentContext, answers::marginals::SegmentEstimate};

/// Segments that are kept. Bound: on memory; a match has fewer.
const MAX_SEGMENTS: usize = 8_192;

/// Plies, each with the side that made it.
type Plies = SmallVec<[(Color, Ply); 1]>;

/// One segment.
#[derive(Clone, Debug)]
struct Kept {
    board: BoardId,
    context: SegmentContext,
    /// Whether play went on from the segment before it on its board: no position was put right in between.
    goes_on: bool,
    /// Its plies as last believed; none before it is judged for the first time.
    plies: Option<Plies>,
}

/// The segments of a match, by layer of the trellis.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    kept: Vec<Option<Kept>>,
    goes_on: [bool; 2],
    supply: Supply,
}

impl Segments {
    /// None yet.
    pub(super) const fn new(supply: Supply) -> Segments {
        Segments { kept: Vec::new(), goes_on: [true; 2], supply }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        *self = Segments::new(self.supply);
    }

    /// Keeps a segment of `board` that is about to become `layer`.
    pub(super) fn keep(&mut self, layer: usize, board: BoardId, context: SegmentContext) {
        if layer >= MAX_SEGMENTS {
            return;
        }
        self.kept.resize(self.kept.len().max(layer + 1), None);
        let goes_on = std::mem::replace(&mut self.goes_on[board.index()], true);
        self.kept[layer] = Some(Kept { board, context, goes_on, plies: None });
    }

    /// The position of `board` was changed without a ply.
    pub(super) fn put_right(&mut self, board: BoardId) {
        self.goes_on[board.index()] = false;
    }

    /// The segment of a layer.
    pub(super) fn get(&self, layer: usize) -> Option<&SegmentContext> {
        self.kept.get(layer)?.as_ref().map(|kept| &kept.context)
    }

    /// Takes the plies that are believed in a layer now. If they are others than before, the positions of the later
    /// segments of its board follow.
    pub(super) fn believe(&mut self, layer: usize, answer: &SegmentEstimate) {
        let Some(Some(kept)) = self.kept.get_mut(layer) else { return };
        let plies: Plies = answer.plies.iter().map(|ply| (ply.side, ply.ply)).collect();
        if kept.plies.as_ref() == Some(&plies) {
            return;
        }
        if kept.plies.replace(plies).is_none() {
            // No later segment of this board has been closed yet.
            return;
        }
        let (board, supply) = (kept.board, self.supply);
        let mut after = kept.after(supply);
        let later = self.kept[layer + 1..].iter_mut().flatten().filter(|kept| kept.board == board);
        for kept in later.take_while(|kept| kept.goes_on) {
            kept.context.position = after;
            after = kept.after(supply);
        }
    }

    /// Memory taken, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.kept.capacity() * size_of::<Option<Kept>>()
    }
}

impl Kept {
    /// The position after its plies.
    fn after(&self, supply: Supply) -> Position {
        let plies = self.plies.iter().flatten();
        plies.fold(self.context.position.clone(), |position, &(side, ply)| {
            let mut position = position.with_turn(side);
            position.play_with(ply, supply);
            position
        })
    }
}

#[cfg(test)]
mod tests {
    use rules::Square;

    use super::*;
    use crate::answers::marginals::PlyEstimate;

    fn answer(plies: &[&str]) -> SegmentEstimate {
        let ply = |(at, ply): (usize, &&str)| PlyEstimate {
            ply: ply.parse().expect("a ply"),
            side: if at % 2 == 0 { Color::White } else { Color::Black },
            p: 1.0,
            t_us: 0,
            landed_us: 0,
            legal: true,
            illegal: None,
            captures: false,
            alternatives: Vec::new(),
        };
        let plies = plies.iter().enumerate().map(ply).collect();
        SegmentEstimate { plies, ..SegmentEstimate::default() }
    }

    /// Three segments of board A, the middle one of which is believed otherwise later.
    fn revised(put_right: bool) -> Segments {
        let mut segments = Segments::new(Supply::Partner);
        let mut position = Position::initial();
        for (layer, ply) in ["e2e4", "b1c3", "g1f3"].into_iter().enumerate() {
            let context = SegmentContext {
                begun_us: 0,
                position: position.clone(),
                near_since_us: None,
                hands_seen: false,
            };
            if layer == 2 && put_right {
                segments.put_right(BoardId::A);
            }
            segments.keep(layer, BoardId::A, context);
            segments.believe(layer, &answer(&[ply]));
            position = position.with_turn(Color::White);
            position.play(ply.parse().expect("a ply"));
        }
        segments.believe(1, &answer(&["b1a3"]));
        segments
    }

    #[test]
    fn the_position_before_a_segment_follows_what_is_believed_of_earlier_plies() {
        let segments = revised(false);
        let before = |layer: usize| &segments.get(layer).expect("kept").position;
        assert!(
            before(2).piece_at(Square::A3).is_some() && before(2).piece_at(Square::C3).is_none()
        );
        assert!(before(2).piece_at(Square::E4).is_some());
        assert!(before(1).piece_at(Square::B1).is_some(), "its own plies come after it");
    }

    #[test]
    fn a_position_that_was_put_right_stands_whatever_is_believed_of_earlier_plies() {
        let segments = revised(true);
        let before = &segments.get(2).expect("kept").position;
        assert!(before.piece_at(Square::C3).is_some() && before.piece_at(Square::A3).is_none());
    }
}
