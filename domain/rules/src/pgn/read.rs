//! Reading records as they are found: see the parent module for the notation.

use super::{
    COMMENT_MAX, PLIES_MAX, PgnError, PgnGame, PgnPly, PgnReason, RESULT_TAG, TAGS_MAX,
    WarningReason, crazyhouse::VARIANT,
};
use crate::{
    Color, Position, Reserve, Supply,
    movetext::{
        clock,
        lexer::{self, LexedGame, Token},
        result::{self, WrittenResult},
        tag::{self, TagToken},
        warning, word,
    },
    san::{self, SanError},
    text_file,
};

/// Values of the `Variant` tag for chess over the board, in lower case.
const CHESS_VARIANTS: [&str; 6] = ["chess", "standard", "normal", "from position", "?", ""];

/// Reads every game of a file: what could be read of it, and the error that stopped it.
///
/// The file may have any encoding that [`text_file::decode`] knows, and line breaks of any kind. A file without any game gives one
/// error. Where a result stands in the middle of moves, the moves after it are a game of their own.
#[must_use]
pub fn read(bytes: &[u8]) -> Vec<(PgnGame, Option<PgnError>)> {
    read_with(bytes, Supply::Nobody)
}

/// Reads every game of a file of crazyhouse, where a player drops what they captured themselves; otherwise as [`read`].
///
/// A drop of a piece that nobody captured is read, because reserves are not followed here. Files need no `Variant` tag: those of FICS
/// name the game in `Event` only.
#[must_use]
pub fn read_crazyhouse(bytes: &[u8]) -> Vec<(PgnGame, Option<PgnError>)> {
    read_with(bytes, Supply::Unseen)
}

fn read_with(bytes: &[u8], supply: Supply) -> Vec<(PgnGame, Option<PgnError>)> {
    let mut sections = lexer::sections(&text_file::decode(bytes).text);
    let mut games = Vec::new();
    let prose = (sections.len() > 1 && is_prose(&sections[0])).then(|| sections.remove(0));
    for section in &sections {
        read_section(section, supply, &mut games);
    }
    if games.is_empty() {
        let error = PgnError { game: 1, line: 1, plies: 0, reason: PgnReason::NoGame };
        games.push((PgnGame::default(), Some(error)));
    }
    if let (Some(prose), Some((game, _))) = (prose, games.first_mut()) {
        warning::push(&mut game.warnings, prose.first_line, WarningReason::Prose);
    }
    games
}

/// Whether a section is prose above the games: it has no tag, and its first word is like no move.
fn is_prose(section: &LexedGame) -> bool {
    let first = section.tokens.iter().find_map(|(_, token)| match token {
        Token::Word(word) => Some(word.as_str()),
        _ => None,
    });
    let is_move = |word: &str| {
        let text = without_number(word);
        text.is_empty()
            || result::at_end(word).is_some()
            || !matches!(san::parse_san(&Position::initial(), text), Err(SanError::Malformed(_)))
    };
    section.tags.is_empty() && first.is_some_and(|word| !is_move(word))
}

/// Line and reason of an error.
type PgnFault = (usize, PgnReason);

fn read_section(section: &LexedGame, supply: Supply, games: &mut Vec<(PgnGame, Option<PgnError>)>) {
    let is_result =
        |token: &Token| matches!(token, Token::Word(word) if result::among_moves(word).is_some());
    // The result belongs to the moves before it, and so do comments and signs without a move after it.
    let mut parts: Vec<&[(usize, Token)]> =
        section.tokens.split_inclusive(|(_, token)| is_result(token)).collect();
    parts.retain(|part| part.iter().any(|(_, token)| !is_remark(token)));
    if parts.is_empty() && !section.tags.is_empty() {
        parts.push(&[]);
    }
    let count = parts.len();
    for (index, tokens) in parts.into_iter().enumerate() {
        let mut reader =
            PgnReader { supply, game: PgnGame::default(), position: Position::default() };
        let tags = if index == 0 { section.tags.as_slice() } else { &[] };
        let part = GameText { tags, tokens, is_last: index + 1 == count, section };
        let error = reader.read(&part).err().map(|(line, reason)| PgnError {
            game: games.len() + 1,
            line,
            plies: reader.game.plies.len(),
            reason,
        });
        games.push((reader.game, error));
    }
}

/// Whether a token alone makes no game.
fn is_remark(token: &Token) -> bool {
    match token {
        Token::Comment(_) => true,
        Token::OpenComment(_) => false,
        Token::Word(word) => word::is_sign(word) && result::among_moves(word).is_none(),
    }
}

/// The text of one game.
struct GameText<'a> {
    tags: &'a [TagToken],
    tokens: &'a [(usize, Token)],
    /// Whether another game's tags, or the end of the file, follow.
    is_last: bool,
    section: &'a LexedGame,
}

impl GameText<'_> {
    /// The place of the word that is a result only because nothing comes after it, and that result.
    ///
    /// `0-0` is castling and `+/-` an opinion where the tag names another result, and where a move number stands before it.
    fn result_at_end(&self, of_tag: Option<WrittenResult>) -> Option<(usize, WrittenResult)> {
        let mut words =
            self.tokens.iter().enumerate().rev().filter_map(|(at, (_, token))| match token {
                Token::Word(word) => Some((at, word.as_str())),
                _ => None,
            });
        let (at, last) = words.next().filter(|_| self.is_last)?;
        let score = result::at_end(last)?;
        let is_numbered = words.next().is_some_and(|(_, word)| {
            word.starts_with(|first: char| first.is_ascii_digit())
                && without_number(word).is_empty()
        });
        let is_result = of_tag.is_none_or(|tag| tag == score) && !is_numbered;
        (is_result && result::among_moves(last).is_none()).then_some((at, score))
    }
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

struct PgnReader {
    /// What may be dropped: nothing in chess, anything in crazyhouse.
    supply: Supply,
    game: PgnGame,
    position: Position,
}

impl PgnReader {
    fn read(&mut self, part: &GameText<'_>) -> Result<(), PgnFault> {
        let tags = tag::collect(part.tags, &mut self.game.warnings);
        self.game.tags = tags.map_err(|(line, text)| (line, PgnReason::Tag(text)))?;
        if self.game.tags.len() > TAGS_MAX {
            self.game.tags.truncate(TAGS_MAX);
            return Err((part.section.last_line, PgnReason::Tags));
        }
        let of_tokens = part.tokens.first().map(|(line, _)| *line);
        let first_line = part.tags.first().map(|tag| tag.line).or(of_tokens).unwrap_or(1);
        let variant = self.game.tag("Variant").unwrap_or("?").trim().to_lowercase();
        let is_crazyhouse = self.supply == Supply::Unseen && variant == VARIANT;
        if !is_crazyhouse && !CHESS_VARIANTS.contains(&variant.as_str()) {
            let variant = tag::quote(self.game.tag("Variant").unwrap_or_default());
            return Err((first_line, PgnReason::Variant(variant)));
        }
        self.position = self.game.start().map_err(|error| (first_line, error.into()))?;
        let of_tag = self.game.tag(RESULT_TAG).and_then(result::at_end);
        let at_end = part.result_at_end(of_tag);
        let mut result = at_end.map(|(_, score)| score);
        for (at, (line, token)) in part.tokens.iter().enumerate() {
            match token {
                Token::Comment(text) => self.read_comment(text),
                Token::OpenComment(_) => return Err((*line, PgnReason::OpenComment)),
                Token::Word(_) if at_end.is_some_and(|(last, _)| last == at) => {}
                Token::Word(word) => match result::among_moves(word) {
                    Some(found) => result = Some(found),
                    None => self.read_word(*line, word)?,
                },
            }
        }
        let last_line = part.section.last_line;
        self.game.result = match (result, of_tag) {
            (Some(moves), _) => {
                let (score, differs) = moves.with_tag(of_tag);
                if differs {
                    let tag = tag::quote(self.game.tag(RESULT_TAG).unwrap_or_default());
                    let reason = WarningReason::ResultsDiffer { tag, moves: moves.word() };
                    warning::push(&mut self.game.warnings, last_line, reason);
                }
                score.into()
            }
            (None, Some(score)) => {
                warning::push(&mut self.game.warnings, last_line, WarningReason::ResultFromTag);
                score.into()
            }
            (None, None) => return Err((last_line, PgnReason::NoResult)),
        };
        Ok(())
    }

    fn read_word(&mut self, line: usize, word: &str) -> Result<(), PgnFault> {
        let text = without_number(word);
        if text.is_empty() || word::is_sign(text) {
            return Ok(());
        }
        if self.game.plies.len() == PLIES_MAX {
            return Err((line, PgnReason::Plies));
        }
        if word::is_null_move(text) {
            return Err((
                line,
                PgnReason::NullMove { number: self.number(), text: text.to_owned() },
            ));
        }
        let text = word::plain_move(text);
        let ply = san::parse_san(&self.position, &text)
            .map_err(|source| (line, PgnReason::San { number: self.number(), source }))?;
        if let Some(reason) = self.position.illegality(ply, &Reserve::EMPTY, self.supply) {
            let (number, text) = (self.number(), tag::quote(&text));
            let explanation = reason.explanation();
            return Err((line, PgnReason::Illegal { number, text, explanation }));
        }
        self.position.play_with(ply, self.supply);
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
