//! The press contexts of all segments, by the layer of the trellis that each segment became.

use rules::{BoardId, Color};

use super::evidence::PressContext;

/// Layers for which a context is kept. Bound: on memory; a match has fewer segments.
const MAX_LAYERS: usize = 8_192;

/// The segment that a board closed last.
#[derive(Clone, Copy, Debug)]
struct Last {
    layer: usize,
    presser: Option<Color>,
    t_us: u64,
    /// Time since the press before it, microseconds, if that was the other player's.
    after_us: Option<u64>,
}

/// One board's part.
#[derive(Clone, Debug, Default)]
struct OfBoard {
    last: Option<Last>,
}

/// The press contexts of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct PressNotes {
    layers: Vec<Note>,
    boards: [OfBoard; 2],
}

#[derive(Clone, Debug, Default)]
struct Note {
    evidence: PressContext,
    /// The layer before it on its board.
    previous: Option<usize>,
    /// Probability, as believed now, that its press had no ply.
    bare: f64,
}

impl PressNotes {
    /// Keeps the context of a segment of `board` that became `layer` and ended at `t_us`, microseconds, by
    /// `presser`'s press.
    pub(crate) fn close(
        &mut self,
        layer: usize,
        board: BoardId,
        presser: Option<Color>,
        t_us: u64,
    ) {
        if layer >= MAX_LAYERS {
            return;
        }
        self.layers.resize_with(self.layers.len().max(layer + 1), Note::default);
        let of_board = &mut self.boards[board.index()];
        let previous_press =
            of_board.last.and_then(|last| last.presser.map(|presser| (presser, last.t_us)));
        let previous_after_us = of_board.last.and_then(|last| last.after_us);
        let evidence =
            PressContext { previous_press, previous_after_us, ..PressContext::default() };
        let others = previous_press.filter(|(by, _)| presser.is_some_and(|now| now != *by));
        let after_us = others.map(|(_, before_us)| t_us.saturating_sub(before_us));
        let previous = of_board.last.map(|last| last.layer);
        if let Some(note) = previous.and_then(|previous| self.layers.get_mut(previous)) {
            note.evidence.next_press = presser.map(|presser| (presser, t_us));
        }
        self.layers[layer] = Note { evidence, previous, bare: 0.0 };
        of_board.last = Some(Last { layer, presser, t_us, after_us });
    }

    /// The context of a layer, for its detectors. `bare`: the present probability that the layer's press had no ply.
    pub(crate) fn judge(&mut self, layer: usize, bare: f64) -> Option<&PressContext> {
        let previous = self.layers.get(layer)?.previous;
        let previous_was_bare =
            previous.and_then(|previous| self.layers.get(previous)).map_or(0.0, |note| note.bare);
        let note = self.layers.get_mut(layer)?;
        note.bare = bare;
        note.evidence.previous_was_bare = previous_was_bare;
        Some(&note.evidence)
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.layers.capacity() * size_of::<Note>()
    }
}
