//! Learns which of its possible captures a piece makes: `learn_captures [--test FILE] GAMES.bpgn…`.
//!
//! A conditional logit over the legal captures of the piece that captured, by gradient ascent on the
//! likelihood, drawn a little towards zero. Prints the weights for `inference/src/prior/captures.rs`, and
//! how often the likeliest capture was the one made, where the piece had a choice.
#![allow(clippy::disallowed_methods)] // An example is a shell: it reads files.

use std::process::ExitCode;

use inference::prior::{CaptureClues, capture_clues};
use rules::{Bitboard, Match, bpgn};

const WEIGHTS: usize = 8;
const STEPS: usize = 400;
const STEP_SIZE: f64 = 2.0;
/// How strongly weights are drawn towards zero.
const PULL: f64 = 1e-3;

/// The captures a piece could make, and which it made.
struct Choice {
    made: usize,
    captures: Vec<[f64; WEIGHTS]>,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let test = arguments.iter().position(|argument| argument == "--test").map(|at| {
        arguments.remove(at);
        if at < arguments.len() { arguments.remove(at) } else { String::new() }
    });
    let mut learnt = Vec::new();
    for path in &arguments {
        match choices(path) {
            Ok(found) => learnt.extend(found),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let weights = learn(&learnt);
    println!("learnt from {} captures with a choice", learnt.len());
    println!("role {:.3?}", &weights[..5]);
    println!("defended {:.3}, check {:.3}, recapture {:.3}", weights[5], weights[6], weights[7]);
    println!("likeliest right where learnt: {:.1} %", 100.0 * right(&learnt, &weights));
    if let Some(path) = test {
        match choices(&path) {
            Ok(tested) => println!(
                "likeliest right in {} captures not learnt from: {:.1} % (by chance {:.1} %)",
                tested.len(),
                100.0 * right(&tested, &weights),
                100.0 * tested.iter().map(|choice| 1.0 / choice.captures.len() as f64).sum::<f64>()
                    / tested.len().max(1) as f64
            ),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
    ExitCode::SUCCESS
}

fn choices(path: &str) -> std::io::Result<Vec<Choice>> {
    let mut found = Vec::new();
    for game in bpgn::read(&std::fs::read(path)?).into_iter().flatten() {
        let mut now = Match::initial();
        let mut arrived = [Bitboard::EMPTY; 2];
        for ply in &game.plies {
            let position = now.position(ply.board).clone();
            let arrived = &mut arrived[ply.board.index()];
            let mut plies = Vec::new();
            now.legal_plies(ply.board, &mut plies);
            plies.retain(|other| other.from().is_some() && other.from() == ply.ply.from());
            // One promotion stands for all: they take the same piece.
            plies.sort_by_key(|other| (other.to(), *other != ply.ply));
            plies.dedup_by_key(|other| other.to());
            let captures: Vec<(rules::Ply, CaptureClues)> = plies
                .into_iter()
                .filter_map(|other| Some((other, capture_clues(&position, other, *arrived)?)))
                .collect();
            let made = captures.iter().position(|(other, _)| *other == ply.ply);
            if let Some(made) = made.filter(|_| captures.len() > 1) {
                let captures = captures.into_iter().map(|(_, clues)| row(clues)).collect();
                found.push(Choice { made, captures });
            }
            *arrived = Bitboard::from_square(ply.ply.to());
            now.play(ply.board, ply.ply);
        }
    }
    Ok(found)
}

fn row(clues: CaptureClues) -> [f64; WEIGHTS] {
    let mut row = [0.0; WEIGHTS];
    row[clues.role] = 1.0;
    row[5] = f64::from(u8::from(clues.defended));
    row[6] = f64::from(u8::from(clues.check));
    row[7] = f64::from(u8::from(clues.recapture));
    row
}

fn shares(choice: &Choice, weights: &[f64; WEIGHTS]) -> Vec<f64> {
    let scores: Vec<f64> = choice
        .captures
        .iter()
        .map(|row| row.iter().zip(weights).map(|(clue, weight)| clue * weight).sum::<f64>())
        .map(libm::exp)
        .collect();
    let total: f64 = scores.iter().sum();
    scores.into_iter().map(|score| score / total).collect()
}

fn learn(choices: &[Choice]) -> [f64; WEIGHTS] {
    let mut weights = [0.0; WEIGHTS];
    for _ in 0..STEPS {
        let mut slope = weights.map(|weight| -PULL * weight);
        for choice in choices {
            for (index, (row, share)) in
                choice.captures.iter().zip(shares(choice, &weights)).enumerate()
            {
                let surprise = f64::from(u8::from(index == choice.made)) - share;
                for (slope, clue) in slope.iter_mut().zip(row) {
                    *slope += surprise * clue / choices.len() as f64;
                }
            }
        }
        for (weight, slope) in weights.iter_mut().zip(slope) {
            *weight += STEP_SIZE * slope;
        }
    }
    weights
}

fn right(choices: &[Choice], weights: &[f64; WEIGHTS]) -> f64 {
    let hits = choices.iter().filter(|choice| {
        let shares = shares(choice, weights);
        shares.iter().all(|share| *share <= shares[choice.made])
    });
    hits.count() as f64 / choices.len().max(1) as f64
}
