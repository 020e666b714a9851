//! Why an act is refused: what, where, what to do, and the rule if one says so.

use std::fmt;

use rules::rulebook::Cite;

/// The sort of a refusal, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// Something named does not exist.
    Unknown,
    /// An id, number, table or player is taken already.
    Taken,
    /// The author may not do this.
    NotAllowed,
    /// A number, text or list is out of bounds.
    OutOfBounds,
    /// It contradicts how the section is played or what is known.
    Contradicts,
    /// It cannot be done while a match runs.
    Running,
    /// It comes too late: the round is opened, the result confirmed.
    TooLate,
}

/// A refused act. The event is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The sort.
    pub kind: RefusalKind,
    /// Where: section, round, table, pairing.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub todo: String,
    /// The rule that says so, if there is one.
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

    /// The same refusal with the rule that says so.
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
