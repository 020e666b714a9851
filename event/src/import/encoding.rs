//! Which encoding a text file has: spreadsheets write at least four.
//!
//! A byte order mark decides. Without one, valid UTF-8 is UTF-8; a file of which every second byte is mostly zero is
//! UTF-16; everything else is Windows-1252, in which any bytes are a text.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How many bytes are looked at for UTF-16 without a mark.
const SAMPLE_BYTES: usize = 4_096;

/// The text with line ends as `\n`, and the name of its encoding. What cannot be decoded becomes U+FFFD.
pub(super) fn decode(bytes: &[u8]) -> (String, &'static str) {
    let encoding = Encoding::for_bom(bytes).map_or_else(|| guess(bytes), |(encoding, _)| encoding);
    let (text, _) = encoding.decode_with_bom_removal(bytes);
    (text.replace("\r\n", "\n").replace('\r', "\n"), encoding.name())
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let zeros =
        |offset: usize| sample.iter().skip(offset).step_by(2).filter(|&&it| it == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let most = sample.len() / 4;
    if odd > most && odd > even {
        UTF_16LE
    } else if even > most && even > odd {
        UTF_16BE
    } else if std::str::from_utf8(bytes).is_ok() {
        UTF_8
    } else {
        WINDOWS_1252
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
    fn every_common_encoding_is_told_apart_with_and_without_a_mark() {
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
}
