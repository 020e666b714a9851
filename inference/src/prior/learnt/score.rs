//! Weights of all actions of a position, for the tracker.

use rules::{Ply, Position};

use super::{
    super::{ActionClass, Recent, RoleSet, Survey, role_set::slot},
    exponential::exp,
    features::{Sink, visit},
    tables::LANES,
    weights::Weights,
};

/// The survey of a position by these weights.
pub(super) fn survey(weights: &Weights, position: &Position, recent: &Recent) -> Survey {
    let mut surveyor = Surveyor {
        weights,
        position: [0.0; LANES],
        group: [0.0; LANES],
        scored: Vec::with_capacity(USUAL_ACTIONS),
    };
    visit(position, recent, RoleSet::ALL, &mut surveyor);
    let scored = surveyor.scored;
    // Only ratios matter; with the greatest weight 1, none of any account is out of range.
    let most = scored.iter().map(|&(.., score)| score).fold(f32::MIN, f32::max);
    let mut survey = Survey::empty();
    for (ply, class, score) in scored {
        let weight = exp(score - most);
        match ply {
            Ply::Move { .. } => survey.push_move(ply, weight, class),
            Ply::Drop { role, to } => {
                if let Some(slot) = slot(role) {
                    survey.push_drop(slot, to, weight, class == ActionClass::drop(slot, true));
                }
            }
        }
    }
    survey
}

/// Actions there is room for at first.
const USUAL_ACTIONS: usize = 320;

struct Surveyor<'a> {
    weights: &'a Weights,
    position: [f32; LANES],
    group: [f32; LANES],
    scored: Vec<(Ply, ActionClass, f32)>,
}

impl Sink for Surveyor<'_> {
    fn position(&mut self, deep: &[u16]) {
        self.position = with_rows([0.0; LANES], deep, self.weights);
    }

    fn group(&mut self, deep: &[u16]) {
        self.group = with_rows(self.position, deep, self.weights);
    }

    fn action(&mut self, ply: Ply, class: ActionClass, deep: &[u16], wide: &[u16]) {
        let sums = with_rows(self.group, deep, self.weights);
        let mut score = through_hidden(&sums, &self.weights.out);
        for &clue in wide {
            score += self.weights.wide[usize::from(clue)];
        }
        self.scored.push((ply, class, score));
    }
}

/// The sum of some rows.
#[inline]
pub(crate) fn with_rows(mut sums: [f32; LANES], deep: &[u16], weights: &Weights) -> [f32; LANES] {
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
pub(crate) fn through_hidden(sums: &[f32; LANES], out: &[f32; LANES]) -> f32 {
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
