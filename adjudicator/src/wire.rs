//! From the wire's messages to what the adjudicator works with.
//!
//! The only place that knows both. What a message's shape allows and its meaning does not (a UCI text that
//! is none, a board that is none) is refused here, by name, so that nothing behind meets it.

use proto::mqtt::message::{self, Row, row::Event};
use rules::{BoardId, Color, Ply};

use referee::{Alternative, AnomalyReport, ClockReading, Input, Phase, PlyReport};

/// Most alternatives of a ply that are kept.
const MAX_ALTERNATIVES: usize = 16;

/// Longest match id.
const MAX_MATCH_ID_LENGTH: usize = 64;

/// A row that has its form and makes no sense.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("row {sequence}: {field}: {problem}")]
pub struct MeaningError {
    /// The row.
    pub sequence: u64,
    /// The field.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// A match begins at the row's table.
    Opened(Opened),
    /// Something happened in a match, at match time.
    Match {
        /// The match.
        match_id: String,
        /// Match time, microseconds.
        t_us: u64,
        /// What happened.
        input: Input,
    },
    /// A node came, went or is not to be trusted.
    Node {
        /// The node.
        id: String,
        /// Whether its readings can be trusted now.
        is_live: bool,
    },
}

/// A match that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Unique over all hubs and times.
    pub match_id: String,
    /// Id of the rulebook.
    pub rulebook: String,
    /// Time of each player, milliseconds.
    pub base_ms: u32,
    /// Delay of each ply, milliseconds.
    pub delay_ms: u32,
    /// The boards of the match: both, or A alone.
    pub boards: Vec<BoardId>,
}

/// The match a row concerns, without looking at the rest.
pub fn match_id(row: &Row) -> Option<&str> {
    Some(match row.event.as_ref()? {
        Event::MatchOpened(event) => &event.match_id,
        Event::MatchStateChanged(event) => &event.match_id,
        Event::PlyReported(event) => &event.match_id,
        Event::PlyRetracted(event) => &event.match_id,
        Event::AnomalyReported(event) => &event.match_id,
        Event::AnomalyRetracted(event) => &event.match_id,
        Event::ClockRead(event) => &event.match_id,
        Event::NodeStateChanged(_) => return None,
    })
}

/// Reads a row.
///
/// # Errors
///
/// The field that makes no sense.
pub fn read(row: &Row) -> Result<Report, MeaningError> {
    let refuse = |(field, problem)| MeaningError { sequence: row.sequence, field, problem };
    if !crate::config::is_segment(&row.table) {
        return Err(refuse(("table", format!("{:?} is no table name", shorten(&row.table)))));
    }
    let id = match_id(row).unwrap_or("none");
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if id.is_empty() || id.len() > MAX_MATCH_ID_LENGTH || !id.chars().all(allowed) {
        return Err(refuse(("match_id", format!("{:?} is no match id", shorten(id)))));
    }
    let event = row.event.as_ref().ok_or_else(|| refuse(("event", "is missing".to_owned())))?;
    read_event(event).map_err(refuse)
}

type Problem = (&'static str, String);

fn read_event(event: &Event) -> Result<Report, Problem> {
    let in_match = |match_id: &str, t_us, input| {
        Ok(Report::Match { match_id: match_id.to_owned(), t_us, input })
    };
    match event {
        Event::MatchOpened(event) => Ok(Report::Opened(opened(event)?)),
        Event::MatchStateChanged(event) => {
            in_match(&event.match_id, event.t_us, Input::Phase(phase(event.state)?))
        }
        Event::PlyReported(event) => in_match(&event.match_id, event.t_us, Input::Ply(ply(event)?)),
        Event::PlyRetracted(event) => {
            in_match(&event.match_id, event.t_us, Input::PlyRetracted(event.ply_id))
        }
        Event::AnomalyReported(event) => {
            in_match(&event.match_id, event.t_us, Input::Anomaly(anomaly(event)?))
        }
        Event::AnomalyRetracted(event) => {
            in_match(&event.match_id, event.t_us, Input::AnomalyRetracted(event.anomaly_id))
        }
        Event::ClockRead(event) => {
            in_match(&event.match_id, event.t_us, Input::Clock(clock(event)?))
        }
        Event::NodeStateChanged(event) => Ok(Report::Node {
            id: event.node_id.clone(),
            is_live: event.state == message::NodeState::Connected as i32,
        }),
    }
}

fn opened(event: &message::MatchOpened) -> Result<Opened, Problem> {
    Ok(Opened {
        match_id: event.match_id.clone(),
        rulebook: event.rulebook.clone(),
        base_ms: event.base_ms,
        delay_ms: event.delay_ms,
        boards: event.boards.iter().map(|setup| board(setup.board)).collect::<Result<_, _>>()?,
    })
}

fn ply(event: &message::PlyReported) -> Result<PlyReport, Problem> {
    let alternatives = event.alternatives.iter().take(MAX_ALTERNATIVES);
    Ok(PlyReport {
        id: event.ply_id,
        revision: event.revision,
        board: board(event.board)?,
        side: side(event.side)?,
        t_us: event.t_us,
        released_us: event.released_us,
        touched_us: event.touched_us,
        ply: uci(&event.uci)?,
        p: event.p,
        legal: event.legal,
        alternatives: alternatives
            .map(|other| Ok(Alternative { ply: uci(&other.uci)?, p: other.p }))
            .collect::<Result<_, Problem>>()?,
        clock_ms: event.clock_ms,
    })
}

fn anomaly(event: &message::AnomalyReported) -> Result<AnomalyReport, Problem> {
    let text = |text: &String| (!text.is_empty()).then(|| text.clone());
    Ok(AnomalyReport {
        id: event.anomaly_id,
        revision: event.revision,
        code: event.code.clone(),
        board: board(event.board)?,
        side: event.side.map(side).transpose()?,
        t_us: event.t_us,
        confidence: event.confidence,
        ply: event.ply_id,
        reason: text(&event.reason),
        evidence: event.evidence.clone(),
    })
}

fn clock(event: &message::ClockRead) -> Result<ClockReading, Problem> {
    Ok(ClockReading {
        board: board(event.board)?,
        white_ms: event.white_ms,
        black_ms: event.black_ms,
        running: event.running.map(side).transpose()?,
        t_us: event.t_us,
    })
}

fn uci(text: &str) -> Result<Ply, Problem> {
    text.parse().map_err(|error: rules::ParsePlyError| ("uci", error.to_string()))
}

fn board(number: i32) -> Result<BoardId, Problem> {
    match message::Board::try_from(number) {
        Ok(message::Board::A) => Ok(BoardId::A),
        Ok(message::Board::B) => Ok(BoardId::B),
        _ => Err(("board", format!("{number} is neither A nor B"))),
    }
}

fn side(number: i32) -> Result<Color, Problem> {
    match message::Side::try_from(number) {
        Ok(message::Side::White) => Ok(Color::White),
        Ok(message::Side::Black) => Ok(Color::Black),
        _ => Err(("side", format!("{number} is neither White nor Black"))),
    }
}

fn phase(number: i32) -> Result<Phase, Problem> {
    Ok(match message::MatchState::try_from(number) {
        Ok(message::MatchState::Setup) => Phase::SetUp,
        Ok(message::MatchState::Ready) => Phase::Ready,
        Ok(message::MatchState::Playing) => Phase::Playing,
        Ok(message::MatchState::Paused) => Phase::Paused,
        Ok(message::MatchState::Ended) => Phase::Ended,
        _ => return Err(("state", format!("{number} is no state of a match"))),
    })
}

fn shorten(text: &str) -> String {
    text.chars().take(MAX_MATCH_ID_LENGTH).collect()
}
