//! Writing a record so that it reads back the same.

use std::fmt::Write;

use super::{BpgnGame, BpgnPly, ILLEGAL_MARK, OUT_OF_TURN, RESULT_TAG, seat_letter};
use crate::{
    Match,
    movetext::{
        clock,
        write::{Lines, comment_text, write_tag},
    },
    san,
};

/// Writes one game, ready to be followed by others.
///
/// Plies that were illegal or out of turn are marked, see the parent module. The `Result` tag is
/// written from [`BpgnGame::result`]. A FEN tag that cannot be read is written as it is, and the
/// plies as if from the initial position.
#[must_use]
pub fn write(game: &BpgnGame) -> String {
    write_marking(game, |_| true)
}

/// Writes one game as [`write`] does, marking illegal plies only where `may_mark` says so of their
/// position in [`BpgnGame::plies`]. For records that are read while a claim is open: the book forbids
/// to point at an illegal ply before its claim window has closed.
#[must_use]
pub fn write_marking(game: &BpgnGame, may_mark: impl Fn(usize) -> bool) -> String {
    let mut out = String::new();
    let mut has_result = false;
    for (name, value) in &game.tags {
        if name == RESULT_TAG {
            has_result = true;
            write_tag(&mut out, name, &game.result.to_string());
        } else {
            write_tag(&mut out, name, value);
        }
    }
    if !has_result {
        write_tag(&mut out, RESULT_TAG, &game.result.to_string());
    }
    out.push('\n');
    let mut lines = Lines::default();
    let mut state = game.start().unwrap_or_default();
    for (index, ply) in game.plies.iter().enumerate() {
        write_ply(&mut lines, &mut state, ply, may_mark(index));
    }
    if let Some(ending) = &game.ending {
        lines.push(&format!("{{{}}}", comment_text(&ending.text)));
    }
    lines.push(&game.result.to_string());
    out.push_str(&lines.into_text());
    out.push_str("\n\n");
    out
}

fn write_ply(lines: &mut Lines, state: &mut Match, ply: &BpgnPly, may_mark: bool) {
    let out_of_turn = state.position(ply.board).turn() != ply.color;
    state.set_turn(ply.board, ply.color);
    let san = san::to_san(state.position(ply.board), state.supply(), ply.ply);
    let illegality = state.illegality(ply.board, ply.ply);
    state.play(ply.board, ply.ply);
    let mut item = format!("{}{}. {san}", ply.number, seat_letter(ply.seat()));
    if let Some(clock_ms) = ply.clock_ms {
        let _ = write!(item, "{{{}}}", clock::format(clock_ms));
    }
    lines.push(&item);
    if out_of_turn && may_mark {
        lines.push(&format!("{{C:{ILLEGAL_MARK} {OUT_OF_TURN}}}"));
    } else if let Some(reason) = illegality.filter(|_| may_mark) {
        lines.push(&format!("{{C:{ILLEGAL_MARK} {reason}}}"));
    }
    if let Some(comment) = &ply.comment {
        lines.push(&format!("{{C:{}}}", comment_text(comment)));
    }
}
