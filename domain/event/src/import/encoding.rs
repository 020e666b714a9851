//! Encodings of files: spreadsheets write at least four.
//!
//! An encoding that [`decode`](rules::text_file::decode) does not know is read as Windows-1252, in which any bytes are a text. That is a guess, so the words
//! are searched for signs of another code page. Files that are no text are named by their first bytes.

use rules::text_file::Decoded;

use super::Problem;

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

/// Remedy for a file whose encoding was not recognised.
const TODO: &str =
    "look at the names; if they are wrong, save the file as CSV UTF-8 and choose it again";

/// Kind of a file whose first bytes are those of no text.
pub(super) fn no_text(bytes: &[u8]) -> Option<Problem> {
    named(bytes, NO_TEXT)
}

/// Kind of a file whose first bytes are those of no list.
pub(super) fn no_list(bytes: &[u8]) -> Option<Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    no_text(bytes).or_else(|| named(bytes.trim_ascii_start(), NO_LIST))
}

fn named(bytes: &[u8], known: &[(&[u8], &str, &str)]) -> Option<Problem> {
    let found = known.iter().find(|(first, ..)| bytes.starts_with(first));
    found.map(|(_, what, todo)| Problem::error(None, None, format!("this is {what}"), *todo))
}

/// Evidence against the encoding as which a file was decoded. `text`: the part of the file that is read.
pub(super) fn doubts(decoded: &Decoded, text: &str) -> Option<Problem> {
    let found = [odd_line(decoded), garbled(text)];
    found.into_iter().flatten().max_by_key(|problem| problem.severity)
}

/// The first line of another encoding than the file's others have; an error where the file's mark says that it has one.
fn odd_line(decoded: &Decoded) -> Option<Problem> {
    let line = decoded.odd_line?;
    let what = "this line has another encoding than the rest of the file";
    let problem = Problem::error(Some(line), None, what, TODO);
    Some(if decoded.encoding == "UTF-8" { problem } else { problem.warning() })
}

/// The first line with a word that no language has, and that word: the encoding was guessed wrongly, here or by the
/// program that wrote the file.
fn garbled(text: &str) -> Option<Problem> {
    let between = |it: char| it.is_whitespace() || matches!(it, ',' | ';' | '|' | '"');
    let mut words = (1..)
        .zip(text.lines())
        .flat_map(|(line, row)| row.split(between).map(move |it| (line, it)));
    let (line, word) = words.find(|(_, word)| is_garbled(word))?;
    let quoted: String = word.chars().filter(|it| !it.is_control()).take(40).collect();
    let what = format!("{quoted:?} looks as if the file had another encoding");
    let problem = Problem::error(Some(line), None, what, TODO);
    // No text has control characters of the second set: that is no guess any more.
    let is_certain = text.contains(|it: char| matches!(it, '\u{80}'..='\u{9f}' | '\u{fffd}'));
    Some(if is_certain { problem } else { problem.warning() })
}

fn is_garbled(word: &str) -> bool {
    // Letters of another alphabet, as Windows-1252 shows them: no word of Latin letters has accents alone.
    let letters: String = word.chars().filter(|it| it.is_alphabetic()).collect();
    let is_foreign =
        letters.chars().nth(2).is_some() && letters.chars().all(|it| ('À'..='ÿ').contains(&it));
    if is_foreign || has_entity(word) || has_quoted_bytes(word) {
        return true;
    }
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
            // What a program wrote for a letter that its encoding has not.
            '?' => before.is_alphabetic() && next.is_alphabetic(),
            '‚' | '„' | '‹' | '›' => before.is_alphabetic() && next.is_alphabetic(),
            '‘' => before.is_alphabetic(),
            'Ž' | 'Š' | 'Œ' => before.is_lowercase(),
            // Letters of central European code pages and of ISO 8859-15.
            '¦' | '¨' | '¸' | '¯' | '¼' | '¾' => in_word,
            '¹' | '²' | '³' | '¿' | '¡' => before.is_alphabetic() && next.is_alphabetic(),
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

/// Ends of the names by which web pages write letters; a semicolon follows.
const ENTITIES: &[&str] =
    &["uml", "acute", "grave", "circ", "tilde", "cedil", "ring", "slash", "lig", "amp", "quot"];

/// Whether a letter is written as web pages do: `&euml`, `&#39`.
fn has_entity(word: &str) -> bool {
    word.match_indices('&').any(|(at, _)| {
        let rest = &word[at + 1..];
        rest.starts_with('#')
            && rest.len() > 1
            && rest[1..].starts_with(|it: char| it.is_ascii_digit() || it == 'x')
            || ENTITIES.iter().any(|end| rest.ends_with(end))
    })
}

/// Whether bytes are written as mail does: `=C3=AB`.
fn has_quoted_bytes(word: &str) -> bool {
    let is_byte = |it: &[u8]| {
        it[0] == b'=' && matches!(it[1], b'8'..=b'9' | b'A'..=b'F') && it[2].is_ascii_hexdigit()
    };
    word.as_bytes().windows(6).any(|six| is_byte(&six[..3]) && is_byte(&six[3..]))
}

#[cfg(test)]
mod tests {
    use rules::text_file::decode;

    use super::{super::Severity, *};

    const TEXT: &str = "Team,Player\nÉtoile,Zoë\n";

    #[test]
    fn nothing_speaks_against_a_text_in_its_own_encoding() {
        let latin: Vec<u8> =
            TEXT.chars().map(|it| u8::try_from(it as u32).unwrap_or(b'?')).collect();
        for bytes in [TEXT.as_bytes(), &latin] {
            let decoded = decode(bytes);
            assert_eq!(doubts(&decoded, &decoded.text), None);
        }
    }

    #[test]
    fn a_line_of_another_encoding_is_named_and_refused_below_a_mark() {
        let severity = |bytes: &[u8]| {
            let decoded = decode(bytes);
            let problem = doubts(&decoded, &decoded.text);
            problem.map(|problem| (problem.line, problem.severity))
        };
        let mixed = [TEXT.as_bytes(), b"Zo\xeb\n"].concat();
        assert_eq!(severity(&mixed), Some((Some(3), Severity::Warning)));
        let marked = [b"\xef\xbb\xbf".as_slice(), &mixed].concat();
        assert_eq!(severity(&marked), Some((Some(3), Severity::Error)));
    }

    #[test]
    fn a_wrong_guess_of_the_encoding_shows_in_the_words() {
        let mac = b"Team,Player\n\x83toiles,Zo\x91 P\x89quet,Jos\x8e Mu\x96oz\n";
        let dos = b"Team,Player\n\x90toiles,Zo\x89 P\x83quet\n";
        let twice = "Zoë".bytes().map(char::from).collect::<String>();
        for text in [decode(mac).text, decode(dos).text, twice] {
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
