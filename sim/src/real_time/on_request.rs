//! Tables that play when somebody asks for it: for days whose order is decided while they go on.

use std::collections::VecDeque;

use super::{config::HallMatch, table::PlayingTable};
use crate::{RecordedGame, SimError, device::Timed};

/// Stimuli of a table's boards, and of its clocks.
pub(super) type Stimuli = [[Vec<Timed>; 2]; 2];

/// A table, and the games that it has not played yet.
pub(super) struct WaitingTable {
    playing: PlayingTable,
    games: VecDeque<RecordedGame>,
    /// Number of stimuli that the devices have, as in [`Stimuli`].
    sent: [[usize; 2]; 2],
}

impl WaitingTable {
    pub(super) fn new(playing: PlayingTable, games: &[RecordedGame]) -> WaitingTable {
        WaitingTable { playing, games: games.iter().cloned().collect(), sent: [[0; 2]; 2] }
    }

    /// Decides how the pieces are put back for the next match; `None` without a game.
    pub(super) fn put_back(&mut self, from_us: u64) -> Result<Option<()>, SimError> {
        let Some(game) = self.games.front() else { return Ok(None) };
        self.playing.put_back(game, from_us).map(Some)
    }

    /// Decides how the next match is played; `None` without a game.
    pub(super) fn play(&mut self, from_us: u64) -> Result<Option<HallMatch>, SimError> {
        let Some(game) = self.games.pop_front() else { return Ok(None) };
        self.playing.play(&game, from_us)?;
        Ok(self.playing.timeline().matches.last().cloned())
    }

    /// What was decided since the last call.
    pub(super) fn new_stimuli(&mut self) -> Stimuli {
        let timeline = self.playing.timeline();
        let mut all = Stimuli::default();
        for (kind, of_kind) in [&timeline.boards, &timeline.clocks].into_iter().enumerate() {
            for (board, stimuli) in of_kind.iter().enumerate() {
                let sent = std::mem::replace(&mut self.sent[kind][board], stimuli.len());
                all[kind][board] = stimuli.iter().skip(sent).copied().collect();
            }
        }
        all
    }
}
