//! One numbered rule of one book, in our words, and what is done about it.

use super::{ClaimKind, Entry, Finding, Offence, RuleClass, Setting, Topic};

/// A rule of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its number in the book, in the book's own way of numbering: `8a`, `8 III`, `15a1a`, `7d`.
    pub number: &'static str,
    /// Topics, the main one first. Empty for a part that continues its rule's topic. No topic occurs twice in a book.
    pub topics: &'static [Topic],
    /// Text, in our words.
    pub text: &'static str,
    /// The system's treatment.
    pub does: Does,
}

impl Clause {
    /// A rule that is for people only.
    pub(super) const fn new(
        number: &'static str,
        topics: &'static [Topic],
        text: &'static str,
    ) -> Clause {
        Clause { number, topics, text, does: Does::NOTHING }
    }

    /// The same rule under the number it has in another book.
    pub(super) const fn at(self, number: &'static str) -> Clause {
        Clause { number, ..self }
    }

    pub(super) const fn detects(self, detects: &'static [Finding]) -> Clause {
        Clause { does: Does { detects, ..self.does }, ..self }
    }

    pub(super) const fn assists(self, assists: &'static [ClaimKind]) -> Clause {
        Clause { does: Does { assists, ..self.does }, ..self }
    }

    pub(super) const fn keeps(self, keeps: &'static [Offence]) -> Clause {
        Clause { does: Does { keeps, ..self.does }, ..self }
    }

    pub(super) const fn enters(self, enters: &'static [Entry]) -> Clause {
        Clause { does: Does { enters, ..self.does }, ..self }
    }

    pub(super) const fn sets(self, sets: &'static [Setting]) -> Clause {
        Clause { does: Does { sets, ..self.does }, ..self }
    }

    /// Its topics in a few words; empty for a part that goes on about its rule's.
    #[must_use]
    pub fn heading(&self) -> String {
        let mut words = String::new();
        for topic in self.topics {
            if words.is_empty() {
                words = topic.heading();
            } else {
                words.push_str(", ");
                words.push_str(&topic.heading().to_lowercase());
            }
        }
        words
    }

    /// Whether this clause is a part, or a part of a part, of the rule with this number. For example, `15a1` is part of `15` and of
    /// `15a`, but neither of `1` nor of `15a11`.
    #[must_use]
    pub fn is_part_of(&self, number: &str) -> bool {
        let Some(rest) = self.number.strip_prefix(number) else {
            return false;
        };
        match (number.chars().last().map(kind), rest.chars().next().map(kind)) {
            (Some(last), Some(next)) => last != next,
            _ => false,
        }
    }
}

/// The kinds of characters of a number; a part begins where the kind changes.
#[derive(PartialEq, Eq)]
enum CharacterKind {
    Digit,
    Letter,
    Space,
}

fn kind(character: char) -> CharacterKind {
    match character {
        '0'..='9' => CharacterKind::Digit,
        ' ' => CharacterKind::Space,
        _ => CharacterKind::Letter,
    }
}

/// The system's treatment of a clause: references to things that exist in code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Does {
    /// Findings that boards, clocks and plies give.
    pub detects: &'static [Finding],
    /// Claims by it.
    pub assists: &'static [ClaimKind],
    /// Offences that the ledger counts.
    pub keeps: &'static [Offence],
    /// Entries of a director.
    pub enters: &'static [Entry],
    /// Settings.
    pub sets: &'static [Setting],
}

impl Does {
    /// No treatment: the clause is for people.
    pub const NOTHING: Does =
        Does { detects: &[], assists: &[], keeps: &[], enters: &[], sets: &[] };

    /// Classes that follow from the references; human without any.
    pub fn classes(&self) -> impl Iterator<Item = RuleClass> + use<> {
        let has_entries = !self.keeps.is_empty() || !self.enters.is_empty();
        [
            (!self.detects.is_empty(), RuleClass::Detected),
            (!self.assists.is_empty(), RuleClass::Assisted),
            (has_entries, RuleClass::Ledger),
            (!self.sets.is_empty(), RuleClass::Configured),
            (*self == Does::NOTHING, RuleClass::Human),
        ]
        .into_iter()
        .filter_map(|(named, class)| named.then_some(class))
    }

    /// References, each with its code and its sentence, in the order of the classes.
    pub fn deeds(&self) -> impl Iterator<Item = (RuleClass, &'static str, &'static str)> + use<> {
        let detects = self.detects.iter().map(|it| (RuleClass::Detected, it.code(), it.about()));
        let assists = self.assists.iter().map(|it| (RuleClass::Assisted, it.code(), it.about()));
        let keeps = self.keeps.iter().map(|it| (RuleClass::Ledger, it.code(), it.about()));
        let enters = self.enters.iter().map(|it| (RuleClass::Ledger, it.code(), it.about()));
        let sets = self.sets.iter().map(|it| (RuleClass::Configured, it.code(), it.about()));
        detects.chain(assists).chain(keeps).chain(enters).chain(sets)
    }
}
