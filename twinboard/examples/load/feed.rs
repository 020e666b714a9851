//! Rows of a hub at a table: shipped matches, one after the other, each ply with the reading of its clock.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use proto::mqtt::message::{
    Board, BoardSetup, ClockRead, MatchOpened, MatchState, MatchStateChanged, PlyReported, Side,
    Stage, row::Event,
};
use rules::{BoardId, Color, bpgn::BpgnGame};

/// Time between two plies of a table, of both boards together.
pub(crate) const PLY_EVERY: Duration = Duration::from_millis(2_000);
/// Start time of all clocks.
const BASE_MS: u32 = 300_000;

/// Times at which plies were written into their hubs' journals, by match and number of plies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written(Arc<Mutex<HashMap<(String, u64), Instant>>>);

impl Written {
    /// The time since a match got so many plies, if it did.
    pub(crate) fn age(&self, match_id: &str, plies: u64) -> Option<Duration> {
        let written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.get(&(match_id.to_owned(), plies)).map(Instant::elapsed)
    }

    fn note(&self, match_id: &str, plies: usize) {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.insert((match_id.to_owned(), plies as u64), Instant::now());
    }
}

/// A table at which matches are played.
pub(crate) struct Feed {
    hub: String,
    table: usize,
    games: Arc<Vec<BpgnGame>>,
    /// Matches that were opened.
    opened: usize,
    plies: usize,
    began: Instant,
    next: Instant,
    written: Written,
}

impl Feed {
    /// Matches begin with another of the games at each table, and at another moment.
    pub(crate) fn new(
        hub: &str,
        table: usize,
        games: Arc<Vec<BpgnGame>>,
        written: Written,
        now: Instant,
    ) -> Feed {
        // By the golden ratio, so that tables do not keep step.
        let next = now + PLY_EVERY.mul_f64((table as f64 * 0.618).fract());
        Feed { hub: hub.to_owned(), table, games, opened: 0, plies: 0, began: now, next, written }
    }

    pub(crate) fn table(&self) -> usize {
        self.table
    }

    /// The match that is played.
    fn match_id(&self) -> String {
        format!("{}-{}-{}", self.hub, self.table, self.opened)
    }

    /// Events that are due, each with the time of its match.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<Event> {
        let mut events = Vec::new();
        while self.next <= now {
            self.next += PLY_EVERY;
            let games = self.games.clone();
            let Some(game) = games.get((self.table + self.opened) % games.len().max(1)) else {
                break;
            };
            if self.opened == 0 || self.plies == game.plies.len() {
                events.extend(self.end().into_iter().chain(self.open()));
            } else {
                events.extend(self.ply(game));
            }
        }
        events
    }

    /// A match from its beginning to its end.
    pub(crate) fn whole_match(&mut self) -> Vec<Event> {
        let games = self.games.clone();
        let game = &games[(self.table + self.opened) % games.len()];
        let mut events = self.open().to_vec();
        game.plies.iter().for_each(|_| events.extend(self.ply(game)));
        events.extend(self.end());
        events
    }

    fn t_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The end of the match that is played, if there is one.
    pub(crate) fn end(&self) -> Option<Event> {
        let (match_id, t_us) = (self.match_id(), self.t_us());
        let state = MatchState::Ended as i32;
        let ended = Event::MatchStateChanged(MatchStateChanged { match_id, state, t_us });
        (self.opened > 0).then_some(ended)
    }

    /// The beginning of the next match.
    pub(crate) fn open(&mut self) -> [Event; 2] {
        (self.opened, self.plies, self.began) = (self.opened + 1, 0, Instant::now());
        let match_id = self.match_id();
        let opened = Event::MatchOpened(MatchOpened {
            match_id: match_id.clone(),
            rulebook: "us-chess-bughouse-2018".to_owned(),
            base_ms: BASE_MS,
            boards: [Board::A, Board::B]
                .map(|board| BoardSetup { board: board as i32, sensor: "reed".to_owned() })
                .to_vec(),
            ..MatchOpened::default()
        });
        let state = MatchState::Playing as i32;
        [opened, Event::MatchStateChanged(MatchStateChanged { match_id, state, t_us: 0 })]
    }

    fn ply(&mut self, game: &BpgnGame) -> [Event; 2] {
        let ply = &game.plies[self.plies];
        self.plies += 1;
        let (match_id, t_us) = (self.match_id(), self.t_us());
        self.written.note(&match_id, self.plies);
        let board = if ply.board == BoardId::A { Board::A } else { Board::B } as i32;
        let (side, other) = match ply.color {
            Color::White => (Side::White, Side::Black),
            Color::Black => (Side::Black, Side::White),
        };
        let reported = PlyReported {
            match_id: match_id.clone(),
            ply_id: self.plies as u32,
            stage: Stage::Live as i32,
            board,
            side: side as i32,
            t_us,
            uci: ply.ply.to_string(),
            p: 0.99,
            legal: true,
            ..PlyReported::default()
        };
        [clock(match_id, board, t_us, other), Event::PlyReported(reported)]
    }

    /// The reading of a clock, the most frequent of all rows.
    pub(crate) fn clock(&self, t_us: u64) -> Event {
        clock(self.match_id(), Board::A as i32, t_us, Side::White)
    }
}

fn clock(match_id: String, board: i32, t_us: u64, running: Side) -> Event {
    // Both sides have used half of the time.
    let left_ms = i64::from(BASE_MS) - (t_us / 2_000).min(299_000).cast_signed();
    let running = Some(running as i32);
    Event::ClockRead(ClockRead {
        match_id,
        board,
        white_ms: left_ms,
        black_ms: left_ms,
        running,
        t_us,
    })
}
