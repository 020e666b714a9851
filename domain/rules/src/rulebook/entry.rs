//! Entries of a director beside offences.

use super::deed::deeds;

deeds! {
    /// Entry of a director, which is then kept with the match.
    Entry {
        Result = "result", "A result: a resignation, an agreement, a forfeit.";
        Ruling = "ruling", "A ruling on a claim or a dispute.";
        Appeal = "appeal", "An appeal against a ruling, and what became of it.";
    }
}
