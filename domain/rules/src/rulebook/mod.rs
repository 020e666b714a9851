//! Rulebooks as data: values that judging reads, and every rule by number in our own words.
//!
//! [`books`] holds the values ([`Terms`]) of the books, each as what it changes; it is the page to read. The clauses
//! stand in one file a book, in the book's own order and numbering. Each clause has a [`Topic`], from one list over all books:
//! code queries a book by topic, and no rule number is outside this folder. The treatment of a clause is a reference to things
//! that exist in code ([`Does`]), from which its class follows.

mod book_id;
mod books;
mod cite;
mod claim_kind;
mod class;
mod clause;
mod common;
mod comparison;
mod deed;
mod entry;
mod fide_blitz;
mod fide_books;
mod fide_laws;
mod fide_rapid;
mod finding;
mod illegal_ply_terms;
mod ladders;
mod markdown;
mod mcsc_bughouse;
mod nc_blitz;
mod nc_bughouse;
mod nc_scholastic;
mod offence;
mod penalty;
mod setting;
pub mod terms;
mod topic;
mod us_chess_blitz_2020;
mod us_chess_bughouse_2018;
mod uscf_bughouse;
mod value;

pub use book_id::{BookId, ParseBookIdError};
pub use cite::Cite;
pub use claim_kind::ClaimKind;
pub use class::RuleClass;
pub use clause::{Clause, Does};
pub use comparison::{Row, TopicCell, compare};
pub use entry::Entry;
pub use finding::Finding;
pub use markdown::comparison_page;
pub use offence::Offence;
pub use penalty::{FlagOf, Ladder, Penalty};
pub use setting::Setting;
pub use terms::Terms;
pub use topic::Topic;

/// One event's rules.
#[derive(Debug, PartialEq, Eq)]
pub struct Rulebook {
    /// Id of the book.
    pub id: BookId,
    /// The book's name.
    pub title: &'static str,
    /// Values for judging.
    pub terms: Terms,
    /// Every rule, in the book's order; parts (`8a`) follow their rule (`8`).
    pub clauses: &'static [Clause],
}

impl Rulebook {
    /// The rule on a topic; none where the book is silent.
    #[must_use]
    pub fn on(&self, topic: Topic) -> Option<&'static Clause> {
        self.clauses.iter().find(|clause| clause.topics.contains(&topic))
    }

    /// The rule on a topic, as it is cited.
    #[must_use]
    pub fn cite(&self, topic: Topic) -> Option<Cite> {
        self.on(topic).map(|clause| self.cited(clause))
    }

    /// A rule of this book, as it is cited.
    #[must_use]
    pub const fn cited(&self, clause: &Clause) -> Cite {
        Cite { book: self.id, number: clause.number }
    }

    /// The rule with a number such as `8a` or `8 III`, whatever the case.
    #[must_use]
    pub fn clause(&self, number: &str) -> Option<&'static Clause> {
        self.clauses.iter().find(|clause| clause.number.eq_ignore_ascii_case(number))
    }

    /// The parts of a rule and their parts, in the book's order: `8a`, `8b` and `8c` for `8`.
    pub fn parts<'a>(&self, number: &'a str) -> impl Iterator<Item = &'static Clause> + use<'a> {
        self.clauses.iter().filter(move |clause| clause.is_part_of(number))
    }

    /// Classes of a rule with its parts: a rule that only introduces its parts has their classes.
    #[must_use]
    pub fn classes(&self, clause: &Clause) -> Vec<RuleClass> {
        let parts = self.parts(clause.number).flat_map(|part| part.does.classes());
        let mut classes: Vec<RuleClass> = clause.does.classes().chain(parts).collect();
        classes.sort_unstable();
        classes.dedup();
        if classes.len() > 1 {
            classes.retain(|class| *class != RuleClass::Human);
        }
        classes
    }

    /// The rule that a finding is cited under: the one on the finding's own topic, or else the one that detects it.
    #[must_use]
    pub fn finding(&self, finding: Finding) -> Option<&'static Clause> {
        self.naming(finding.topic(), |clause| clause.does.detects.contains(&finding))
    }

    /// The rule that a claim is made by.
    #[must_use]
    pub fn claim(&self, kind: ClaimKind) -> Option<&'static Clause> {
        self.naming(kind.topic(), |clause| clause.does.assists.contains(&kind))
    }

    /// The rule that an offence is against.
    #[must_use]
    pub fn offence(&self, offence: Offence) -> Option<&'static Clause> {
        self.naming(offence.topic(), |clause| clause.does.keeps.contains(&offence))
    }

    /// Penalties of an offence; `None` if the book leaves it to the TD or does not know the offence.
    #[must_use]
    pub fn ladder(&self, offence: Offence) -> Option<&'static Ladder> {
        self.terms.ladders.iter().find(|ladder| ladder.offence == offence)
    }

    fn naming(&self, topic: Topic, names: impl Fn(&Clause) -> bool) -> Option<&'static Clause> {
        self.on(topic)
            .filter(|clause| names(clause))
            .or_else(|| self.clauses.iter().find(|clause| names(clause)))
    }
}
