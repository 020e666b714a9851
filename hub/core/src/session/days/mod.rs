//! Tables of every kind through several matches, in virtual time: what opens, ends, is recorded and is noticed.

mod field;
mod life;
mod notices;
mod without_clocks;

use std::collections::BTreeMap;

use proto::mqtt::NOT_FOLLOWED;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{MatchState, NodeState};
use readings::{Occupancy, Reading, SensorKind, SquareReading};
use rules::{Bitboard, Color, Square};

use super::*;
use crate::journal_line::{FactLine, FactTag};

const SECOND: u64 = 1_000_000;
const BASE_MS: i64 = 300_000;
const START: u64 = Occupancy::INITIAL.0.0;

/// A table and the hands at it.
struct Day {
    session: Session,
    now_us: u64,
    /// Occupied squares of each board.
    squares: BTreeMap<BoardId, Bitboard>,
    /// Each display's times and running side; boards without one are left out.
    clocks: BTreeMap<BoardId, (i64, i64, Option<Color>)>,
    seen: Seen,
}

/// The session's outputs.
#[derive(Debug, Default)]
struct Seen {
    /// Matches in the order in which they were opened.
    opened: Vec<String>,
    states: Vec<(String, MatchState)>,
    plies: BTreeMap<(String, u32), (u64, String)>,
    /// The probability of each ply.
    p: BTreeMap<(String, u32), f64>,
    /// The notice of play that is not followed, and when it was sent or withdrawn.
    notices: Vec<(u64, Option<String>)>,
    records: BTreeMap<String, MatchRecord>,
}

impl Seen {
    fn take(&mut self, output: SessionOutput) {
        let (at, event) = match output {
            SessionOutput::Row(OutgoingEvent { at, event }) => (at.as_micros(), event),
            SessionOutput::Match(record) => {
                self.records.insert(record.match_id.clone(), record);
                return;
            }
            SessionOutput::Notice(_) => return,
        };
        match event {
            Event::MatchOpened(opened) => self.opened.push(opened.match_id),
            Event::MatchStateChanged(changed) => {
                self.states.push((changed.match_id.clone(), changed.state()));
            }
            Event::PlyReported(ply) => {
                self.p.insert((ply.match_id.clone(), ply.ply_id), ply.p);
                self.plies.insert((ply.match_id, ply.ply_id), (ply.t_us, ply.uci));
            }
            Event::PlyRetracted(ply) => {
                self.plies.remove(&(ply.match_id, ply.ply_id));
            }
            Event::NodeStateChanged(node) if node.node_id == NOT_FOLLOWED => {
                let words = (node.state() == NodeState::Faulty).then_some(node.detail);
                self.notices.push((at, words));
            }
            _ => {}
        }
    }

    /// The plies of each match, in their order, joined by spaces.
    fn games(&self) -> Vec<String> {
        let of = |id: &String| {
            let mut plies: Vec<_> =
                self.plies.iter().filter(|((of, _), _)| of == id).map(|(_, ply)| ply).collect();
            plies.sort();
            plies.iter().map(|(_, uci)| uci.as_str()).collect::<Vec<_>>().join(" ")
        };
        self.opened.iter().map(of).collect()
    }

    fn last_state(&self) -> Option<MatchState> {
        self.states.last().map(|(_, state)| *state)
    }

    fn notice(&self) -> Option<&str> {
        self.notices.last().and_then(|(_, words)| words.as_deref())
    }
}

impl Day {
    /// A table; `clocks`: the boards with a display; `clockless`: whether the others have no lever either.
    fn new(game: Game, boards: &[BoardId], clocks: &[BoardId], clockless: bool) -> Day {
        let header = |id: &BoardId| {
            let clockless = clockless && !clocks.contains(id);
            (*id, BoardHeader { clockless, ..BoardHeader::new(SensorKind::Reed) })
        };
        let rulebook = match game {
            Game::Chess => BookId::UsChessBlitz2020,
            Game::Bughouse => BookId::UsChessBughouse2018,
        };
        let session = Session::new(SessionConfig {
            hub_id: "hub-1".to_owned(),
            table: "1".to_owned(),
            game,
            rulebook,
            time: TimeControl::sudden_death(300, 0).unwrap(),
            boards: boards.iter().map(header).collect(),
            clocks: !clockless || !clocks.is_empty(),
            nodes: BTreeMap::new(),
        });
        let shown = |id: &BoardId| (*id, (BASE_MS, BASE_MS, None));
        Day {
            session,
            now_us: 1_000_000 * SECOND,
            squares: boards.iter().map(|&id| (id, Bitboard::EMPTY)).collect(),
            clocks: clocks.iter().map(shown).collect(),
            seen: Seen::default(),
        }
    }

    fn displays() -> Day {
        Day::new(Game::Bughouse, &BoardId::ALL, &BoardId::ALL, false)
    }

    fn levers() -> Day {
        Day::new(Game::Bughouse, &BoardId::ALL, &[], false)
    }

    fn chess() -> Day {
        Day::new(Game::Chess, &[BoardId::A], &[BoardId::A], false)
    }

    fn read(&mut self, board: BoardId, kind: ReadingKind) {
        let reading = Reading { t_us: self.now_us, board: Some(board), kind };
        self.session.handle(&Line::Reading(reading));
        self.collect();
    }

    /// People decide the open match.
    fn decide(&mut self) {
        let match_id = self.session.match_id().expect("a match").to_owned();
        let fact = Some(r#"{"kind":"fact","result":"decided"}"#.to_owned());
        let (t_us, kind) = (self.now_us, FactTag::FactTold);
        self.session.handle(&Line::Fact(FactLine { t_us, kind, match_id, order: 1, fact }));
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(output) = self.session.poll_output() {
            self.seen.take(output);
        }
    }

    /// Lets time pass; clocks that run are read each second.
    fn wait(&mut self, seconds: f64) {
        let until_us = self.now_us + (seconds * 1e6) as u64;
        while self.now_us < until_us {
            let step_us = SECOND.min(until_us - self.now_us);
            self.now_us += step_us;
            for (white_ms, black_ms, running) in self.clocks.values_mut() {
                let ms = i64::try_from(step_us / 1_000).unwrap();
                match running {
                    Some(Color::White) => *white_ms = (*white_ms - ms).max(0),
                    Some(Color::Black) => *black_ms = (*black_ms - ms).max(0),
                    None => {}
                }
            }
            if step_us == SECOND {
                self.tell_clocks();
            }
            self.session.advance(HubTime::from_micros(self.now_us));
            self.collect();
        }
    }

    fn tell_clocks(&mut self) {
        let running: Vec<BoardId> =
            self.clocks.iter().filter(|(_, it)| it.2.is_some()).map(|(&id, _)| id).collect();
        running.into_iter().for_each(|board| self.tell_clock(board));
    }

    fn tell_clock(&mut self, board: BoardId) {
        if let Some(&(white_ms, black_ms, running)) = self.clocks.get(&board) {
            self.read(board, ReadingKind::Clock { white_ms, black_ms, running });
        }
    }

    /// Sets a clock.
    fn set_clock(&mut self, board: BoardId, white_ms: i64, black_ms: i64) {
        let running = self.clocks.get(&board).and_then(|it| it.2);
        self.clocks.insert(board, (white_ms, black_ms, running));
        self.tell_clock(board);
    }

    fn stop(&mut self) {
        let boards: Vec<BoardId> = self.clocks.keys().copied().collect();
        for board in boards {
            if let Some(clock) = self.clocks.get_mut(&board) {
                clock.2 = None;
            }
            self.tell_clock(board);
        }
    }

    fn restart(&mut self, board: BoardId, side: Color) {
        if let Some(clock) = self.clocks.get_mut(&board) {
            clock.2 = Some(side);
        }
        self.tell_clock(board);
    }

    fn snapshot(&mut self, board: BoardId, occupied: u64) {
        self.squares.insert(board, Bitboard(occupied));
        let occupied = Some(Occupancy(Bitboard(occupied)));
        self.read(board, ReadingKind::Snapshot { occupied, squares: None });
    }

    /// All boards at the start and all clocks at the start time; then three seconds.
    fn set_up(&mut self) {
        let boards: Vec<BoardId> = self.squares.keys().copied().collect();
        for board in boards {
            self.snapshot(board, START);
            self.tell_clock(board);
        }
        self.wait(3.0);
    }

    fn square(&mut self, board: BoardId, square: Square, is_occupied: bool) {
        if let Some(occupied) = self.squares.get_mut(&board) {
            occupied.set(square, is_occupied);
        }
        let reading = if is_occupied { SquareReading::Occupied } else { SquareReading::Empty };
        self.read(board, ReadingKind::Square { square, reading: Some(reading), level: None });
    }

    /// Puts pieces back, a square every 200 ms, those that `keep` excepted.
    fn put_back(&mut self, board: BoardId, keep: u64) {
        let start = Occupancy::INITIAL.0;
        let now = self.squares[&board];
        for square in (now & !start & !Bitboard(keep)).into_iter() {
            self.wait(0.2);
            self.square(board, square, false);
        }
        for square in (start & !now & !Bitboard(keep)).into_iter() {
            self.wait(0.2);
            self.square(board, square, true);
        }
    }

    fn clear(&mut self, board: BoardId) {
        for square in self.squares[&board].into_iter() {
            self.wait(0.1);
            self.square(board, square, false);
        }
    }

    fn press(&mut self, board: BoardId, by: Color) {
        if let Some(clock) = self.clocks.get_mut(&board) {
            clock.2 = Some(by.other());
        }
        self.read(board, ReadingKind::Press { by });
        self.tell_clock(board);
    }

    /// Black starts the clock of each board.
    fn start(&mut self) {
        let boards: Vec<BoardId> = self.squares.keys().copied().collect();
        for board in boards {
            self.press(board, Color::Black);
            self.wait(0.2);
        }
    }

    /// Moves a piece: lifts it, takes what is on its target off, and puts it down.
    fn piece(&mut self, board: BoardId, uci: &str) {
        let [from, to]: [Square; 2] = [uci[..2].parse().unwrap(), uci[2..4].parse().unwrap()];
        self.wait(1.0);
        self.square(board, from, false);
        self.wait(0.2);
        if self.squares[&board].contains(to) {
            self.square(board, to, false);
            self.wait(0.2);
        }
        self.square(board, to, true);
        self.wait(0.6);
    }

    /// Moves pieces, without presses.
    fn pieces(&mut self, board: BoardId, moves: &str) {
        moves.split(' ').for_each(|uci| self.piece(board, uci));
    }

    /// Set up.
    fn ready(mut self) -> Day {
        self.set_up();
        self
    }

    /// Set up, and the clocks started.
    fn begun(self) -> Day {
        let mut day = self.ready();
        day.start();
        day
    }

    /// The clocks are started and moves played; then five seconds.
    fn game(&mut self, board: BoardId, moves: &str) {
        self.start();
        self.play(board, moves);
        self.wait(5.0);
    }

    /// The clocks are stopped and set to the start.
    fn reset(&mut self) {
        self.stop();
        let boards: Vec<BoardId> = self.clocks.keys().copied().collect();
        boards.into_iter().for_each(|board| self.set_clock(board, BASE_MS, BASE_MS));
    }

    /// Plays moves from White's first on, each with its press.
    fn play(&mut self, board: BoardId, moves: &str) {
        self.play_from(board, Color::White, moves);
    }

    fn play_from(&mut self, board: BoardId, mut side: Color, moves: &str) {
        for uci in moves.split_whitespace() {
            self.piece(board, uci);
            self.press(board, side);
            side = side.other();
        }
    }
}
