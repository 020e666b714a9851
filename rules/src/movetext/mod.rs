//! What PGN and BPGN have in common: lines, tags, tokens, clock times and wrapped lines.

pub(crate) mod clock;
pub(crate) mod token;
pub(crate) mod write;
