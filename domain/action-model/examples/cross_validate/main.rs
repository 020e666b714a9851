//! How right the learnt prior is about matches it has not seen:
//! `cargo run --release -p action-model --features training --example cross_validate -- [--base FILE] [--folds 5] [--out DIR]
//! [--also MORE.bpgn] [--roles-from CRAZYHOUSE.pgn] [--no-training] [--set name=value]… GAMES…`, BPGN files or PGN files.
//!
//! Splits the matches into folds (match number modulo folds); for each, weights are trained on the others (starting from the base
//! weights, if there are any) and evaluated on the fold. Prints the sums over the folds, and those of the uniform
//! prior and of the weights that come with the program for bughouse. Every fold learns from `--also` and `--roles-from`, too: no
//! match of theirs may be among GAMES. With `--out` it keeps the weights as `DIR/fold-0.weights` and so
//! on, for `measure` with `PRIOR=DIR`.
#![allow(clippy::disallowed_methods)] // An example is a shell: it reads files and the clock.

mod hits;

use std::{error::Error, process::ExitCode, time::Instant};

use action_model::{
    ActionPrior, Weights,
    training::{TrainingMatch, TrainingOptions, fine_tune},
};
use hits::Hits;

struct Settings {
    base: Weights,
    folds: usize,
    out: Option<String>,
    training: bool,
    options: TrainingOptions,
    games: Vec<String>,
    roles_from: Vec<String>,
    also: Vec<String>,
}

fn main() -> ExitCode {
    match settings().and_then(|settings| run(&settings)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn settings() -> Result<Settings, Box<dyn Error>> {
    let mut settings = Settings {
        base: Weights::zero(),
        folds: 5,
        out: None,
        training: true,
        options: TrainingOptions::fine_tuning(),
        games: Vec::new(),
        roles_from: Vec::new(),
        also: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        match argument.as_str() {
            "--base" => settings.base = Weights::from_bytes(&std::fs::read(value()?)?)?,
            "--folds" => settings.folds = value()?.parse()?,
            "--out" => settings.out = Some(value()?),
            "--no-training" => settings.training = false,
            "--also" => settings.also.push(value()?),
            "--roles-from" => settings.roles_from.push(value()?),
            "--set" => set(&mut settings.options, &value()?)?,
            _ => settings.games.push(argument),
        }
    }
    Ok(settings)
}

fn set(options: &mut TrainingOptions, text: &str) -> Result<(), Box<dyn Error>> {
    let (name, value) = text.split_once('=').ok_or("--set wants name=value")?;
    match name {
        "seed" => options.seed = value.parse()?,
        "epochs" => options.epochs = value.parse()?,
        "batch" => options.batch = value.parse()?,
        "rate" => options.rate = value.parse()?,
        "pull" => options.pull = value.parse()?,
        "foreign_emphasis" => options.foreign_emphasis = value.parse()?,
        "role_emphasis" => options.role_emphasis = value.parse()?,
        _ => return Err(format!("no option is called {name}").into()),
    }
    Ok(())
}

fn run(settings: &Settings) -> Result<(), Box<dyn Error>> {
    let mut matches = Vec::new();
    for path in &settings.games {
        let bytes = std::fs::read(path)?;
        if path.ends_with(".pgn") {
            let games = rules::pgn::read(&bytes).into_iter().filter(|(_, error)| error.is_none());
            matches.extend(games.filter_map(|(game, _)| TrainingMatch::chess(&game)));
        } else {
            let games = rules::bpgn::read(&bytes);
            matches.extend(games.iter().flatten().filter_map(TrainingMatch::new));
        }
    }
    let mut more = Vec::new();
    for path in &settings.roles_from {
        let games = rules::pgn::read_crazyhouse(&std::fs::read(path)?);
        let sound = games.iter().filter(|(_, error)| error.is_none());
        more.extend(sound.filter_map(|(game, _)| TrainingMatch::crazyhouse(game)));
    }
    for path in &settings.also {
        let games = rules::bpgn::read(&std::fs::read(path)?);
        more.extend(games.iter().flatten().filter_map(TrainingMatch::new));
    }
    eprintln!("{} matches, {} more of both kinds to learn from", matches.len(), more.len());
    let (mut learnt, mut uniform) = (Hits::default(), Hits::default());
    let mut bughouse = Hits::default();
    for fold in 0..settings.folds {
        let (inside, outside): (Vec<_>, Vec<_>) =
            (0..matches.len()).partition(|&index| index % settings.folds == fold);
        let mut outside: Vec<TrainingMatch> =
            outside.into_iter().map(|index| matches[index].clone()).collect();
        outside.extend(more.iter().cloned());
        let start = Instant::now();
        let weights = if settings.training {
            fine_tune(&settings.base, &outside, &settings.options)
        } else {
            settings.base.clone()
        };
        let seconds = start.elapsed().as_secs_f64();
        if let Some(out) = &settings.out {
            std::fs::create_dir_all(out)?;
            std::fs::write(format!("{out}/fold-{fold}.weights"), weights.to_bytes())?;
        }
        let prior = ActionPrior::new(weights);
        let priors = [prior, ActionPrior::uniform(), ActionPrior::of(rules::Game::Bughouse)];
        for (prior, hits) in priors.iter().zip([&mut learnt, &mut uniform, &mut bughouse]) {
            inside.iter().for_each(|&index| hits.add(prior, &matches[index]));
        }
        eprintln!("fold {fold}: {} matches, trained in {seconds:.1} s", inside.len());
    }
    println!("uniform\n{uniform}\n\nbughouse\n{bughouse}\n\nlearnt\n{learnt}");
    Ok(())
}
