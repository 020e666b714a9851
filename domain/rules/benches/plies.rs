//! Time of listing legal plies, judging one ply, and playing one. The positions are every tenth one of the generated games that the
//! oracles have judged. For comparison, shakmaty's Crazyhouse lists the legal plies of the same positions.
//!
//! `cargo bench -p rules --bench plies`. Times are for the whole set; the throughput line is per position.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rules::{Ply, Position, Reserve, fen};
use shakmaty::{CastlingMode, Position as _, PositionError, fen::Fen, variant::Crazyhouse};

const GAMES: &str = include_str!("../tests/vectors/games.tsv");
/// One position of this many is used.
const STRIDE: usize = 10;

struct Sample {
    position: Position,
    reserve: Reserve,
    crazyhouse: Crazyhouse,
}

fn samples() -> Vec<Sample> {
    GAMES
        .lines()
        .step_by(STRIDE)
        .filter_map(|line| {
            let (text, _) = line.split_once('\t')?;
            let setup = fen::parse_board(text).ok()?;
            let reserve = *setup.reserves.get(setup.position.turn());
            let crazyhouse = text
                .parse::<Fen>()
                .ok()?
                .into_position::<Crazyhouse>(CastlingMode::Standard)
                .or_else(PositionError::ignore_too_much_material)
                .ok()?;
            Some(Sample { position: setup.position, reserve, crazyhouse })
        })
        .collect()
}

fn plies(criterion: &mut Criterion) {
    let samples = samples();
    let mut listed = Vec::new();
    let mut ours = 0;
    for sample in &samples {
        sample.position.legal_plies(&sample.reserve, &mut listed);
        assert_eq!(listed.len(), sample.crazyhouse.legal_moves().len(), "not the same work");
        ours += listed.len();
    }
    println!("{} positions, {ours} legal plies", samples.len());

    let mut group = criterion.benchmark_group("legal plies");
    group.throughput(Throughput::Elements(samples.len() as u64));
    group.bench_function("rules", |bencher| {
        let mut plies = Vec::new();
        bencher.iter(|| {
            for sample in &samples {
                black_box(&sample.position).legal_plies(&sample.reserve, &mut plies);
                black_box(&plies);
            }
        });
    });
    group.bench_function("shakmaty crazyhouse", |bencher| {
        bencher.iter(|| {
            for sample in &samples {
                black_box(black_box(&sample.crazyhouse).legal_moves());
            }
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("one ply");
    let chosen: Vec<(&Sample, Ply)> = samples
        .iter()
        .enumerate()
        .filter_map(|(index, sample)| {
            sample.position.legal_plies(&sample.reserve, &mut listed);
            (!listed.is_empty()).then(|| (sample, listed[index % listed.len()]))
        })
        .collect();
    group.throughput(Throughput::Elements(chosen.len() as u64));
    group.bench_function("illegality", |bencher| {
        bencher.iter(|| {
            for (sample, ply) in &chosen {
                black_box(black_box(&sample.position).illegality(
                    *ply,
                    &sample.reserve,
                    rules::Supply::Partner,
                ));
            }
        });
    });
    group.bench_function("clone and play", |bencher| {
        bencher.iter(|| {
            for (sample, ply) in &chosen {
                let mut position = black_box(&sample.position).clone();
                black_box(position.play(*ply));
                black_box(&position);
            }
        });
    });
    group.bench_function("has a legal ply", |bencher| {
        bencher.iter(|| {
            for (sample, _) in &chosen {
                black_box(black_box(&sample.position).has_legal_ply(&sample.reserve));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, plies);
criterion_main!(benches);
