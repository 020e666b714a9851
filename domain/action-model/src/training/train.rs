//! ```text
//! minimised = mean over choices of -ln P(played) - e · ln P(type of the drop | square)  +  pull / 2 · |w - w_base|²
//! rate of a step = rate · (1 - matches done / matches of all epochs)
//! ```
//!
//! The training loop: maximum likelihood of the plies that were played, by gradient steps. `e` is the role emphasis,
//! and its term counts for drops only. `w_base` are the first weights. A pool of matches has one rate.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::{Example, Lesson, TrainingMatch, cross_entropy, gradient};
use crate::{ActionPrior, Weights};

/// Matches whose choices are shuffled together. Bound: on memory.
const POOL: usize = 64;
/// Largest deep weight of a hidden unit at the start. Assumed: set by hand.
const SPREAD: f32 = 0.1;

/// The options of training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingOptions {
    /// Seed of the order of the matches and of the first hidden weights.
    pub seed: u64,
    /// Maximum number of epochs: each one goes through every match once.
    pub epochs: usize,
    /// Choices in one step.
    pub batch: usize,
    /// Size of the first steps. The steps shrink to 0 until the last epoch.
    pub rate: f32,
    /// Strength of the pull of each weight towards its first value, nats per squared unit; 0 or more. Half of it times
    /// the squared distance is added to the mean surprise.
    pub pull: f32,
    /// Weight of the surprise of a drop's type, given its square, beside the surprise of the ply; 0 or more. A tracker
    /// sees the squares and must find the type.
    pub role_emphasis: f32,
    /// The same for drops of another game, which teach nothing else; 0 or more.
    pub foreign_emphasis: f32,
    /// Every n-th match is held out, to see when training stops helping. 0 holds out none.
    pub held_out: usize,
    /// Number of epochs without a gain on the held-out matches after which training ends.
    pub patience: usize,
}

/// Fitted: settings were chosen on folds 0 and 1 of the recorded matches (`docs/decisions/0006-action-model.md`).
impl Default for TrainingOptions {
    fn default() -> TrainingOptions {
        TrainingOptions {
            seed: 1,
            epochs: 6,
            batch: 64,
            rate: 4e-3,
            pull: 0.0,
            role_emphasis: 2.0,
            foreign_emphasis: 2.0,
            held_out: 10,
            patience: 2,
        }
    }
}

/// The progress of training.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A part of the matches is done.
    Learnt {
        /// Matches done, each counted once an epoch.
        done: usize,
        /// Matches of all epochs, if training does not end early.
        of: usize,
        /// Mean surprise of the choices since the last report, nats.
        surprise: f64,
    },
    /// An epoch is over.
    Epoch {
        /// Number of the epoch, from 1.
        epoch: usize,
        /// Mean surprise on the held-out matches, nats.
        held_out: f64,
    },
}

/// The result of training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The weights that were best on the held-out matches. The last ones, if no match was held out.
    pub weights: Weights,
    /// Cross-entropy of the held-out matches, nats a ply. None if no match was held out.
    pub held_out: Option<f64>,
    /// Number of matches that were learnt from.
    pub matches: usize,
    /// Epochs after which the weights were kept.
    pub epochs: usize,
}

/// Learns weights from matches by maximum likelihood of the played plies among all possible actions. It starts from
/// `base`. Equal matches, base and options give equal weights. `progress` may break off, and the weights until then
/// are returned.
pub fn train(
    matches: &[TrainingMatch],
    base: &Weights,
    options: &TrainingOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Trained {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let (mut order, held_out) = options.split(matches);
    let mut base = base.clone();
    if base.out == Weights::zero().out {
        scatter(&mut base, &mut rng);
    }
    let mut best =
        Trained { weights: base.clone(), held_out: None, matches: order.len(), epochs: 0 };
    let mut run = Run {
        base: &base,
        options,
        weights: base.clone(),
        gradient: Weights::zero(),
        mean: Weights::zero(),
        square: Weights::zero(),
        mean_left: 1.0,
        square_left: 1.0,
        done: 0,
        of: order.len() * options.epochs,
    };
    for epoch in 1..=options.epochs {
        order.shuffle(&mut rng);
        let flow = run.epoch(&order, &mut rng, progress);
        let mut weights = run.weights.clone();
        weights.round();
        if held_out.is_empty() {
            best = Trained { weights, epochs: epoch, ..best };
        } else {
            let prior = ActionPrior::new(weights);
            let now = cross_entropy(&prior, held_out.iter().copied());
            let report = Progress::Epoch { epoch, held_out: now };
            if best.held_out.is_none_or(|before| now < before) {
                best =
                    Trained { weights: prior.weights, held_out: Some(now), epochs: epoch, ..best };
            }
            if progress(report).is_break() || epoch >= best.epochs + options.patience {
                break;
            }
        }
        if flow.is_break() {
            break;
        }
    }
    best
}

/// Adapts weights from many matches to a few other matches, in seconds: [`train`] without held-out matches.
#[must_use]
pub fn fine_tune(base: &Weights, matches: &[TrainingMatch], options: &TrainingOptions) -> Weights {
    let options = TrainingOptions { held_out: 0, ..options.clone() };
    train(matches, base, &options, &mut |_| ControlFlow::Continue(())).weights
}

impl TrainingOptions {
    /// The matches that [`train`] learns from, and the held-out ones, chosen by the seed. Games that teach
    /// [roles](Lesson::DroppedRoles) alone are never held out.
    #[must_use]
    pub fn split<'a>(
        &self,
        matches: &'a [TrainingMatch],
    ) -> (Vec<&'a TrainingMatch>, Vec<&'a TrainingMatch>) {
        let (mut order, foreign): (Vec<&TrainingMatch>, Vec<&TrainingMatch>) =
            matches.iter().partition(|each| each.lesson() == Lesson::Plies);
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        let held_out = order.len().checked_div(self.held_out).unwrap_or(0);
        let held_out = order.split_off(order.len() - held_out);
        order.extend(foreign);
        (order, held_out)
    }

    /// Options for [`fine_tune`]. The pull keeps the weights of rare clues near the base.
    #[must_use]
    pub fn fine_tuning() -> TrainingOptions {
        TrainingOptions {
            epochs: 8,
            batch: 32,
            rate: 2e-3,
            pull: 4e-3,
            held_out: 0,
            ..TrainingOptions::default()
        }
    }
}

/// Gives the hidden units different weights at the start.
fn scatter(weights: &mut Weights, rng: &mut ChaCha8Rng) {
    for row in &mut weights.deep {
        row[1..].iter_mut().for_each(|weight| *weight = SPREAD * rng.random_range(-1.0..1.0));
    }
    for (unit, weight) in weights.out.iter_mut().enumerate().skip(1) {
        *weight = if unit % 2 == 0 { 0.5 } else { -0.5 };
    }
}

/// Training under way.
pub(super) struct Run<'a> {
    pub(super) base: &'a Weights,
    pub(super) options: &'a TrainingOptions,
    pub(super) weights: Weights,
    pub(super) gradient: Weights,
    /// The running means of slopes and of squared slopes, and the parts of both that are still of the first zeros.
    pub(super) mean: Weights,
    pub(super) square: Weights,
    pub(super) mean_left: f32,
    pub(super) square_left: f32,
    done: usize,
    of: usize,
}

impl Run<'_> {
    fn epoch(
        &mut self,
        order: &[&TrainingMatch],
        rng: &mut ChaCha8Rng,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for pool in order.chunks(POOL) {
            let mut examples = Vec::new();
            for each in pool {
                each.visit(|example| examples.push(example));
            }
            examples.shuffle(rng);
            let surprise = self.learn(&examples);
            self.done += pool.len();
            progress(Progress::Learnt { done: self.done, of: self.of, surprise })?;
        }
        ControlFlow::Continue(())
    }

    /// Learns from some choices. Returns their mean surprise before each step, nats.
    fn learn(&mut self, examples: &[Example]) -> f64 {
        let (mut surprise, mut count) = (0.0, 0usize);
        // Steps shrink to 0, so that the last choices do not count more than the others.
        let rate = self.options.rate * (1.0 - self.done as f32 / self.of.max(1) as f32);
        for batch in examples.chunks(self.options.batch.max(1)) {
            let mut learnt = 0;
            for example in batch {
                let emphasis = match example.lesson {
                    Lesson::Plies => self.options.role_emphasis,
                    Lesson::DroppedRoles => self.options.foreign_emphasis,
                };
                let found = gradient::learn(&self.weights, example, emphasis, &mut self.gradient);
                surprise += found.unwrap_or_default();
                learnt += usize::from(found.is_some());
            }
            count += learnt;
            self.step(learnt, rate);
        }
        surprise / count.max(1) as f64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A few plies of two boards with drops, as a record.
    pub(in crate::training) const SHORT_GAME: &str = "[TimeControl \"180+0\"]\n\n\
        1A. e4{179.0} 1a. d5{178.0} 2A. exd5{175.0} 1B. e3{178.5} 1b. P@e4{177.0} 2a. Qxd5{170.0} \
        2B. P@d5{171.0} 2b. Nf6{170.0} 3A. Nc3{172.0} 3a. Qa5{168.0} 3B. Bc4{169.0} 3b. Nxd5{160.0} \
        4A. d4{165.0} 4B. Bxd5{150.0} 4a. N@e3{160.0} 5A. Bxe3{158.0} 4b. d6{148.0}\n*";

    fn matches(count: usize) -> Vec<TrainingMatch> {
        let game = rules::bpgn::read(SHORT_GAME.as_bytes()).remove(0).expect("a game");
        vec![TrainingMatch::new(&game).expect("a start"); count]
    }

    fn crazyhouse() -> TrainingMatch {
        let text = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. P@e5 P@d4 5. Nf3 dxc3 6. bxc3 N@e4 *";
        let (game, error) = rules::pgn::read_crazyhouse(text.as_bytes()).remove(0);
        assert_eq!(error, None);
        TrainingMatch::crazyhouse(&game).expect("a game from the start")
    }

    #[test]
    fn crazyhouse_teaches_which_piece_is_dropped_and_no_ply() {
        let mut examples = Vec::new();
        crazyhouse().visit(|example| examples.push(example));
        let played: Vec<_> = examples.iter().map(|each| each.played.to_string()).collect();
        assert_eq!(played, ["P@e5", "P@d4", "N@e4"]);
        let held = examples.iter().map(|each| each.circumstances.held.total()).collect::<Vec<_>>();
        assert_eq!(held, [1, 1, 1]);
        // A player with one kind of piece has no choice: the example pulls no weight.
        let mut gradient = Weights::zero();
        let base = Weights::base_of(rules::Game::Bughouse);
        gradient::learn(&base, &examples[2], 2.0, &mut gradient);
        assert!(gradient.parts().iter().all(|part| part.iter().all(|slope| slope.abs() < 1e-6)));
    }

    fn options() -> TrainingOptions {
        TrainingOptions { epochs: 3, held_out: 4, ..TrainingOptions::default() }
    }

    fn quietly(_: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn the_course_of_a_small_training_is_always_the_same() {
        let mut course = String::new();
        let trained = train(&matches(40), &Weights::zero(), &options(), &mut |news| {
            course += &match news {
                Progress::Learnt { done, of, surprise } => format!("{done}/{of}: {surprise:.3}\n"),
                Progress::Epoch { epoch, held_out } => format!("epoch {epoch}: {held_out:.3}\n"),
            };
            ControlFlow::Continue(())
        });
        course += &format!("kept: {:.4}", trained.held_out.expect("matches held out"));
        insta::assert_snapshot!(course);
    }

    #[test]
    fn training_makes_what_was_played_likelier() {
        let trained = train(&matches(40), &Weights::zero(), &options(), &mut quietly);
        let after = trained.held_out.expect("matches held out");
        let flat = ActionPrior::new(Weights::zero());
        let before = cross_entropy(&flat, &matches(1));
        assert!(after < 0.6 * before, "{after} {before}");
    }

    #[test]
    fn equal_arguments_give_equal_weights_and_another_seed_gives_others() {
        let run = |seed| {
            let options = TrainingOptions { seed, epochs: 1, ..options() };
            train(&matches(8), &Weights::zero(), &options, &mut quietly).weights
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn a_strong_pull_keeps_weights_where_they_were() {
        let away = |pull: f32| -> f32 {
            let options = TrainingOptions { pull, ..TrainingOptions::fine_tuning() };
            let base = Weights::base_of(rules::Game::Bughouse);
            let tuned = fine_tune(&base, &matches(8), &options);
            let parts = base.parts().into_iter().zip(tuned.parts());
            let both = parts.flat_map(|(base, tuned)| base.iter().zip(tuned));
            both.map(|(base, tuned)| (base - tuned).abs()).sum()
        };
        assert!(away(0.5) < 0.5 * away(0.0));
    }

    #[test]
    fn a_training_that_is_broken_off_gives_what_was_learnt() {
        let trained =
            train(&matches(8), &Weights::zero(), &options(), &mut |_| ControlFlow::Break(()));
        assert_eq!(trained.epochs, 1);
        assert_ne!(trained.weights, Weights::zero());
    }

    #[test]
    fn matches_are_either_learnt_from_or_held_out() {
        let mut all = matches(21);
        all.extend(vec![crazyhouse(); 8]);
        let (learnt, held_out) = options().split(&all);
        assert_eq!((learnt.len(), held_out.len()), (16 + 8, 5));
        assert!(held_out.iter().all(|each| each.lesson() == Lesson::Plies));
        let same = |a: &&TrainingMatch, b: &&TrainingMatch| std::ptr::eq(*a, *b);
        assert!(learnt.iter().all(|a| !held_out.iter().any(|b| same(a, b))));
    }
}
