//! Refusals of acts: problem, place, remedy, and the rule if there is one.

use std::fmt;

use rules::rulebook::Cite;

/// The sort of a refusal, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// A named thing does not exist.
    Unknown,
    /// An id, number, table or player is in use already.
    Taken,
    /// The author may not do this.
    NotAllowed,
    /// A number, text or list is out of bounds.
    OutOfBounds,
    /// The act contradicts the section's terms or known facts.
    Contradicts,
    /// The act cannot be done while a match runs.
    Running,
    /// The act comes too late: the round is opened, the result confirmed.
    TooLate,
}

/// A refused act. The event is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The sort.
    pub kind: RefusalKind,
    /// Place: section, round, table, pairing.
    pub place: String,
    /// The problem.
    pub what: String,
    /// The remedy.
    pub todo: String,
    /// The rule behind it, if there is one.
    pub rule: Option<Cite>,
}

impl Refusal {
    pub(crate) fn new(
        kind: RefusalKind,
        place: impl fmt::Display,
        what: impl Into<String>,
        todo: impl Into<String>,
    ) -> Refusal {
        Refusal { kind, place: place.to_string(), what: what.into(), todo: todo.into(), rule: None }
    }

    /// The same refusal with its rule.
    pub(crate) fn by_rule(self, rule: Option<Cite>) -> Refusal {
        Refusal { rule, ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        if let Some(rule) = self.rule {
            write!(f, " ({rule})")?;
        }
        write!(f, "; {}", self.todo)
    }
}

impl std::error::Error for Refusal {}
