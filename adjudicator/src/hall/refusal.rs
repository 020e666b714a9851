//! Reasons why an input of the log has no effect.

/// Reason why an input was not applied.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The input is invalid.
    Senseless(String),
    /// The input is about another hub's table or match; with words, if that is new.
    Stranger(Option<String>),
    /// The input has fields of a later release; with words, if that is new for its hub.
    OtherRelease(Option<String>),
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal::Senseless(reason)
    }
}
