//! The score of an action in floating point, with the sums that its gradient needs.
//!
//! ```text
//! score = sums[0] + Σ over hidden units max(0, sums[lane]) × out[lane],   sums = Σ over clues weights.deep[clue]
//! ```
//!
//! What a hub runs computes the same in whole numbers (`learnt/score.rs`).

use crate::{Weights, learnt::LANES};

/// The sum of some rows.
#[inline]
pub(super) fn with_rows(mut sums: [f32; LANES], deep: &[u16], weights: &Weights) -> [f32; LANES] {
    for &clue in deep {
        let row = &weights.deep[usize::from(clue)];
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += weight;
        }
    }
    sums
}

/// The first sum, and what the hidden units make of the others.
#[inline]
pub(super) fn through_hidden(sums: &[f32; LANES], out: &[f32; LANES]) -> f32 {
    let mut parts = [0.0; LANES];
    for ((part, &sum), &weight) in parts.iter_mut().zip(sums).zip(out) {
        *part = sum.max(0.0) * weight;
    }
    parts[0] = sums[0];
    // A fixed order of additions, which a machine with vectors can follow four at a time.
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            parts[lane] += parts[lane + width];
        }
        width /= 2;
    }
    parts[0]
}
