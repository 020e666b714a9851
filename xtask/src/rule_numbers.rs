//! Check that no rule number is in code outside the rulebooks.
//!
//! Rulebooks number the same rule differently, so code asks a book for a topic. It checks code: string literals of Rust and of
//! the pages, up to a file's `#[cfg(test)]`. Comments may cite a rule as their source, and tests, stories and docs must. Two
//! things are found: a rulebook's id followed by a number (`"nc-blitz 3"`), everywhere; and in the crates that judge or cite, a
//! literal that is nothing but a rule's number (`"8a"`, `"15 IV"`).

/// File of the ids.
pub(crate) const IDS_FILE: &str = "domain/rules/src/rulebook/book_id.rs";

/// The folder of the books.
const BOOKS: &str = "domain/rules/src/rulebook/";

/// The crates that judge or cite.
const CITING: &[&str] = &[
    "domain/readings/src/",
    "domain/action-model/src/",
    "domain/inference/src/",
    "domain/referee/src/",
    "adjudicator/src/",
];

/// The ids of the rulebooks, from the source of [`IDS_FILE`].
pub(crate) fn book_ids(source: &str) -> Vec<String> {
    let arms = source.lines().filter_map(|line| line.trim().strip_prefix("BookId::"));
    let id = |arm: &str| Some(arm.split_once("=> \"")?.1.strip_suffix("\",")?.to_owned());
    arms.filter_map(id).collect()
}

/// The lines of a file, from 1, in which code holds a rule number, and the literal.
pub(crate) fn find(shown: &str, text: &str, ids: &[String]) -> Vec<(usize, String)> {
    let is_code = [".rs", ".ts", ".tsx"].iter().any(|end| shown.ends_with(end));
    if !is_code || shown.starts_with(BOOKS) || is_test(shown) {
        return Vec::new();
    }
    let cites = CITING.iter().any(|folder| shown.starts_with(folder));
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let mut found = Vec::new();
    for (index, line) in code.enumerate() {
        for literal in literals(line) {
            if names_a_rule(literal, ids) || (cites && is_rule_number(literal)) {
                found.push((index + 1, literal.to_owned()));
            }
        }
    }
    found
}

fn is_test(shown: &str) -> bool {
    let in_tests = shown.starts_with("tests/") || shown.contains("/tests/");
    in_tests || shown.ends_with("tests.rs") || shown.contains(".test.ts")
}

/// The string literals of a line, without the escapes' meaning; a comment ends the line.
fn literals(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begun: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        match begun {
            None if line[at..].starts_with("//") => break,
            None if matches!(character, '"' | '`') => begun = Some((at + 1, character)),
            Some(_) if escaped => escaped = false,
            Some(_) if character == '\\' => escaped = true,
            Some((from, quote)) if character == quote => {
                found.push(&line[from..at]);
                begun = None;
            }
            _ => {}
        }
    }
    // A literal that goes on in the next line.
    found.extend(begun.map(|(from, _)| &line[from..]));
    found
}

/// Whether it holds an id with a number behind it.
fn names_a_rule(literal: &str, ids: &[String]) -> bool {
    ids.iter().any(|id| {
        literal.match_indices(id.as_str()).any(|(at, id)| {
            let rest = literal[at + id.len()..].strip_prefix(' ');
            rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        })
    })
}

/// Whether it is a number of one or two digits, with or without a letter or a Roman number behind it.
fn is_rule_number(literal: &str) -> bool {
    let part = literal.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = literal.len() - part.len();
    let roman = part.strip_prefix(' ').unwrap_or("-");
    let is_letters = part.len() <= 4
        && part.chars().all(|it| it.is_ascii_digit() || matches!(it, 'a'..='h'))
        && part.chars().filter(char::is_ascii_digit).count() <= 1;
    (1..=2).contains(&digits)
        && (is_letters
            || (!roman.is_empty() && roman.chars().all(|it| matches!(it, 'I' | 'V' | 'X'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(shown: &str, text: &str) -> Vec<String> {
        let ids = ["nc-blitz".to_owned(), "us-chess-blitz-2020".to_owned()];
        find(shown, text, &ids)
            .into_iter()
            .map(|(line, literal)| format!("{line} {literal}"))
            .collect()
    }

    #[test]
    fn a_rule_number_in_code_is_found() {
        let text = "//! Why.\nlet rule = book.clause(\"15a1a\");\nlet other = [\"8\", \"14 IV\"];";
        assert_eq!(found("domain/referee/src/judge.rs", text), ["2 15a1a", "3 8", "3 14 IV"]);
        assert_eq!(found("hub/src/table.rs", "say(\"see nc-blitz 3\")"), ["1 see nc-blitz 3"]);
        assert_eq!(
            found("adjudicator/web/src/a.tsx", "const at = `nc-blitz 16`"),
            ["1 nc-blitz 16"]
        );
    }

    #[test]
    fn comments_tests_books_and_other_words_are_left_alone() {
        let text = "// as us-chess-blitz-2020 7d says\nlet id = \"us-chess-blitz-2020\"; // \"8a\"\n\
                    let square = \"e4\";\n#[cfg(test)]\nlet cite = \"nc-blitz 3\";";
        assert_eq!(found("domain/referee/src/judge.rs", text), [""; 0]);
        for shown in
            ["domain/rules/src/rulebook/nc_blitz.rs", "tests/commands.rs", "hub/src/tests/a.rs"]
        {
            assert_eq!(found(shown, "let cite = \"nc-blitz 3\";"), [""; 0], "{shown}");
        }
        assert_eq!(found("hub/src/config/raw.rs", "let port = \"8\";"), [""; 0]);
    }

    #[test]
    fn ids_are_read_where_they_are_declared() {
        let source = "match self {\n    BookId::NcBlitz => \"nc-blitz\",\n    BookId::NcBlitz => &NC_BLITZ,\n}";
        assert_eq!(book_ids(source), ["nc-blitz"]);
    }
}
