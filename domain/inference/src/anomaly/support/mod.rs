//! Parts that several detectors need: the readings of squares, trays and presses around a segment,
//! the models of hands, and the register of reported anomalies.

pub(crate) mod allowance;
pub(crate) mod context;
pub(crate) mod density;
pub(crate) mod finding;
pub(crate) mod illegal_history;
pub(crate) mod moments;
pub(crate) mod pace;
pub(crate) mod prelude;
pub(crate) mod press_timing;
pub(crate) mod reach_time;
pub(crate) mod register;
pub(crate) mod segments;
pub(crate) mod square_history;
pub(crate) mod supply_history;
pub(crate) mod surroundings;
pub(crate) mod touch_habits;
mod tray_assignment;
pub(crate) mod tray_matching;
pub(crate) mod words;
