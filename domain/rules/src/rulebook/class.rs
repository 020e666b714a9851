//! The system's treatment of rules.

use std::fmt;

/// The system's treatment of a rule. It follows from the deeds of the rule's clause ([`Does`](super::Does)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleClass {
    /// Detected from sensors and clocks, with evidence.
    Detected,
    /// A player claims; the system shows the evidence and which way the rule points; the TD decides.
    Assisted,
    /// The TD enters it; the system keeps count and proposes the penalty.
    Ledger,
    /// Checked or set by configuration.
    Configured,
    /// For people only: shown for reference.
    Human,
}

impl RuleClass {
    /// The letter used in tables: `D`, `A`, `L`, `C` or `H`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            RuleClass::Detected => 'D',
            RuleClass::Assisted => 'A',
            RuleClass::Ledger => 'L',
            RuleClass::Configured => 'C',
            RuleClass::Human => 'H',
        }
    }
}

impl fmt::Display for RuleClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RuleClass::Detected => "detected",
            RuleClass::Assisted => "assists a claim",
            RuleClass::Ledger => "entered by the TD",
            RuleClass::Configured => "configured",
            RuleClass::Human => "people only",
        })
    }
}
