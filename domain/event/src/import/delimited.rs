//! Lists with a header row, as spreadsheets write them: rows with the line they begin at.
//!
//! The header is the row in which most of the needed columns are found; titles above it are skipped, but for a round that they
//! name. The character between columns is what a line `sep=;` says, or the one under which such a row is found.

use std::collections::BTreeMap;

use rules::text_file;

use super::{
    COLUMNS_MAX, Field, Mapping, Problem, ROWS_MAX, Severity,
    draft::Draft,
    encoding,
    mapping::{Columns, List},
    margins::{Titles, round_of_titles, without_footers},
    outcomes_from_text,
};
use crate::names::{clean, name_key};

/// Characters that stand between columns, the commonest first.
const DELIMITERS: [char; 4] = [',', '\t', ';', '|'];

/// Values of cells whose formula failed, in English, German, Spanish and French.
#[rustfmt::skip]
const FAILED_FORMULAS: [&str; 13] = [
    "#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NV", "#BEZUG!", "#WERT!",
    "#¡REF!", "#¡VALOR!", "#¿NOMBRE?", "#VALEUR!",
];

/// Headers of columns that name who won.
const WINNERS: &[&str] = &["winner", "sieger", "ganador", "vainqueur", "vincitore"];

/// Maximum number of rows above the header.
const ROWS_ABOVE_MAX: usize = 20;

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
    values: BTreeMap<Field, String>,
}

impl Table {
    /// A field of a row; none where the column is missing or the field empty.
    #[allow(clippy::unused_self, reason = "the columns of a row are the table's")]
    pub(super) fn get<'row>(&self, row: &'row Row, field: Field) -> Option<&'row str> {
        row.values.get(&field).map(String::as_str)
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

    /// Whether the list has a column for a field.
    pub(super) fn has(&self, field: Field) -> bool {
        self.columns.has(field)
    }

    /// The header of a column, for problems.
    pub(super) fn header(&self, field: Field) -> &str {
        self.columns.header(field)
    }
}

/// A row as it is in the file.
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) fields: Vec<String>,
}

/// Reads a list. None when it cannot be read at all, or when a column is missing; the problems are noted.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8], list: List) -> Option<Table> {
    if let Some(problem) = encoding::no_list(bytes) {
        draft.note(problem);
        return None;
    }
    let decoded = text_file::decode(bytes);
    let mut constants = draft.constants();
    let remembered = draft.remembered_mapping();
    let known: Vec<Field> = constants.iter().map(|(field, _)| *field).collect();
    let found = |header: &[String]| match &remembered {
        Some(mapping) => mapping.found(header, list, &known),
        None => Mapping::guess(header, list).found(header, list, &known),
    };
    let (separator, text, lines_above) = separator_line(&decoded.text);
    let delimiter = separator.unwrap_or_else(|| delimiter(text, found));
    draft.found(decoded.encoding, delimiter);
    let doubts = encoding::doubts(&decoded, text);
    let is_unreadable = doubts.as_ref().is_some_and(|it| it.severity == Severity::Error);
    draft.note_all(doubts);
    if is_unreadable {
        return None;
    }
    let mut records = read_records(draft, text, delimiter, lines_above)?;
    let at =
        header_at(&records, found, |row| remembered.is_none() && Mapping::is_header(row, list));
    let mut titles = Titles::above(draft, &records[..at]);
    if list.needed().contains(&Field::Round) && constants.is_empty() {
        constants.extend(round_of_titles(&records[..at]).map(|round| (Field::Round, round)));
        titles.have_rounds(!constants.is_empty());
    }
    let rows = records.split_off(at + 1);
    let Record { line, fields } = records.pop()?;
    let mut header: Vec<String> = fields.iter().map(|name| clean(name)).collect();
    // Some spreadsheets save columns that were never used.
    while header.len() > COLUMNS_MAX && header.last().is_some_and(String::is_empty) {
        header.pop();
    }
    if header.len() > COLUMNS_MAX {
        let what = format!("{} columns are more than {COLUMNS_MAX}", header.len());
        draft.note(Problem::error(Some(line), None, what, "is it the right file?"));
        return None;
    }
    let mapping = remembered.clone().unwrap_or_else(|| Mapping::guess(&header, list));
    let columns = mapping.resolve(&header, line, list, &constants);
    if let Ok(columns) = &columns {
        let fields = rows.iter().map(|row| row.fields.clone());
        draft.note_all(mapping.doubled(&header, columns, fields));
    }
    draft.mapped(header.clone(), mapping);
    let columns = match columns {
        Ok(columns) => columns,
        Err(problems) => {
            problems.into_iter().for_each(|problem| draft.note(problem));
            return None;
        }
    };
    let rows = without_footers(draft, rows);
    note_shifted(draft, delimiter, &header, &rows);
    if list == List::Pairings && !columns.has(Field::Result) {
        note_unread_results(draft, &columns, &header, &rows);
    }
    let rows = read_rows(draft, &columns, list, (&header, delimiter), titles, rows);
    Some(Table { columns, rows })
}

/// The fields of each row below the header that can be read.
fn read_rows(
    draft: &mut Draft<'_>,
    columns: &Columns,
    list: List,
    (header, delimiter): (&[String], char),
    mut titles: Titles,
    records: Vec<Record>,
) -> Vec<Row> {
    let goes_on = |at: usize, field: &str| {
        !columns.is_remark(at) || field.contains(delimiter) || field.ends_with('\n')
    };
    let rows = records.into_iter().filter_map(|record| {
        if titles.take(draft, &record) {
            return None;
        }
        // Some programs repeat the header on each page.
        if record.fields.iter().map(|it| clean(it)).eq(header.iter().cloned()) {
            return None;
        }
        checked(draft, header, &record, goes_on).then(|| {
            let fields = list.fields().filter_map(|field| {
                let text = clean(unescaped(&columns.text(field, &record.fields)?));
                let text = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
                (!text.is_empty()).then_some((field, text))
            });
            let mut values: BTreeMap<Field, String> = fields.collect();
            titles.fill(&mut values);
            Row { line: record.line, values }
        })
    });
    rows.collect()
}

/// The place of the header: the first row with most of the needed columns. Where cells were merged over two rows, the words of
/// both are headers, and the lower row has one for each column.
fn header_at(
    records: &[Record],
    found: impl Fn(&[String]) -> usize,
    is_header: impl Fn(&[String]) -> bool,
) -> usize {
    let above = &records[..records.len().min(ROWS_ABOVE_MAX)];
    let counts: Vec<usize> = above.iter().map(|record| found(&record.fields)).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let first = counts.iter().position(|&count| count == most && most > 0).unwrap_or(0);
    let below = (first + 1..above.len())
        .take_while(|&at| counts[at] == most && is_header(&above[at].fields));
    first + below.count()
}

/// Warns where no column is read as the result, and one that is not read has nothing but results, or names who won.
fn note_unread_results(
    draft: &mut Draft<'_>,
    columns: &Columns,
    header: &[String],
    rows: &[Record],
) {
    let is_result = |at: usize| {
        let fields = rows.iter().filter_map(|row| row.fields.get(at)).map(|it| it.trim());
        let mut fields = fields.filter(|field| !field.is_empty()).peekable();
        fields.peek().is_some() && fields.all(|field| outcomes_from_text(field).is_some())
    };
    let names_winners = |at: usize| WINNERS.contains(&name_key(&header[at]).as_str());
    let is_unread = |at: &usize| !columns.reads(*at) && (is_result(*at) || names_winners(*at));
    let unread = (0..header.len()).filter(is_unread);
    let names: Vec<&str> = unread.map(|at| header[at].as_str()).collect();
    if !names.is_empty() {
        let what = format!(
            "no column is read as the result, and these look like it: {}",
            names.join(", ")
        );
        let todo = "name the column Result, or map it (on the page, or with --mapping FILE.json)";
        draft.note(Problem::error(None, None, what, todo).warning());
    }
}

/// A field without the apostrophe, or the formula of a text alone, by which a spreadsheet leaves it as it is.
fn unescaped(text: &str) -> &str {
    let is_kept = |rest: &str| {
        rest.starts_with(['=', '+', '-', '@']) || rest.starts_with(|it: char| it.is_ascii_digit())
    };
    let text = text.trim_start();
    match text.strip_prefix('\'') {
        Some(rest) if is_kept(rest.trim_start()) => rest,
        _ => text.strip_prefix("=\"").and_then(|it| it.strip_suffix('"')).unwrap_or(text),
    }
}

/// Separator of a line `sep=;`, the text below it, and the number of lines above that.
fn separator_line(text: &str) -> (Option<char>, &str, u64) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let said = first.trim_matches(['"', ' ']).strip_prefix("sep=");
    match said.and_then(|said| said.chars().next()).filter(char::is_ascii) {
        Some(separator) => (Some(separator), rest, 1),
        None => (None, text, 0),
    }
}

/// The rows that have anything in them. None when the list is too large or empty, with that noted.
fn read_records(
    draft: &mut Draft<'_>,
    text: &str,
    delimiter: char,
    lines_above: u64,
) -> Option<Vec<Record>> {
    let mut lines = Lines::new(text);
    let mut records = Vec::new();
    for record in reader(text, delimiter).records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let todo = "save the list as CSV again";
                draft.note(Problem::error(None, None, error.to_string(), todo));
                return None;
            }
        };
        let offset = record.position().map_or(0, csv::Position::byte);
        let line = lines_above + lines.at(usize::try_from(offset).unwrap_or(usize::MAX));
        // Skips empty rows, and drawn lines below a header.
        let is_drawn =
            |field: &str| field.trim().chars().all(|it| matches!(it, '-' | '=' | '_' | ':' | '+'));
        if record.iter().all(is_drawn) {
            continue;
        }
        if records.len() > ROWS_MAX {
            let what = format!("the list has more than {ROWS_MAX} rows");
            draft.note(Problem::error(Some(line), None, what, "split it"));
            return None;
        }
        records.push(Record { line, fields: record.iter().map(ToOwned::to_owned).collect() });
    }
    if records.is_empty() {
        let todo = "write the names of the columns into the first row";
        draft.note(Problem::error(None, None, "the list is empty", todo));
        return None;
    }
    Some(records)
}

fn reader(text: &str, delimiter: char) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .delimiter(u8::try_from(delimiter).unwrap_or(b','))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
}

/// Warns of the first row that looks like a name with a comma in it: a field begins with a blank, as none of the others
/// does.
fn note_shifted(draft: &mut Draft<'_>, delimiter: char, header: &[String], rows: &[Record]) {
    let is_half = |field: &String| {
        field.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    };
    let is_odd = |record: &&Record| record.fields.iter().any(is_half);
    let odd = rows.iter().filter(is_odd).count();
    if let Some(record) =
        rows.iter().find(is_odd).filter(|_| delimiter == ',' && odd * 2 <= rows.len())
    {
        let at = record.fields.iter().position(is_half).unwrap_or(0);
        let what =
            "the field begins with a blank: is it the second half of a name such as Aster, Ida?";
        let todo = "put such a name between quotation marks";
        let column = header.get(at).map(String::as_str);
        draft.note(Problem::error(Some(record.line), column, what, todo).warning());
    }
}

/// Whether the fields of a row fit the header and none is too long; that is noted. A field over several lines is an open
/// quotation mark where `goes_on` says that it cannot be one text.
fn checked(
    draft: &mut Draft<'_>,
    header: &[String],
    record: &Record,
    goes_on: impl Fn(usize, &str) -> bool,
) -> bool {
    let Record { line, fields } = record;
    let open_quote = fields
        .iter()
        .enumerate()
        .position(|(at, field)| field.contains('\n') && goes_on(at, field));
    let too_many = fields.iter().skip(header.len()).any(|field| !field.trim().is_empty());
    if let Some(at) = open_quote {
        let todo = "close it, or take the line break out of the field";
        let what = "a field goes on over several lines: a quotation mark is not closed";
        draft.note(Problem::error(Some(*line), header.get(at).map(String::as_str), what, todo));
        return false;
    }
    if too_many {
        let what = format!("the row has {} fields for {} columns", fields.len(), header.len());
        let todo = "put a field that holds the delimiter between quotation marks";
        draft.note(Problem::error(Some(*line), None, what, todo));
        return false;
    }
    for (name, field) in header.iter().zip(fields) {
        if FAILED_FORMULAS.contains(&field.trim().to_uppercase().as_str()) {
            let what =
                format!("{:?} is what a spreadsheet writes where a formula failed", field.trim());
            draft.note(Problem::error(
                Some(*line),
                Some(name),
                what,
                "write the text itself, and save the list again",
            ));
            return false;
        }
        if field.chars().nth(super::FIELD_CHARACTERS_MAX).is_some() {
            let what =
                format!("the field is longer than {} characters", super::FIELD_CHARACTERS_MAX);
            let todo = "shorten it; is a quotation mark not closed?";
            draft.note(Problem::error(Some(*line), Some(name), what, todo));
            return false;
        }
    }
    true
}

/// The delimiter under which the row with most of the needed columns is found; else the one that is most often in the first
/// row that has anything in it, outside quotation marks.
fn delimiter(text: &str, found: impl Fn(&[String]) -> usize) -> char {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for character in first.chars() {
        quoted ^= character == '"';
        if let Some(at) = DELIMITERS.iter().position(|&it| it == character && !quoted) {
            counts[at] += 1;
        }
    }
    let mut order: Vec<usize> = (0..DELIMITERS.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(counts[at]));
    let of_header = |delimiter: char| {
        let records = reader(text, delimiter).into_records();
        let rows = records.take(ROWS_ABOVE_MAX).filter_map(Result::ok).map(|record| {
            let fields: Vec<String> = record.iter().map(clean).take(COLUMNS_MAX).collect();
            found(&fields)
        });
        rows.max().unwrap_or(0)
    };
    // The first of those with most columns, as the maximum of a list is its last.
    order.reverse();
    let best = order.into_iter().max_by_key(|&at| of_header(DELIMITERS[at]));
    DELIMITERS[best.unwrap_or(0)]
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
        let none = |_: &[String]| 0;
        assert_eq!(delimiter("Team,Player 1,Player 2\n", none), ',');
        assert_eq!(delimiter("\nTeam\tPlayer, first\tPlayer 2\n", none), '\t');
        assert_eq!(delimiter("Team;Player 1;Player 2\n", none), ';');
        assert_eq!(delimiter("\"a,b,c\";d\n", none), ';');
        assert_eq!(delimiter("Team\n", none), ',');
        let title = "Spring Open, Hall, 5 March, K-6\nTeam;Player 1;Player 2\n";
        let found =
            |header: &[String]| Mapping::guess(header, List::Teams).found(header, List::Teams, &[]);
        assert_eq!(delimiter(title, found), ';');
    }

    #[test]
    fn lines_are_counted_over_empty_ones() {
        let mut lines = Lines::new("head\n\n\nrow\nnext\n");
        assert_eq!([lines.at(0), lines.at(5), lines.at(11)], [1, 4, 5]);
    }
}
