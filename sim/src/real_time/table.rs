//! A table's afternoon: its matches one after the other, as a timeline for each of its devices.

use readings::SensorKind;
use rules::{Bitboard, BoardId, Color, Game, Square, TimeControl};

use super::config::{HallConfig, HallMatch};
use crate::devices::CLOCKS_SET_AFTER_US;
use crate::{
    Equipment, RecordedGame, Sensors, SimError,
    chance::{Chance, Topic, between_ms},
    contact::{self, Act, Change, Stand},
    device::{Stimulus, Timed, board_timeline, clock_control, clock_timeline, hall_timeline, side},
    perform::{header, script_with_time},
    players::Players,
    profile::{Behaviour, Profile},
    script::Script,
};

/// Time that the pieces stay after a match before they are set up again.
const STAY_US: u64 = 6_000_000;
/// From the pieces standing to the beginning of the next match's trace.
const SETTLE_US: u64 = 2_000_000;

/// Time between two pieces taken out of a tray after a match: 32 of them are out before the first piece
/// of the next set-up is touched.
const SLOT_CLEARED_US: u64 = 40_000;

/// Stimuli of the devices of one table.
#[derive(Clone)]
pub(super) struct TableTimeline {
    /// Sensors of its boards.
    pub(super) sensors: Sensors,
    /// Time control of its clocks.
    pub(super) time: TimeControl,
    /// Contacts of each board.
    pub(super) boards: [Vec<Timed>; 2],
    /// Stimuli of each clock.
    pub(super) clocks: [Vec<Timed>; 2],
    pub(super) matches: Vec<HallMatch>,
    /// Time at which the clocks have been set again after the last match.
    pub(super) end_us: u64,
}

/// The name of a table's match, both counted from 1.
pub(super) fn match_name(table: usize, number: usize) -> String {
    format!("table{table}-match{number}")
}

/// A table whose matches are played one after the other.
pub(super) struct PlayingTable {
    seed: u64,
    equipment: Equipment,
    number: usize,
    players: Players,
    timeline: TableTimeline,
    /// Time at which the last match was over, or the first may begin.
    free_us: u64,
    /// Squares of the pieces after the last match.
    standing: Option<[Bitboard; 2]>,
}

impl PlayingTable {
    /// Table `number` for games like the first of these, with clocks set as `time` says; its first match begins at `begin_us`.
    ///
    /// # Errors
    ///
    /// Sensors at which that game cannot be played.
    pub(super) fn new(
        config: &HallConfig,
        equipment: Equipment,
        number: usize,
        games: &[RecordedGame],
        begin_us: u64,
        time: &TimeControl,
    ) -> Result<PlayingTable, SimError> {
        let game = games.first().map_or(Game::Bughouse, |game| game.game);
        let timeline = TableTimeline {
            sensors: equipment.sensors.for_game(game)?,
            time: time.clone(),
            boards: [Vec::new(), Vec::new()],
            clocks: [Vec::new(), Vec::new()],
            matches: Vec::new(),
            end_us: 0,
        };
        let players = hall_players(config.profile);
        let (free_us, standing) = (begin_us, None);
        let seed = config.seed;
        Ok(PlayingTable { seed, equipment, number, players, timeline, free_us, standing })
    }

    /// Stimuli of its devices so far.
    pub(super) const fn timeline(&self) -> &TableTimeline {
        &self.timeline
    }

    /// Plays a game, not before `from_us`: the pieces are set up as soon as the last match is over. When it is over.
    ///
    /// # Errors
    ///
    /// A game that cannot be played.
    pub(super) fn play(&mut self, game: &RecordedGame, from_us: u64) -> Result<u64, SimError> {
        let script = self.staged(game)?;
        self.put_back_for(&script, 0);
        let match_id = match_name(self.number, self.timeline.matches.len() + 1);
        let begin_us = self.free_us.max(from_us);
        let table = &mut self.timeline;
        for board in script.sensors.boards() {
            let of_board = &script.boards[board.index()];
            let set = clock_control(&script.time, of_board.display.extra_ms);
            table.clocks[board.index()].push((begin_us, Stimulus::Set(set)));
            table.boards[board.index()].extend(match script.sensors.kind(board) {
                Some(SensorKind::Reed) => board_timeline(of_board, begin_us),
                _ => hall_timeline(of_board, begin_us),
            });
            table.clocks[board.index()].extend(clock_timeline(&script, board, begin_us));
        }
        self.standing = Some(BoardId::ALL.map(|board| left_standing(&script, board)));
        self.free_us = begin_us + script.end_us;
        table.matches.push(HallMatch {
            table: self.number,
            match_id,
            begin_us,
            end_us: self.free_us,
            header: header(&script),
            truth: script.truth,
        });
        Ok(self.free_us)
    }

    /// Sets the pieces up for a game after the last match, not before `from_us`. Nothing happens where they stand already.
    ///
    /// # Errors
    ///
    /// A game that cannot be played.
    pub(super) fn put_back(&mut self, game: &RecordedGame, from_us: u64) -> Result<(), SimError> {
        let script = self.staged(game)?;
        self.put_back_for(&script, from_us);
        Ok(())
    }

    fn put_back_for(&mut self, script: &Script, from_us: u64) {
        let Some(standing) = self.standing.take() else { return };
        let match_id = match_name(self.number, self.timeline.matches.len() + 1);
        let chance = Chance::new(self.seed, &match_id, Profile::Ideal);
        let from_us = self.free_us.max(from_us) + STAY_US;
        self.timeline.clear_trays(from_us);
        self.free_us = self.timeline.set_up(script, standing, from_us, &chance);
    }

    /// What hands do in its next match.
    fn staged(&self, game: &RecordedGame) -> Result<Script, SimError> {
        let match_id = match_name(self.number, self.timeline.matches.len() + 1);
        let time = &self.timeline.time;
        script_with_time(game, &self.players, &self.equipment, self.seed, &match_id, time)
    }

    /// Its devices' timelines, after the last match.
    pub(super) fn finish(mut self) -> TableTimeline {
        // That nobody comes for another match, the hub cannot know: it goes by the clocks.
        let set_us = self.free_us + CLOCKS_SET_AFTER_US;
        let set = clock_control(&self.timeline.time, [0; 2]);
        for board in self.timeline.sensors.boards() {
            self.timeline.clocks[board.index()].push((set_us, Stimulus::Set(set)));
        }
        self.timeline.end_us = set_us;
        self.timeline
    }
}

/// Players whose nodes are in order: a hall has faults of its own to inflict, and its clocks show what the
/// nodes' firmware counts.
fn hall_players(profile: Profile) -> Players {
    [Behaviour::ClockJump, Behaviour::ClockDrift, Behaviour::SensorFault]
        .into_iter()
        .fold(profile.into(), |players: Players, fault| players.with_rate(fault, 0.0))
}

/// Occupied squares at the end of a match.
fn left_standing(script: &Script, board: BoardId) -> Bitboard {
    let of_board = &script.boards[board.index()];
    if script.sensors.kind(board) != Some(SensorKind::Reed) {
        return of_board.standings.iter().fold(of_board.initial, |mut seen, standing| {
            if standing.piece.is_some() {
                seen.add(standing.square);
            } else {
                seen.discard(standing.square);
            }
            seen
        });
    }
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
    /// Takes out what is left in the trays, one piece after the other.
    fn clear_trays(&mut self, from_us: u64) {
        for timeline in &mut self.boards {
            let mut filled: Vec<(proto::link::Side, u8)> = Vec::new();
            for &(_, stimulus) in timeline.iter() {
                if let Stimulus::Slot(side, slot, closed) = stimulus {
                    filled.retain(|&known| known != (side, slot));
                    if closed {
                        filled.push((side, slot));
                    }
                }
            }
            let emptied = filled.into_iter().zip(1..).map(|((side, slot), nth)| {
                (from_us + nth * SLOT_CLEARED_US, Stimulus::Slot(side, slot, false))
            });
            timeline.extend(emptied.collect::<Vec<_>>());
        }
    }

    /// Clocks are set and levers put so that Black can start; then the pieces are cleared and set up
    /// anew. When the next match's trace begins.
    fn set_up(
        &mut self,
        script: &Script,
        standing: [Bitboard; 2],
        from_us: u64,
        chance: &Chance,
    ) -> u64 {
        let mut ready_us = from_us;
        let set = clock_control(&script.time, [0; 2]);
        for board in script.sensors.boards() {
            let mut rng = chance.topic(board, 2, Topic::Ceremony);
            let set_us = from_us + between_ms(&mut rng, 0, 1_000);
            let lever_us = from_us + between_ms(&mut rng, 1_500, 2_500);
            self.clocks[board.index()].extend([
                (set_us, Stimulus::Set(set)),
                (lever_us, Stimulus::Lever(side(Color::White))),
            ]);
            let mut now_us = lever_us + between_ms(&mut rng, 500, 1_500);
            let mut acts = Vec::new();
            let standing = standing[board.index()];
            for square in standing {
                acts.push(Act { t_us: now_us, square, change: Change::Lift, piece: None });
                now_us += between_ms(&mut rng, 40, 200);
            }
            for square in set_up_order(script.boards[board.index()].initial) {
                let change = Change::Put(Stand::Centred);
                acts.push(Act { t_us: now_us, square, change, piece: None });
                now_us += between_ms(&mut rng, 80, 350);
            }
            let timeline = &mut self.boards[board.index()];
            if script.sensors.kind(board) == Some(SensorKind::Reed) {
                let contacts = contact::edges(standing, &acts, chance, board).into_iter();
                timeline.extend(
                    contacts.map(|edge| (edge.t_us, Stimulus::Contact(edge.square, edge.closed))),
                );
            } else {
                let start = script.start.position(board);
                timeline.extend(acts.iter().map(|act| {
                    let put = matches!(act.change, Change::Put(_));
                    let piece = start.piece_at(act.square).filter(|_| put);
                    (act.t_us, Stimulus::Piece(act.square, piece))
                }));
            }
            ready_us = ready_us.max(now_us);
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
