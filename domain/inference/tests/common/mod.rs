//! A table whose readings are written by hand.
#![allow(dead_code)] // Every test file uses its own part.

use std::collections::BTreeMap;

use inference::{Tracker, TrackerConfig, TrackerOutput, since_last_start};
use readings::{
    BoardHeader, InferredLine, InferredPly, Occupancy, Reading, ReadingKind, SensorKind,
    SquareReading, TraceHeader,
};
use rules::{BoardId, Color, Match, Piece, Ply, Role, Square};

pub(crate) fn header() -> TraceHeader {
    let reed = BoardHeader::new(SensorKind::Reed);
    let boards = BTreeMap::from([(BoardId::A, reed.clone()), (BoardId::B, reed)]);
    let header = TraceHeader::new("us-chess-bughouse-2018", 300, boards);
    TraceHeader { match_id: "by-hand".into(), ..header }
}

/// The header of a game of chess on a reed board with this time control.
pub(crate) fn chess(time: &str) -> TraceHeader {
    let text = format!(
        r#"{{"twinboard":"trace","version":1,"match":"by-hand","rulebook":"us-chess-blitz-2020",
        "game":"chess","time":{time},"boards":{{"A":{{"sensor":"reed","trays":false}}}}}}"#
    );
    serde_json::from_str(&text).expect("a header")
}

/// A sensor's reading of a square, and its level.
pub(crate) fn reading(
    sensor: SensorKind,
    piece: Option<Piece>,
) -> (Option<SquareReading>, Option<i32>) {
    let Some(piece) = piece else {
        return match sensor {
            SensorKind::HallMagnitude => (None, Some(3)),
            _ => (Some(SquareReading::Empty), None),
        };
    };
    match sensor {
        SensorKind::Reed => (Some(SquareReading::Occupied), None),
        SensorKind::HallPolarity => (Some(SquareReading::Side(piece.color)), None),
        SensorKind::PieceId => (Some(SquareReading::Piece(piece)), None),
        SensorKind::HallMagnitude => {
            let level = match piece.role {
                Role::Pawn => 300,
                Role::Knight => 420,
                Role::Bishop => 540,
                Role::Rook => 660,
                Role::Queen => 800,
                Role::King => 950,
            };
            (None, Some(if piece.color.is_white() { level } else { -level }))
        }
    }
}

/// Writes readings as hands make them.
pub(crate) struct Table {
    pub(crate) readings: Vec<Reading>,
    pub(crate) now: Match,
    header: TraceHeader,
    /// What the clock of board A showed last, milliseconds.
    shown_ms: [i64; 2],
    t_us: u64,
}

impl Table {
    /// Nothing has been said yet.
    pub(crate) fn empty() -> Table {
        Table::of(header())
    }

    /// A board of chess that is set up. No clock is read.
    pub(crate) fn empty_chess() -> Table {
        let mut table = Table::of(chess(r#"{"periods":[{"base_s":300}]}"#));
        let occupied = Some(Occupancy::INITIAL);
        table.read(BoardId::A, ReadingKind::Snapshot { occupied, squares: None });
        table
    }

    fn of(header: TraceHeader) -> Table {
        let now = Match::initial().with_supply(header.supply());
        let shown_ms = [i64::from(header.base_s) * 1_000; 2];
        Table { readings: Vec::new(), now, header, shown_ms, t_us: 0 }
    }

    /// Both boards set up, both clocks started.
    pub(crate) fn started() -> Table {
        let mut table = Table::empty();
        table.start();
        table
    }

    /// The sensed board of a bughouse table with this header set up, its clock started.
    pub(crate) fn half_sensed(header: TraceHeader) -> Table {
        let mut table = Table::of(header);
        table.start();
        table
    }

    /// A game of chess with this time control, the clock started.
    pub(crate) fn chess(time: &str) -> Table {
        let header = chess(time);
        let shown_ms = [i64::from(header.base_s) * 1_000; 2];
        Table::chess_set(time, shown_ms)
    }

    /// The same with a clock that was set to these times, milliseconds.
    pub(crate) fn chess_set(time: &str, shown_ms: [i64; 2]) -> Table {
        let mut table = Table::of(chess(time));
        table.show(shown_ms, None);
        table.start();
        table.show(shown_ms, Some(Color::White));
        table
    }

    fn start(&mut self) {
        let boards: Vec<BoardId> = self.header.boards.keys().copied().collect();
        for &board in &boards {
            let occupied = Some(Occupancy::INITIAL);
            self.read(board, ReadingKind::Snapshot { occupied, squares: None });
        }
        self.wait_ms(1_000);
        for &board in &boards {
            self.press(board, Color::Black);
        }
    }

    /// The time that both players begin with, milliseconds.
    pub(crate) fn base_ms(&self) -> [i64; 2] {
        [i64::from(self.header.base_s) * 1_000; 2]
    }

    /// The clock of board A shows these times, milliseconds.
    pub(crate) fn show(&mut self, left_ms: [i64; 2], running: Option<Color>) {
        self.shown_ms = left_ms;
        let [white_ms, black_ms] = left_ms;
        self.read(BoardId::A, ReadingKind::Clock { white_ms, black_ms, running });
    }

    /// What the clock of board A showed last, milliseconds.
    pub(crate) fn shown(&self) -> [i64; 2] {
        self.shown_ms
    }

    /// A press at once.
    pub(crate) fn press_now(&mut self, board: BoardId, by: Color) {
        self.read(board, ReadingKind::Press { by });
    }

    pub(crate) fn read(&mut self, board: BoardId, kind: ReadingKind) {
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
        self.read(board, ReadingKind::Square { square, reading: Some(reading), level: None });
    }

    pub(crate) fn lift(&mut self, board: BoardId, square: Square) {
        self.square(board, square, false);
    }

    pub(crate) fn put(&mut self, board: BoardId, square: Square) {
        self.square(board, square, true);
    }

    pub(crate) fn press(&mut self, board: BoardId, by: Color) {
        self.wait_ms(300);
        self.read(board, ReadingKind::Press { by });
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
        track(&self.header, &self.readings, TrackerConfig::default())
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
    for reading in since_last_start(header, readings) {
        tracker.handle(reading);
        outputs.extend(std::iter::from_fn(|| tracker.poll_output()));
    }
    tracker.finish();
    outputs.extend(std::iter::from_fn(|| tracker.poll_output()));
    Tracked { outputs, lines: tracker.record() }
}

/// The same with a clock that brings the time between the readings.
pub(crate) fn track_in_time(
    header: &TraceHeader,
    readings: &[Reading],
    config: TrackerConfig,
) -> Tracked {
    let mut tracker = Tracker::new(header, config);
    let mut outputs = Vec::new();
    for reading in since_last_start(header, readings) {
        let mut last_us = None;
        while let Some(at_us) = tracker.poll_timeout().filter(|at_us| *at_us <= reading.t_us) {
            assert!(last_us < Some(at_us), "what is due is done");
            last_us = Some(at_us);
            tracker.handle_timeout(at_us);
            outputs.extend(std::iter::from_fn(|| tracker.poll_output()));
        }
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
