//! Tables of dBase III, which US Chess takes rating reports in: a header, a description of 32 bytes for each column, then
//! lines of fixed width.

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Characters.
    Text,
    /// A day as `20261121`.
    Day,
}

/// A column: its name of at most ten characters, what it holds, and its width.
pub(super) type DbfColumn<'name> = (&'name str, Kind, u8);

/// Offset of the lines, beside the columns: a header, and a byte that ends the columns.
const HEADER_BYTES: usize = 32;
const COLUMN_BYTES: usize = 32;
const NAME_BYTES: usize = 10;

/// A table as bytes. Each line has its values in the order of the columns; each is cut to its column's width.
///
/// `day` is the table's date of change: year, month, day.
pub(super) fn table(
    columns: &[DbfColumn<'_>],
    lines: &[Vec<String>],
    day: (u16, u8, u8),
) -> Vec<u8> {
    let line_bytes = 1 + columns.iter().map(|(_, _, width)| usize::from(*width)).sum::<usize>();
    let header_bytes = HEADER_BYTES + COLUMN_BYTES * columns.len() + 1;
    let short = |count: usize| u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
    let mut bytes = vec![0x03, u8::try_from(day.0.saturating_sub(1900)).unwrap_or(0), day.1, day.2];
    bytes.extend(u32::try_from(lines.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(short(header_bytes));
    bytes.extend(short(line_bytes));
    bytes.resize(HEADER_BYTES, 0);
    for (name, kind, width) in columns {
        let end = bytes.len() + COLUMN_BYTES;
        bytes.extend(name.bytes().take(NAME_BYTES));
        bytes.resize(end - COLUMN_BYTES + NAME_BYTES + 1, 0);
        bytes.push(match kind {
            Kind::Text => b'C',
            Kind::Day => b'D',
        });
        bytes.extend([0; 4]);
        bytes.push(*width);
        bytes.resize(end, 0);
    }
    bytes.push(0x0d);
    for line in lines {
        bytes.push(b' ');
        for ((_, _, width), value) in columns.iter().zip(line) {
            let end = bytes.len() + usize::from(*width);
            bytes.extend(ascii(value).bytes().take(usize::from(*width)));
            bytes.resize(end, b' ');
        }
    }
    bytes.push(0x1a);
    bytes
}

/// A text in ASCII: letters without their accents, and `?` for other characters.
pub(super) fn ascii(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    let plain = |letter: char| match letter {
        'ß' => "ss".to_owned(),
        'æ' | 'Æ' => "ae".to_owned(),
        'ø' | 'Ø' => "o".to_owned(),
        'ł' | 'Ł' => "l".to_owned(),
        'đ' | 'Đ' => "d".to_owned(),
        '’' | '‘' => "'".to_owned(),
        '–' | '—' => "-".to_owned(),
        _ if letter.is_ascii_control() => " ".to_owned(),
        _ if letter.is_ascii() => letter.to_string(),
        _ => "?".to_owned(),
    };
    let is_accent = |letter: &char| unicode_normalization::char::is_combining_mark(*letter);
    text.nfd().filter(|letter| !is_accent(letter)).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_where_the_header_says() {
        let columns = [("D_NAME", Kind::Text, 6), ("D_DAY", Kind::Day, 8)];
        let lines = [vec!["Zoë A longer one".to_owned(), "20261121".to_owned()]];
        let bytes = table(&columns, &lines, (2026, 11, 27));
        assert_eq!(&bytes[..4], [3, 126, 11, 27]);
        assert_eq!(&bytes[4..12], [1, 0, 0, 0, 97, 0, 15, 0]);
        assert_eq!(&bytes[32..44], b"D_NAME\0\0\0\0\0C");
        assert_eq!((bytes[48], bytes[80], bytes[96]), (6, 8, 0x0d));
        assert_eq!(&bytes[97..], b" Zoe A 20261121\x1a");
    }

    #[test]
    fn names_are_written_without_accents() {
        assert_eq!(ascii("Ångström, Zoé Łuk’s"), "Angstrom, Zoe luk's");
        assert_eq!(ascii("李 Wei"), "? Wei");
    }
}
