//! Margins of lists: titles that pairing programs and spreadsheets write above the header or between rows, and lines that they write
//! below the last row.

use std::collections::BTreeMap;

use super::{
    Field, Problem,
    delimited::Record,
    draft::Draft,
    numbers::{ROUND_WORDS, labelled_number},
};

/// Parts of lines that pairing programs and spreadsheets write below a list.
const FOOTERS: &[&str] =
    &["://", "www.", "swiss-manager", "swiss manager", "chess-results", "swisssys", "wintd"];

/// Words before a number of rows below a list.
const TOTALS: &[&str] = &["total", "count", "sum", "summe", "gesamt", "totale"];

/// Words that a title of a section begins or ends with, in lower case.
const SECTION_WORDS: &[&str] = &[
    "section",
    "sect",
    "division",
    "seccion",
    "sección",
    "división",
    "categoria",
    "categoría",
    "gruppe",
    "klasse",
    "groupe",
    "catégorie",
];
/// Titles of sections without such a word, in lower case.
const SECTIONS: &[&str] = &["open", "reserve", "championship", "novice"];
/// Maximum number of words of a title that begins with a class, such as `K-6` or `U1000`.
const CLASS_WORDS_MAX: usize = 3;

/// Round and section from titles above the header and between the rows, for the rows below them.
#[derive(Default)]
pub(super) struct Titles {
    have_rounds: bool,
    round: Option<String>,
    section: Option<String>,
}

impl Titles {
    /// Those above the header: the last that names a section gives it, unless the options do, or the event has another one alone.
    pub(super) fn above(draft: &mut Draft<'_>, records: &[Record]) -> Titles {
        let mut titles = Titles::default();
        let named = records.iter().rev().find_map(|record| {
            let text = only_cell(record)?;
            Some((record.line, text, section_of_title(text)?))
        });
        let is_open = draft.options().section.is_none();
        if let Some((line, text, section)) = named.filter(|_| is_open) {
            let section = draft.section_of_title(text, section);
            if draft.knows_section(&section) || draft.event().sections().is_empty() {
                titles.begin(draft, line, text, section);
            }
        }
        titles
    }

    /// Whether titles give the rounds.
    pub(super) fn have_rounds(&mut self, they_do: bool) {
        self.have_rounds = they_do;
    }

    /// Whether a row is a title, or another line between rows, and none of the list. A section's is noted, and a line that is left out.
    pub(super) fn take(&mut self, draft: &mut Draft<'_>, record: &Record) -> bool {
        let Some(text) = only_cell(record) else { return false };
        let round = self.have_rounds.then(|| round_of_titles(std::slice::from_ref(record)));
        if let Some(round) = round.flatten() {
            self.round = Some(round);
        } else if let Some(section) = section_between_rows(text) {
            let section = draft.section_of_title(text, section);
            self.begin(draft, record.line, text, section);
        } else if is_footer(text) {
            let what = format!("{text:?} is taken for a line between rows, and not for a row");
            let problem = Problem::error(Some(record.line), None, what, "take it out of the file");
            draft.note(problem.warning());
        } else {
            return false;
        }
        true
    }

    /// The rows from here on are of a section.
    fn begin(&mut self, draft: &mut Draft<'_>, line: u64, text: &str, section: String) {
        let what = format!(
            "{text:?} is taken for a title: rows below it that name no section are in {section:?}"
        );
        let todo = "give the section a column of its own if this is wrong";
        draft.note(Problem::error(Some(line), None, what, todo).warning());
        self.section = Some(section);
    }

    /// Fills in what a row does not say itself.
    pub(super) fn fill(&self, values: &mut BTreeMap<Field, String>) {
        values.extend(self.round.clone().map(|round| (Field::Round, round)));
        if let Some(section) = &self.section {
            values.entry(Field::Section).or_insert_with(|| section.clone());
        }
    }
}

/// The text of a row that has one alone.
fn only_cell(record: &Record) -> Option<&str> {
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

/// Whether the only text of a row is a program's address or name, or a total such as `Total players: 12`.
fn is_footer(text: &str) -> bool {
    let text = text.to_lowercase();
    let total = TOTALS.iter().find_map(|word| text.strip_prefix(word));
    let is_number_at_end = text.ends_with(|it: char| it.is_ascii_digit());
    total.is_some_and(|rest| {
        !rest.contains(char::is_alphabetic)
            || (is_number_at_end && !rest.starts_with(char::is_alphabetic))
    }) || FOOTERS.iter().any(|part| text.contains(part))
}

/// The section that a title names by a word for one: `Open Section`, `Section: K-6`, `Division 2`.
fn section_of_title(text: &str) -> Option<String> {
    let is_word = |word: &str| {
        let word = word.trim_matches(|it: char| !it.is_alphanumeric()).to_lowercase();
        SECTION_WORDS.contains(&word.as_str())
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let rest = match words[..] {
        [first, ref rest @ ..] if is_word(first) => rest,
        [ref rest @ .., last] if is_word(last) => rest,
        _ => return None,
    };
    let rest = rest.join(" ");
    let name = rest.trim_matches(|it: char| it.is_whitespace() || ":-–—()".contains(it));
    match name.chars().all(|it| it.is_ascii_digit()) {
        // `Section 2` is its name; the word alone names none.
        true if name.is_empty() => None,
        true => Some(text.trim().to_owned()),
        false => Some(name.to_owned()),
    }
}

/// The section that the only text between two rows names: as [`section_of_title`], or the class alone, such as `K-6` or `Under 1000`.
fn section_between_rows(text: &str) -> Option<String> {
    section_of_title(text).or_else(|| {
        let lower = text.trim().to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let is_number = |text: &str| {
            let text = text.trim_start_matches(['-', '–']);
            !text.is_empty() && text.chars().all(|it| it.is_ascii_digit())
        };
        let is_class = match words[..] {
            ["grade" | "grades" | "under", next, ..] => {
                next.contains(|it: char| it.is_ascii_digit())
            }
            [first, ..] => first.strip_prefix(['k', 'u']).is_some_and(is_number),
            [] => false,
        };
        let is_title =
            SECTIONS.contains(&lower.as_str()) || (is_class && words.len() <= CLASS_WORDS_MAX);
        is_title.then(|| text.trim().to_owned())
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_between_rows_names_its_section() {
        for (text, section) in [
            ("OPEN SECTION", "OPEN"),
            ("Section: K-6", "K-6"),
            ("Division 2", "Division 2"),
            ("Sección - Sub 12", "Sub 12"),
            ("K-3", "K-3"),
            ("U1000 Blitz", "U1000 Blitz"),
            ("Under 1000", "Under 1000"),
            ("Grades 4-6", "Grades 4-6"),
            ("Open", "Open"),
        ] {
            assert_eq!(section_between_rows(text).as_deref(), Some(section), "{text}");
        }
        for text in
            ["Section", "Ann Lee", "Uma", "Kay 3", "K-6 State Championship of 2026", "Grace Under"]
        {
            assert_eq!(section_between_rows(text), None, "{text}");
        }
        assert_eq!(section_of_title("K-6"), None, "above a header it may be the event's name");
    }

    #[test]
    fn a_total_is_no_row() {
        for (text, is) in [
            ("Total: 12", true),
            ("Total players: 12", true),
            ("Summer Camp 2", false),
            ("Total Chess", false),
        ] {
            assert_eq!(is_footer(text), is, "{text}");
        }
    }
}
