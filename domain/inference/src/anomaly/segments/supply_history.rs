//! ```text
//! spare(seat, layer) = max(0, SUM over earlier layers of E[captures of the partner] - drops of the player)
//! ```
//!
//! Captures and drops of a match as they are believed.
//!
//! The pieces that a player may have got without anybody knowing their types: what the partner
//! captured, whatever it was, less what the player has dropped. A drop beyond them cannot be a
//! capture that was taken for another. The type of a dropped piece is inferred, and that of others
//! is known from the set-up; so it matters of a piece whether it was dropped.

use rules::{BoardId, Color, Ply, Seat, Square};

use crate::answers::marginals::SegmentEstimate;

/// Contribution of one layer to the supply.
#[derive(Clone, Debug)]
struct LayerSupply {
    board: BoardId,
    /// Expected captures of each side, White first.
    captures: [f64; 2],
    plies: Vec<(Color, Ply)>,
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
        let plies = answer.plies.iter().map(|ply| (ply.side, ply.ply)).collect();
        self.layers[layer] = Some(LayerSupply { board, captures: answer.captures, plies });
    }

    /// Expected pieces that the player of `color` at `board` may hold before a layer.
    pub(crate) fn spare(&self, layer: usize, board: BoardId, color: Color) -> f64 {
        let partner = Seat { board, color }.partner();
        let mut spare = 0.0;
        for of in self.layers.iter().take(layer).flatten() {
            if of.board == partner.board {
                spare += of.captures[usize::from(partner.color.is_black())];
            } else {
                let drops = of.plies.iter().filter(|(side, ply)| *side == color && ply.is_drop());
                spare -= drops.count() as f64;
            }
        }
        spare.max(0.0)
    }

    /// Whether the piece of a side that stands on this square before a layer was dropped.
    pub(crate) fn was_dropped(
        &self,
        layer: usize,
        (board, color): (BoardId, Color),
        mut on: Square,
    ) -> bool {
        let layers = self.layers.iter().take(layer).rev().flatten().filter(|of| of.board == board);
        let own = layers.flat_map(|of| of.plies.iter().rev()).filter(|made| made.0 == color);
        for (_, ply) in own {
            if ply.to() == on {
                match ply.from() {
                    Some(from) => on = from,
                    None => return true,
                }
            }
        }
        false
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let plies = self.layers.iter().flatten().map(|of| of.plies.capacity()).sum::<usize>();
        self.layers.capacity() * size_of::<Option<LayerSupply>>()
            + plies * size_of::<(Color, Ply)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::marginals::PlyEstimate;

    #[test]
    fn dropped_piece_is_known_on_the_squares_that_it_moves_to() {
        let mut history = SupplyHistory::default();
        for (layer, uci) in ["N@e4", "g1f3", "e4c5"].into_iter().enumerate() {
            let ply = PlyEstimate {
                ply: uci.parse().expect("a ply"),
                side: Color::White,
                p: 1.0,
                t_us: 7,
                landed_us: 7,
                legal: true,
                illegal: None,
                captured: None,
                is_unsupplied: false,
                claimed: 0.0,
                alternatives: Vec::new(),
            };
            let answer = SegmentEstimate { plies: vec![ply], ..SegmentEstimate::default() };
            history.note(layer, BoardId::A, &answer);
        }
        let dropped = |layer, on| history.was_dropped(layer, (BoardId::A, Color::White), on);
        assert!(dropped(1, Square::E4) && dropped(3, Square::C5));
        assert!(!dropped(3, Square::F3) && !dropped(0, Square::E4));
        assert!(!history.was_dropped(3, (BoardId::A, Color::Black), Square::C5));
    }

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
