//! Citation of a rule.

use std::fmt;

use super::BookId;

/// A rule of a book, as it is cited: `us-chess-bughouse-2018 8a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cite {
    /// The book.
    pub book: BookId,
    /// The rule's number there.
    pub number: &'static str,
}

impl fmt::Display for Cite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.book, self.number)
    }
}
