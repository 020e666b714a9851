//! Boards without a clock on which a mate ended the game: what children do there afterwards, as looking at their game again, is no play. Where
//! there are clocks, they stop. Pure.

use proto::mqtt::message::{Board, PlyReported};
use readings::{Reading, ReadingKind};
use rules::{BoardId, BoardState, Game, Match, Ply};

use super::SessionConfig;

/// Boards without a clock that are mated by these plies, with the time of the mate.
pub(super) fn mated(
    config: &SessionConfig,
    plies: impl Iterator<Item = PlyReported>,
) -> Vec<(BoardId, u64)> {
    let mut game = match (config.game, config.boards.len()) {
        (Game::Chess, _) => Match::chess(),
        (Game::Bughouse, 1) => Match::half_sensed(),
        (Game::Bughouse, _) => Match::initial(),
    };
    let mut plies: Vec<PlyReported> = plies.collect();
    plies.sort_by_key(|ply| (ply.t_us, ply.ply_id));
    let mut mated: Vec<(BoardId, u64)> = Vec::new();
    for report in plies {
        let board = if report.board() == Board::B { BoardId::B } else { BoardId::A };
        let clockless = config.boards.get(&board).is_some_and(|header| header.clockless);
        let is_over = mated.iter().any(|&(of, _)| of == board);
        let Some(ply) = report.uci.parse::<Ply>().ok().filter(|_| !is_over) else { continue };
        game.play(board, ply);
        if clockless && game.state(board) == BoardState::Mate {
            mated.push((board, report.t_us));
        }
    }
    mated
}

/// Whether a reading is of squares, and later than the mate on its board.
pub(super) fn is_after_mate(mated: &[(BoardId, u64)], reading: &Reading) -> bool {
    let is_later =
        |&(board, t_us): &(BoardId, u64)| reading.board == Some(board) && reading.t_us > t_us;
    matches!(reading.kind, ReadingKind::Square { .. }) && mated.iter().any(is_later)
}
