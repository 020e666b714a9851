//! Differences between books: their rules topic by topic.

use super::{BookId, Clause, Ladder, RuleClass, Topic};

/// Rules of the compared books on one topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The topic.
    pub topic: Topic,
    /// One cell a book, in the order in which the books were named.
    pub cells: Vec<TopicCell>,
}

/// Rule of one book on one topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicCell {
    /// The book.
    pub book: BookId,
    /// Its clause; none where it is silent.
    pub clause: Option<&'static Clause>,
    /// The system's treatment of the clause and its parts; empty without a clause.
    pub classes: Vec<RuleClass>,
    /// The value, if the topic has one. A value without a clause comes from the rules of chess, which the book refers to.
    pub value: Option<String>,
    /// Penalties for offences against the clause.
    pub ladders: Vec<&'static Ladder>,
}

impl TopicCell {
    fn new(id: BookId, topic: Topic) -> TopicCell {
        let book = id.book();
        let clause = book.on(topic);
        let ladders = book.terms.ladders.iter().filter(|ladder| ladder.offence.topic() == topic);
        TopicCell {
            book: id,
            clause,
            classes: clause.map(|clause| book.classes(clause)).unwrap_or_default(),
            value: book.terms.value(topic),
            ladders: ladders.collect(),
        }
    }

    /// Whether the book has no rule on the topic.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clause.is_none() && self.value.is_none()
    }

    /// The classes' letters, such as `DA`.
    #[must_use]
    pub fn letters(&self) -> String {
        self.classes.iter().map(|class| class.letter()).collect()
    }

    /// The value and the penalties for offences, in words; empty when the clause has neither.
    #[must_use]
    pub fn words(&self) -> String {
        let costs = self.ladders.iter().map(|ladder| format!("{}: {ladder}", ladder.offence));
        self.value.iter().cloned().chain(costs).collect::<Vec<_>>().join("; ")
    }
}

/// The comparison of some books: every topic on which one of them has a rule, in the order of [`Topic::ALL`].
#[must_use]
pub fn compare(books: &[BookId]) -> Vec<Row> {
    let row = |topic: &Topic| {
        let cells: Vec<TopicCell> =
            books.iter().map(|book| TopicCell::new(*book, *topic)).collect();
        (!cells.iter().all(TopicCell::is_empty)).then_some(Row { topic: *topic, cells })
    };
    Topic::ALL.iter().filter_map(row).collect()
}
