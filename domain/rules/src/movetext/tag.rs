//! Tags: a name and a value between brackets, anywhere on a line.

use super::{RecordWarning, WarningReason, warning::push};

/// Maximum number of characters of a tag that are quoted in a warning.
const QUOTE_MAX: usize = 24;
/// Tags without which a game cannot be set up. All others are remarks.
const NEEDED: [&str; 2] = ["FEN", "Variant"];

/// A tag in a file.
#[derive(Clone, Debug)]
pub(crate) struct TagToken {
    pub(crate) line: usize,
    /// Name and value; none if the tag cannot be read.
    pub(crate) tag: Option<(String, String)>,
    /// The beginning of its text, for messages.
    pub(crate) text: String,
}

/// Begin of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// A tag: its name, its value and its length in bytes.
    Tag(String, String, usize),
    /// Another text.
    Other,
    /// Another text, and no tag ends anywhere on the line.
    OtherToTheEnd,
}

/// Reads the tag with which a line begins, if it is one.
pub(crate) fn parse(line: &str) -> Beginning {
    let Some((name, quoted)) = name_and_rest(line) else { return Beginning::Other };
    // A backslash before a quote escapes it, unless that leaves the tag without an end.
    let Some(end) = value_end(quoted, true).or_else(|| value_end(quoted, false)) else {
        return Beginning::OtherToTheEnd;
    };
    let behind = quoted[end + 1..].trim_start();
    let length = line.len() - behind.len() + 1;
    Beginning::Tag(name.to_owned(), unescaped(&quoted[..end]), length)
}

/// A tag's name, and what follows the quote that opens its value.
fn name_and_rest(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('[')?.trim_start();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_+#=:-".contains(letter);
    let (name, rest) = rest.split_at(rest.find(|letter| !is_name(letter))?);
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    rest.trim_start().strip_prefix('"').filter(|_| begins).map(|quoted| (name, quoted))
}

/// Place of a value's closing quote: the first one that is followed by the tag's bracket. Quotes within a value are often not
/// escaped.
fn value_end(quoted: &str, escapes: bool) -> Option<usize> {
    let mut letters = quoted.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if escapes && letters.peek().is_some_and(|it| matches!(it.1, '"' | '\\')) => {
                letters.next();
            }
            '"' if quoted[at + 1..].trim_start().starts_with(']') => return Some(at),
            _ => {}
        }
    }
    None
}

fn unescaped(quoted: &str) -> String {
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
    value
}

/// Whether a line begins as a tag does, read or not.
pub(crate) fn is_like_one(line: &str) -> bool {
    let name = line.strip_prefix('[').map(str::trim_start);
    name.is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

/// The length in bytes of the tag with which a line begins and which cannot be read: up to a bracket behind which another tag or a
/// move follows, else the whole line.
pub(crate) fn damaged_length(line: &str) -> usize {
    let mut brackets = line.match_indices(']').map(|(at, _)| at + 1);
    let ends = |&end: &usize| {
        let rest = line[end..].trim_start();
        rest.is_empty() || rest.starts_with(|next: char| matches!(next, '[' | '*' | '0'..='9'))
    };
    brackets.find(ends).unwrap_or(line.len())
}

/// The beginning of a text, for messages.
pub(crate) fn quote(text: &str) -> String {
    text.chars().take(QUOTE_MAX).collect()
}

/// The tags that can be read, each name once, and warnings about the others.
///
/// # Errors
///
/// The line and text of a tag that cannot be read although the game cannot be set up without it.
pub(crate) fn collect(
    tokens: &[TagToken],
    warnings: &mut Vec<RecordWarning>,
) -> Result<Vec<(String, String)>, (usize, String)> {
    let mut tags: Vec<(String, String)> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let Some((name, value)) = &token.tag else {
            let name = token.text.trim_start_matches('[').trim_start();
            if NEEDED.iter().any(|needed| name.starts_with(needed)) {
                return Err((token.line, token.text.clone()));
            }
            push(warnings, token.line, WarningReason::Tag(token.text.clone()));
            continue;
        };
        match tags.iter().find(|(known, _)| known == name) {
            None => tags.push((name.clone(), value.clone())),
            Some((_, known)) if known == value => {}
            Some(_) => push(warnings, token.line, WarningReason::TagAgain(name.clone())),
        }
    }
    Ok(tags)
}
