//! Words between tags and comments: signs, null moves, and which notation they are of.

use super::{
    lexer::{self, Token},
    result,
};
use crate::text_file;

/// Words of letters that annotate a move and are none: a novelty, a diagram, an editor's remark.
const ANNOTATIONS: [&str; 8] = ["N", "TN", "D", "RR", "e.p.", "ep", "mate", "ch"];
/// Words of programs for a move that was not made.
const NULL_MOVES: [&str; 4] = ["--", "Z0", "0000", "@@@@"];

/// Whether a word comments the move before it, as numeric annotations do: `!?`, `±`, `+=`, `N`.
pub(crate) fn is_sign(word: &str) -> bool {
    !is_null_move(word) && (ANNOTATIONS.contains(&word) || !word.chars().any(char::is_alphanumeric))
}

/// Whether a word says that no move was made.
pub(crate) fn is_null_move(word: &str) -> bool {
    NULL_MOVES.contains(&word)
}

/// A move's word without the signs behind it: `Bb5±` is `Bb5`.
fn without_signs(word: &str) -> &str {
    let word = word.strip_suffix("e.p.").filter(|rest| !rest.is_empty()).unwrap_or(word);
    let end = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    if end.is_empty() { word } else { end }
}

/// A move's word in letters, without the signs behind it: figurines and the dashes of word processors are replaced.
pub(crate) fn plain_move(word: &str) -> String {
    let letter = |it: char| match it {
        '♔' | '♚' => Some('K'),
        '♕' | '♛' => Some('Q'),
        '♖' | '♜' => Some('R'),
        '♗' | '♝' => Some('B'),
        '♘' | '♞' => Some('N'),
        '♙' | '♟' | '\u{fe0e}' | '\u{fe0f}' => None,
        _ => Some(it),
    };
    let lettered: String = word.chars().filter_map(letter).collect();
    result::with_plain_dashes(without_signs(&lettered))
}

/// Whether the first numbered ply of a file is one of two boards (`12A.`) or of one (`12.`); none if no ply has a number. Tags and
/// comments are not asked.
#[must_use]
pub fn has_two_boards(bytes: &[u8]) -> Option<bool> {
    let sections = lexer::sections(&text_file::decode(bytes).text);
    let mut words = sections.iter().flat_map(|section| &section.tokens);
    words.find_map(|(_, token)| {
        let Token::Word(word) = token else { return None };
        let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        if rest.len() == word.len() {
            return None;
        }
        if rest.starts_with('.') {
            return Some(false);
        }
        rest.strip_prefix(['A', 'a', 'B', 'b'])?.starts_with('.').then_some(true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_is_found_by_plies_and_not_by_words_in_tags_and_comments() {
        for (text, expected) in [
            ("[Event \"1. e4\"]\n\n{C:Round 2. Table 4}\n1A. e4 *", Some(true)),
            ("{C:played on 2026.08.09} (1. e4) ; 1. e4\n12a. e5", Some(true)),
            ("{1A. e4} 1. e4 *", Some(false)),
            ("[Event \"1A. e4\"]\n\n*", None),
        ] {
            assert_eq!(has_two_boards(text.as_bytes()), expected, "{text}");
        }
    }
}
