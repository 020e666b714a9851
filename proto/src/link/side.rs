//! A player's side.

use serde::{Deserialize, Serialize};

use super::schema::wire_enums;

wire_enums! {
    /// A player's side.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    enum Side {
        /// White.
        White,
        /// Black.
        Black,
    }
}

impl Side {
    /// The opponent's side.
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}
