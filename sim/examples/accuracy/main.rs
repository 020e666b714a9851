//! Accuracy of the tracker: the whole matrix of sensors, players, priors and seeds, as one table in the
//! terminal and as a document. `cargo xtask accuracy` runs this.
//!
//! An example of the crate `sim`, and not a part of xtask, so that `cargo xtask` stays built in seconds and
//! the program that users install carries no bench.

mod arguments;
mod games;
mod priors;
mod progress;

use std::{process::ExitCode, sync::Mutex, time::Instant};

use anyhow::{Context, Result, bail};
use arguments::Arguments;
use clap::Parser;
use rayon::prelude::*;
use rules::Game;
use sim::HandsFrom;
use sim::accuracy::{
    Cell, Effort, Folds, Matrix, Provenance, Row, Setting, Tally, Trial, files, fill, fill_part,
    part_of, summary, with_part,
};

/// The explanations, by hand; `{{…}}` stands for a figure's place.
const TEMPLATE: &str = include_str!("template.md");
/// The same for the part about chess.
const CHESS_TEMPLATE: &str = include_str!("chess.md");

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
    let games::Games { played, learnt_from, also, mut left_out } = games::read(arguments)?;
    let folds = Folds::new(played.len(), usize::from(arguments.folds));
    let priors = priors::prepare(arguments, (&learnt_from, &also), &folds);
    let rows = rows(arguments, &priors);
    let matrix = Matrix {
        games: played,
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
    // A board of chess costs less than two of bughouse, whose figures are in the document.
    let efforts = match arguments.game {
        Game::Bughouse if !arguments.untimed => time(&matrix),
        Game::Bughouse | Game::Chess => Vec::new(),
    };
    let cells = matrix.cells(measured, &efforts);
    if cells.iter().all(|cell| cell.total.matches == 0) {
        bail!("no game could be measured: what is left out and why stands above");
    }
    let provenance = Provenance {
        game: arguments.game,
        command: arguments.command(),
        games: games::file_name(&arguments.games()),
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

/// Every kind of board with every kind of players; all contenders at the first boards, elsewhere the main one.
fn rows(arguments: &Arguments, priors: &priors::Prepared) -> Vec<Row> {
    let place_of = |name: &str| priors.contenders.iter().position(|known| known.name == name);
    let main = place_of(&priors.main);
    // Its training games are an engine's: the players here are unlike them.
    let stranger = place_of(priors::SELF_PLAY);
    let all: Vec<usize> = (0..priors.contenders.len()).collect();
    let mut rows = Vec::new();
    for (place, equipment) in arguments.tables().into_iter().enumerate() {
        for players in arguments.players_at(equipment) {
            let is_first = place == 0;
            // The value of priors shows with the table's hands.
            let of_table = players.hands == HandsFrom::Table;
            let contenders = if is_first && of_table || arguments.all_priors {
                all.clone()
            } else {
                main.into_iter().collect()
            };
            let setting = Setting { equipment, players };
            let asked = match players.hands {
                HandsFrom::Table if is_first => main.into_iter().chain(stranger).collect(),
                HandsFrom::Drawn if is_first => main.into_iter().collect(),
                _ => Vec::new(),
            };
            rows.push(Row { setting, contenders, asked });
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

/// The document with these figures in it: chess writes its part, bughouse everything else. `before` is the document so far.
fn document(before: &str, provenance: &Provenance, cells: &[Cell]) -> Result<String, String> {
    match provenance.game {
        Game::Bughouse => {
            let text = fill(TEMPLATE, provenance, cells)?;
            part_of(before).map_or(Ok(text.clone()), |part| with_part(&text, part))
        }
        Game::Chess => {
            let part = fill_part(CHESS_TEMPLATE, provenance, cells)?;
            with_part(if before.is_empty() { TEMPLATE } else { before }, &part)
        }
    }
}

fn write(arguments: &Arguments, provenance: &Provenance, cells: &[Cell]) -> Result<()> {
    if let Some(path) = arguments.document() {
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let text = document(&before, provenance, cells).map_err(anyhow::Error::msg)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        let folder = path.with_extension("");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        for (name, text) in files(provenance, cells) {
            let file = folder.join(name);
            std::fs::write(&file, text)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        println!("written to {} and {}", path.display(), folder.display());
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(cells).context("the figures have no JSON")?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("written to {}", path.display());
    }
    Ok(())
}
