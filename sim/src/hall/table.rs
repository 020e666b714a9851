//! A table's afternoon: its matches one after the other, as a timeline for each of its devices.

use rules::{Bitboard, BoardId, Color, Square, bpgn::BpgnGame};

use super::{HallConfig, HallMatch};
use crate::{
    SimError,
    chance::{Chance, Topic, between_ms},
    contact::{self, Act, Change, Stand},
    device::{Stimulus, Timed, board_timeline, clock_timeline, side},
    perform::{header, script},
    profile::Profile,
    script::Script,
};

/// How long the pieces stay after a match before somebody sets them up anew.
const STAY_US: u64 = 6_000_000;
/// From the pieces standing and the clock being set to the beginning of the next match's trace.
const SETTLE_US: u64 = 2_000_000;

/// What happens to the devices of one table.
pub(super) struct TableTimeline {
    /// Contacts of each board.
    pub(super) boards: [Vec<Timed>; 2],
    /// What is done to each clock.
    pub(super) clocks: [Vec<Timed>; 2],
    /// Time the clocks are set to at first, milliseconds.
    pub(super) base_ms: u32,
    pub(super) matches: Vec<HallMatch>,
    /// When the last match is over.
    pub(super) end_us: u64,
}

/// Plays the games on table `number` one after the other; the first begins at `begin_us`.
pub(super) fn timeline(
    config: &HallConfig,
    number: usize,
    games: &[&BpgnGame],
    begin_us: u64,
) -> Result<TableTimeline, SimError> {
    let mut table = TableTimeline {
        boards: [Vec::new(), Vec::new()],
        clocks: [Vec::new(), Vec::new()],
        base_ms: 0,
        matches: Vec::new(),
        end_us: 0,
    };
    let mut begin_us = begin_us;
    let mut standing: Option<[Bitboard; 2]> = None;
    for (index, game) in games.iter().enumerate() {
        let match_id = format!("table{number}-match{}", index + 1);
        let script = script(game, config.profile, config.seed, &match_id)?;
        let base_ms = script.base_s.saturating_mul(1000);
        match standing {
            None => table.base_ms = base_ms,
            Some(standing) => {
                let chance = Chance::new(config.seed, &match_id, Profile::Ideal);
                begin_us = table.set_up(&script, standing, base_ms, begin_us + STAY_US, &chance);
            }
        }
        for board in BoardId::ALL {
            let of_board = &script.boards[board.index()];
            table.boards[board.index()].extend(board_timeline(of_board, begin_us));
            table.clocks[board.index()].extend(clock_timeline(of_board, begin_us));
        }
        standing = Some(BoardId::ALL.map(|board| left_standing(&script, board)));
        let end_us = begin_us + script.end_us;
        table.matches.push(HallMatch {
            table: number,
            match_id,
            begin_us,
            end_us,
            header: header(&script),
            truth: script.truth,
        });
        begin_us = end_us;
    }
    table.end_us = begin_us;
    Ok(table)
}

/// The contacts that are closed when a match is over.
fn left_standing(script: &Script, board: BoardId) -> Bitboard {
    let of_board = &script.boards[board.index()];
    of_board.edges.iter().fold(of_board.initial, |mut closed, edge| {
        if edge.closed {
            closed.add(edge.square);
        } else {
            closed.discard(edge.square);
        }
        closed
    })
}

impl TableTimeline {
    /// Pieces are cleared and set up anew, clocks set; when the next match's trace begins.
    fn set_up(
        &mut self,
        script: &Script,
        standing: [Bitboard; 2],
        base_ms: u32,
        from_us: u64,
        chance: &Chance,
    ) -> u64 {
        let mut ready_us = from_us;
        for board in BoardId::ALL {
            let mut rng = chance.topic(board, 2, Topic::Ceremony);
            let mut now_us = from_us + between_ms(&mut rng, 0, 2_000);
            let mut acts = Vec::new();
            let standing = standing[board.index()];
            for square in standing {
                acts.push(Act { t_us: now_us, square, change: Change::Lift });
                now_us += between_ms(&mut rng, 40, 200);
            }
            for square in set_up_order(script.boards[board.index()].initial) {
                let change = Change::Put(Stand::Centred);
                acts.push(Act { t_us: now_us, square, change });
                now_us += between_ms(&mut rng, 80, 350);
            }
            let contacts = contact::edges(standing, acts, chance, board);
            self.boards[board.index()].extend(
                contacts
                    .into_iter()
                    .map(|edge| (edge.t_us, Stimulus::Contact(edge.square, edge.closed))),
            );
            now_us += between_ms(&mut rng, 500, 1_500);
            // The lever is put so that Black can start the match, and then the clock is set.
            self.clocks[board.index()].extend([
                (now_us, Stimulus::Lever(side(Color::White))),
                (now_us + 1_000_000, Stimulus::Set(base_ms)),
            ]);
            ready_us = ready_us.max(now_us + 1_000_000);
        }
        ready_us + SETTLE_US
    }
}

/// Back ranks first, then pawns, as most people set up.
fn set_up_order(initial: Bitboard) -> Vec<Square> {
    let mut squares: Vec<Square> = initial.into_iter().collect();
    squares.sort_by_key(|square| (square.rank() as u8).min(7 - square.rank() as u8));
    squares
}
