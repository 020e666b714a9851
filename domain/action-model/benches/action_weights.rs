//! Time to weigh everything that can be done in a position, by the prior: the elements are positions.
#![allow(clippy::disallowed_methods)] // A benchmark reads its data.

use action_model::{
    ActionPrior, RoleSet,
    training::{Example, TrainingMatch},
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rules::Game;

fn action_weights(criterion: &mut Criterion) {
    let path = format!("{}/../../sim/games/engine-001.bpgn", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut examples: Vec<Example> = Vec::new();
    for game in rules::bpgn::read(&bytes).into_iter().flatten().take(8) {
        if let Some(game) = TrainingMatch::new(&game) {
            game.visit(|example| examples.push(example));
        }
    }
    let priors: [(&str, &ActionPrior); 2] =
        [("uniform", &ActionPrior::uniform()), ("learnt", &ActionPrior::of(Game::Bughouse))];
    let mut group = criterion.benchmark_group("action weights of positions");
    group.throughput(Throughput::Elements(examples.len() as u64));
    for (name, prior) in priors {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let totals = examples.iter().map(|example| {
                    prior
                        .action_weights(&example.position, &example.recent, RoleSet::ALL)
                        .totals
                        .sums[0]
                });
                totals.sum::<f64>()
            });
        });
    }
    group.bench_function("factors", |bencher| {
        let prior = ActionPrior::of(Game::Bughouse);
        bencher.iter(|| {
            examples.iter().map(|example| prior.factors(&example.circumstances)[0]).sum::<f64>()
        });
    });
    group.finish();
}

criterion_group!(benches, action_weights);
criterion_main!(benches);
