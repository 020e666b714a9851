//! The detectors, one file a code: pure functions from the belief about one closed segment, or from
//! one reading, to findings. The head of each file gives the formula of its confidence, and the topic
//! of the rulebooks that it serves.

pub(crate) mod both_flags;
pub(crate) mod clock_drift;
pub(crate) mod clock_hand;
pub(crate) mod clock_hover;
pub(crate) mod clock_jump;
pub(crate) mod clock_knocked_over;
pub(crate) mod clock_set_wrong;
pub(crate) mod displaced_pieces;
pub(crate) mod double_press;
pub(crate) mod early_pass;
pub(crate) mod early_press;
pub(crate) mod flag_fallen;
pub(crate) mod hidden_piece;
pub(crate) mod illegal_move;
pub(crate) mod missed_press;
pub(crate) mod out_of_turn;
pub(crate) mod press_after_displacing;
pub(crate) mod press_without_move;
pub(crate) mod sensor_fault;
pub(crate) mod setup_wrong;
pub(crate) mod touch_move;
pub(crate) mod turned;
