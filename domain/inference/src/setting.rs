//! Which boards of a table have sensors, and where droppable pieces come from.
//!
//! Bughouse, chess, and a bughouse table with sensors under one board differ in nothing else for
//! the tracker. The [`Supply`] says what a player may drop and what becomes of a captured piece.

use readings::TraceHeader;
use rules::{BoardId, Supply};

/// The boards that have sensors, and the supply of their players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Whether each board has sensors.
    pub(crate) sensed: [bool; 2],
    /// Where droppable pieces come from.
    pub(crate) supply: Supply,
}

impl Setting {
    /// The setting that a trace header states.
    pub(crate) fn of(header: &TraceHeader) -> Setting {
        let sensed = BoardId::ALL.map(|board| header.boards.contains_key(&board));
        Setting { sensed, supply: header.supply() }
    }
}

#[cfg(test)]
impl Setting {
    /// Bughouse with sensors under both boards.
    pub(crate) const BUGHOUSE: Setting = Setting { sensed: [true; 2], supply: Supply::Partner };
}
