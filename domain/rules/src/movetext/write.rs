//! Text that a reader of PGN or BPGN gives back as it was meant.

use std::fmt::Write;

/// Longest line of movetext, in characters, unless a single item is longer.
const LINE_MAX: usize = 80;

/// Writes a tag on a line of its own. Control characters become spaces.
pub(crate) fn write_tag(out: &mut String, name: &str, value: &str) {
    let value: String =
        value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let _ = writeln!(out, "[{name} \"{value}\"]");
}

/// Text for a comment. Braces cannot be written inside a comment, nor can it be broken into lines
/// that look like tags.
pub(crate) fn comment_text(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '{' => '(',
            '}' => ')',
            _ if letter.is_control() => ' ',
            _ => letter,
        })
        .collect()
}

/// Items separated by spaces, broken into lines between items.
#[derive(Default)]
pub(crate) struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    /// Adds an item that stays on one line.
    pub(crate) fn push(&mut self, item: &str) {
        let length = item.chars().count();
        if self.column > 0 {
            if self.column + 1 + length > LINE_MAX {
                self.text.push('\n');
                self.column = 0;
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(item);
        self.column += length;
    }

    /// The lines, without a break after the last.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}
