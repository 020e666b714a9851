//! Anomalies: events beside the plies, with evidence and honest confidence, never a ruling.
//!
//! Each code has one file, and nothing else stands beside the three rooms. A detector is a pure
//! function from the belief about one closed segment, or from one reading, to its findings. Its
//! head gives the formula of its confidence and the topic of the rulebooks that it serves.
//! [`monitors`] call the detectors at the right moment. [`support`] has the models that several of
//! them need, and the register of reported anomalies.

mod both_flags;
mod clock_drift;
mod clock_hand;
mod clock_hover;
mod clock_jump;
mod clock_knocked_over;
mod clock_set_wrong;
mod displaced_pieces;
mod double_press;
mod early_pass;
mod early_press;
mod flag_fallen;
mod hidden_piece;
mod illegal_move;
mod missed_press;
pub(crate) mod monitors;
mod out_of_turn;
mod press_after_displacing;
mod press_without_move;
mod sensor_fault;
mod setup_wrong;
pub(crate) mod support;
mod touch_move;
mod turned;

pub(crate) use illegal_move::illegal_moves;
pub(crate) use setup_wrong::pieces_swapped;
pub(crate) use turned::turned;
