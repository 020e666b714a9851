//! From the wire's messages to what the adjudicator works with.
//!
//! The only place that knows both. What a message's shape allows and its meaning does not (a UCI text that
//! is none, a board that is none) is refused here, by name, so that nothing behind meets it.

use prost::Message as _;
use proto::mqtt::{
    NOT_FOLLOWED, check_row, match_of,
    message::{self, HubState, Row, SeenNode, row::Event},
};
use rules::{
    Bitboard, BoardId, Color, DelayKind, Game, Period, Ply, TimeControl, TimeControlError,
};

use referee::{Alternative, AnomalyReport, ClockReading, Input, Phase, PlyReport};

use crate::{
    hall::{
        Hall,
        report::{
            BoardNews, Clip, Content, HubNode, HubPresence, NodeTrouble, Opened, OrderNews,
            QuestionAsked, Report, RowContent, RowProblem,
        },
    },
    log::input::{self, InputKind},
};

/// Maximum number of alternatives of a ply.
const MAX_ALTERNATIVES: usize = 16;

/// Longest words about an order.
const MAX_DETAIL_CHARS: usize = 400;

/// Longest match id.
const MAX_MATCH_ID_LENGTH: usize = 64;

/// A row that has its form and is invalid.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("row {sequence}: {field}: {problem}")]
pub struct MeaningError {
    /// The row.
    pub sequence: u64,
    /// The field.
    pub field: &'static str,
    /// The error.
    pub problem: String,
}

/// Fault of a node, as its hub reports it.
fn node_trouble(event: &message::NodeStateChanged) -> Option<NodeTrouble> {
    let is_lost = match message::NodeState::try_from(event.state) {
        Ok(message::NodeState::Connected) => return None,
        Ok(message::NodeState::Faulty) => false,
        _ => true,
    };
    let board = event.board.and_then(|board| message::Board::try_from(board).ok());
    let board = board
        .map(|board| format!(" at board {}", board.as_str_name().trim_start_matches("BOARD_")));
    let detail: String = event.detail.chars().take(MAX_DETAIL_CHARS).collect();
    let words = match event.node_id.as_str() {
        NOT_FOLLOWED => format!(
            "{}: {detail}",
            board.unwrap_or_default().trim_start().replace("at board", "Board")
        ),
        node => format!("{node}{}: {detail}", board.unwrap_or_default()),
    };
    Some(NodeTrouble { is_lost, words })
}

/// Applies an input of the log to a hall.
pub fn apply(hall: &mut Hall, input: &input::Input) {
    // A row at which decoding fails in our own code ends nothing but itself.
    let content = std::panic::catch_unwind(|| decode(input));
    let content =
        content.unwrap_or_else(|_| Err("a fault in Twinboard: send us the log".to_owned()));
    hall.apply(input, content);
}

/// Content of an input of the log.
///
/// # Errors
///
/// It cannot be decoded; the reason.
pub fn decode(input: &input::Input) -> Result<Content, String> {
    let payload = input.payload.as_slice();
    let text = || String::from_utf8_lossy(payload);
    Ok(match input.kind {
        InputKind::Row => {
            let row = Row::decode(payload).map_err(|error| error.to_string())?;
            Content::Row(Box::new(row_content(row)))
        }
        InputKind::HubState => {
            let state = HubState::decode(payload).map_err(|error| error.to_string())?;
            Content::HubState(presence(&state))
        }
        InputKind::RowsLost => Content::RowsLost(text().into_owned()),
        InputKind::Act => {
            Content::Act(serde_json::from_slice(payload).map_err(|error| error.to_string())?)
        }
        InputKind::Damaged => Content::Damaged,
        InputKind::LinkUp => Content::LinkUp,
        InputKind::LinkDown => Content::LinkDown,
        InputKind::Deadline => {
            Content::Deadline(text().parse().map_err(|_| format!("{:?} is no match time", text()))?)
        }
    })
}

fn row_content(row: Row) -> RowContent {
    let report = match check_row(&row) {
        Err(error) => Err(RowProblem::OtherRelease(error.to_string())),
        Ok(()) => read(&row).map_err(|error| RowProblem::Senseless(error.to_string())),
    };
    let Row { sequence, hub_time_us, table, .. } = row;
    RowContent { sequence, hub_time_us, table, report }
}

/// Presence of a hub, by its birth or will.
pub(crate) fn presence(state: &HubState) -> HubPresence {
    HubPresence {
        boot_id: state.boot_id,
        is_online: state.online,
        tables: state.tables.clone(),
        troubles: state.troubles.clone(),
        update_ended: state.update_ended,
        nodes: state.nodes.iter().filter_map(hub_node).collect(),
        placing_ended: state.placing_ended,
        placing_refused: state.placing_refused.clone(),
    }
}

/// A node that a hub sees. `None`: its id, or its place, has no meaning.
fn hub_node(node: &SeenNode) -> Option<HubNode> {
    let place = match (node.table.as_str(), node.board) {
        ("", _) => None,
        (table, 1) if crate::config::is_segment(table) => Some((table.to_owned(), BoardId::A)),
        (table, 2) if crate::config::is_segment(table) => Some((table.to_owned(), BoardId::B)),
        _ => return None,
    };
    crate::config::is_segment(&node.node_id).then(|| HubNode {
        id: node.node_id.clone(),
        sensor: (!node.sensor.is_empty()).then(|| node.sensor.clone()),
        trays: node.trays,
        is_present: node.present,
        place,
        by_file: node.by_file,
        port: node.port.clone(),
        firmware: node.firmware.clone(),
        image: node.image.clone(),
        is_outdated: node.outdated,
    })
}

/// Reads a row.
///
/// # Errors
///
/// The invalid field.
pub fn read(row: &Row) -> Result<Report, MeaningError> {
    let refuse = |(field, problem)| MeaningError { sequence: row.sequence, field, problem };
    if !crate::config::is_segment(&row.table) {
        return Err(refuse(("table", format!("{:?} is no table name", shorten(&row.table)))));
    }
    let id = row.event.as_ref().and_then(match_of).unwrap_or("none");
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if id.is_empty() || id.len() > MAX_MATCH_ID_LENGTH || !id.chars().all(allowed) {
        return Err(refuse(("match_id", format!("{:?} is no match id", shorten(id)))));
    }
    let event = row.event.as_ref().ok_or_else(|| refuse(("event", "is missing".to_owned())))?;
    read_event(event).map_err(refuse)
}

type DecodeProblem = (&'static str, String);

fn read_event(event: &Event) -> Result<Report, DecodeProblem> {
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
        Event::NodeStateChanged(event) => {
            Ok(Report::Node { id: event.node_id.clone(), trouble: node_trouble(event) })
        }
        Event::OrderTaken(event) => {
            Ok(Report::Order { id: event.order_id, news: OrderNews::Taken })
        }
        Event::OrderEnded(event) => {
            let outcome = message::OrderOutcome::try_from(event.outcome);
            let outcome = outcome.map_err(|_| ("outcome", "is none".to_owned()))?;
            let detail = event.detail.chars().take(MAX_DETAIL_CHARS).collect();
            Ok(Report::Order { id: event.order_id, news: OrderNews::Ended(outcome, detail) })
        }
        Event::EvidenceClip(event) => Ok(Report::Clip(Clip {
            match_id: event.match_id.clone(),
            order: event.order_id,
            from_us: event.from_us,
            to_us: event.to_us,
            lines: event.lines.clone(),
        })),
        Event::ZeroTested(event) => Ok(Report::ZeroTest {
            match_id: event.match_id.clone(),
            order: event.order_id,
            differences_us: event.differences_us.clone(),
        }),
        Event::NodeTimed(event) => Ok(Report::NodeTimed {
            id: event.node_id.clone(),
            error: (board(event.board)?, event.error_us),
        }),
        Event::SquaresRead(event) => {
            let (match_id, board) = (event.match_id.clone(), board(event.board)?);
            Ok(Report::Board { match_id, board, news: BoardNews::Read(Bitboard(event.occupied)) })
        }
        Event::PositionStands(event) => {
            let (match_id, board) = (event.match_id.clone(), board(event.board)?);
            let news = BoardNews::Stands(event.fact_us, Bitboard(event.differing));
            Ok(Report::Board { match_id, board, news })
        }
        Event::QuestionsAsked(event) => {
            let match_id = event.match_id.clone();
            let questions =
                event.questions.iter().map(question).collect::<Result<_, DecodeProblem>>()?;
            Ok(Report::Questions { match_id, questions })
        }
    }
}

fn question(question: &message::Question) -> Result<QuestionAsked, DecodeProblem> {
    let candidates = question.candidates.iter().take(MAX_ALTERNATIVES);
    let candidates = candidates.map(|it| Ok(Alternative { ply: uci(&it.uci)?, p: it.p }));
    let candidates = candidates.collect::<Result<_, DecodeProblem>>()?;
    Ok(QuestionAsked { ply: question.ply_id, candidates })
}

fn opened(event: &message::MatchOpened) -> Result<Opened, DecodeProblem> {
    let opened = Opened {
        match_id: event.match_id.clone(),
        game: game(event.game)?,
        rulebook: event.rulebook.clone(),
        time: time(event)?,
        boards: event.boards.iter().map(|setup| board(setup.board)).collect::<Result<_, _>>()?,
    };
    match (opened.game, opened.boards.as_slice()) {
        (Game::Chess, [BoardId::A]) | (Game::Bughouse, [_]) => Ok(opened),
        (Game::Bughouse, [first, second]) if first != second => Ok(opened),
        (game, boards) => Err(("boards", format!("{game} is not played on the boards {boards:?}"))),
    }
}

fn game(number: i32) -> Result<Game, DecodeProblem> {
    match message::Game::try_from(number) {
        Ok(message::Game::Unspecified | message::Game::Bughouse) => Ok(Game::Bughouse),
        Ok(message::Game::Chess) => Ok(Game::Chess),
        Err(_) => Err(("game", format!("{number} is no game that is known here"))),
    }
}

/// The time control; of a hub that names no periods, one period of the base time.
fn time(event: &message::MatchOpened) -> Result<TimeControl, DecodeProblem> {
    let seconds = |field, ms: u32| match ms % 1000 {
        0 => Ok(ms / 1000),
        _ => Err((field, format!("{ms} ms are no whole seconds"))),
    };
    let period = |period: &message::Period| {
        let moves = (period.moves > 0).then_some(period.moves);
        Ok(Period { base_s: seconds("periods", period.base_ms)?, moves })
    };
    let periods = match event.periods.as_slice() {
        [] => vec![Period { base_s: seconds("base_ms", event.base_ms)?, moves: None }],
        periods => periods.iter().map(period).collect::<Result<_, DecodeProblem>>()?,
    };
    let delay = match message::DelayKind::try_from(event.delay) {
        Ok(message::DelayKind::Unspecified | message::DelayKind::Us) => DelayKind::Us,
        Ok(message::DelayKind::Bronstein) => DelayKind::Bronstein,
        Err(_) => return Err(("delay", format!("{} is no kind of delay", event.delay))),
    };
    let increment_s = seconds("increment_ms", event.increment_ms)?;
    let delay_s = seconds("delay_ms", event.delay_ms)?;
    TimeControl::new(periods, increment_s, delay_s, delay)
        .map_err(|error: TimeControlError| ("time control", error.to_string()))
}

fn ply(event: &message::PlyReported) -> Result<PlyReport, DecodeProblem> {
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
            .collect::<Result<_, DecodeProblem>>()?,
        clock_ms: event.clock_ms,
    })
}

fn anomaly(event: &message::AnomalyReported) -> Result<AnomalyReport, DecodeProblem> {
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

fn clock(event: &message::ClockRead) -> Result<ClockReading, DecodeProblem> {
    Ok(ClockReading {
        board: board(event.board)?,
        white_ms: event.white_ms,
        black_ms: event.black_ms,
        running: event.running.map(side).transpose()?,
        t_us: event.t_us,
    })
}

fn uci(text: &str) -> Result<Ply, DecodeProblem> {
    text.parse().map_err(|error: rules::ParsePlyError| ("uci", error.to_string()))
}

fn board(number: i32) -> Result<BoardId, DecodeProblem> {
    match message::Board::try_from(number) {
        Ok(message::Board::A) => Ok(BoardId::A),
        Ok(message::Board::B) => Ok(BoardId::B),
        _ => Err(("board", format!("{number} is neither A nor B"))),
    }
}

fn side(number: i32) -> Result<Color, DecodeProblem> {
    match message::Side::try_from(number) {
        Ok(message::Side::White) => Ok(Color::White),
        Ok(message::Side::Black) => Ok(Color::Black),
        _ => Err(("side", format!("{number} is neither White nor Black"))),
    }
}

fn phase(number: i32) -> Result<Phase, DecodeProblem> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proto::mqtt::message::{BoardSetup, MatchOpened};
    use rules::Match;

    fn row(change: impl FnOnce(&mut MatchOpened)) -> Row {
        let board = BoardSetup { board: message::Board::A.into(), sensor: "reed".to_owned() };
        let mut event = MatchOpened {
            match_id: "m1".to_owned(),
            rulebook: "nc-scholastic".to_owned(),
            base_ms: 5_400_000,
            boards: vec![board],
            ..MatchOpened::default()
        };
        change(&mut event);
        let (table, event) = ("1".to_owned(), Some(Event::MatchOpened(event)));
        Row { sequence: 1, hub_time_us: 1, table, event }
    }

    fn opened(change: impl FnOnce(&mut MatchOpened)) -> Result<Opened, MeaningError> {
        match read(&row(change))? {
            Report::Opened(opened) => Ok(opened),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_match_of_a_hub_that_knows_no_games_is_bughouse_in_one_period() {
        let opened = opened(|event| event.delay_ms = 2_000).unwrap();
        assert_eq!((opened.game, opened.start()), (Game::Bughouse, Match::half_sensed()));
        assert_eq!(Ok(opened.time), TimeControl::sudden_death(5_400, 2));
    }

    #[test]
    fn a_chess_game_has_its_periods_and_its_kind_of_delay() {
        let opened = opened(|event| {
            event.game = message::Game::Chess.into();
            let rest = message::Period { base_ms: 1_800_000, moves: 0 };
            event.periods = vec![message::Period { base_ms: 5_400_000, moves: 40 }, rest];
            event.delay_ms = 5_000;
            event.delay = message::DelayKind::Bronstein.into();
        });
        let opened = opened.unwrap();
        assert_eq!((opened.game, opened.start()), (Game::Chess, Match::chess()));
        assert_eq!(opened.time.to_pgn_tag(), "40/5400:1800");
        assert_eq!((opened.time.delay_s(), opened.time.delay()), (5, DelayKind::Bronstein));
    }

    #[test]
    fn a_match_that_makes_no_sense_is_refused_by_the_field() {
        let board =
            |board: message::Board| BoardSetup { board: board.into(), sensor: "reed".to_owned() };
        let field = |change: fn(&mut MatchOpened)| opened(change).unwrap_err().field;
        assert_eq!(field(|event| event.game = 9), "game");
        assert_eq!(field(|event| event.base_ms = 1_500), "base_ms");
        assert_eq!(field(|event| event.base_ms = 0), "time control");
        assert_eq!(field(|event| event.delay = 9), "delay");
        assert_eq!(field(|event| event.increment_ms = 3_601_000), "time control");
        let of_chess = opened(|event| {
            event.game = message::Game::Chess.into();
            event.boards = vec![board(message::Board::B)];
        });
        assert_eq!(of_chess.unwrap_err().field, "boards");
    }
}
