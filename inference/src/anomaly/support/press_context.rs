//! The presses around each closed segment of a board, by the layer of the trellis that the segment became.

use rules::{BoardId, Color};

/// Layers for which a press is kept. Bound: on memory; a match has fewer segments.
const MAX_LAYERS: usize = 8_192;

/// The presses around one segment of one board.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PressContext {
    /// The press before it on this board: player and time, microseconds.
    pub(crate) previous_press: Option<(Color, u64)>,
    /// The press after it on this board, if there was one yet: player and time, microseconds.
    pub(crate) next_press: Option<(Color, u64)>,
    /// Probability, as believed now, that the press before it had no ply.
    pub(crate) previous_was_bare: f64,
    /// Time from the press before that one to the press before the segment, microseconds, if the two players differ.
    pub(crate) previous_after_us: Option<u64>,
}

/// The end of one segment.
#[derive(Clone, Copy, Debug, Default)]
struct SegmentEnd {
    /// The player who pressed and when, microseconds; none if the clock was stopped.
    press: Option<(Color, u64)>,
    /// Probability, as believed now, that the press had no ply.
    bare: f64,
    /// The layers before and after it on its board.
    previous: Option<usize>,
    next: Option<usize>,
}

/// The presses of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct PressHistory {
    layers: Vec<SegmentEnd>,
    /// The latest layer of each board.
    last: [Option<usize>; 2],
}

impl PressHistory {
    /// Keeps the end of a segment of `board` that became `layer`: the player who pressed and when, microseconds.
    pub(crate) fn close(&mut self, layer: usize, board: BoardId, press: Option<(Color, u64)>) {
        if layer >= MAX_LAYERS {
            return;
        }
        self.layers.resize(self.layers.len().max(layer + 1), SegmentEnd::default());
        let previous = self.last[board.index()].replace(layer);
        if let Some(previous) = previous {
            self.layers[previous].next = Some(layer);
        }
        self.layers[layer] = SegmentEnd { press, previous, ..SegmentEnd::default() };
    }

    /// The context of a layer. `bare`: the present probability that the layer's own press had no ply.
    pub(crate) fn around(&mut self, layer: usize, bare: f64) -> Option<PressContext> {
        let end = self.layers.get_mut(layer)?;
        end.bare = bare;
        let SegmentEnd { previous, next, .. } = *end;
        let at = |layer: Option<usize>| layer.map_or(SegmentEnd::default(), |at| self.layers[at]);
        let before = at(previous);
        let other = at(before.previous).press.zip(before.press).filter(|(a, b)| a.0 != b.0);
        Some(PressContext {
            previous_press: before.press,
            next_press: at(next).press,
            previous_was_bare: before.bare,
            previous_after_us: other.map(|(earlier, press)| press.1.saturating_sub(earlier.1)),
        })
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.layers.capacity() * size_of::<SegmentEnd>()
    }
}
