//! Bytes of a file to lines, lines to games, and a game's movetext to tokens.
//!
//! Nothing here knows chess. A game is cut off where the next one's tags begin, even inside a comment
//! that never closes, so that a damaged game cannot swallow the ones after it.

use std::collections::HashSet;

/// One line of a file: its number, from 1, and its text without the line break.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) text: String,
}

/// The lines of one game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) tags: Vec<Line>,
    pub(crate) movetext: Vec<Line>,
}

/// Decodes each line as UTF-8, or as Latin-1 where it is not: old files are Latin-1.
fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A tag's name and value, when the line is a well-formed tag.
pub(crate) fn parse_tag(line: &str) -> Option<(String, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, rest) = inner.split_once(char::is_whitespace)?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) || !name.chars().all(is_name)
    {
        return None;
    }
    let quoted = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::with_capacity(quoted.len());
    let mut letters = quoted.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some(&escaped @ ('"' | '\\'))) => {
                value.push(escaped);
                letters.next();
            }
            _ => value.push(letter),
        }
    }
    Some((name.to_owned(), value))
}

fn looks_like_tag(line: &str) -> bool {
    let name = line.trim_start().strip_prefix('[');
    name.is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

/// Splits a file into games. Lines that begin with `%` are left out, as in PGN.
pub(crate) fn chunks(bytes: &[u8]) -> Vec<Chunk> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut in_movetext = true;
    let mut after_blank = true;
    let mut tag_names: HashSet<String> = HashSet::new();
    // Old Macintosh files have bare carriage returns; in the others they precede line feeds.
    let only_returns = !bytes.contains(&b'\n');
    let lines = bytes.split(|&byte| byte == b'\n' || (only_returns && byte == b'\r'));
    for (index, line) in lines.enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = decode(line);
        if text.starts_with('%') || text.trim().is_empty() {
            after_blank = true;
            continue;
        }
        let line = Line { number: index + 1, text };
        let tag = parse_tag(&line.text);
        let is_tag = tag.is_some();
        // A damaged tag still opens a game after a blank line, and stays a tag among tags.
        let like_tag = is_tag || looks_like_tag(&line.text) && (after_blank || !in_movetext);
        after_blank = false;
        // A game without movetext ends where its tags begin anew.
        let repeated = tag.is_some_and(|(name, _)| !tag_names.insert(name));
        if in_movetext && (like_tag || chunks.is_empty()) || repeated {
            chunks.push(Chunk::default());
            tag_names.clear();
            tag_names.extend(parse_tag(&line.text).map(|(name, _)| name));
        }
        in_movetext = !like_tag;
        if let Some(chunk) = chunks.last_mut() {
            if in_movetext { chunk.movetext.push(line) } else { chunk.tags.push(line) }
        }
    }
    chunks
}

/// A piece of movetext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A comment in braces, without them, or the rest of a line after `;`.
    Comment(String),
    /// A comment that does not close before the game's end.
    OpenComment(String),
    /// Anything else up to white space or a brace.
    Word(String),
}

/// Tokens with the numbers of the lines they begin in. Variations in parentheses and numeric
/// annotations (`$1`) are left out.
pub(crate) fn tokens(lines: &[Line]) -> Vec<(usize, Token)> {
    let mut tokens = Vec::new();
    let mut comment: Option<(usize, String)> = None;
    let mut variation_depth = 0u32;
    for line in lines {
        let mut rest = line.text.as_str();
        while !rest.is_empty() {
            if let Some((number, mut text)) = comment.take() {
                let Some((inside, after)) = rest.split_once('}') else {
                    text.push_str(rest);
                    text.push(' ');
                    comment = Some((number, text));
                    break;
                };
                text.push_str(inside);
                if variation_depth == 0 {
                    tokens.push((number, Token::Comment(text)));
                }
                rest = after;
                continue;
            }
            let Some(first) = rest.chars().next() else { break };
            let after = &rest[first.len_utf8()..];
            match first {
                '{' => comment = Some((line.number, String::new())),
                ';' => {
                    if variation_depth == 0 {
                        tokens.push((line.number, Token::Comment(after.to_owned())));
                    }
                    break;
                }
                '(' => variation_depth += 1,
                ')' => variation_depth = variation_depth.saturating_sub(1),
                _ if first.is_whitespace() => {}
                _ => {
                    let end = rest.find(is_delimiter).unwrap_or(rest.len());
                    let (word, after) = rest.split_at(end);
                    if variation_depth == 0 && !word.starts_with('$') {
                        tokens.push((line.number, Token::Word(word.to_owned())));
                    }
                    rest = after;
                    continue;
                }
            }
            rest = after;
        }
    }
    if let Some((number, text)) = comment {
        tokens.push((number, Token::OpenComment(text)));
    }
    tokens
}

fn is_delimiter(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '{' | '(' | ')' | ';')
}
