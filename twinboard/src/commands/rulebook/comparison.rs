//! Differences between books, as text: topic by topic, a line a book.

use rules::rulebook::{Row, TopicCell};

use super::text::paragraph;

/// Columns of a book's id, of most numbers and of the classes.
const BOOK: usize = 24;
const NUMBER: usize = 11;
const CLASSES: usize = 5;

/// The rows, books that say nothing on a topic left out.
pub(super) fn comparison(rows: &[Row], width: usize) -> String {
    let mut text =
        "D detected, A assists a claim, L entered by the TD, C configured, H people only; \
                    no number: from the rules of chess\n"
            .to_owned();
    text = paragraph("", &text, 0, width);
    for Row { topic, cells } in rows {
        text.push('\n');
        let head = format!("{}: {}", topic.heading(), topic.about());
        text.push_str(&paragraph("", &head, 2, width));
        for cell in cells.iter().filter(|cell| !cell.is_empty()) {
            text.push_str(&line(cell, width));
        }
    }
    text
}

fn line(cell: &TopicCell, width: usize) -> String {
    let number = cell.clause.map_or("", |clause| clause.number);
    let first = format!("  {:<BOOK$}{:<NUMBER$} {:<CLASSES$}", cell.book, number, cell.letters());
    paragraph(&first, &cell.words(), 2 + BOOK + NUMBER + 1 + CLASSES, width)
}

#[cfg(test)]
mod tests {
    use rules::rulebook::{BookId, compare};

    use super::*;

    #[test]
    fn two_books_are_shown_beside_each_other() {
        let rows = compare(&[BookId::UsChessBughouse2018, BookId::NcBughouse]);
        insta::assert_snapshot!(comparison(&rows, 100));
    }

    #[test]
    fn the_comparison_fits_the_terminal() {
        let text = comparison(&compare(&BookId::ALL), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
