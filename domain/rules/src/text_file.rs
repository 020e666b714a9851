//! Text files as people's programs write them, decoded: spreadsheets, editors and databases use at least four encodings.
//!
//! A file with a byte order mark of UTF-16, or of which every second byte is mostly zero, is UTF-16. In every other file each line is
//! UTF-8, or Windows-1252 if it is not valid UTF-8: users copy games of many sources into one file unchanged.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes that are inspected for UTF-16 without a mark.
const SAMPLE_BYTES: usize = 4_096;

/// A file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text with line ends as `\n`. Bytes that cannot be decoded are U+FFFD.
    pub text: String,
    /// The name of the encoding: that of the byte order mark, or the one that was recognised.
    pub encoding: &'static str,
    /// The first line of Windows-1252, from 1 on, in a file whose mark or whose other lines say UTF-8.
    pub odd_line: Option<u64>,
}

/// Decodes a file.
#[must_use]
pub fn decode(bytes: &[u8]) -> Decoded {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    match marked.or_else(|| utf16(bytes)) {
        Some(encoding) if encoding != UTF_8 => {
            let text = with_one_line_end(&encoding.decode_with_bom_removal(bytes).0);
            Decoded { text, encoding: encoding.name(), odd_line: None }
        }
        _ => by_line(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), marked.is_some()),
    }
}

fn with_one_line_end(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let zeros =
        |offset: usize| sample.iter().skip(offset).step_by(2).filter(|&&it| it == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let most = sample.len() / 4;
    if odd > most && odd > even {
        Some(UTF_16LE)
    } else if even > most && even > odd {
        Some(UTF_16BE)
    } else {
        None
    }
}

fn by_line(bytes: &[u8], is_marked: bool) -> Decoded {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let text = with_one_line_end(text);
        return Decoded { text, encoding: UTF_8.name(), odd_line: None };
    }
    let mut text = String::with_capacity(bytes.len());
    let (mut says_utf8, mut odd_line) = (is_marked, None);
    // Line ends of all systems end a line here, so that a file of an old Macintosh has lines, too.
    for line in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        match std::str::from_utf8(line) {
            Ok(line) => {
                says_utf8 |= !line.is_ascii();
                text.push_str(line);
            }
            Err(_) => {
                odd_line.get_or_insert_with(|| 1 + with_one_line_end(&text).matches('\n').count());
                text.push_str(&WINDOWS_1252.decode_without_bom_handling(line).0);
            }
        }
    }
    Decoded {
        text: with_one_line_end(&text),
        encoding: if is_marked { UTF_8.name() } else { WINDOWS_1252.name() },
        odd_line: odd_line.filter(|_| says_utf8).and_then(|line| u64::try_from(line).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Team,Player\nÉtoile,Zoë\n";

    fn utf16(text: &str, to_bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn every_common_encoding_is_recognised_with_and_without_a_mark() {
        let marked = format!("\u{feff}{TEXT}");
        let latin: Vec<u8> =
            TEXT.chars().map(|it| u8::try_from(it as u32).unwrap_or(b'?')).collect();
        let files: [(Vec<u8>, &str); 7] = [
            (TEXT.into(), "UTF-8"),
            (marked.clone().into(), "UTF-8"),
            (utf16(&marked, u16::to_le_bytes), "UTF-16LE"),
            (utf16(&marked, u16::to_be_bytes), "UTF-16BE"),
            (utf16(TEXT, u16::to_le_bytes), "UTF-16LE"),
            (utf16(TEXT, u16::to_be_bytes), "UTF-16BE"),
            (latin, "windows-1252"),
        ];
        for (bytes, name) in files {
            let text = TEXT.to_owned();
            assert_eq!(decode(&bytes), Decoded { text, encoding: name, odd_line: None });
        }
    }

    #[test]
    fn line_ends_of_all_systems_are_one() {
        assert_eq!(decode(b"a\r\nb\rc\n").text, "a\nb\nc\n");
    }

    #[test]
    fn line_of_another_encoding_leaves_the_others_alone() {
        let mixed = [TEXT.as_bytes(), b"Zo\xeb\n"].concat();
        let decoded = decode(&mixed);
        assert_eq!(decoded.text, format!("{TEXT}Zoë\n"));
        assert_eq!((decoded.encoding, decoded.odd_line), ("windows-1252", Some(3)));
    }

    #[test]
    fn mark_of_utf8_makes_a_line_of_another_encoding_odd() {
        let decoded = decode(b"\xef\xbb\xbfTeam\r\nZo\xeb\r\n");
        assert_eq!(decoded.text, "Team\nZoë\n");
        assert_eq!((decoded.encoding, decoded.odd_line), ("UTF-8", Some(2)));
    }
}
