//! ```text
//! loss = -ln P(played) - e · ln P(type of the drop | square)
//! ∂loss / ∂score(a) = P(a) - [a played]  +  e · (P(a | drops on the square) - [a played])   (second term: those drops)
//! score = s_0 + Σ over hidden units i of out_i · max(0, s_i) + Σ wide + by_role,   s = Σ over deep clues c of deep(c)
//! ```
//!
//! The surprise of a choice, and its slope by every weight: backpropagation through the hidden layer. `P` is the
//! conditional logit over all possible actions `a`, and `e` the role emphasis. A hub computes the same scores in whole
//! numbers (`learnt/score.rs`).

use rules::Ply;

use super::{Example, Lesson};
use crate::{
    ACTION_CLASSES, ActionClass, RoleSet, Weights,
    learnt::{CircumstanceClues, LANES, ROLE_LANES, Sink, exp, visit},
};

/// Smaller slopes are skipped: they belong to actions whose probability is nearly 0 already. Bound: on work.
const NEGLIGIBLE: f32 = 1e-6;

/// All actions of one choice with their clues, in groups that share some.
struct Choice<'a> {
    weights: &'a Weights,
    /// Sums of the circumstances by class of action.
    factors: [f32; ACTION_CLASSES],
    target: Ply,
    /// The deep clues of the position.
    deep: Vec<u16>,
    sums: [f32; LANES],
    groups: Vec<Group>,
}

/// Actions that share clues, and what these clues give.
struct Group {
    deep: Vec<u16>,
    wide: Vec<u16>,
    by_role: Vec<u16>,
    sums: [f32; LANES],
    of_wide: f32,
    of_roles: [f32; ROLE_LANES],
    actions: Vec<Action>,
}

struct Action {
    deep: Vec<u16>,
    wide: Vec<u16>,
    class: ActionClass,
    played: bool,
    sums: [f32; LANES],
    /// Its score, then its weight, then the slope of the loss by its score.
    score: f32,
}

impl Sink for Choice<'_> {
    fn position(&mut self, deep: &[u16]) {
        self.deep = deep.to_vec();
        self.sums = with_rows([0.0; LANES], deep, &self.weights.deep);
    }

    fn group(&mut self, deep: &[u16], wide: &[u16], by_role: &[u16]) {
        self.groups.push(Group {
            deep: deep.to_vec(),
            wide: wide.to_vec(),
            by_role: by_role.to_vec(),
            sums: with_rows(self.sums, deep, &self.weights.deep),
            of_wide: wide.iter().map(|&clue| self.weights.wide[usize::from(clue)]).sum(),
            of_roles: with_rows([0.0; ROLE_LANES], by_role, &self.weights.by_role),
            actions: Vec::new(),
        });
    }

    fn action(&mut self, ply: Ply, class: ActionClass, deep: &[u16], wide: &[u16]) {
        let Some(group) = self.groups.last_mut() else { return };
        let sums = with_rows(group.sums, deep, &self.weights.deep);
        let mut score = through_hidden(&sums, &self.weights.out) + group.of_wide;
        score += class.slot().map_or(0.0, |slot| group.of_roles[slot]);
        for &clue in wide {
            score += self.weights.wide[usize::from(clue)];
        }
        group.actions.push(Action {
            deep: deep.to_vec(),
            wide: wide.to_vec(),
            class,
            played: ply == self.target,
            sums,
            score: score + self.factors[class.index()],
        });
    }
}

impl Choice<'_> {
    /// Makes slopes of the scores. Returns the surprise -ln P(played), nats, and the sum of the slopes by class of
    /// action. None if there was nothing to choose.
    fn score_slopes(
        &mut self,
        lesson: Lesson,
        role_emphasis: f32,
    ) -> Option<(f64, [f32; ACTION_CLASSES])> {
        let of_plies = match lesson {
            Lesson::Plies => 1.0,
            Lesson::DroppedRoles => 0.0,
        };
        let actions = || self.groups.iter().flat_map(|group| &group.actions);
        if actions().count() < 2 {
            return None;
        }
        let most = actions().map(|action| action.score).fold(f32::MIN, f32::max);
        let mut total = 0.0;
        let mut of_played = None;
        for action in self.groups.iter_mut().flat_map(|group| &mut group.actions) {
            action.score = exp(action.score - most);
            total += action.score;
            of_played = of_played.or(action.played.then_some(action.score));
        }
        let surprise = -libm::log(f64::from(of_played?.max(f32::MIN_POSITIVE) / total));
        let mut by_class = [0.0; ACTION_CLASSES];
        for group in &mut self.groups {
            // The drops on the square of the drop that was played.
            let there = group.actions.iter().any(|a| a.played && a.class.slot().is_some());
            let there_total: f32 = group.actions.iter().map(|action| action.score).sum();
            for action in &mut group.actions {
                let (weight, made) = (action.score, if action.played { 1.0 } else { 0.0 });
                action.score = of_plies * (weight / total - made);
                if there {
                    action.score += role_emphasis * (weight / there_total - made);
                }
                by_class[action.class.index()] += action.score;
            }
        }
        Some((surprise, by_class))
    }
}

/// Adds the slope of the loss of an example to `gradient`. Returns the surprise -ln P(played), nats. None if there was
/// nothing to choose.
pub(super) fn learn(
    weights: &Weights,
    example: &Example,
    role_emphasis: f32,
    gradient: &mut Weights,
) -> Option<f64> {
    let circumstances = CircumstanceClues::of(&example.circumstances);
    let mut choice = Choice {
        weights,
        factors: circumstances.sums(&weights.circumstances),
        target: example.played,
        deep: Vec::new(),
        sums: [0.0; LANES],
        groups: Vec::new(),
    };
    let held = RoleSet::held(&example.circumstances.held);
    visit(&example.position, &example.recent, held, &mut choice);
    let (surprise, by_class) = choice.score_slopes(example.lesson, role_emphasis)?;
    for class in ActionClass::all() {
        for clue in circumstances.for_class(class) {
            gradient.circumstances[usize::from(clue)][class.index()] += by_class[class.index()];
        }
    }
    let mut of_position = [0.0; LANES];
    for group in &choice.groups {
        let of_group = backward(group, weights, gradient);
        add_to_rows(&mut gradient.deep, &group.deep, &of_group);
        add(&mut of_position, &of_group);
    }
    // A term that all actions share cancels out. The optimiser would take its rounding error for a slope.
    of_position[0] = 0.0;
    add_to_rows(&mut gradient.deep, &choice.deep, &of_position);
    Some(surprise)
}

/// Adds the slopes of the clues of a group's actions, and of those that they share but for the deep ones. Returns the
/// slopes of these.
fn backward(group: &Group, weights: &Weights, gradient: &mut Weights) -> [f32; LANES] {
    let mut of_group = [0.0; LANES];
    let (mut of_all, mut by_role) = (0.0, [0.0; ROLE_LANES]);
    for Action { deep, wide, class, sums, score: slope, .. } in &group.actions {
        if slope.abs() < NEGLIGIBLE {
            continue;
        }
        let mut own = [0.0; LANES];
        for lane in 0..LANES {
            let open = if sums[lane] > 0.0 { 1.0 } else { 0.0 };
            own[lane] = slope * weights.out[lane] * open;
            gradient.out[lane] += slope * sums[lane].max(0.0);
        }
        own[0] = *slope;
        add_to_rows(&mut gradient.deep, deep, &own);
        for &clue in wide {
            gradient.wide[usize::from(clue)] += slope;
        }
        add(&mut of_group, &own);
        of_all += slope;
        if let Some(slot) = class.slot() {
            by_role[slot] += slope;
        }
    }
    for &clue in &group.wide {
        gradient.wide[usize::from(clue)] += of_all;
    }
    add_to_rows(&mut gradient.by_role, &group.by_role, &by_role);
    of_group
}

/// The sum of some rows.
fn with_rows<const N: usize>(mut sums: [f32; N], clues: &[u16], rows: &[[f32; N]]) -> [f32; N] {
    for &clue in clues {
        add(&mut sums, &rows[usize::from(clue)]);
    }
    sums
}

/// The first sum, plus the contribution of the hidden units.
#[inline]
fn through_hidden(sums: &[f32; LANES], out: &[f32; LANES]) -> f32 {
    let mut parts: [f32; LANES] = std::array::from_fn(|lane| sums[lane].max(0.0) * out[lane]);
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

fn add<const N: usize>(sums: &mut [f32; N], more: &[f32; N]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

fn add_to_rows<const N: usize>(rows: &mut [[f32; N]], clues: &[u16], slopes: &[f32; N]) {
    for &clue in clues {
        add(&mut rows[usize::from(clue)], slopes);
    }
}

/// Surprise of an example, nats. None if there was nothing to choose.
#[cfg(test)]
pub(crate) fn surprise(weights: &Weights, example: &Example) -> Option<f64> {
    learn(weights, example, 0.0, &mut Weights::zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::{TrainingMatch, train::tests::SHORT_GAME};

    #[test]
    fn the_gradient_is_the_slope_found_by_trying() {
        let game = rules::bpgn::read(SHORT_GAME.as_bytes()).remove(0).expect("a game");
        let mut examples = Vec::new();
        TrainingMatch::new(&game).expect("a start").visit(|example| examples.push(example));
        let example = examples.iter().rfind(|example| example.played.is_drop()).expect("a drop");
        let weights = Weights::base_of(rules::Game::Bughouse);
        let mut gradient = Weights::zero();
        learn(&weights, example, 0.0, &mut gradient);
        // The steepest weights of each part: the surprise must change as they say.
        for part in 0..5 {
            let slopes = gradient.parts()[part];
            let mut order: Vec<usize> = (0..slopes.len()).collect();
            order.sort_by(|&a, &b| slopes[b].abs().total_cmp(&slopes[a].abs()));
            for &at in order.iter().take(12) {
                let tried = |change: f32| {
                    let mut weights = weights.clone();
                    weights.parts_mut()[part][at] += change;
                    surprise(&weights, example).expect("a choice")
                };
                let slope = (tried(2e-3) - tried(-2e-3)) / 4e-3;
                let stated = f64::from(slopes[at]);
                // Far from any kink the two agree; the base weights are in no kink of these.
                assert!(
                    (slope - stated).abs() < 2e-2 * (1.0 + stated.abs()),
                    "{part} {at}: {slope} {stated}"
                );
            }
        }
    }
}
