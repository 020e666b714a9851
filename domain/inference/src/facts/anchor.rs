//! Anchors facts: from the number of a ply in a record to its board, side and time.

use super::{Fact, Facts, PlyFact, Unreconciled};
use readings::{InferredLine, InferredPly};

impl Facts {
    /// The same facts with the board, side and time of every ply, taken from `record`: the inferred
    /// lines that the person looked at. Facts that give board and time themselves stay as they are.
    /// The second part names the facts whose ply is not in `record`. They are left out of the first
    /// part.
    #[must_use]
    pub fn anchored(&self, record: &[InferredLine]) -> (Facts, Vec<Unreconciled>) {
        let mut lost = Vec::new();
        let anchor = |fact: &Fact| match fact {
            Fact::Ply(ply) if ply.place().is_none() => {
                let lose = |reason| lost.push(Unreconciled { fact: fact.clone(), reason });
                anchored(ply, record).map_err(lose).ok().map(Fact::Ply)
            }
            _ => Some(fact.clone()),
        };
        let anchored = self.iter().filter_map(anchor).collect();
        (anchored, lost)
    }
}

fn anchored(fact: &PlyFact, record: &[InferredLine]) -> Result<PlyFact, String> {
    let plies = || {
        record.iter().filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply),
            _ => None,
        })
    };
    let number = fact.ply.ok_or("it names neither a ply's number nor its board and time")?;
    let known: &InferredPly = plies().find(|ply| ply.n == number).ok_or_else(|| {
        format!("the record has plies 1 to {}: take the number from it", plies().count())
    })?;
    if let Some(board) = fact.board.filter(|&board| board != known.board) {
        return Err(format!("ply {number} was made on board {}, not {board}", known.board));
    }
    if let Some(side) = fact.side.filter(|&side| side != known.side) {
        let name = |side: rules::Color| if side.is_white() { "White" } else { "Black" };
        return Err(format!("ply {number} is {}'s, not {}'s", name(known.side), name(side)));
    }
    Ok(PlyFact {
        board: Some(known.board),
        side: Some(known.side),
        t_us: Some(known.t_us),
        ..fact.clone()
    })
}
