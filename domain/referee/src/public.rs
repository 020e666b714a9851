//! Public state of a match, apart from its plies: so that no other change makes a public event.
//!
//! A silent alert or a fallen flag must show nowhere before the claim has closed, not even by an event whose content is the
//! same as before.

use rules::{BoardId, IllegalReason, Seat};

use crate::{ClockReading, Phase, PlyId, Proposal, StandingResult};

/// Minimum time on a public clock while a fallen flag may still be claimed, milliseconds: players have to notice it themselves.
pub const LEAST_SHOWN_MS: i64 = 1000;

/// Public state beside the plies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Public {
    pub(crate) phase: Phase,
    pub(crate) clocks: [Option<ClockReading>; 2],
    pub(crate) proposal: Option<Proposal>,
    pub(crate) result: Option<StandingResult>,
    pub(crate) marks: Vec<Mark>,
}

/// Public marks of a ply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) ply: PlyId,
    pub(crate) illegal: Option<IllegalReason>,
    pub(crate) is_after_end: bool,
    pub(crate) is_undone: bool,
    pub(crate) clock_ms: Option<i64>,
}

impl Public {
    /// The first ply that is marked differently.
    pub(crate) fn first_marked_differently(&self, other: &Public) -> Option<usize> {
        let pairs = self.marks.iter().zip(&other.marks);
        let differs = pairs.clone().position(|(mine, others)| mine != others);
        let longer = (self.marks.len() != other.marks.len()).then(|| pairs.len());
        differs.or(longer)
    }

    /// Whether anything but the plies differs.
    pub(crate) fn shows_another(&self, other: &Public) -> bool {
        (self.phase, self.clocks) != (other.phase, other.clocks)
            || self.proposal != other.proposal
            || self.result != other.result
    }
}

/// A reading as the public may see it: a side's time is shown no lower than [`LEAST_SHOWN_MS`] while its flag may not be published.
pub(crate) fn shown_clock(
    reading: ClockReading,
    may_be_said: impl Fn(Seat) -> bool,
) -> ClockReading {
    let at_least = |side, ms: i64| match may_be_said(Seat { board: reading.board, color: side }) {
        true => ms,
        false => ms.max(LEAST_SHOWN_MS),
    };
    ClockReading {
        white_ms: at_least(rules::Color::White, reading.white_ms),
        black_ms: at_least(rules::Color::Black, reading.black_ms),
        ..reading
    }
}

/// Both boards' clocks, made by `of`.
pub(crate) fn both(of: impl Fn(BoardId) -> Option<ClockReading>) -> [Option<ClockReading>; 2] {
    BoardId::ALL.map(of)
}
