//! Conversion of a session's events to rows.

use inference::{AnomalyReport, PlyReport, TrackerOutput};
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{self, MatchState};
use readings::{Alternative, Occupancy, SensorKind, TraceHeader};
use rules::{BoardId, Color, DelayKind, Game, Period, TimeControl};

use super::view::Display;
use crate::journal_line::NodeState;

const fn board(board: BoardId) -> i32 {
    (match board {
        BoardId::A => message::Board::A,
        BoardId::B => message::Board::B,
    }) as i32
}

const fn side(side: Color) -> i32 {
    (match side {
        Color::White => message::Side::White,
        Color::Black => message::Side::Black,
    }) as i32
}

/// The row that opens a match.
pub(super) fn opened(header: &TraceHeader, time: &TimeControl) -> Event {
    let boards = header.boards.iter().map(|(&id, setup)| message::BoardSetup {
        board: board(id),
        sensor: sensor(setup.sensor).to_owned(),
    });
    Event::MatchOpened(message::MatchOpened {
        match_id: header.match_id.clone(),
        rulebook: header.rulebook.clone(),
        base_ms: millis(header.base_s),
        delay_ms: millis(header.delay_s),
        boards: boards.collect(),
        game: game(header.game).into(),
        periods: time.periods().iter().map(period).collect(),
        increment_ms: millis(time.increment_s()),
        delay: delay(time.delay()).into(),
    })
}

const fn game(game: Game) -> message::Game {
    match game {
        Game::Bughouse => message::Game::Bughouse,
        Game::Chess => message::Game::Chess,
    }
}

const fn delay(kind: DelayKind) -> message::DelayKind {
    match kind {
        DelayKind::Us => message::DelayKind::Us,
        DelayKind::Bronstein => message::DelayKind::Bronstein,
    }
}

fn period(period: &Period) -> message::Period {
    message::Period { base_ms: millis(period.base_s), moves: period.moves.unwrap_or(0) }
}

const fn millis(seconds: u32) -> u32 {
    seconds.saturating_mul(1_000)
}

/// The sensor's name in the formats.
#[must_use]
pub const fn sensor(sensor: SensorKind) -> &'static str {
    match sensor {
        SensorKind::Reed => "reed",
        SensorKind::HallPolarity => "hall-polarity",
        SensorKind::HallMagnitude => "hall-magnitude",
        SensorKind::PieceId => "piece-id",
    }
}

pub(super) fn state(match_id: &str, state: MatchState, t_us: u64) -> Event {
    let match_id = match_id.to_owned();
    Event::MatchStateChanged(message::MatchStateChanged { match_id, state: state.into(), t_us })
}

pub(super) fn clock(match_id: &str, id: BoardId, display: Display, t_us: u64) -> Event {
    Event::ClockRead(message::ClockRead {
        match_id: match_id.to_owned(),
        board: board(id),
        white_ms: display.white_ms,
        black_ms: display.black_ms,
        running: display.running().map(side),
        t_us,
    })
}

pub(super) fn squares(match_id: &str, id: BoardId, occupied: Occupancy, t_us: u64) -> Event {
    Event::SquaresRead(message::SquaresRead {
        match_id: match_id.to_owned(),
        board: board(id),
        occupied: occupied.0.0,
        t_us,
    })
}

pub(super) fn node_state(node: &str, at: BoardId, state: NodeState, detail: String) -> Event {
    let state = match state {
        NodeState::Connected => message::NodeState::Connected,
        NodeState::Lost => message::NodeState::Lost,
        NodeState::Faulty => message::NodeState::Faulty,
    };
    Event::NodeStateChanged(message::NodeStateChanged {
        node_id: node.to_owned(),
        board: Some(board(at)),
        state: state.into(),
        detail,
    })
}

/// Id of the anomaly that says that a match is not followed any more: the last one, because inference counts its own from the first.
const NOT_FOLLOWED_ID: u32 = u32::MAX;

/// The row that says that a match is not followed any more.
pub(super) fn not_followed(match_id: &str, at: BoardId, t_us: u64, failure: &str) -> Event {
    let evidence = format!(
        "From here on the plies of this match are not known: inference failed ({failure}). The boards' readings are still recorded. The next \
         match at this table is followed again."
    );
    unknown_from_here(match_id, at, t_us, 0, evidence)
}

/// The row that closes a match as it is. It comes after the row that the match is not followed, if there was one.
pub(super) fn closed(match_id: &str, at: BoardId, t_us: u64) -> Event {
    let evidence = "The hub was started as another release, or with another configuration of this table, while this match was played. The match \
        is closed here: its further plies are not known. The next match at this table is followed again.";
    unknown_from_here(match_id, at, t_us, 1, evidence.to_owned())
}

/// The row that says why the plies of a match are not known from here on.
fn unknown_from_here(
    match_id: &str,
    at: BoardId,
    t_us: u64,
    revision: u32,
    evidence: String,
) -> Event {
    Event::AnomalyReported(message::AnomalyReported {
        match_id: match_id.to_owned(),
        anomaly_id: NOT_FOLLOWED_ID,
        revision,
        code: "sensor-fault".to_owned(),
        board: board(at),
        side: None,
        t_us,
        confidence: 1.0,
        rule: String::new(),
        ply_id: None,
        reason: String::new(),
        evidence,
    })
}

/// The row for an output of the tracker; none for an internal one.
#[must_use]
pub fn tracked(match_id: &str, output: TrackerOutput) -> Option<Event> {
    let match_id = match_id.to_owned();
    Some(match output {
        TrackerOutput::Ply(report) => Event::PlyReported(ply(match_id, report)),
        TrackerOutput::PlyRetracted { id, t_us } => {
            Event::PlyRetracted(message::PlyRetracted { match_id, ply_id: id.0, t_us })
        }
        TrackerOutput::Anomaly(report) => Event::AnomalyReported(anomaly(match_id, report)),
        TrackerOutput::AnomalyRetracted { id, t_us } => {
            Event::AnomalyRetracted(message::AnomalyRetracted { match_id, anomaly_id: id.0, t_us })
        }
        TrackerOutput::PutUp { board: at, of_us, t_us, differing } => {
            Event::PositionStands(message::PositionStands {
                match_id,
                board: board(at),
                fact_us: of_us,
                t_us,
                differing: differing.0,
            })
        }
        TrackerOutput::Reanchored { .. } => return None,
    })
}

fn ply(match_id: String, report: PlyReport) -> message::PlyReported {
    let stage = match report.stage {
        inference::Stage::Live => message::Stage::Live,
        inference::Stage::Lagged => message::Stage::Lagged,
        inference::Stage::Final => message::Stage::Final,
    };
    let alternative =
        |&Alternative { uci, p }: &Alternative| message::Alternative { uci: uci.to_string(), p };
    message::PlyReported {
        match_id,
        ply_id: report.id.0,
        revision: report.revision,
        stage: stage.into(),
        board: board(report.board),
        side: side(report.side),
        t_us: report.t_us,
        uci: report.ply.to_string(),
        p: report.p,
        legal: report.legal,
        alternatives: report.alternatives.iter().map(alternative).collect(),
        clock_ms: report.clock_ms,
        released_us: report.released_us,
        // The specification allows no touch after the release; the row must not be refused for it.
        touched_us: report.touched_us.filter(|touched_us| {
            report.released_us.is_none_or(|released_us| *touched_us <= released_us)
        }),
    }
}

fn anomaly(match_id: String, report: AnomalyReport) -> message::AnomalyReported {
    message::AnomalyReported {
        match_id,
        anomaly_id: report.id.0,
        revision: report.revision,
        code: report.code.to_string(),
        board: board(report.board),
        side: report.side.map(side),
        t_us: report.t_us,
        confidence: report.confidence,
        rule: report.rule.unwrap_or_default(),
        ply_id: report.ply.map(|id| id.0),
        reason: report.reason.unwrap_or_default(),
        evidence: report.evidence,
    }
}
