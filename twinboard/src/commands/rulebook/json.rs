//! Rulebooks, rules and comparisons for other programs.

use anyhow::Result;
use rules::rulebook::{BookId, Clause, Row, RuleClass, Rulebook, TopicCell};
use serde::Serialize;

#[derive(Serialize)]
struct Book {
    id: &'static str,
    title: &'static str,
    game: &'static str,
    rules: usize,
}

#[derive(Serialize)]
struct Rule {
    cite: String,
    number: &'static str,
    topics: Vec<&'static str>,
    text: &'static str,
    classes: String,
    detects: Vec<&'static str>,
    assists: Vec<&'static str>,
    keeps: Vec<&'static str>,
    enters: Vec<&'static str>,
    sets: Vec<&'static str>,
}

#[derive(Serialize)]
struct Compared {
    topic: &'static str,
    about: &'static str,
    books: Vec<BookJudgment>,
}

#[derive(Serialize)]
struct BookJudgment {
    book: &'static str,
    number: Option<&'static str>,
    classes: String,
    value: Option<String>,
    /// Costs of offences, by the offence's code.
    costs: Vec<(&'static str, String)>,
}

/// All books.
pub(super) fn books() -> Result<String> {
    lines(BookId::ALL.map(|id| {
        let book = id.book();
        let game = book.terms.game.name();
        Book { id: id.name(), title: book.title, game, rules: book.clauses.len() }
    }))
}

/// Clauses of a book.
pub(super) fn book(book: &Rulebook, clauses: &[&Clause]) -> Result<String> {
    lines(clauses.iter().map(|clause| Rule {
        cite: book.cited(clause).to_string(),
        number: clause.number,
        topics: clause.topics.iter().map(|topic| topic.code()).collect(),
        text: clause.text,
        classes: book.classes(clause).into_iter().map(RuleClass::letter).collect(),
        detects: clause.does.detects.iter().map(|it| it.code()).collect(),
        assists: clause.does.assists.iter().map(|it| it.code()).collect(),
        keeps: clause.does.keeps.iter().map(|it| it.code()).collect(),
        enters: clause.does.enters.iter().map(|it| it.code()).collect(),
        sets: clause.does.sets.iter().map(|it| it.code()).collect(),
    }))
}

/// A comparison.
pub(super) fn comparison(rows: &[Row]) -> Result<String> {
    lines(rows.iter().map(|row| Compared {
        topic: row.topic.code(),
        about: row.topic.about(),
        books: row.cells.iter().filter(|cell| !cell.is_empty()).map(judgment).collect(),
    }))
}

fn judgment(cell: &TopicCell) -> BookJudgment {
    let costs = cell.ladders.iter().map(|ladder| (ladder.offence.code(), ladder.to_string()));
    BookJudgment {
        book: cell.book.name(),
        number: cell.clause.map(|clause| clause.number),
        classes: cell.letters(),
        value: cell.value.clone(),
        costs: costs.collect(),
    }
}

/// A JSON array, indented.
fn lines<T: Serialize>(values: impl IntoIterator<Item = T>) -> Result<String> {
    let values: Vec<T> = values.into_iter().collect();
    Ok(serde_json::to_string_pretty(&values)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_its_book_and_what_is_done() {
        let book_8a = BookId::UsChessBughouse2018.book();
        let clauses: Vec<&Clause> = book_8a.clause("8a").into_iter().collect();
        let text = book(book_8a, &clauses).expect("JSON");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json[0]["cite"], "us-chess-bughouse-2018 8a");
        assert_eq!(json[0]["topics"][0], "illegal-claim-lapses");
        assert_eq!(
            (&json[0]["classes"], &json[0]["assists"][0]),
            (&"A".into(), &"illegal-ply".into())
        );
    }

    #[test]
    fn a_comparison_has_the_values_of_every_book_that_speaks() {
        let rows = rules::rulebook::compare(&BookId::ALL);
        let json: serde_json::Value =
            serde_json::from_str(&comparison(&rows).expect("JSON")).expect("JSON");
        let row =
            json.as_array().and_then(|rows| rows.iter().find(|row| row["topic"] == "waiting"));
        let books = row.and_then(|row| row["books"].as_array()).expect("a row about waiting");
        assert_eq!(books.len(), 4);
        assert_eq!(
            (&books[0]["number"], &books[0]["value"]),
            (&"15a".into(), &"whenever on move".into())
        );
    }
}
