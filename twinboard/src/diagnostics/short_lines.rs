//! Keeps the lines of the log short: they may contain clients' input of any length.

use std::io::{self, Write};

/// Longest line, bytes: a few sentences. The rest is cut off, with a mark.
const LINE_BYTES_MAX: usize = 2_048;

/// Writes each line, long ones shortened.
pub(super) struct ShortLines<W>(pub(super) W);

impl<W: Write> Write for ShortLines<W> {
    /// Takes a whole line, as `tracing_subscriber` hands it over, escaped as it is to be seen.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match shortened(line) {
            Some(short) => self.0.write_all(&short)?,
            None => self.0.write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A line that is too long, without its end; none where it is short enough.
fn shortened(line: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches('\n');
    if text.len() <= LINE_BYTES_MAX {
        return None;
    }
    let kept = &text[..text.floor_char_boundary(LINE_BYTES_MAX)];
    let left_out = text.len() - kept.len();
    Some(format!("{kept}… ({left_out} bytes more)\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> String {
        let mut lines = ShortLines(Vec::new());
        lines.write_all(line.as_bytes()).unwrap();
        String::from_utf8(lines.0).unwrap()
    }

    #[test]
    fn a_long_line_is_shortened_between_letters_and_says_so_and_a_short_one_is_as_it_was() {
        assert_eq!(written("a word\n"), "a word\n");
        let full = "a".repeat(LINE_BYTES_MAX) + "\n";
        assert_eq!(written(&full), full);
        let long = "ä".repeat(100_000);
        let kept = "ä".repeat(LINE_BYTES_MAX / 2);
        let left_out = 200_000 - LINE_BYTES_MAX;
        assert_eq!(written(&format!("{long}\n")), format!("{kept}… ({left_out} bytes more)\n"));
    }
}
