//! ```text
//! g = gradient / count + pull · (w - w_base)
//! m ← MOMENTUM · m + (1 - MOMENTUM) · g        v ← SPREAD · v + (1 - SPREAD) · g²
//! w ← w - rate · (m / (1 - MOMENTUM^t)) / (√(v / (1 - SPREAD^t)) + TINY)
//! ```
//!
//! Steps down the slope of the surprise by Adam (Kingma and Ba, 2015); `t` counts the steps. The pull towards the
//! first weights `w_base` is a part of the slope. So the weight of a rare clue stays near its first value. A pull
//! apart from the slope (Loshchilov and Hutter, 2019) would let it go as far as that of a clue in every ply.

use super::train::Run;

/// Part of the running mean of slopes that is kept at each step. Assumed: the value of the paper.
const MOMENTUM: f32 = 0.9;
/// Part of the running mean of squared slopes that is kept at each step. Assumed: the value of the paper.
const SPREAD: f32 = 0.999;
/// Keeps the division finite. Assumed: the value of the paper.
const TINY: f32 = 1e-8;

impl Run<'_> {
    /// Moves each of the weights by about `rate`, down the slope of the mean surprise plus half of the pull times the
    /// squared distance to the base. The gradient is a sum over `count` examples and is set back to 0.
    pub(super) fn step(&mut self, count: usize, rate: f32) {
        self.mean_left *= MOMENTUM;
        self.square_left *= SPREAD;
        let scale = 1.0 / count.max(1) as f32;
        let (mean_scale, square_scale) =
            (1.0 / (1.0 - self.mean_left), 1.0 / (1.0 - self.square_left));
        let parts = self
            .weights
            .parts_mut()
            .into_iter()
            .zip(self.base.parts())
            .zip(self.gradient.parts_mut())
            .zip(self.mean.parts_mut().into_iter().zip(self.square.parts_mut()));
        for (((weights, base), gradient), (mean, square)) in parts {
            for index in 0..weights.len() {
                let away = weights[index] - base[index];
                let slope = gradient[index] * scale + self.options.pull * away;
                gradient[index] = 0.0;
                mean[index] = MOMENTUM * mean[index] + (1.0 - MOMENTUM) * slope;
                square[index] = SPREAD * square[index] + (1.0 - SPREAD) * slope * slope;
                let step =
                    mean[index] * mean_scale / ((square[index] * square_scale).sqrt() + TINY);
                weights[index] -= rate * step;
            }
        }
    }
}
