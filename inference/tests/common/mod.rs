//! A table whose readings are written by hand, and games from the simulator.
#![allow(dead_code)] // Every test file uses its own part.

use std::collections::BTreeMap;

use inference::{
    Tracker, TrackerConfig, TrackerOutput,
    record::{
        BoardHeader, InferredLine, InferredPly, Occupancy, Reading, ReadingKind, SensorKind,
        SquareReading, TraceHeader,
    },
};
use rules::{BoardId, Color, Match, Ply, Square};

pub(crate) fn header() -> TraceHeader {
    let reed = BoardHeader::new(SensorKind::Reed);
    TraceHeader {
        twinboard: "trace".into(),
        version: 1,
        match_id: "by-hand".into(),
        rulebook: "us-chess-bughouse-2018".into(),
        base_s: 300,
        delay_s: 0,
        boards: BTreeMap::from([(BoardId::A, reed.clone()), (BoardId::B, reed)]),
        levels: None,
        sigma: None,
    }
}

/// Writes readings as hands make them.
pub(crate) struct Table {
    pub(crate) readings: Vec<Reading>,
    pub(crate) now: Match,
    t_us: u64,
}

impl Table {
    /// Nothing has been said yet.
    pub(crate) fn empty() -> Table {
        Table { readings: Vec::new(), now: Match::initial(), t_us: 0 }
    }

    /// Both boards set up, both clocks started.
    pub(crate) fn started() -> Table {
        let mut table = Table::empty();
        for board in BoardId::ALL {
            let occupied = Some(Occupancy::INITIAL);
            table.say(board, ReadingKind::Snapshot { occupied, squares: None });
        }
        table.wait_ms(1_000);
        for board in BoardId::ALL {
            table.press(board, Color::Black);
        }
        table
    }

    pub(crate) fn say(&mut self, board: BoardId, kind: ReadingKind) {
        self.readings.push(Reading { t_us: self.t_us, board: Some(board), kind });
    }

    pub(crate) fn wait_ms(&mut self, ms: u64) {
        self.t_us += ms * 1_000;
    }

    pub(crate) fn t_us(&self) -> u64 {
        self.t_us
    }

    pub(crate) fn square(&mut self, board: BoardId, square: Square, occupied: bool) {
        self.wait_ms(300);
        let reading = if occupied { SquareReading::Occupied } else { SquareReading::Empty };
        self.say(board, ReadingKind::Square { square, reading: Some(reading), level: None });
    }

    pub(crate) fn lift(&mut self, board: BoardId, square: Square) {
        self.square(board, square, false);
    }

    pub(crate) fn put(&mut self, board: BoardId, square: Square) {
        self.square(board, square, true);
    }

    pub(crate) fn press(&mut self, board: BoardId, by: Color) {
        self.wait_ms(300);
        self.say(board, ReadingKind::Press { by });
    }

    /// The hands' part of a ply: the victim first, then the piece.
    pub(crate) fn hands(&mut self, board: BoardId, uci: &str) {
        let ply: Ply = uci.parse().expect("a ply");
        let played = self.now.play(board, ply);
        if let Some(captured) = played.captured {
            self.lift(board, captured.square);
        }
        if let Some(from) = ply.from() {
            self.lift(board, from);
        }
        self.put(board, ply.to());
        if let Some((from, to)) = played.castling_rook {
            self.lift(board, from);
            self.put(board, to);
        }
    }

    /// A ply and its press.
    pub(crate) fn play(&mut self, board: BoardId, uci: &str) {
        let by = self.now.position(board).turn();
        self.hands(board, uci);
        self.press(board, by);
    }

    pub(crate) fn play_all(&mut self, board: BoardId, plies: &[&str]) {
        for ply in plies {
            self.play(board, ply);
        }
    }

    /// Tracks everything to the end.
    pub(crate) fn track(&self) -> Tracked {
        track(&header(), &self.readings, TrackerConfig::default())
    }
}

/// A tracked match.
pub(crate) struct Tracked {
    pub(crate) outputs: Vec<TrackerOutput>,
    pub(crate) lines: Vec<InferredLine>,
}

pub(crate) fn track(header: &TraceHeader, readings: &[Reading], config: TrackerConfig) -> Tracked {
    let mut tracker = Tracker::new(header, config);
    let mut outputs = Vec::new();
    for reading in readings {
        tracker.handle(reading);
        outputs.extend(std::iter::from_fn(|| tracker.poll_output()));
    }
    tracker.finish();
    outputs.extend(std::iter::from_fn(|| tracker.poll_output()));
    Tracked { outputs, lines: tracker.record() }
}

impl Tracked {
    pub(crate) fn plies(&self, board: BoardId) -> Vec<&InferredPly> {
        self.lines
            .iter()
            .filter_map(|line| match line {
                InferredLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect()
    }

    /// The plies of a board as one string.
    pub(crate) fn moves(&self, board: BoardId) -> String {
        let plies: Vec<String> = self.plies(board).iter().map(|ply| ply.uci.to_string()).collect();
        plies.join(" ")
    }

    /// Codes of the anomalies that stand, each with its reason.
    pub(crate) fn anomalies(&self) -> Vec<String> {
        self.lines
            .iter()
            .filter_map(|line| match line {
                InferredLine::Anomaly(anomaly) if !anomaly.retracted => {
                    let reason = anomaly.reason.as_ref().map(|reason| format!(" {reason}"));
                    Some(format!("{}{}", anomaly.code, reason.unwrap_or_default()))
                }
                _ => None,
            })
            .collect()
    }
}

/// Games that the project ships.
pub(crate) fn games(file: &str) -> Vec<rules::bpgn::BpgnGame> {
    let path = format!("{}/../sim/games/{file}", env!("CARGO_MANIFEST_DIR"));
    #[allow(clippy::disallowed_methods)] // A test reads its data.
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    rules::bpgn::read(&bytes).into_iter().flatten().collect()
}
