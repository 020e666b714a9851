//! The parts of a hypothesis: positions, reserves, trays, and plies that may be taken back.

pub(crate) mod interned;
pub(crate) mod joint_state;
pub(crate) mod position_table;
pub(crate) mod reanchor;
pub(crate) mod takeback;
pub(crate) mod trays;
