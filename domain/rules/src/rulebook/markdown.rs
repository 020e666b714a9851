//! Differences between books, as Markdown: docs/rulebooks.md.

use super::{BookId, Row, TopicCell, compare};

/// Edition of the Laws, and how the numbers of the edition before it differ.
const FIDE_EDITION: &str = "\nThe `fide-` books have the numbers of the FIDE Laws of Chess of 1 January 2023, which FIDE's handbook publishes. \
    Public repositories have transcriptions of that edition and of the one of 2018. In that of 2018 rule A.3 does not exist, A.4 to A.6 are A.3 \
    to A.5, B.2 gives one minute in all blitz, and B.2 to B.4 are B.3 to B.5. The edition of 2023 \
    names the one minute in A.3, which B.3 takes over and B.2 does not. With full supervision a blitz player's illegal \
    move gives two minutes. The guidelines behind the Laws are no part of them and left out. Whether a player could mate by some \
    series of legal moves is judged by material alone: a position that is blocked for good is the arbiter's to see.\n";

/// The comparison of some books as a page of Markdown.
#[must_use]
pub fn comparison_page(books: &[BookId]) -> String {
    let mut text = "# Where the rulebooks differ\n\n\
        Written by `twinboard rulebook --compare --markdown`; a test holds this page to it. `twinboard rulebook ID` shows what \
        every rule says.\n\n\
        A cell has the rule's number, how the system deals with it (D detected with evidence, A assists a claim, L entered by \
        the TD and counted, C configured, H people only), the value that judging reads, and what offences cost. \
        A value without a number comes from the rules of chess, which the book refers to. An empty cell: the book is silent.\n\n"
        .to_owned();
    for book in books.iter().map(|id| id.book()) {
        text.push_str(&format!("- `{}`: {} ({})\n", book.id, book.title, book.terms.game));
    }
    if books.contains(&BookId::FideRapid2023) {
        text.push_str(FIDE_EDITION);
    }
    text.push_str("\n| topic |");
    for book in books {
        text.push_str(&format!(" {book} |"));
    }
    text.push_str(&format!("\n|---|{}\n", "---|".repeat(books.len())));
    for Row { topic, cells } in compare(books) {
        text.push_str(&format!("| {} |", topic.heading()));
        for cell in cells {
            text.push_str(&shown(&cell));
        }
        text.push('\n');
    }
    text
}

fn shown(cell: &TopicCell) -> String {
    let number = cell.clause.map(|clause| format!("`{}` {}", clause.number, cell.letters()));
    let words = Some(cell.words()).filter(|words| !words.is_empty());
    match (number, words) {
        (None, None) => " |".to_owned(),
        (Some(number), None) => format!(" {number} |"),
        (None, Some(words)) => format!(" {words} |"),
        (Some(number), Some(words)) => format!(" {number}: {words} |"),
    }
}
