//! What has been observed of a match beside its plies, board by board, and what is made of it.

use rules::{Bitboard, BoardId, Color};

use super::{
    Finding, Hands, History, Scene, Seen, clock_hand, displaced_pieces, press_after_displacing,
    touch_move,
};
use crate::{answer::SegmentAnswer, segment::SquareEvent, trellis::Layer};

/// Segments of which scenes are kept: as many as a match has.
const MAX_SCENES: usize = 8_192;

/// One board.
#[derive(Clone, Debug, Default)]
struct OfBoard {
    history: History,
    hands: Hands,
    /// The last press, or the beginning of play, microseconds.
    press_us: Option<u64>,
    /// Since when each player's hand has been near the clock.
    near_since_us: [Option<u64>; 2],
    hands_seen: bool,
}

/// What a match's boards have shown.
#[derive(Clone, Debug)]
pub(crate) struct Observer {
    boards: [OfBoard; 2],
    /// By layer of the trellis.
    scenes: Vec<Scene>,
    /// The first layer that the hands have not been learnt from.
    unlearnt: usize,
    both_hands_when_castling: bool,
}

impl Observer {
    /// Before a match under `rulebook`.
    pub(crate) fn new(rulebook: &str) -> Observer {
        Observer {
            boards: Default::default(),
            scenes: Vec::new(),
            unlearnt: 0,
            both_hands_when_castling: !ONE_HAND_ALWAYS.contains(&rulebook),
        }
    }

    /// A square has changed.
    pub(crate) fn square(&mut self, board: BoardId, event: SquareEvent) {
        self.boards[board.index()].history.note(event);
    }

    /// A hand has come near the clock, or left it.
    pub(crate) fn hand(&mut self, board: BoardId, t_us: u64, side: Color, near: bool) {
        let of_board = &mut self.boards[board.index()];
        of_board.hands_seen = true;
        of_board.near_since_us[usize::from(side.is_black())] = near.then_some(t_us);
    }

    /// Play has begun on a board.
    pub(crate) fn start(&mut self, board: BoardId, t_us: u64) {
        self.boards[board.index()].press_us.get_or_insert(t_us);
    }

    /// A segment of `board` is about to become `layer`: it ends at `t_us`, by `presser`'s press, and these were
    /// White's and Black's pieces before it.
    pub(crate) fn close(
        &mut self,
        layer: usize,
        board: BoardId,
        presser: Option<Color>,
        t_us: u64,
        pieces: [Bitboard; 2],
    ) {
        if layer >= MAX_SCENES {
            return;
        }
        self.scenes.resize(self.scenes.len().max(layer + 1), Scene::default());
        let of_board = &mut self.boards[board.index()];
        let near = presser.and_then(|by| of_board.near_since_us[usize::from(by.is_black())]);
        self.scenes[layer] = Scene {
            begun_us: of_board.press_us.unwrap_or(t_us),
            pieces,
            near_since_us: near,
            hands_seen: of_board.hands_seen,
        };
        of_board.press_us = Some(t_us);
    }

    /// What is found in a layer, given what is believed about its plies now.
    pub(crate) fn judge(
        &mut self,
        index: usize,
        layer: &Layer,
        answer: &SegmentAnswer,
    ) -> Vec<Finding> {
        let Some(scene) = self.scenes.get(index) else { return Vec::new() };
        let of_board = &mut self.boards[layer.board.index()];
        let OfBoard { history, hands, .. } = &*of_board;
        let both_hands_when_castling = self.both_hands_when_castling;
        let seen = Seen { scene, history, hands, both_hands_when_castling };
        let mut findings = touch_move::touch_moves(layer, answer, seen);
        findings.extend(displaced_pieces::displaced_pieces(layer, answer, seen));
        findings.extend(press_after_displacing::press_after_displacing(layer, answer, seen));
        findings.extend(clock_hand::clock_hand(layer, answer, seen));
        if index >= self.unlearnt {
            self.unlearnt = index + 1;
            let presser = layer.presser.zip(answer.plies.last());
            let own = presser.filter(|(presser, ply)| ply.side == *presser);
            if let Some((player, carried)) =
                own.and_then(|(player, ply)| Some((player, seen.carried(ply, layer.t_us)?)))
            {
                of_board.hands.learn(player, carried);
            }
        }
        findings
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.scenes.capacity() * size_of::<Scene>()
            + self.boards.iter().map(|board| board.history.memory_bytes()).sum::<usize>()
    }
}

/// Books that know no exception from the one-hand rule: `us-chess-blitz-2020 4` has castling with one hand too.
const ONE_HAND_ALWAYS: [&str; 1] = ["us-chess-blitz-2020"];
