//! Running text in columns.

use std::io::IsTerminal;

/// Columns of an output of unknown width.
const WIDTH_DEFAULT: usize = 100;
/// Narrower than this, lines break anyway.
const WIDTH_MIN: usize = 60;
/// Wider lines are hard to read.
const WIDTH_MAX: usize = 120;

/// The columns of the terminal, within what can be read.
pub(super) fn terminal_width() -> usize {
    let is_terminal = std::io::stdout().is_terminal();
    let size = is_terminal.then(ratatui::crossterm::terminal::size).and_then(Result::ok);
    size.map_or(WIDTH_DEFAULT, |(columns, _)| columns.into()).clamp(WIDTH_MIN, WIDTH_MAX)
}

/// A paragraph in lines of `width` columns, all but the first of them indented by `indent`.
pub(super) fn paragraph(first: &str, paragraph: &str, indent: usize, width: usize) -> String {
    let mut text = first.to_owned();
    let mut column = first.chars().count();
    let mut is_first = true;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if !is_first && column + 1 + length > width {
            text.push_str(&format!("\n{:indent$}", ""));
            column = indent;
        } else if !is_first {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
        is_first = false;
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_breaks_between_words_and_is_indented() {
        let text = paragraph("8a  ", "one two three four", 4, 12);
        assert_eq!(text, "8a  one two\n    three\n    four\n");
        assert_eq!(paragraph("8a  ", "", 4, 12), "8a\n");
    }
}
