//! Id of a rulebook, in trace headers, configurations and messages.

use std::{fmt, str::FromStr};

/// Longest word quoted in an error, in characters.
const QUOTE_MAX: usize = 64;

/// A rulebook of this release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BookId {
    /// US Chess Scholastic Bughouse Rules, January 2018: the default for scholastic bughouse.
    #[default]
    UsChessBughouse2018,
    /// A club's bughouse rules with local changes.
    McscBughouse,
    /// The older bughouse rules of the federation.
    UscfBughouse,
    /// North Carolina's bughouse rules.
    NcBughouse,
    /// US Chess blitz rules, 2020.
    UsChessBlitz2020,
    /// North Carolina's blitz rules.
    NcBlitz,
    /// North Carolina's scholastic tournament rules, with the federation's clock rules.
    NcScholastic,
    /// FIDE Laws of Chess of 2023, rapid, without the supervision of A.4: Appendix A.5.
    FideRapid2023,
    /// FIDE Laws of Chess of 2023, rapid, supervised: Appendix A.4.
    FideRapidSupervised2023,
    /// FIDE Laws of Chess of 2023, blitz, without the supervision of B.2: Appendix B.3.
    FideBlitz2023,
    /// FIDE Laws of Chess of 2023, blitz, supervised: Appendix B.2.
    FideBlitzSupervised2023,
}

impl BookId {
    /// Every rulebook, in the order of the comparison. The first is the default.
    pub const ALL: [BookId; 11] = [
        BookId::UsChessBughouse2018,
        BookId::McscBughouse,
        BookId::UscfBughouse,
        BookId::NcBughouse,
        BookId::UsChessBlitz2020,
        BookId::NcBlitz,
        BookId::NcScholastic,
        BookId::FideRapid2023,
        BookId::FideRapidSupervised2023,
        BookId::FideBlitz2023,
        BookId::FideBlitzSupervised2023,
    ];

    /// The id used in files and configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BookId::UsChessBughouse2018 => "us-chess-bughouse-2018",
            BookId::McscBughouse => "mcsc-bughouse",
            BookId::UscfBughouse => "uscf-bughouse",
            BookId::NcBughouse => "nc-bughouse",
            BookId::UsChessBlitz2020 => "us-chess-blitz-2020",
            BookId::NcBlitz => "nc-blitz",
            BookId::NcScholastic => "nc-scholastic",
            BookId::FideRapid2023 => "fide-rapid-2023",
            BookId::FideRapidSupervised2023 => "fide-rapid-supervised-2023",
            BookId::FideBlitz2023 => "fide-blitz-2023",
            BookId::FideBlitzSupervised2023 => "fide-blitz-supervised-2023",
        }
    }
}

/// The [`name`](BookId::name).
impl fmt::Display for BookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no rulebook of this release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no rulebook of this release; known are: {}", BookId::ALL.map(BookId::name).join(", "))]
pub struct ParseBookIdError {
    word: String,
}

impl FromStr for BookId {
    type Err = ParseBookIdError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        BookId::ALL
            .into_iter()
            .find(|id| id.name() == word)
            .ok_or_else(|| ParseBookIdError { word: word.chars().take(QUOTE_MAX).collect() })
    }
}
