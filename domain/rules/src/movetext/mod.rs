//! Common parts of PGN and BPGN: tokens, tags, results, clock times and wrapped lines.

pub(crate) mod clock;
pub(crate) mod lexer;
pub(crate) mod result;
pub(crate) mod tag;
pub(crate) mod warning;
pub(crate) mod word;
pub(crate) mod write;

pub use warning::{RecordWarning, WARNINGS_MAX, WarningReason};
