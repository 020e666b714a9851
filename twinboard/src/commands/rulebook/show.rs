//! Rulebooks and rules as text.

use anyhow::{Result, bail};
use rules::rulebook::{BookId, Clause, Rulebook};

use super::text::paragraph;

/// Columns before the running text.
const INDENT: usize = 6;

/// Columns of a book's id in the list.
const ID: usize = 24;

/// All books: id, title, game and number of rules.
pub(super) fn books(width: usize) -> String {
    let line = |book: &Rulebook| {
        let (game, count) = (book.terms.game, book.clauses.len());
        let words = format!("{} ({game}, {count} rules)", book.title);
        paragraph(&format!("{:<ID$}", book.id), &words, ID, width)
    };
    BookId::ALL.map(|id| line(id.book())).concat()
}

/// All clauses of a book, or the one with `number` and its parts.
pub(super) fn chosen(
    book: &'static Rulebook,
    number: Option<&str>,
) -> Result<Vec<&'static Clause>> {
    let Some(number) = number else {
        return Ok(book.clauses.iter().collect());
    };
    let Some(clause) = book.clause(number) else {
        bail!("{} has no rule {number}; `twinboard rulebook {}` lists them", book.id, book.id);
    };
    Ok(std::iter::once(clause).chain(book.parts(clause.number)).collect())
}

/// Clauses of a book: what each says, and what is done about it.
pub(super) fn book(book: &Rulebook, clauses: &[&Clause], width: usize) -> String {
    let mut text = paragraph("", &format!("{} ({})", book.title, book.id), 0, width);
    for clause in clauses {
        text.push('\n');
        text.push_str(&one(book, clause, width));
    }
    text
}

fn one(book: &Rulebook, clause: &Clause, width: usize) -> String {
    let classes: Vec<String> = book.classes(clause).iter().map(ToString::to_string).collect();
    let head = format!("{} [{}]", clause.heading(), classes.join(", "));
    let number = format!("{:<width$} ", clause.number, width = INDENT - 1);
    let mut text = paragraph(&number, &head, INDENT, width);
    let indent = " ".repeat(INDENT);
    text.push_str(&paragraph(&indent, clause.text, INDENT, width));
    for (class, code, about) in clause.does.deeds() {
        let line = format!("- {class}: {code}. {about}");
        text.push_str(&paragraph(&indent, &line, INDENT + 2, width));
    }
    for offence in clause.does.keeps {
        if let Some(ladder) = book.ladder(*offence) {
            let line = format!("- costs ({offence}): {ladder}.");
            text.push_str(&paragraph(&indent, &line, INDENT + 2, width));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(id: BookId, number: Option<&str>) -> String {
        book(id.book(), &chosen(id.book(), number).expect("a rule"), 80)
    }

    #[test]
    fn a_rule_is_printed_with_its_parts_and_what_is_done() {
        insta::assert_snapshot!(shown(BookId::McscBughouse, Some("14")));
    }

    #[test]
    fn every_book_fits_the_terminal() {
        let texts = BookId::ALL.iter().map(|id| shown(*id, None)).chain([books(80)]);
        for text in texts {
            let wide = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None);
        }
    }

    #[test]
    fn an_unknown_rule_is_refused_by_name() {
        let book = BookId::McscBughouse.book();
        let error = chosen(book, Some("7")).expect_err("no such rule").to_string();
        assert!(error.contains("rule 7") && error.contains(book.id.name()), "{error}");
    }
}
