//! Actions of directors, through the views that the program shows them.

use event::{Deed, PairingId};
use rules::Team;
use rules::standings::Outcome;

/// One thing that a director does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DeskAct {
    /// Changes the event.
    Deeds(Vec<Deed>),
    /// Enters the result of the last game of a table, at its match; where there is none, from paper.
    Result {
        table: usize,
        played_until_us: u64,
        winner: Option<Team>,
        reason: &'static str,
        paper: (PairingId, Outcome),
    },
    /// Enters and confirms a result from paper.
    Paper { pairing: PairingId, outcome: Outcome },
    /// Enters and confirms a result from paper at a pairing that has none yet and whose it is not.
    WrongSlip { pairing: PairingId, outcome: Outcome },
    /// Takes it back.
    SlipBack { pairing: PairingId },
    /// Says that the sides sit the other way round.
    TurnSeats { pairing: PairingId },
    /// Enters a forfeit at the match of a table, or from paper if there is none.
    Forfeit { table: usize, pairing: PairingId, winner: Team },
    /// Takes the forfeit of a table's match back.
    TakeBack { table: usize, pairing: PairingId },
    /// Looks at the list, and says whose match it is where the list asks.
    Look,
}

impl DeskAct {
    /// The same at this table.
    pub(crate) fn at(mut self, at: usize) -> DeskAct {
        match &mut self {
            DeskAct::Result { table, .. }
            | DeskAct::Forfeit { table, .. }
            | DeskAct::TakeBack { table, .. } => *table = at,
            _ => {}
        }
        self
    }
}
