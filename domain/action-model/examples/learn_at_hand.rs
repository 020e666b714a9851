//! Learns how often each role is at hand for a player whose partner's board nobody sees:
//! `learn_at_hand [--test FILE] GAMES.bpgn…`.
//!
//! For each ply of recorded matches the learnt prior weighs everything that could be done, reserves hidden from it: drops as if
//! one piece of each role were held. One factor for each role is then chosen so that what was played is as likely as can be. At the
//! likeliest factors each role is dropped as often as is expected, so each is multiplied by the ratio of both until nothing changes
//! (iterative proportional fitting). Prints the numbers for `domain/action-model/src/unseen.rs`.
#![allow(clippy::disallowed_methods)] // An example is a shell: it reads files.

use std::process::ExitCode;

use action_model::{
    ActionClass, ActionPrior, Circumstances, RoleSet, Weights,
    training::{Example, TrainingMatch},
};
use rules::{Ply, Reserve, Supply, bpgn};

const ROUNDS: usize = 200;

/// One choice, reserves hidden.
struct Choice {
    /// Sum of the weights of all moves.
    moves: f64,
    /// The same of the drops of each role.
    drops: [f64; 5],
    /// The weights of the drops of each role on the square that was dropped on, and which was dropped.
    dropped: Option<([f64; 5], usize)>,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let test = arguments.iter().position(|argument| argument == "--test").map(|at| {
        arguments.remove(at);
        if at < arguments.len() { arguments.remove(at) } else { String::new() }
    });
    match run(&arguments, test) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(games: &[String], test: Option<String>) -> Result<(), String> {
    let mut choices = Vec::new();
    for path in games {
        choices.extend(read(path)?);
    }
    let at_hand = learn(&choices);
    println!("learnt from {} plies: {at_hand:.3?}", choices.len());
    println!("where learnt: {}", told(&choices, &at_hand));
    if let Some(path) = test {
        let choices = read(&path)?;
        println!("{path}: {}", told(&choices, &at_hand));
        println!("{path}, all roles alike: {}", told(&choices, &[1.0; 5]));
    }
    Ok(())
}

fn read(path: &str) -> Result<Vec<Choice>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let prior = ActionPrior::new(Weights::base_of(rules::Game::Bughouse));
    let mut choices = Vec::new();
    for game in bpgn::read(&bytes).into_iter().flatten() {
        if let Some(game) = TrainingMatch::new(&game) {
            game.visit(|example| choices.push(choice(&prior, &example)));
        }
    }
    Ok(choices)
}

fn choice(prior: &ActionPrior, example: &Example) -> Choice {
    let weights = prior.action_weights(&example.position, &example.recent, RoleSet::ALL);
    let anything = Supply::Unseen.droppable(&Reserve::EMPTY);
    let factors = prior.factors(&Circumstances {
        held: anything,
        against: anything,
        fresh: RoleSet::NONE,
        ..example.circumstances
    });
    let dropped = match example.played {
        Ply::Drop { role, to } => Reserve::slot(role).map(|made| {
            let there = weights.drops_on(to);
            let weight = |slot: usize| {
                let class = ActionClass::drop(slot, there.checks[slot]);
                f64::from(there.weights[slot]) * factors[class.index()]
            };
            (std::array::from_fn(weight), made)
        }),
        Ply::Move { .. } => None,
    };
    Choice {
        moves: weights.totals.of_moves(&factors),
        drops: std::array::from_fn(|slot| weights.totals.of_slot(&factors, slot)),
        dropped,
    }
}

fn learn(choices: &[Choice]) -> [f64; 5] {
    let mut at_hand = [1.0; 5];
    for _ in 0..ROUNDS {
        let (mut expected, mut made) = ([0.0; 5], [0.0; 5]);
        for choice in choices {
            let drops: [f64; 5] = std::array::from_fn(|slot| choice.drops[slot] * at_hand[slot]);
            let all = choice.moves + drops.iter().sum::<f64>();
            for (expected, drops) in expected.iter_mut().zip(drops) {
                *expected += drops / all;
            }
            if let Some((_, slot)) = choice.dropped {
                made[slot] += 1.0;
            }
        }
        for (factor, (made, expected)) in at_hand.iter_mut().zip(made.into_iter().zip(expected)) {
            *factor *= made / expected;
        }
    }
    at_hand
}

/// How often the likeliest role on its square was the one dropped, and how surprising the dropped role was.
fn told(choices: &[Choice], at_hand: &[f64; 5]) -> String {
    let (mut right, mut surprise, mut count) = (0, 0.0, 0);
    for (weights, made) in choices.iter().filter_map(|choice| choice.dropped) {
        let weights: [f64; 5] = std::array::from_fn(|slot| weights[slot] * at_hand[slot]);
        let most = weights.iter().copied().fold(0.0, f64::max);
        right += usize::from(weights[made] >= most);
        surprise -= f64::ln(weights[made] / weights.iter().sum::<f64>());
        count += 1;
    }
    let of = f64::from(count.max(1));
    format!(
        "{count} drops, likeliest role right {:.1} %, surprise of the role {:.3} nats",
        100.0 * right as f64 / of,
        surprise / of
    )
}
