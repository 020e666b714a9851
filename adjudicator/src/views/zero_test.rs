//! Zero tests as directors see them: the offset with its interval.

use referee::ZeroFinding;
use serde::Serialize;

use crate::hall::{Game, ZeroTest};

/// A zero test.
#[derive(Clone, Debug, Serialize)]
pub struct ZeroTestView {
    /// The act that asked for it.
    pub act: u64,
    /// Number of pairs of presses.
    pub pairs: usize,
    /// Offset of board B's clock against board A's, microseconds; positive if B's times are later.
    pub middle_us: i64,
    /// Lower end of its 95 % interval.
    pub low_us: i64,
    /// Upper end of the interval.
    pub high_us: i64,
    /// Error that the nodes of both boards state together, microseconds.
    pub stated_us: u64,
    /// `agree`, `differ` or `unclear`.
    pub finding: &'static str,
}

/// The zero tests of a match, oldest first.
pub(super) fn zero_tests(game: &Game) -> Vec<ZeroTestView> {
    let stated_us = game.clock_errors().stated_between_us();
    let view = |&ZeroTest { act, offset }: &ZeroTest| {
        let finding = match offset.finding(stated_us) {
            ZeroFinding::Agree => "agree",
            ZeroFinding::Differ => "differ",
            ZeroFinding::Unclear => "unclear",
        };
        let (middle_us, low_us, high_us) = (offset.middle_us, offset.low_us, offset.high_us);
        ZeroTestView { act, pairs: offset.pairs, middle_us, low_us, high_us, stated_us, finding }
    };
    game.zero_tests().iter().map(view).collect()
}
