//! ```text
//! score = s_0 + Σ over hidden units i of out_i · max(0, s_i),   s = Σ over deep clues c of deep(c)
//! ```
//!
//! The deep part of the score of an action in floating point. The gradient needs its sums `s`. `gradient.rs` adds the
//! other parts of the score. A hub computes the same in whole numbers (`learnt/score.rs`).

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

/// The first sum, plus the contribution of the hidden units.
#[inline]
pub(super) fn through_hidden(sums: &[f32; LANES], out: &[f32; LANES]) -> f32 {
    let mut parts = [0.0; LANES];
    for ((part, &sum), &weight) in parts.iter_mut().zip(sums).zip(out) {
        *part = sum.max(0.0) * weight;
    }
    parts[0] = sums[0];
    // The order of additions is fixed, and a machine with vectors can do four of them at a time.
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            parts[lane] += parts[lane + width];
        }
        width /= 2;
    }
    parts[0]
}
