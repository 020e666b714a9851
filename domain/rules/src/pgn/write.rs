//! Writing a record so that it reads back the same, here and in other programs.

use std::fmt::Write;

use super::{FEN_TAG, GameResult, PgnGame, RESULT_TAG, SET_UP_TAG};
use crate::{
    Color, Position, Reserve, Supply, fen,
    movetext::write::{Lines, comment_text, write_tag},
    san,
};

/// The words that open the comment with everything from the first illegal ply on.
const ILLEGAL_FROM_HERE: &str = "illegal, and played on:";

/// One ply of a movetext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The move number.
    pub number: u32,
    /// Its side.
    pub color: Color,
    /// The ply in algebraic notation.
    pub san: String,
    /// The mover's remaining time, in milliseconds. Written to a tenth of a second; below zero as zero.
    pub clock_ms: Option<i64>,
    /// Comments after it, each in its own braces.
    pub comments: Vec<String>,
}

/// Writes one game, ready to be followed by others.
///
/// The `Result` tag is written from [`PgnGame::result`], and `SetUp` where there is a FEN. PGN cannot
/// say that an illegal ply stood. The plies from the first illegal one on are written as a comment,
/// so that every program can open the file. A FEN tag that cannot be read is left out, and the plies
/// are written as if from the initial position.
#[must_use]
pub fn write(game: &PgnGame) -> String {
    let start = game.start();
    let mut tags = Vec::with_capacity(game.tags.len() + 2);
    for (name, value) in &game.tags {
        match name.as_str() {
            RESULT_TAG => tags.push((name.as_str(), game.result.to_string())),
            FEN_TAG if start.is_err() || !fen::is_given(value) => {}
            SET_UP_TAG => {}
            _ => tags.push((name, value.clone())),
        }
    }
    if game.tag(RESULT_TAG).is_none() {
        tags.push((RESULT_TAG, game.result.to_string()));
    }
    if game.has_set_up() && start.is_ok() {
        tags.push((SET_UP_TAG, "1".to_owned()));
    }
    let (items, rest) = items(game, start.unwrap_or_default());
    write_parts(&tags, &items, rest.as_deref(), &game.result.to_string())
}

/// Writes one game of these tags and plies, ready to be followed by others. For boards whose plies
/// are not those of chess: nothing is looked at but the text.
#[must_use]
pub fn write_items(tags: &[(&str, String)], items: &[Item], result: GameResult) -> String {
    write_parts(tags, items, None, &result.to_string())
}

/// The plies before the first illegal one, and the text of the others if there are any.
fn items(game: &PgnGame, mut position: Position) -> (Vec<Item>, Option<String>) {
    let mut items = Vec::with_capacity(game.plies.len());
    let mut rest: Option<String> = None;
    for ply in &game.plies {
        let san = san::to_san(&position, Supply::Nobody, ply.ply);
        let item = Item {
            number: u32::from(position.fullmove_number()),
            color: position.turn(),
            san,
            clock_ms: ply.clock_ms,
            comments: ply.comment.iter().cloned().collect(),
        };
        let is_legal = position.is_legal(ply.ply, &Reserve::EMPTY, Supply::Nobody);
        position.play_with(ply.ply, Supply::Nobody);
        if is_legal && rest.is_none() {
            items.push(item);
        } else {
            let text = rest.get_or_insert_with(|| ILLEGAL_FROM_HERE.to_owned());
            let _ = write!(text, " {}", numbered(&item, true));
        }
    }
    (items, rest)
}

fn write_parts(
    tags: &[(&str, String)],
    items: &[Item],
    rest: Option<&str>,
    result: &str,
) -> String {
    let mut out = String::new();
    for (name, value) in tags {
        write_tag(&mut out, name, value);
    }
    out.push('\n');
    let mut lines = Lines::default();
    let mut says_number = true;
    for item in items {
        push_words(&mut lines, &numbered(item, says_number));
        if let Some(clock_ms) = item.clock_ms {
            // Many readers expect exactly one space within the brackets, so lines break between comments alone.
            lines.push(&format!("{{[%clk {}]}}", clock(clock_ms)));
        }
        let comments = item.comments.iter().filter(|comment| !comment.trim().is_empty());
        for comment in comments.clone() {
            push_words(&mut lines, &braced(comment));
        }
        // A number is needed after a comment, and before each of White's moves.
        says_number = item.color == Color::Black || item.clock_ms.is_some() || comments.count() > 0;
    }
    if let Some(rest) = rest {
        push_words(&mut lines, &braced(rest));
    }
    // Among moves `0-0` would be castling; the tag has it.
    let is_castling = result == GameResult::BothLost.to_string();
    lines.push(if is_castling { "*" } else { result });
    out.push_str(&lines.into_text());
    out.push_str("\n\n");
    out
}

fn numbered(item: &Item, says_number: bool) -> String {
    match item.color {
        Color::White => format!("{}. {}", item.number, item.san),
        Color::Black if says_number => format!("{}... {}", item.number, item.san),
        Color::Black => item.san.clone(),
    }
}

/// Lines may break at any space, but not before a word that means something else at their beginning:
/// `%` hides a line, `[` opens a tag.
fn push_words(lines: &mut Lines, text: &str) {
    let mut item = String::new();
    for word in text.split_whitespace() {
        if !item.is_empty() {
            if word.starts_with(['%', '[', ';']) {
                item.push(' ');
            } else {
                lines.push(&std::mem::take(&mut item));
            }
        }
        item.push_str(word);
    }
    lines.push(&item);
}

/// A comment in braces. What looks like a command in it stays text.
fn braced(comment: &str) -> String {
    format!("{{{}}}", comment_text(comment).replace("[%", "[ %"))
}

/// Hours, minutes, seconds and tenths: `0:02:58.9`.
fn clock(clock_ms: i64) -> String {
    let ms = clock_ms.max(0);
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    format!("{hours}:{minutes:02}:{:02}.{}", ms / 1_000 % 60, ms / 100 % 10)
}
