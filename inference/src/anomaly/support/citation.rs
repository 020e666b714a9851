//! The rule that an anomaly serves in each book: data of the rulebook, looked up by the anomaly's code.

use rules::rulebook::{BookId, Cite};

use crate::report::AnomalyCode;

/// The rule that an anomaly serves; none where the book has no such rule.
pub(crate) fn rule(book: BookId, code: AnomalyCode) -> Option<Cite> {
    let book = book.book();
    book.finding(code).map(|clause| book.cited(clause))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(book: BookId, code: AnomalyCode) -> Option<String> {
        rule(book, code).map(|cite| cite.to_string())
    }

    #[test]
    fn a_rule_is_cited_with_its_book() {
        let bughouse = cited(BookId::UsChessBughouse2018, AnomalyCode::ClockHand);
        assert_eq!(bughouse.as_deref(), Some("us-chess-bughouse-2018 13"));
        let blitz = cited(BookId::NcBlitz, AnomalyCode::ClockHand);
        assert_eq!(blitz.as_deref(), Some("nc-blitz 3"));
    }

    #[test]
    fn touching_a_piece_is_an_offence_only_where_a_book_says_so() {
        assert_eq!(cited(BookId::UsChessBughouse2018, AnomalyCode::TouchMove), None);
        let blitz = cited(BookId::UsChessBlitz2020, AnomalyCode::TouchMove);
        assert_eq!(blitz.as_deref(), Some("us-chess-blitz-2020 10"));
    }
}
