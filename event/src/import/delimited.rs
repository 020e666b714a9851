//! Lists with a header row, as spreadsheets write them: rows with the line they stand at.

use super::{
    COLUMNS_MAX, Field, Mapping, Problem, ROWS_MAX,
    draft::Draft,
    encoding,
    mapping::{Columns, List},
};

/// Characters that stand between columns, the commonest first.
const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

/// A list, and which of its columns is what.
pub(super) struct Table {
    columns: Columns,
    /// The rows that have anything in them.
    pub(super) rows: Vec<Row>,
}

/// A row.
pub(super) struct Row {
    /// The line it begins at, from 1.
    pub(super) line: u64,
    fields: Vec<String>,
}

impl Table {
    /// A field of a row; none where the column is missing or the field empty.
    pub(super) fn get<'row>(&self, row: &'row Row, field: Field) -> Option<&'row str> {
        let text = row.fields.get(self.columns.index(field)?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// A field that every row needs; a missing one is noted.
    pub(super) fn need<'row>(
        &self,
        draft: &mut Draft<'_>,
        row: &'row Row,
        field: Field,
    ) -> Option<&'row str> {
        let text = self.get(row, field);
        if text.is_none() {
            let header = self.columns.header(field);
            draft.note(Problem::error(
                Some(row.line),
                Some(header),
                "the field is empty",
                "fill it in",
            ));
        }
        text
    }

    /// The header of a column, for problems.
    pub(super) fn header(&self, field: Field) -> &str {
        self.columns.header(field)
    }
}

/// Reads a list. None when it cannot be read at all, or when a column is missing; the problems are noted.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8], list: List) -> Option<Table> {
    let (text, encoding) = encoding::decode(bytes);
    let delimiter = delimiter(&text);
    draft.found(encoding, delimiter);
    let (header, rows) = read_rows(draft, &text, delimiter)?;
    let remembered = draft.remembered_mapping();
    let mapping = remembered.unwrap_or_else(|| Mapping::guess(&header, list));
    let columns = mapping.resolve(&header, list);
    draft.mapped(header, mapping);
    match columns {
        Ok(columns) => Some(Table { columns, rows }),
        Err(problems) => {
            problems.into_iter().for_each(|problem| draft.note(problem));
            None
        }
    }
}

/// The header and the rows that have anything in them. None when the list is too large or empty, with that noted.
fn read_rows(
    draft: &mut Draft<'_>,
    text: &str,
    delimiter: char,
) -> Option<(Vec<String>, Vec<Row>)> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(u8::try_from(delimiter).unwrap_or(b','))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut lines = Lines::new(text);
    let mut header: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let todo = "save the list as CSV again";
                draft.note(Problem::error(None, None, error.to_string(), todo));
                return None;
            }
        };
        let offset = record.position().map_or(0, csv::Position::byte);
        let line = lines.at(usize::try_from(offset).unwrap_or(usize::MAX));
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let Some(header) = &header else {
            let names: Vec<String> = record.iter().map(|name| name.trim().to_owned()).collect();
            if names.len() > COLUMNS_MAX {
                let what = format!("{} columns are more than {COLUMNS_MAX}", names.len());
                draft.note(Problem::error(Some(line), None, what, "is it the right file?"));
                return None;
            }
            header = Some(names);
            continue;
        };
        if rows.len() >= ROWS_MAX {
            let what = format!("the list has more than {ROWS_MAX} rows");
            draft.note(Problem::error(Some(line), None, what, "split it"));
            return None;
        }
        if let Some(fields) = checked_fields(draft, line, header, &record) {
            rows.push(Row { line, fields });
        }
    }
    if header.is_none() {
        let todo = "write the names of the columns into the first row";
        draft.note(Problem::error(None, None, "the list is empty", todo));
    }
    Some((header?, rows))
}

/// The fields of a row; none when they do not fit the header, or one is too long, with that noted.
fn checked_fields(
    draft: &mut Draft<'_>,
    line: u64,
    header: &[String],
    record: &csv::StringRecord,
) -> Option<Vec<String>> {
    let too_many = record.iter().skip(header.len()).any(|field| !field.trim().is_empty());
    if too_many {
        let what = format!("the row has {} fields for {} columns", record.len(), header.len());
        let todo = "put a field that holds the delimiter between quotation marks";
        draft.note(Problem::error(Some(line), None, what, todo));
        return None;
    }
    for (name, field) in header.iter().zip(record) {
        if field.chars().nth(super::FIELD_CHARACTERS_MAX).is_some() {
            let what =
                format!("the field is longer than {} characters", super::FIELD_CHARACTERS_MAX);
            let todo = "shorten it; is a quotation mark not closed?";
            draft.note(Problem::error(Some(line), Some(name), what, todo));
            return None;
        }
    }
    Some(record.iter().map(ToOwned::to_owned).collect())
}

/// The delimiter that stands most often in the first row that has anything in it, outside quotation marks.
fn delimiter(text: &str) -> char {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for character in first.chars() {
        quoted ^= character == '"';
        if let Some(at) = DELIMITERS.iter().position(|&it| it == character && !quoted) {
            counts[at] += 1;
        }
    }
    let best = (0..DELIMITERS.len()).rev().max_by_key(|&at| counts[at]);
    best.map_or(DELIMITERS[0], |at| DELIMITERS[at])
}

/// Counts lines up to offsets that only grow. The reader gives the offset before the empty lines above a row.
struct Lines<'text> {
    bytes: &'text [u8],
    at: usize,
    line: u64,
}

impl<'text> Lines<'text> {
    fn new(text: &'text str) -> Self {
        Lines { bytes: text.as_bytes(), at: 0, line: 1 }
    }

    /// The line of the first byte at or after an offset that is not a line end.
    fn at(&mut self, offset: usize) -> u64 {
        while let Some(&byte) = self.bytes.get(self.at)
            && (self.at < offset || byte == b'\n')
        {
            self.line += u64::from(byte == b'\n');
            self.at += 1;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_the_one_that_the_header_uses() {
        assert_eq!(delimiter("Team,Player 1,Player 2\n"), ',');
        assert_eq!(delimiter("\nTeam\tPlayer, first\tPlayer 2\n"), '\t');
        assert_eq!(delimiter("Team;Player 1;Player 2\n"), ';');
        assert_eq!(delimiter("\"a,b,c\";d\n"), ';');
        assert_eq!(delimiter("Team\n"), ',');
    }

    #[test]
    fn lines_are_counted_over_empty_ones() {
        let mut lines = Lines::new("head\n\n\nrow\nnext\n");
        assert_eq!([lines.at(0), lines.at(5), lines.at(11)], [1, 4, 5]);
    }
}
