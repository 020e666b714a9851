//! How right the tracker is: the whole matrix of sensors, players, priors and seeds, as one table in the
//! terminal and as a document. `cargo xtask accuracy` runs this.
//!
//! An example of the crate `sim`, and not a part of xtask, so that `cargo xtask` stays built in seconds and
//! the program that users install carries no bench.

mod arguments;
mod priors;
mod progress;

use std::{path::Path, process::ExitCode, sync::Mutex, time::Instant};

use anyhow::{Context, Result, bail};
use arguments::Arguments;
use clap::Parser;
use rayon::prelude::*;
use rules::bpgn;
use sim::accuracy::{
    Cell, Effort, Folds, Matrix, Provenance, Row, Setting, Tally, Trial, fill, summary,
};

/// The explanations, by hand; `{{…}}` stands for a figure's place.
const TEMPLATE: &str = include_str!("template.md");

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("accuracy: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let (games, mut left_out) = read_games(arguments)?;
    let folds = Folds::new(games.len(), usize::from(arguments.folds));
    let priors = priors::prepare(arguments, &games, &folds)?;
    let rows = rows(arguments, &priors);
    let matrix = Matrix {
        games,
        folds,
        rows,
        asked_seeds: arguments.asked_seeds(),
        contenders: priors.contenders,
        seeds: arguments.seeds(),
        beam: usize::from(arguments.beam),
    };
    announce(&matrix)?;
    let (measured, failed) = measure(&matrix);
    left_out.extend(failed);
    for line in &left_out {
        eprintln!("left out: {line}");
    }
    let cells = matrix.cells(measured, &time(&matrix));
    if cells.iter().all(|cell| cell.total.matches == 0) {
        bail!("no game could be measured: what is left out and why stands above");
    }
    let provenance = Provenance {
        command: arguments.command(),
        games: file_name(&arguments.games),
        seeds: arguments.seeds,
        folds: matrix.folds.count(),
        beam: matrix.beam,
        main: priors.main,
        contenders: priors.about,
        left_out,
    };
    print!("{}", summary(&provenance, &cells));
    write(arguments, &provenance, &cells)
}

type Games = Vec<(String, bpgn::BpgnGame)>;

/// The games with their names, and a line for each that cannot be read.
fn read_games(arguments: &Arguments) -> Result<(Games, Vec<String>)> {
    let path = &arguments.games;
    let bytes = std::fs::read(path).with_context(|| {
        format!(
            "cannot read the games of {}: put recorded matches there in BPGN, or name a file with \
             --games; --games sim/games/engine-001.bpgn takes shipped ones, on which figures say \
             nothing about people",
            path.display()
        )
    })?;
    let (mut games, mut left_out) = (Vec::new(), Vec::new());
    for (number, game) in (1..).zip(bpgn::read(&bytes)) {
        match game {
            Ok(game) => games.push((number, game)),
            Err(error) => left_out.push(format!("{}: {error}", path.display())),
        }
    }
    if games.is_empty() {
        bail!("{} holds no readable game: is it a BPGN file?", path.display());
    }
    let stem = path.file_stem().map_or("m".into(), |stem| stem.to_string_lossy());
    let names = sim::games::match_names(&stem, &games);
    let mut games: Games = names.into_iter().zip(games.into_iter().map(|(_, game)| game)).collect();
    games.truncate(arguments.most_games());
    Ok((games, left_out))
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Every kind of board with every kind of players; all contenders at the first boards, elsewhere the main one.
fn rows(arguments: &Arguments, priors: &priors::Prepared) -> Vec<Row> {
    let main = priors.contenders.iter().position(|contender| contender.name == priors.main);
    let all: Vec<usize> = (0..priors.contenders.len()).collect();
    let mut rows = Vec::new();
    for (place, equipment) in arguments.tables().into_iter().enumerate() {
        for players in arguments.players() {
            let is_first = place == 0;
            let contenders = if is_first || arguments.all_priors {
                all.clone()
            } else {
                main.into_iter().collect()
            };
            let setting = Setting { equipment, players };
            rows.push(Row { setting, contenders, asked: main.filter(|_| is_first) });
        }
    }
    rows
}

/// Says how much there is to do and about how long it takes, from one performance in each setting.
fn announce(matrix: &Matrix) -> Result<()> {
    let (id, game) = matrix.games.first().context("there is no game")?;
    let seed = *matrix.seeds.first().context("there is no seed")?;
    let began = Instant::now();
    matrix.rows.par_iter().for_each(|row| {
        if let Ok(trial) = Trial::perform(game, id, row.setting, seed, 0) {
            for &contender in &row.contenders {
                // Measured for its time alone; what fails here fails again, and is reported, below.
                let _ = trial.measure(&matrix.contenders[contender], matrix.beam, false);
            }
        }
    });
    let minutes =
        began.elapsed().as_secs_f64() * (matrix.games.len() * matrix.seeds.len()) as f64 / 60.0;
    eprintln!(
        "{} games × {} seeds in {} settings: {} matches to follow, about {minutes:.0} minutes on {} threads, questions and timing not counted",
        matrix.games.len(),
        matrix.seeds.len(),
        matrix.rows.len(),
        matrix.trackings(),
        rayon::current_num_threads()
    );
    Ok(())
}

type Measured = Vec<((usize, usize), Vec<Tally>)>;

/// Runs all tasks; what failed is a line.
fn measure(matrix: &Matrix) -> (Measured, Vec<String>) {
    let tasks = matrix.tasks();
    let bar = progress::over("measuring", tasks.len() * matrix.seeds.len());
    let failed = Mutex::new(Vec::new());
    let measured = tasks
        .par_iter()
        .filter_map(|&(row, game)| match matrix.measure((row, game), || bar.advance()) {
            Ok(tallies) => Some(((row, game), tallies)),
            Err(error) => {
                let line =
                    format!("{} in {}: {error}", matrix.games[game].0, matrix.rows[row].setting);
                failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line);
                None
            }
        })
        .collect();
    bar.finish();
    let mut failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failed.sort();
    (measured, failed)
}

/// Runs the timings, with nothing else beside them.
fn time(matrix: &Matrix) -> Vec<Effort> {
    let bar = progress::over("timing", matrix.timings());
    let efforts = matrix.time(|| bar.advance());
    bar.finish();
    efforts
}

fn write(arguments: &Arguments, provenance: &Provenance, cells: &[Cell]) -> Result<()> {
    let text = fill(TEMPLATE, provenance, cells).map_err(anyhow::Error::msg)?;
    if let Some(path) = arguments.document() {
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("written to {}", path.display());
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(cells).context("the figures have no JSON")?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("written to {}", path.display());
    }
    Ok(())
}
