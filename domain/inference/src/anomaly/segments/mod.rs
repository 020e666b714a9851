//! Context of a segment when it is judged: the positions before it, squares, presses, clocks,
//! and the course of the segments before it.

pub(crate) mod clock_allowance;
pub(crate) mod context;
pub(crate) mod illegal_history;
pub(crate) mod judged_segments;
pub(crate) mod moments;
pub(crate) mod press_timing;
pub(crate) mod square_history;
pub(crate) mod supply_history;
pub(crate) mod surroundings;
