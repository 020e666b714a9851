//! Surveys of the positions that hypotheses have for one board, kept while its next ply is looked for.
//!
//! A press is often explained more than once (what was read so far explains it badly, or a piece is
//! still settling), and the positions do not change until one explanation is accepted.

use rustc_hash::FxHashMap;

use crate::{
    boards::{PositionId, Positions},
    prior::{ActionPrior, Recent, Survey},
};

/// Surveys kept, about 2 kB each: more than a beam of 512 needs as a rule. Beyond that they are made anew.
const MAX_SURVEYS: usize = 448;

/// Surveys by position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surveys {
    known: FxHashMap<PositionId, (Recent, Survey)>,
}

impl Surveys {
    /// The survey of a position, made if it is not known.
    pub(crate) fn of(
        &mut self,
        id: PositionId,
        recent: Recent,
        positions: &Positions,
        prior: &dyn ActionPrior,
    ) -> &Survey {
        if self.known.len() >= MAX_SURVEYS {
            self.known.clear();
        }
        let survey = || (recent, prior.survey(&positions.get(id).position, &recent));
        let entry = self.known.entry(id).or_insert_with(survey);
        if entry.0 != recent {
            *entry = survey();
        }
        &entry.1
    }

    /// Forgets all: a ply has been made, or positions have new numbers.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.capacity() * (size_of::<(PositionId, (Recent, Survey))>() + 1)
    }
}
