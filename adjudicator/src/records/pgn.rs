//! A match as two PGN games, one for each board.
//!
//! PGN has no place for the other board, so captured pieces appear from nowhere when they are dropped; the
//! `Variant` tag says so. Clock times stand in `[%clk]` comments, as most programs read them.

use rules::{
    BoardId, Color, Seat,
    pgn::{self, GameResult, Item},
};

use super::{Reader, bpgn};
use crate::{
    config::Config,
    hall::{Game, Hall},
};
use referee::TimedPly;

pub(super) fn write(config: &Config, hall: &Hall, game: &Game, reader: Reader) -> String {
    game.boards.iter().map(|&board| write_board(config, hall, game, board, reader)).collect()
}

fn write_board(
    config: &Config,
    hall: &Hall,
    game: &Game,
    board: BoardId,
    reader: Reader,
) -> String {
    let result = bpgn::board_result(game, board);
    let name = |color| bpgn::name(hall, game, Seat { board, color });
    let tags = [
        ("Event", config.event.name.clone()),
        ("Site", config.event.site.clone().unwrap_or_else(|| "?".to_owned())),
        ("Date", bpgn::date(game)),
        ("Round", "?".to_owned()),
        ("White", name(Color::White)),
        ("Black", name(Color::Black)),
        ("Result", result.to_owned()),
        ("Variant", "Bughouse".to_owned()),
        ("Table", game.table.clone()),
        ("Match", game.id.clone()),
        ("Board", board.to_string()),
        ("TimeControl", (game.base_ms / 1000).to_string()),
        ("Termination", bpgn::termination(game)),
    ];
    let plies = game.referee().timeline().plies();
    let on_board = plies.iter().enumerate().filter(|(_, ply)| ply.report.board == board);
    let items: Vec<Item> = on_board.map(|(index, ply)| item(game, index, ply, reader)).collect();
    pgn::write_items(&tags, &items, GameResult::parse(result).unwrap_or_default())
}

fn item(game: &Game, index: usize, ply: &TimedPly, reader: Reader) -> Item {
    let reason = ply.illegal.filter(|_| reader.may_mark(game, index));
    Item {
        number: ply.number,
        color: ply.report.side,
        san: ply.san.clone(),
        clock_ms: reader.clock_ms(game, index),
        comments: reason.map(|reason| format!("illegal: {reason}")).into_iter().collect(),
    }
}
