//! An inferred match as a game record.

use inference::record::{InferredLine, InferredPly, Reading, ReadingKind, TraceHeader};
use rules::{
    BoardState, Color, Match, Seat,
    bpgn::{BpgnGame, BpgnPly, EndReason, Ending},
};

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

/// What the mover's clock showed when the ply was complete: the last reading of it up to then.
fn clock_after(readings: &[Reading], ply: &InferredPly) -> Option<i64> {
    let until = readings.partition_point(|reading| reading.t_us <= ply.t_us);
    readings[..until].iter().rev().filter(|reading| reading.board == Some(ply.board)).find_map(
        |reading| match (&reading.kind, ply.side) {
            (ReadingKind::Clock { white_ms, .. }, Color::White) => Some(*white_ms),
            (ReadingKind::Clock { black_ms, .. }, Color::Black) => Some(*black_ms),
            _ => None,
        },
    )
}
