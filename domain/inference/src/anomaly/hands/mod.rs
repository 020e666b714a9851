//! The models of hands: how quick players are, how sensors are late, and what a touch looks like.

pub(crate) mod density;
pub(crate) mod pace;
pub(crate) mod reach_time;
pub(crate) mod touch_habits;
