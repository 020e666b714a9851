//! Text files as people's programs write them, decoded: spreadsheets, editors and databases use at least four encodings.
//!
//! A file with a byte order mark of UTF-16, or of which every second byte is mostly zero, is UTF-16. Of every other file each line is
//! UTF-8, or Windows-1252 where it is not: games of many sources are copied into one file, each as it was.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes that are inspected for UTF-16 without a mark.
const SAMPLE_BYTES: usize = 4_096;

/// Decodes a file: the text with line ends as `\n`, and the name of its encoding. What cannot be decoded becomes U+FFFD.
#[must_use]
pub fn decode(bytes: &[u8]) -> (String, &'static str) {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let (text, encoding) = match marked.or_else(|| utf16(bytes)) {
        Some(encoding) if encoding != UTF_8 => {
            (encoding.decode_with_bom_removal(bytes).0.into_owned(), encoding)
        }
        _ => by_line(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
    };
    (text.replace("\r\n", "\n").replace('\r', "\n"), encoding.name())
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

fn by_line(bytes: &[u8]) -> (String, &'static Encoding) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), UTF_8);
    }
    let mut text = String::with_capacity(bytes.len());
    // Line ends of all systems end a line here, so that a file of an old Macintosh has lines, too.
    for line in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => text.push_str(&WINDOWS_1252.decode_without_bom_handling(line).0),
        }
    }
    (text, WINDOWS_1252)
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
            assert_eq!(decode(&bytes), (TEXT.to_owned(), name));
        }
    }

    #[test]
    fn line_ends_of_all_systems_are_one() {
        assert_eq!(decode(b"a\r\nb\rc\n").0, "a\nb\nc\n");
    }

    #[test]
    fn line_of_another_encoding_leaves_the_others_alone() {
        let mixed = [TEXT.as_bytes(), b"Zo\xeb\n"].concat();
        assert_eq!(decode(&mixed).0, format!("{TEXT}Zoë\n"));
    }
}
