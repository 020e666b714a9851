//! Why an input of the log comes to nothing.

/// Why an input was not applied.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It makes no sense.
    Senseless(String),
    /// It is about what belongs to another hub; the words, if that was not said before.
    Stranger(Option<String>),
    /// It is of a release that says more than this one knows; the words, if that was not said of its hub before.
    OtherRelease(Option<String>),
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal::Senseless(reason)
    }
}
