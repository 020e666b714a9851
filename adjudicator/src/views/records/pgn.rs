//! A game of chess as PGN; a match of bughouse as one PGN game for each board.
//!
//! PGN has no place for the other board, so pieces of bughouse appear from nowhere when they are dropped; the
//! `Variant` tag says so. Clock times stand in `[%clk]` comments, as most programs read them. Every program opens a
//! game of chess without an error: from the first illegal ply on the game stands in a comment.

use rules::{
    BoardId, Color, Position, Seat,
    pgn::{self, GameResult, Item, PgnGame, PgnPly},
};

use super::{Reader, bpgn, standing::Standing};
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
    let tags = tags(config, hall, game, board, result);
    let result = GameResult::parse(result).unwrap_or_default();
    let (all, standing) = (game.referee().timeline().plies(), Standing::of(game));
    let plies = standing.places().iter().map(|&index| (index, &*all[index]));
    let on_board = plies.filter(|(_, ply)| ply.report.board == board);
    // While a claim is open an illegal ply is not marked: the moves are written as they were played.
    let is_silent =
        |(index, ply): (usize, &TimedPly)| ply.illegal.is_some() && !reader.may_mark(game, index);
    if game.game == rules::Game::Chess && !on_board.clone().any(is_silent) {
        let tags = tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let plies = on_board
            .map(|(index, ply)| chess_ply(game, (index, ply), standing.taken_back(index), reader))
            .collect();
        return pgn::write(&PgnGame { tags, plies, result, ..PgnGame::default() });
    }
    let item = |(index, ply)| item(game, index, ply, standing.taken_back(index), reader);
    let items: Vec<Item> = on_board.map(item).collect();
    pgn::write_items(&tags, &items, result)
}

/// The seven tags of every record first, then others.
pub(super) fn tags(
    config: &Config,
    hall: &Hall,
    game: &Game,
    board: BoardId,
    result: &str,
) -> Vec<(&'static str, String)> {
    let name = |color| bpgn::name(hall, game, Seat { board, color });
    let mut tags = vec![
        ("Event", config.event.name.clone()),
        ("Site", config.event.site.clone().unwrap_or_else(|| "?".to_owned())),
        ("Date", bpgn::date(game)),
        ("Round", bpgn::round(hall, game).unwrap_or_else(|| "?".to_owned())),
        ("White", name(Color::White)),
        ("Black", name(Color::Black)),
        ("Result", result.to_owned()),
    ];
    if game.game == rules::Game::Bughouse {
        tags.extend([("Variant", "Bughouse".to_owned()), ("Board", board.to_string())]);
    }
    let start = game.referee().timeline().start().position(board);
    if game.game == rules::Game::Chess && *start != Position::initial() {
        tags.push((pgn::FEN_TAG, rules::fen::format_chess(start)));
    }
    tags.push(("TimeControl", game.time.to_pgn_tag()));
    tags.extend(bpgn::delay_tags(&game.time));
    tags.extend([
        ("Table", game.table.clone()),
        ("Match", game.id.clone()),
        ("Rulebook", game.rulebook.name().to_owned()),
        ("Termination", bpgn::termination(game)),
    ]);
    tags
}

fn chess_ply(
    game: &Game,
    (index, ply): (usize, &TimedPly),
    taken_back: Option<&String>,
    reader: Reader,
) -> PgnPly {
    let words: Vec<String> =
        illegal(game, index, ply, reader).into_iter().chain(taken_back.cloned()).collect();
    let comment = (!words.is_empty()).then(|| words.join("; "));
    PgnPly { ply: ply.report.ply, clock_ms: reader.clock_ms(game, index), comment }
}

/// The mark of an illegal ply, where this reader may know.
fn illegal(game: &Game, index: usize, ply: &TimedPly, reader: Reader) -> Option<String> {
    let reason = ply.illegal.filter(|_| reader.may_mark(game, index))?;
    Some(format!("illegal: {reason}"))
}

fn item(
    game: &Game,
    index: usize,
    ply: &TimedPly,
    taken_back: Option<&String>,
    reader: Reader,
) -> Item {
    Item {
        number: ply.number,
        color: ply.report.side,
        san: ply.san.clone(),
        clock_ms: reader.clock_ms(game, index),
        comments: illegal(game, index, ply, reader)
            .into_iter()
            .chain(taken_back.cloned())
            .collect(),
    }
}
