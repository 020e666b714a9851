//! A match as two PGN games, one for each board.
//!
//! PGN has no place for the other board, so captured pieces appear from nowhere when they are dropped; the
//! `Variant` tag says so. Clock times stand in `[%clk]` comments, as most programs read them.

use std::fmt::Write as _;

use rules::{BoardId, Color, Seat};

use super::{Reader, bpgn};
use crate::{
    config::Config,
    hall::{Game, Hall},
    referee::TimedPly,
};

/// Longest line of movetext.
const LINE_MAX: usize = 80;

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
    let mut out = String::new();
    for (tag, value) in [
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
    ] {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "[{tag} \"{value}\"]");
    }
    out.push('\n');
    let plies = game.referee().timeline().plies();
    let items = plies.iter().enumerate().filter(|(_, ply)| ply.report.board == board);
    let items = items.map(|(index, ply)| item(game, index, ply, reader));
    out.push_str(&wrapped(items.chain([result.to_owned()])));
    out.push_str("\n\n");
    out
}

fn item(game: &Game, index: usize, ply: &TimedPly, reader: Reader) -> String {
    let dots = if ply.report.side == Color::White { "." } else { "..." };
    let mut item = format!("{}{dots} {}", ply.number, ply.san);
    if let Some(clock_ms) = ply.report.clock_ms {
        let ms = clock_ms.max(0);
        let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
        let _ = write!(
            item,
            " {{[%clk {hours}:{minutes:02}:{:02}.{}]}}",
            ms / 1000 % 60,
            ms / 100 % 10
        );
    }
    if let Some(reason) = ply.illegal.filter(|_| reader.may_mark(game, index)) {
        let _ = write!(item, " {{illegal: {reason}}}");
    }
    item
}

/// Joins words with spaces, breaking lines between them.
fn wrapped(items: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in items.flat_map(|item| item.split(' ').map(str::to_owned).collect::<Vec<_>>()) {
        if column > 0 && column + 1 + word.len() > LINE_MAX {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        column += word.len();
        out.push_str(&word);
    }
    out
}
