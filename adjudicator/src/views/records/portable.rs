//! Records that other programs open to their last ply, illegal plies or not.
//!
//! The complete record marks an illegal ply and goes on; programs that know the rules stop there. These records go on as a further
//! game instead. And as no program for chess variants knows a partner, each board of bughouse is a game of crazyhouse here.

use rules::{
    BoardId,
    bpgn::{self, portable},
    pgn::{self, GameResult, crazyhouse},
};

use super::{Reader, bpgn::record, pgn::tags, standing::Standing};
use crate::{
    config::Config,
    hall::{Game, Hall},
    views::records,
};

/// A match as BPGN, a game for each part between illegal plies.
pub(super) fn write_bpgn(config: &Config, hall: &Hall, game: &Game, reader: Reader) -> String {
    let record = record(config, hall, game, reader);
    let standing = Standing::of(game);
    let may_tell = |index| reader.may_mark(game, standing.place(index));
    portable::parts(&record, may_tell)
        .iter()
        .map(|part| bpgn::write_marking(part, |_| false))
        .collect()
}

/// A match as PGN, for each board a game of chess or crazyhouse for each part between its illegal plies.
pub(super) fn write_pgn(config: &Config, hall: &Hall, game: &Game, reader: Reader) -> String {
    let record = record(config, hall, game, reader);
    let board = |&board| write_board(config, hall, game, (board, &record), reader);
    game.boards.iter().map(board).collect()
}

fn write_board(
    config: &Config,
    hall: &Hall,
    game: &Game,
    (board, record): (BoardId, &bpgn::BpgnGame),
    reader: Reader,
) -> String {
    let result = records::bpgn::board_result(game, board);
    let standing = Standing::of(game);
    let may_tell = |index| reader.may_mark(game, standing.place(index));
    let parts = crazyhouse::parts(record, board, may_tell);
    let count = parts.len();
    let mut out = String::new();
    for (index, part) in parts.into_iter().enumerate() {
        let is_last = index + 1 == count;
        let result = if is_last { result } else { "*" };
        let mut tags = tags(config, hall, game, board, result);
        tags.retain(|(name, _)| !matches!(*name, pgn::FEN_TAG | "Variant"));
        let fen = match game.game {
            rules::Game::Bughouse => {
                tags.push(("Variant", crazyhouse::VARIANT.to_owned()));
                Some(part.fen)
            }
            // A game of chess has no pockets.
            rules::Game::Chess => {
                let fen = part.fen.replace("[]", "");
                let is_usual = fen == rules::fen::format_chess(&rules::Position::initial());
                (!is_usual).then_some(fen)
            }
        };
        if let Some(fen) = fen {
            tags.extend(pgn::set_up(fen));
        }
        if count > 1 {
            tags.push((portable::PART_TAG, format!("{}/{count}", index + 1)));
        }
        if !part.before.is_empty() {
            tags.push((portable::BEFORE_TAG, part.before.join("; ")));
        }
        let result = GameResult::parse(result).unwrap_or_default();
        out.push_str(&pgn::write_items(&tags, &part.items, result));
    }
    out
}
