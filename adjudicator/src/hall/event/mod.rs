//! The event: its staff, what people did about it, and who is seated where. Nothing here names the tables.

pub(super) mod delay_conflicts;
pub(super) mod done;
pub(super) mod seating;
pub(super) mod seen;
pub mod staff;
