//! Margins of lists: titles that pairing programs and spreadsheets write above the header, and lines that they write below the last row.

use super::{
    Problem,
    delimited::Record,
    draft::Draft,
    numbers::{ROUND_WORDS, labelled_number},
};

/// Parts of lines that pairing programs and spreadsheets write below a list.
const FOOTERS: &[&str] =
    &["://", "www.", "swiss-manager", "swiss manager", "chess-results", "swisssys", "wintd"];

/// Words before a number of rows below a list.
const TOTALS: &[&str] = &["total", "count", "sum", "summe", "gesamt", "totale"];

/// The text of a row that has one alone.
pub(super) fn only_cell(record: &Record) -> Option<&str> {
    let mut cells = record.fields.iter().map(|it| it.trim()).filter(|it| !it.is_empty());
    let first = cells.next();
    first.filter(|_| cells.next().is_none())
}

/// The rows without the lines that a program wrote below them, which are named: the only cell of one has an address, the
/// program's name or a total.
pub(super) fn without_footers(draft: &mut Draft<'_>, mut rows: Vec<Record>) -> Vec<Record> {
    while let Some(text) = rows.last().and_then(only_cell).filter(|it| is_footer(it)) {
        let what = format!("{text:?} is taken for the end of the list, and not for a row");
        let line = rows.pop().map(|it| it.line);
        draft.note(Problem::error(line, None, what, "take it out of the file").warning());
    }
    rows
}

fn is_footer(text: &str) -> bool {
    let text = text.to_lowercase();
    let total = TOTALS.iter().find_map(|word| text.strip_prefix(word));
    total.is_some_and(|rest| !rest.contains(char::is_alphabetic))
        || FOOTERS.iter().any(|part| text.contains(part))
}

/// The round that the titles above a header name, if it is one: `Round 3 on 2026/11/21`, `3. Runde`.
pub(super) fn round_of_titles(titles: &[Record]) -> Option<String> {
    let mut rounds: Vec<u32> = Vec::new();
    for field in titles.iter().flat_map(|record| &record.fields) {
        let words = field.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        for pair in words.windows(2) {
            rounds.extend(labelled_number(&pair.join(" "), ROUND_WORDS, 2));
        }
    }
    rounds.dedup();
    match rounds[..] {
        [round] => Some(round.to_string()),
        _ => None,
    }
}
