//! Alignment of inferred plies with true ones.
//!
//! Global sequence alignment (Needleman and Wunsch, 1970) per board: plies with the same side and
//! squares belong together unless that costs others; a ply that was misread is paired with the one
//! that was made about then; what is left was missed or invented. Times break ties, so that of two
//! equal plies the nearer one is taken.

use readings::{InferredPly, TruthPly};
use rules::{Ply, Square};

/// Cost of a missed or of an invented ply.
const GAP: u32 = 1_000;
/// Cost of pairing plies on different squares, when made at the same time; below two gaps.
const MISREAD: u32 = 1_000;
/// Further cost of a misread ply when it is [`FAR_US`] away: more than two gaps in all.
const MISREAD_FAR: u32 = 1_500;
/// Further cost of pairing plies of different sides.
const WRONG_SIDE: u32 = 500;
/// Cost of pairing plies that differ in the dropped or promoted role alone.
const WRONG_ROLE: u32 = 50;
/// Cost of pairing equal plies that are [`FAR_US`] apart.
const EQUAL_FAR: u32 = 200;
/// Times further apart than this are just far, microseconds.
const FAR_US: u64 = 10_000_000;

/// One step of an alignment; the numbers are positions in the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The inferred ply stands for the true one, rightly or not.
    Paired {
        /// Position among the true plies.
        truth: usize,
        /// Position among the inferred plies.
        inferred: usize,
    },
    /// No ply is aligned with the true one.
    Missed {
        /// Position among the true plies.
        truth: usize,
    },
    /// The inferred ply stands for nothing.
    Invented {
        /// Position among the inferred plies.
        inferred: usize,
    },
}

/// Squares of a ply that reed switches show: from, to.
pub(super) fn squares(ply: Ply) -> (Option<Square>, Square) {
    (ply.from(), ply.to())
}

/// Aligns the plies of one board, both lists in order of play. Takes time and memory in
/// proportion to the product of the lengths.
#[must_use]
pub fn align(truth: &[&TruthPly], inferred: &[&InferredPly]) -> Vec<Step> {
    let width = inferred.len() + 1;
    let mut costs = vec![0_u32; (truth.len() + 1) * width];
    for row in 0..=truth.len() {
        for column in 0..width {
            costs[row * width + column] = match (row, column) {
                (0, gaps) | (gaps, 0) => gaps as u32 * GAP,
                _ => {
                    let paired = pair_cost(truth[row - 1], inferred[column - 1]);
                    (costs[(row - 1) * width + column - 1] + paired)
                        .min(costs[(row - 1) * width + column] + GAP)
                        .min(costs[row * width + column - 1] + GAP)
                }
            };
        }
    }
    trace_back(&costs, truth, inferred)
}

fn trace_back(costs: &[u32], truth: &[&TruthPly], inferred: &[&InferredPly]) -> Vec<Step> {
    let width = inferred.len() + 1;
    let (mut row, mut column) = (truth.len(), inferred.len());
    let mut steps = Vec::with_capacity(row.max(column));
    while row > 0 || column > 0 {
        let here = costs[row * width + column];
        if row > 0
            && column > 0
            && here
                == costs[(row - 1) * width + column - 1]
                    + pair_cost(truth[row - 1], inferred[column - 1])
        {
            (row, column) = (row - 1, column - 1);
            steps.push(Step::Paired { truth: row, inferred: column });
        } else if row > 0 && here == costs[(row - 1) * width + column] + GAP {
            row -= 1;
            steps.push(Step::Missed { truth: row });
        } else {
            column -= 1;
            steps.push(Step::Invented { inferred: column });
        }
    }
    steps.reverse();
    steps
}

fn pair_cost(truth: &TruthPly, inferred: &InferredPly) -> u32 {
    let apart_us = truth.t_us.abs_diff(inferred.t_us).min(FAR_US);
    let far = |cost: u32| (u64::from(cost) * apart_us / FAR_US) as u32;
    if truth.side == inferred.side && squares(truth.uci) == squares(inferred.uci) {
        return far(EQUAL_FAR) + if truth.uci == inferred.uci { 0 } else { WRONG_ROLE };
    }
    let side = if truth.side == inferred.side { 0 } else { WRONG_SIDE };
    MISREAD + far(MISREAD_FAR) + side
}
