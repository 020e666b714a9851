//! The training loop.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::{Evaluation, Example, TrainingMatch, gradient::Differentiator, optimiser::Optimiser};
use crate::prior::{LearntPrior, Weights};

/// Matches whose choices are mixed before they are learnt from.
const POOL: usize = 64;
/// Largest hidden weight at the start.
const SPREAD: f32 = 0.1;

/// How to train.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingOptions {
    /// Of the order of the matches and of the first hidden weights.
    pub seed: u64,
    /// Times that every match is learnt from, at most.
    pub epochs: usize,
    /// Choices learnt from in one step.
    pub batch: usize,
    /// Size of the first steps; they grow smaller until the last epoch.
    pub rate: f32,
    /// How strongly weights are drawn to those they started from.
    pub pull: f32,
    /// One match in so many is held out to see when training stops helping; 0 holds out none.
    pub held_out: usize,
    /// Epochs without a gain on the matches held out after which training ends.
    pub patience: usize,
}

impl Default for TrainingOptions {
    fn default() -> TrainingOptions {
        TrainingOptions {
            seed: 1,
            epochs: 6,
            batch: 64,
            rate: 4e-3,
            pull: 0.0,
            held_out: 10,
            patience: 2,
        }
    }
}

/// How far training is.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// So many matches of all epochs are learnt from.
    Learnt {
        /// Matches learnt from, each counted once an epoch.
        done: usize,
        /// How many it will be, if training does not end early.
        of: usize,
        /// Mean surprise of the choices since the last report, nats.
        surprise: f64,
    },
    /// An epoch is over.
    Epoch {
        /// Which, from 1.
        epoch: usize,
        /// Mean surprise on the matches held out, nats.
        held_out: f64,
    },
}

/// The result of training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The weights that were best on the matches held out (the last ones, if none were).
    pub weights: Weights,
    /// On the matches held out; none if none were.
    pub held_out: Option<Evaluation>,
    /// Matches learnt from.
    pub matches: usize,
    /// Epochs of the weights kept.
    pub epochs: usize,
}

/// Learns weights from matches by maximum likelihood of what was played among all that could have
/// been, starting from `base`. The same matches, base and options give the same weights. `progress` may
/// break off; what was learnt until then is returned.
pub fn train(
    matches: &[TrainingMatch],
    base: &Weights,
    options: &TrainingOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Trained {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let mut order: Vec<&TrainingMatch> = matches.iter().collect();
    order.shuffle(&mut rng);
    let held_out = match options.held_out {
        0 => Vec::new(),
        every => order.split_off(order.len() - order.len() / every),
    };
    let mut base = base.clone();
    if base.out == Weights::zero().out {
        scatter(&mut base, &mut rng);
    }
    let mut best =
        Trained { weights: base.clone(), held_out: None, matches: order.len(), epochs: 0 };
    let mut run = Run::new(&base, options, order.len());
    for epoch in 1..=options.epochs {
        order.shuffle(&mut rng);
        let flow = run.epoch(&order, &mut rng, progress);
        let mut weights = run.weights.clone();
        weights.round();
        if held_out.is_empty() {
            best = Trained { weights, epochs: epoch, ..best };
        } else {
            let prior = LearntPrior::new(weights);
            let now = Evaluation::of(&prior, held_out.iter().copied());
            let report = Progress::Epoch { epoch, held_out: now.cross_entropy() };
            let better = best
                .held_out
                .as_ref()
                .is_none_or(|before| now.cross_entropy() < before.cross_entropy());
            if better {
                let weights = prior.weights().clone();
                best = Trained { weights, held_out: Some(now), epochs: epoch, ..best };
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

/// Adapts weights learnt from many matches to a few others, in seconds: [`train`] without matches held
/// out.
#[must_use]
pub fn fine_tune(base: &Weights, matches: &[TrainingMatch], options: &TrainingOptions) -> Weights {
    let options = TrainingOptions { held_out: 0, ..options.clone() };
    train(matches, base, &options, &mut |_| ControlFlow::Continue(())).weights
}

impl TrainingOptions {
    /// Options for [`fine_tune`].
    #[must_use]
    pub fn fine_tuning() -> TrainingOptions {
        TrainingOptions {
            epochs: 4,
            batch: 32,
            rate: 1e-3,
            pull: 1.0,
            held_out: 0,
            ..TrainingOptions::default()
        }
    }
}

/// Gives hidden units different weights to start from.
fn scatter(weights: &mut Weights, rng: &mut ChaCha8Rng) {
    for row in &mut weights.deep {
        row[1..].iter_mut().for_each(|weight| *weight = SPREAD * rng.random_range(-1.0..1.0));
    }
    for (unit, weight) in weights.out.iter_mut().enumerate().skip(1) {
        *weight = if unit % 2 == 0 { 0.5 } else { -0.5 };
    }
}

/// Training under way.
struct Run<'a> {
    base: &'a Weights,
    options: &'a TrainingOptions,
    weights: Weights,
    gradient: Weights,
    optimiser: Optimiser,
    differentiator: Differentiator,
    done: usize,
    of: usize,
}

impl<'a> Run<'a> {
    fn new(base: &'a Weights, options: &'a TrainingOptions, matches: usize) -> Run<'a> {
        Run {
            base,
            options,
            weights: base.clone(),
            gradient: Weights::zero(),
            optimiser: Optimiser::new(),
            differentiator: Differentiator::default(),
            done: 0,
            of: matches * options.epochs,
        }
    }

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

    /// Learns from some choices; returns their mean surprise before each step.
    fn learn(&mut self, examples: &[Example]) -> f64 {
        let (mut surprise, mut count) = (0.0, 0usize);
        // Steps grow smaller to nothing, so that the last choices seen do not count for more.
        let rate = self.options.rate * (1.0 - self.done as f32 / self.of.max(1) as f32);
        for batch in examples.chunks(self.options.batch.max(1)) {
            let mut learnt = 0;
            for example in batch {
                let found = self.differentiator.add(&self.weights, example, &mut self.gradient);
                surprise += found.unwrap_or_default();
                learnt += usize::from(found.is_some());
            }
            count += learnt;
            self.optimiser.step(
                &mut self.weights,
                self.base,
                &mut self.gradient,
                learnt,
                rate,
                self.options.pull,
            );
        }
        surprise / count.max(1) as f64
    }
}
