//! ```text
//! spare(seat, layer) = max(0, SUM over earlier layers of E[captures of the partner] - drops of the player)
//! ```
//!
//! The pieces that a player may have got without anybody knowing their types: what the partner
//! captured, whatever it was, less what the player has dropped. A drop beyond them cannot be a
//! capture that was taken for another.

use rules::{BoardId, Color, Seat};

use crate::answers::marginals::SegmentEstimate;

/// What one layer adds to the supply.
#[derive(Clone, Copy, Debug)]
struct LayerSupply {
    board: BoardId,
    /// Expected captures of each side, White first.
    captures: [f64; 2],
    /// Drops of each side, White first.
    drops: [f64; 2],
}

/// Captures and drops as they are believed now, by layer. Their number is that of the layers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SupplyHistory {
    layers: Vec<Option<LayerSupply>>,
}

impl SupplyHistory {
    /// Replaces what was believed of a layer.
    pub(crate) fn note(&mut self, layer: usize, board: BoardId, answer: &SegmentEstimate) {
        if self.layers.len() <= layer {
            self.layers.resize(layer + 1, None);
        }
        let mut drops = [0.0; 2];
        for ply in answer.plies.iter().filter(|ply| ply.ply.is_drop()) {
            drops[usize::from(ply.side.is_black())] += 1.0;
        }
        self.layers[layer] = Some(LayerSupply { board, captures: answer.captures, drops });
    }

    /// Expected pieces that the player of `color` at `board` may hold before a layer.
    pub(crate) fn spare(&self, layer: usize, board: BoardId, color: Color) -> f64 {
        let partner = Seat { board, color }.partner();
        let mut spare = 0.0;
        for of in self.layers.iter().take(layer).flatten() {
            if of.board == partner.board {
                spare += of.captures[usize::from(partner.color.is_black())];
            } else {
                spare -= of.drops[usize::from(color.is_black())];
            }
        }
        spare.max(0.0)
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.layers.capacity() * size_of::<Option<LayerSupply>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_may_hold_what_the_partner_captured_less_what_was_dropped() {
        let mut history = SupplyHistory::default();
        let captured = SegmentEstimate { captures: [0.0, 1.5], ..SegmentEstimate::default() };
        history.note(1, BoardId::B, &captured);
        // White of A is the partner of Black of B.
        assert_eq!(history.spare(1, BoardId::A, Color::White), 0.0);
        assert_eq!(history.spare(2, BoardId::A, Color::White), 1.5);
        assert_eq!(history.spare(2, BoardId::A, Color::Black), 0.0);
        history.note(1, BoardId::B, &SegmentEstimate::default());
        assert_eq!(history.spare(2, BoardId::A, Color::White), 0.0);
    }
}
