//! Time to track a whole match at the default beam, by the care of its players. Divide by the number of
//! plies, printed as the throughput's elements, for the time a ply.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use inference::{Tracker, TrackerConfig};
use readings::TruthLine;
use sim::Profile;

fn tracking(criterion: &mut Criterion) {
    let path = format!("{}/games/engine-001.bpgn", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let Some(game) = rules::bpgn::read(&bytes).into_iter().flatten().nth(1) else {
        panic!("{path}: no game");
    };
    let mut group = criterion.benchmark_group("track a match");
    group.sample_size(20);
    for profile in Profile::ALL {
        let performance = sim::perform(&game, profile, 1, "bench").expect("a playable game");
        let plies =
            performance.truth.iter().filter(|line| matches!(line, TruthLine::Ply(_))).count();
        group.throughput(Throughput::Elements(plies as u64));
        group.bench_function(profile.name(), |bencher| {
            bencher.iter(|| {
                let mut tracker = Tracker::new(&performance.header, TrackerConfig::default());
                for reading in &performance.readings {
                    tracker.handle(reading);
                    while tracker.poll_output().is_some() {}
                }
                tracker.finish();
                tracker.record()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, tracking);
criterion_main!(benches);
