//! The log of everything that the adjudicator received: what an input is, where it is kept, and when it may be shown.

pub(crate) mod delay_gate;
pub mod input;
pub mod sqlite;
