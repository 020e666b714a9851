//! One numbered rule of one book, in our words, and what is done about it.

use super::{
    RuleClass,
    deed::{ClaimKind, Finding, Offence, Setting},
    topic::Topic,
};

/// A rule of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its number in the book, in the book's own way of numbering: `8a`, `8 III`, `15a1a`, `7d`.
    pub number: &'static str,
    /// What it is about.
    pub topic: Topic,
    /// The same in a few words, for people.
    pub heading: &'static str,
    /// What it says, in our words.
    pub text: &'static str,
    /// What the system does about it.
    pub does: Does,
}

/// References to things that exist in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Does {
    /// What boards and clocks show of it.
    pub detects: &'static [Finding],
    /// What a player may claim by it.
    pub assists: &'static [ClaimKind],
    /// What the ledger counts.
    pub keeps: &'static [Offence],
    /// What is configured.
    pub sets: &'static [Setting],
}

impl Does {
    /// Nothing: the clause is for people.
    pub const NOTHING: Does = Does { detects: &[], assists: &[], keeps: &[], sets: &[] };

    /// The classes that follow from what is named; human when nothing is.
    pub fn classes(&self) -> impl Iterator<Item = RuleClass> {
        let is_nothing = *self == Does::NOTHING;
        [
            (!self.detects.is_empty(), RuleClass::Detected),
            (!self.assists.is_empty(), RuleClass::Assisted),
            (!self.keeps.is_empty(), RuleClass::Ledger),
            (!self.sets.is_empty(), RuleClass::Configured),
            (is_nothing, RuleClass::Human),
        ]
        .into_iter()
        .filter_map(|(named, class)| named.then_some(class))
    }
}
