//! An inferred match as a game record: BPGN of bughouse, PGN of chess.

use readings::{InferredLine, InferredPly, Reading, ReadingKind, TraceHeader};
use rules::{
    BoardState, Color, DelayKind, Match, Seat,
    bpgn::{BpgnGame, BpgnPly, EndReason, Ending},
    pgn::{GameResult, PgnGame, PgnPly, RESULT_TAG},
};
use sim::DELAY_TAG;

/// The record of an inferred match, with the clock times of its readings. The ending is given only
/// where the boards show it: a mate.
pub(crate) fn bpgn(header: &TraceHeader, readings: &[Reading], lines: &[InferredLine]) -> BpgnGame {
    let mut game = BpgnGame::default();
    game.set_tag("Event", &header.match_id);
    game.set_tag("TimeControl", &format!("{}+{}", header.base_s, header.delay_s));
    let mut played = Match::initial();
    for ply in lines.iter().filter_map(|line| match line {
        InferredLine::Ply(ply) => Some(ply),
        _ => None,
    }) {
        game.plies.push(BpgnPly {
            board: ply.board,
            color: ply.side,
            ply: ply.uci,
            clock_ms: clock_after(readings, ply),
            number: played.position(ply.board).fullmove_number().into(),
            comment: None,
        });
        played.play(ply.board, ply.uci);
        if played.state(ply.board) == BoardState::Mate {
            let loser = Seat { board: ply.board, color: ply.side.other() };
            let ending = Ending::lost(loser, EndReason::Checkmated, &game);
            game.result = ending.result().unwrap_or_default();
            game.ending = Some(ending);
        }
    }
    game
}

/// The record of an inferred game of chess, with the clock times of its readings. The result is given only where the board shows
/// it: a mate or a stalemate.
pub(crate) fn pgn(header: &TraceHeader, readings: &[Reading], lines: &[InferredLine]) -> PgnGame {
    let mut game = PgnGame::default();
    let mut set = |name: &str, value: &str| game.tags.push((name.to_owned(), value.to_owned()));
    set("Event", &header.match_id);
    for name in ["Site", "Date", "Round", "White", "Black"] {
        set(name, if name == "Date" { "????.??.??" } else { "?" });
    }
    let mut played = Match::chess();
    let mut plies = Vec::new();
    for ply in lines.iter().filter_map(|line| match line {
        InferredLine::Ply(ply) => Some(ply),
        _ => None,
    }) {
        plies.push(PgnPly { ply: ply.uci, clock_ms: clock_after(readings, ply), comment: None });
        played.play(ply.board, ply.uci);
        game.result = match (played.state(ply.board), ply.side) {
            (BoardState::Mate, Color::White) => GameResult::White,
            (BoardState::Mate, Color::Black) => GameResult::Black,
            (BoardState::Stalemate, _) => GameResult::Draw,
            _ => GameResult::Unknown,
        };
    }
    game.plies = plies;
    game.tags.push((RESULT_TAG.to_owned(), game.result.to_string()));
    if let Some(time) = header.time_control() {
        game.tags.push(("TimeControl".to_owned(), time.to_pgn_tag()));
        if time.delay_s() > 0 {
            let kind = match time.delay() {
                DelayKind::Us => "us",
                DelayKind::Bronstein => "bronstein",
            };
            game.tags.push((DELAY_TAG.to_owned(), format!("{} {kind}", time.delay_s())));
        }
    }
    game
}

/// Maximum delay of a clock's addition after a press, microseconds.
const CLOCK_ADDS_WITHIN_US: u64 = 100_000;

/// The mover's time at the completion of the ply: the last reading up to then, or right after that if the mover's time does not run.
fn clock_after(readings: &[Reading], ply: &InferredPly) -> Option<i64> {
    let until = readings.partition_point(|reading| reading.t_us <= ply.t_us);
    let soon = readings
        .iter()
        .skip(until)
        .take_while(|reading| reading.t_us <= ply.t_us.saturating_add(CLOCK_ADDS_WITHIN_US));
    let given =
        soon.filter(|reading| reading.board == Some(ply.board)).filter_map(|reading| match reading
            .kind
        {
            ReadingKind::Clock { running: Some(running), .. } if running == ply.side => None,
            ReadingKind::Clock { white_ms, black_ms, .. } => {
                Some(if ply.side.is_white() { white_ms } else { black_ms })
            }
            _ => None,
        });
    if let Some(given_ms) = given.last() {
        return Some(given_ms);
    }
    readings[..until].iter().rev().filter(|reading| reading.board == Some(ply.board)).find_map(
        |reading| match (&reading.kind, ply.side) {
            (ReadingKind::Clock { white_ms, .. }, Color::White) => Some(*white_ms),
            (ReadingKind::Clock { black_ms, .. }, Color::Black) => Some(*black_ms),
            _ => None,
        },
    )
}
