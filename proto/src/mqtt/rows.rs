//! Bytes from the network become messages only if they keep to the specification.

use prost::Message as _;
use thiserror::Error;

use super::message::row::Event;
use super::message::{
    AnomalyReported, Board, DelayKind, Game, MatchOpened, MatchState, NodeState, NodeStateChanged,
    OrderOutcome, PlyReported, Question, QuestionsAsked, Row, Rows, Side, Stage,
};

/// Maximum number of rows in one message.
pub const MAX_ROWS: usize = 1000;
/// Largest message in bytes. Brokers should allow at least this.
pub const MAX_ROWS_BYTES: usize = 256 * 1024;
/// Longest text in a row, in bytes: ids, codes, evidence.
pub const MAX_TEXT_BYTES: usize = 4096;
/// Maximum number of periods of a time control. Real ones have at most four.
pub const MAX_PERIODS: usize = 8;
/// Maximum number of questions about one match.
pub const MAX_QUESTIONS: usize = 8;
/// Node of a [`NodeStateChanged`](super::message::NodeStateChanged) that concerns no node. It is faulty while a match is played at the
/// table and none is followed there, with the reason and the cure.
pub const NOT_FOLLOWED: &str = "not-followed";
/// Node of a [`NodeStateChanged`](super::message::NodeStateChanged) that is a button on the hub's pins, with which players call a director to
/// their table. It is faulty when it is pressed, and connected again at once.
pub const CALL_BUTTON: &str = "call-button";
/// Maximum number of pairs of presses in a zero test.
pub const MAX_ZERO_PAIRS: usize = 64;
/// Maximum size of a clip of readings, in bytes.
pub const MAX_CLIP_BYTES: usize = 65_536;
/// Tolerance of a probability above 1: sums of many terms are not exact.
const PROBABILITY_ROUNDING: f64 = 1e-6;

/// Bytes that are no valid rows (or another message).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RowsError {
    /// Too many bytes.
    #[error("a message of {0} bytes: at most {MAX_ROWS_BYTES} are accepted")]
    TooLarge(usize),
    /// Not protobuf, or not of this schema.
    #[error("the message cannot be decoded: {0}")]
    Protobuf(String),
    /// `boot_id` is 0, or `hub_id` is empty.
    #[error("the rows name no hub or no boot")]
    NoSender,
    /// None, or too many.
    #[error("{0} rows in one message: 1 to {MAX_ROWS} are allowed")]
    Count(usize),
    /// Sequences that do not follow each other.
    #[error("row {found} where row {expected} belongs")]
    Order {
        /// Expected sequence; at least 1.
        expected: u64,
        /// Found sequence.
        found: u64,
    },
    /// A field without a meaning.
    #[error("row {sequence}: {field} has no meaning")]
    Field {
        /// The row.
        sequence: u64,
        /// The field.
        field: &'static str,
    },
}

/// Decodes any of the messages.
///
/// # Errors
/// If there are too many bytes or they are not that message.
pub fn decode<M: prost::Message + Default>(bytes: &[u8]) -> Result<M, RowsError> {
    if bytes.len() > MAX_ROWS_BYTES {
        return Err(RowsError::TooLarge(bytes.len()));
    }
    M::decode(bytes).map_err(|error| RowsError::Protobuf(error.to_string()))
}

/// Rows as they came. A hub of another release may say what this one does not know: then the message lacks it, and the bytes have it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedRows {
    /// The message; of a row with an unknown event, without it.
    pub rows: Rows,
    /// The bytes of each of its rows.
    pub bodies: Vec<Vec<u8>>,
}

/// The message with its rows as bytes.
#[derive(Clone, PartialEq, prost::Message)]
struct Envelope {
    #[prost(string, tag = "1")]
    hub_id: String,
    #[prost(uint64, tag = "2")]
    boot_id: u64,
    #[prost(bytes = "vec", repeated, tag = "3")]
    rows: Vec<Vec<u8>>,
    #[prost(uint64, tag = "40")]
    first_available: u64,
}

/// Decodes rows and checks what delivers them: sender named, not too many, sequences consecutive.
///
/// [`check_row`] checks the content of each row, not this function. If one row of another release made a whole message invalid, all
/// rows behind it would wait for ever.
///
/// # Errors
/// The first problem, and its row.
pub fn decode_rows(bytes: &[u8]) -> Result<ReceivedRows, RowsError> {
    let Envelope { hub_id, boot_id, rows: bodies, first_available } = decode(bytes)?;
    let rows: Result<Vec<Row>, RowsError> = bodies.iter().map(|body| decode(body)).collect();
    let rows = Rows { hub_id, boot_id, rows: rows?, first_available };
    if rows.boot_id == 0 || !is_name(&rows.hub_id) {
        return Err(RowsError::NoSender);
    }
    let Some(first) = rows.rows.first().filter(|_| rows.rows.len() <= MAX_ROWS) else {
        return Err(RowsError::Count(rows.rows.len()));
    };
    let mut expected = first.sequence.max(1);
    for row in &rows.rows {
        if row.sequence != expected {
            return Err(RowsError::Order { expected, found: row.sequence });
        }
        expected = expected.saturating_add(1);
    }
    if rows.first_available > first.sequence {
        return Err(RowsError::Field { sequence: first.sequence, field: "first_available" });
    }
    Ok(ReceivedRows { rows, bodies })
}

/// Encodes rows that are encoded already, as a journal keeps them: `bodies` are consecutive rows of a boot.
#[must_use]
pub fn encode_rows<'a>(
    hub_id: &str,
    boot_id: u64,
    first_available: u64,
    bodies: impl Iterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let (hub_id, rows) = (hub_id.to_owned(), bodies.map(<[u8]>::to_vec).collect());
    Envelope { hub_id, boot_id, rows, first_available }.encode_to_vec()
}

/// The match that a row is about; none if it is about a node or an order.
#[must_use]
pub fn match_of(event: &Event) -> Option<&str> {
    Some(match event {
        Event::MatchOpened(event) => &event.match_id,
        Event::MatchStateChanged(event) => &event.match_id,
        Event::PlyReported(event) => &event.match_id,
        Event::PlyRetracted(event) => &event.match_id,
        Event::AnomalyReported(event) => &event.match_id,
        Event::AnomalyRetracted(event) => &event.match_id,
        Event::ClockRead(event) => &event.match_id,
        Event::QuestionsAsked(event) => &event.match_id,
        Event::EvidenceClip(event) => &event.match_id,
        Event::SquaresRead(event) => &event.match_id,
        Event::PositionStands(event) => &event.match_id,
        Event::ZeroTested(event) => &event.match_id,
        Event::NodeStateChanged(_)
        | Event::NodeTimed(_)
        | Event::OrderTaken(_)
        | Event::OrderEnded(_) => return None,
    })
}

/// Checks the content of one row: it has an event, enums are known, probabilities are from 0 to 1, texts are of sensible
/// length. The meaning of texts (rulebooks, UCI) is checked elsewhere. A hub does this before it commits a row, and the
/// adjudicator before it applies one.
///
/// # Errors
/// Which field is wrong.
pub fn check_row(row: &Row) -> Result<(), RowsError> {
    check_fields(row).map_err(|field| RowsError::Field { sequence: row.sequence, field })
}

/// The name of the field that has no meaning, if there is one.
fn check_fields(row: &Row) -> Result<(), &'static str> {
    require(is_name(&row.table), "table")?;
    match row.event.as_ref().ok_or("event")? {
        Event::MatchOpened(event) => check_opened(event),
        Event::MatchStateChanged(event) => {
            require(is_name(&event.match_id), "match_id")?;
            let state = MatchState::try_from(event.state);
            require(state.is_ok_and(|state| state != MatchState::Unspecified), "state")
        }
        Event::PlyReported(event) => check_ply(event),
        Event::PlyRetracted(event) => require(is_name(&event.match_id), "match_id"),
        Event::AnomalyReported(event) => check_anomaly(event),
        Event::AnomalyRetracted(event) => require(is_name(&event.match_id), "match_id"),
        Event::ClockRead(event) => {
            require(is_name(&event.match_id), "match_id")?;
            require(is_board(event.board), "board")?;
            require(event.running.is_none_or(is_side), "running")
        }
        Event::NodeStateChanged(event) => check_node(event),
        Event::OrderTaken(event) => require(event.order_id != 0, "order_id"),
        Event::OrderEnded(event) => {
            require(event.order_id != 0, "order_id")?;
            let outcome = OrderOutcome::try_from(event.outcome);
            let known = outcome.is_ok_and(|outcome| outcome != OrderOutcome::Unspecified);
            require(known, "outcome")?;
            require(is_text(&event.detail), "detail")
        }
        Event::QuestionsAsked(event) => check_questions(event),
        Event::EvidenceClip(event) => {
            require(is_name(&event.match_id), "match_id")?;
            require(event.order_id != 0, "order_id")?;
            require(event.from_us <= event.to_us, "to_us")?;
            require(event.lines.len() <= MAX_CLIP_BYTES, "lines")
        }
        Event::SquaresRead(event) => {
            require(is_name(&event.match_id), "match_id")?;
            require(is_board(event.board), "board")
        }
        Event::PositionStands(event) => {
            require(is_name(&event.match_id), "match_id")?;
            require(is_board(event.board), "board")?;
            require(event.fact_us <= event.t_us, "t_us")
        }
        Event::ZeroTested(event) => {
            require(is_name(&event.match_id), "match_id")?;
            require(event.order_id != 0, "order_id")?;
            require((1..=MAX_ZERO_PAIRS).contains(&event.differences_us.len()), "differences_us")
        }
        Event::NodeTimed(event) => {
            require(is_name(&event.node_id), "node_id")?;
            require(is_board(event.board), "board")
        }
    }
}

fn check_anomaly(event: &AnomalyReported) -> Result<(), &'static str> {
    require(is_name(&event.match_id), "match_id")?;
    require(is_name(&event.code), "code")?;
    require(is_board(event.board), "board")?;
    require(event.side.is_none_or(is_side), "side")?;
    require(is_probability(event.confidence), "confidence")?;
    require(is_text(&event.rule), "rule")?;
    require(is_text(&event.reason), "reason")?;
    require(is_text(&event.evidence), "evidence")
}

fn check_node(event: &NodeStateChanged) -> Result<(), &'static str> {
    require(is_name(&event.node_id), "node_id")?;
    require(event.board.is_none_or(is_board), "board")?;
    let state = NodeState::try_from(event.state);
    require(state.is_ok_and(|state| state != NodeState::Unspecified), "state")?;
    require(is_text(&event.detail), "detail")
}

fn check_questions(event: &QuestionsAsked) -> Result<(), &'static str> {
    require(is_name(&event.match_id), "match_id")?;
    require(event.questions.len() <= MAX_QUESTIONS, "questions")?;
    let known = |a: &super::message::Alternative| is_name(&a.uci) && is_probability(a.p);
    let is_sound = |question: &Question| question.candidates.iter().all(known);
    require(event.questions.iter().all(is_sound), "questions")
}

fn check_opened(event: &MatchOpened) -> Result<(), &'static str> {
    require(is_name(&event.match_id), "match_id")?;
    require(is_name(&event.rulebook), "rulebook")?;
    let known = |b: &super::message::BoardSetup| is_board(b.board) && is_name(&b.sensor);
    let boards = &event.boards;
    require(matches!(boards.len(), 1 | 2) && boards.iter().all(known), "boards")?;
    require(boards.len() == 1 || boards[0].board != boards[1].board, "boards")?;
    let game = Game::try_from(event.game);
    require(game.is_ok(), "game")?;
    require(game != Ok(Game::Chess) || boards.len() == 1, "boards")?;
    check_time(event)
}

/// A time control whose parts do not contradict each other. The length of a period is checked elsewhere.
fn check_time(event: &MatchOpened) -> Result<(), &'static str> {
    let periods = &event.periods;
    require(periods.len() <= MAX_PERIODS, "periods")?;
    require(periods.first().is_none_or(|first| first.base_ms == event.base_ms), "periods")?;
    require(periods.iter().rev().skip(1).all(|period| period.moves > 0), "periods")?;
    require(event.increment_ms == 0 || event.delay_ms == 0, "increment_ms")?;
    require(DelayKind::try_from(event.delay).is_ok(), "delay")
}

fn check_ply(event: &PlyReported) -> Result<(), &'static str> {
    require(is_name(&event.match_id), "match_id")?;
    let stage = Stage::try_from(event.stage);
    require(stage.is_ok_and(|stage| stage != Stage::Unspecified), "stage")?;
    require(is_board(event.board), "board")?;
    require(is_side(event.side), "side")?;
    require(is_name(&event.uci), "uci")?;
    require(is_probability(event.p), "p")?;
    let known = |a: &super::message::Alternative| is_name(&a.uci) && is_probability(a.p);
    require(event.alternatives.iter().all(known), "alternatives")?;
    let (touched, released) = (event.touched_us, event.released_us);
    require(touched.zip(released).is_none_or(|(first, last)| first <= last), "touched_us")
}

fn require(holds: bool, field: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(field) }
}

fn is_text(text: &str) -> bool {
    text.len() <= MAX_TEXT_BYTES
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && is_text(text)
}

fn is_board(number: i32) -> bool {
    Board::try_from(number).is_ok_and(|board| board != Board::Unspecified)
}

fn is_side(number: i32) -> bool {
    Side::try_from(number).is_ok_and(|side| side != Side::Unspecified)
}

fn is_probability(p: f64) -> bool {
    (0.0..=1.0 + PROBABILITY_ROUNDING).contains(&p)
}
