//! A simulated hall: players with hands, boards, links and faults; and how right a tracker of it was.

pub mod baseline;
pub mod score;
