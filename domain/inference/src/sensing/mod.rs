//! From readings to one board's segment: squares, clocks, trays, and the identities of the pieces on squares.

pub(crate) mod board_input;
pub(crate) mod clock;
pub(crate) mod hand_at_clock;
pub(crate) mod identity;
pub(crate) mod placing;
pub(crate) mod segment;
pub(crate) mod square_sensor;
pub(crate) mod tray_log;
