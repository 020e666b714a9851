//! Reading records as they are found: see the parent module for the notation.

use super::{COMMENT_MAX, GameResult, PLIES_MAX, PgnError, PgnGame, PgnPly, PgnReason, TAGS_MAX};
use crate::{
    Color, Position, Reserve, Supply,
    movetext::{
        clock,
        token::{self, Chunk, Token},
    },
    san,
};

/// Longest text quoted in an error, in characters.
const QUOTE_MAX: usize = 24;
/// What the `Variant` tag says of chess as it is played over the board, in lower case.
const CHESS_VARIANTS: [&str; 5] = ["chess", "standard", "normal", "from position", "?"];

/// Reads every game of a file: what could be read of it, and the error that stopped it.
///
/// Lines are UTF-8 or Latin-1, breaks of any kind. A file without any game gives one error. Where a
/// result stands in the middle of moves, the moves after it are a game of their own.
#[must_use]
pub fn read(bytes: &[u8]) -> Vec<(PgnGame, Option<PgnError>)> {
    let mut games = Vec::new();
    for chunk in token::chunks(bytes) {
        read_chunk(&chunk, &mut games);
    }
    if games.is_empty() {
        let error = PgnError { game: 1, line: 1, plies: 0, reason: PgnReason::NoGame };
        games.push((PgnGame::default(), Some(error)));
    }
    games
}

/// What was wrong, and in which line.
type Fault = (usize, PgnReason);

fn read_chunk(chunk: &Chunk, games: &mut Vec<(PgnGame, Option<PgnError>)>) {
    let tokens = token::tokens(&chunk.movetext);
    let last_line = chunk.movetext.last().or(chunk.tags.last()).map_or(1, |line| line.number);
    let is_result = |token: &Token| matches!(token, Token::Word(word) if result(word).is_some());
    // The result belongs to the moves before it, and so do comments without a move after it.
    let mut parts: Vec<&[(usize, Token)]> =
        tokens.split_inclusive(|(_, token)| is_result(token)).collect();
    parts.retain(|part| part.iter().any(|(_, token)| !matches!(token, Token::Comment(_))));
    if parts.is_empty() && !chunk.tags.is_empty() {
        parts.push(&[]);
    }
    for (index, part) in parts.into_iter().enumerate() {
        let mut reader = GameReader::default();
        let tags = if index == 0 { chunk.tags.as_slice() } else { &[] };
        let error = reader.read(tags, part, last_line).err().map(|(line, reason)| PgnError {
            game: games.len() + 1,
            line,
            plies: reader.game.plies.len(),
            reason,
        });
        games.push((reader.game, error));
    }
}

fn quote(text: &str) -> String {
    text.chars().take(QUOTE_MAX).collect()
}

/// The result that a word is. A bare `1/2` is one; `1` is a move number.
fn result(word: &str) -> Option<GameResult> {
    GameResult::parse(word)
}

/// The word without the move number before it, and without annotations after it: `12...Nf3$1` is
/// `Nf3`. Empty when nothing is left.
fn without_number(word: &str) -> &str {
    let word = word.split('$').next().unwrap_or_default();
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = digits.trim_start_matches(['.', '…']);
    let has_dots = rest.len() < digits.len();
    if has_dots || digits.is_empty() { rest } else { word }
}

/// Whether a word comments the move before it: `!?` on its own, or `e.p.`.
fn is_annotation(word: &str) -> bool {
    word == "e.p." || word.chars().all(|letter| matches!(letter, '!' | '?' | '+' | '#'))
}

#[derive(Default)]
struct GameReader {
    game: PgnGame,
    position: Position,
}

impl GameReader {
    fn read(
        &mut self,
        tags: &[token::Line],
        tokens: &[(usize, Token)],
        last_line: usize,
    ) -> Result<(), Fault> {
        self.read_tags(tags)?;
        let first_line = tags
            .first()
            .map(|line| line.number)
            .or(tokens.first().map(|(line, _)| *line))
            .unwrap_or(1);
        let variant = self.game.tag("Variant").unwrap_or("?");
        if !CHESS_VARIANTS.contains(&variant.to_lowercase().as_str()) {
            return Err((first_line, PgnReason::Variant(quote(variant))));
        }
        self.position = self.game.start().map_err(|error| (first_line, error.into()))?;
        let mut result = None;
        for (line, token) in tokens {
            match token {
                Token::Comment(text) => self.read_comment(text),
                Token::OpenComment(_) => return Err((*line, PgnReason::OpenComment)),
                Token::Word(word) => match self::result(word) {
                    Some(found) => result = Some(found),
                    None => self.read_word(*line, word)?,
                },
            }
        }
        self.game.result = result.ok_or((last_line, PgnReason::NoResult))?;
        Ok(())
    }

    fn read_tags(&mut self, tags: &[token::Line]) -> Result<(), Fault> {
        for line in tags {
            if self.game.tags.len() == TAGS_MAX {
                return Err((line.number, PgnReason::Tags));
            }
            let tag = token::parse_tag(&line.text)
                .ok_or_else(|| (line.number, PgnReason::Tag(quote(&line.text))))?;
            self.game.tags.push(tag);
        }
        Ok(())
    }

    fn read_word(&mut self, line: usize, word: &str) -> Result<(), Fault> {
        let text = without_number(word);
        if is_annotation(text) {
            return Ok(());
        }
        if self.game.plies.len() == PLIES_MAX {
            return Err((line, PgnReason::Plies));
        }
        let ply = san::parse_san(&self.position, text)
            .map_err(|source| (line, PgnReason::San { number: self.number(), source }))?;
        if let Some(reason) = self.position.illegality(ply, &Reserve::EMPTY, Supply::Nobody) {
            let (number, text) = (self.number(), quote(text));
            let explanation = reason.explanation();
            return Err((line, PgnReason::Illegal { number, text, explanation }));
        }
        self.position.play_with(ply, Supply::Nobody);
        self.game.plies.push(PgnPly { ply, clock_ms: None, comment: None });
        Ok(())
    }

    /// The number of the move to come, such as `12.` or `12...`.
    fn number(&self) -> String {
        let dots = if self.position.turn() == Color::White { "." } else { "..." };
        format!("{}{dots}", self.position.fullmove_number())
    }

    /// A comment before the first move is left out: there is no ply that it could belong to.
    fn read_comment(&mut self, text: &str) {
        let Some(ply) = self.game.plies.last_mut() else { return };
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("[%") {
            let Some((command, behind)) = after.split_once(']') else { break };
            plain.push_str(before);
            if let Some(time) = command.strip_prefix("clk") {
                ply.clock_ms = clock::parse(time).or(ply.clock_ms);
            }
            rest = behind;
        }
        plain.push_str(rest);
        let words: Vec<&str> = plain.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        let comment = ply.comment.get_or_insert_default();
        if !comment.is_empty() {
            comment.push(' ');
        }
        comment.push_str(&words.join(" "));
        if let Some((end, _)) = comment.char_indices().nth(COMMENT_MAX) {
            comment.truncate(end);
        }
    }
}
