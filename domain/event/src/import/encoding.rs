//! Which encoding a text file has: spreadsheets write at least four.
//!
//! A byte order mark decides. Without one, valid UTF-8 is UTF-8; a file of which every second byte is mostly zero is
//! UTF-16; everything else is Windows-1252, in which any bytes are a text. That last one is a guess, so its words are
//! searched for signs of another code page. Files that are no text are named by their first bytes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::Problem;

/// How many bytes are looked at for UTF-16 without a mark.
const SAMPLE_BYTES: usize = 4_096;

/// First bytes of files that organisers send by mistake, what they are, and what to do.
const NO_TEXT: &[(&[u8], &str, &str)] = &[
    (b"PK\x03\x04", "a workbook or a ZIP archive", "save the sheet as CSV (UTF-8) and choose that"),
    (b"\xd0\xcf\x11\xe0", "a workbook of an old Excel", "save the sheet as CSV (UTF-8)"),
    (b"%PDF", "a PDF", "ask for the list as CSV, or save the sheet as CSV"),
    (b"SQLite format", "a database", "export the list as CSV"),
    (b"\x1f\x8b", "a compressed file", "unpack it first"),
    (b"\x89PNG", "a picture", "choose the list itself"),
    (b"\xff\xd8\xff", "a picture", "choose the list itself"),
];

/// First bytes of text files that are no lists.
const NO_LIST: &[(&[u8], &str, &str)] = &[
    (b"{\\rtf", "a document of a word processor", "save the list as CSV"),
    (b"{", "JSON", "choose WinTD's tournament or deeds if it is one of these"),
    (b"[", "JSON", "choose WinTD's tournament or deeds if it is one of these"),
    (b"<", "a web page or XML", "save the list as CSV"),
];

/// What a file is, if its first bytes are those of no text.
pub(super) fn no_text(bytes: &[u8]) -> Option<Problem> {
    named(bytes, NO_TEXT)
}

/// What a file is, if its first bytes are those of no list.
pub(super) fn no_list(bytes: &[u8]) -> Option<Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    no_text(bytes).or_else(|| named(bytes.trim_ascii_start(), NO_LIST))
}

fn named(bytes: &[u8], known: &[(&[u8], &str, &str)]) -> Option<Problem> {
    let found = known.iter().find(|(first, ..)| bytes.starts_with(first));
    found.map(|(_, what, todo)| Problem::error(None, None, format!("this is {what}"), *todo))
}

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

/// The first line with a word that no language has, and that word: the encoding was guessed wrongly, here or by the
/// program that wrote the file.
pub(super) fn garbled(text: &str) -> Option<Problem> {
    let between = |it: char| it.is_whitespace() || matches!(it, ',' | ';' | '|' | '"');
    let mut words = (1..)
        .zip(text.lines())
        .flat_map(|(line, row)| row.split(between).map(move |it| (line, it)));
    let (line, word) = words.find(|(_, word)| is_garbled(word))?;
    let quoted: String = word.chars().filter(|it| !it.is_control()).take(40).collect();
    let what = format!("{quoted:?} looks as if the file had another encoding");
    let todo =
        "look at the names; if they are wrong, save the file as CSV UTF-8 and choose it again";
    let problem = Problem::error(Some(line), None, what, todo);
    // No text has control characters of the second set: that is no guess any more.
    let is_certain = text.contains(|it: char| matches!(it, '\u{80}'..='\u{9f}' | '\u{fffd}'));
    Some(if is_certain { problem } else { problem.warning() })
}

fn is_garbled(word: &str) -> bool {
    let mut before = ' ';
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let in_word = before.is_alphabetic() || next.is_alphabetic();
        let is_sign = match character {
            '\u{80}'..='\u{9f}' | '\u{fffd}' => true,
            // Letters of Macintosh and DOS code pages, as Windows-1252 shows them.
            'ƒ' | '‰' | '‡' | '†' | 'ˆ' | '˜' | '™' | '•' | '¢' | '£' | '¥' | '¤' | '¶' => {
                in_word
            }
            '‚' | '„' | '‹' | '›' => before.is_alphabetic() && next.is_alphabetic(),
            '‘' => before.is_alphabetic(),
            'Ž' | 'Š' | 'Œ' => before.is_lowercase(),
            // UTF-8 that was read as Windows-1252 once.
            'Ã' | 'Â' => {
                matches!(next, '\u{80}'..='\u{bf}' | '\u{0152}'..='\u{0192}' | '\u{2013}'..='\u{2122}')
            }
            'â' => next == '€',
            _ => false,
        };
        if is_sign {
            return true;
        }
        before = character;
    }
    false
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
            assert_eq!(garbled(&decode(&bytes).0), None);
        }
    }

    #[test]
    fn line_ends_of_all_systems_are_one() {
        assert_eq!(decode(b"a\r\nb\rc\n").0, "a\nb\nc\n");
    }

    #[test]
    fn a_wrong_guess_of_the_encoding_shows_in_the_words() {
        let mac = b"Team,Player\n\x83toiles,Zo\x91 P\x89quet,Jos\x8e Mu\x96oz\n";
        let dos = b"Team,Player\n\x90toiles,Zo\x89 P\x83quet\n";
        let twice = "Zoë".bytes().map(char::from).collect::<String>();
        for text in [decode(mac).0, decode(dos).0, twice] {
            assert!(garbled(&text).is_some(), "{text:?}");
        }
        for text in
            ["Finn O’Neil", "Ann–Marie ‘Ace’ Fig", "Šárka Žižka", "São Ângela", "“Oak”", "½-½"]
        {
            assert_eq!(garbled(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_that_is_no_list_is_named_by_its_first_bytes() {
        let named = |bytes: &[u8]| no_list(bytes).map(|problem| problem.what).unwrap_or_default();
        assert!(named(b"PK\x03\x04\x14").contains("workbook"));
        assert!(named(b"\xd0\xcf\x11\xe0\xa1").contains("workbook"));
        assert!(named(b"%PDF-1.7").contains("PDF"));
        assert!(named(b" {\"a\":1}").contains("JSON"));
        assert!(named(b"Team,Player").is_empty());
    }
}
