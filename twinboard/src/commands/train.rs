//! `twinboard train`: from records of matches or games to the weights of players' choices.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use action_model::{
    ActionPrior, Weights,
    training::{Progress, Trained, TrainingMatch, TrainingOptions, cross_entropy, train},
};
use adjudicator::{
    config::Config,
    views::records::{Format, Which},
};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;

use rules::{Game, bpgn, pgn};
use sim::games::Notation;

use crate::{
    files::{self, Found},
    progress, stdout,
};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// BPGN files for bughouse or PGN files for chess, or folders with either below them.
    #[arg(required_unless_present = "from_store")]
    games: Vec<PathBuf>,
    /// PGN files of crazyhouse: learn from them which piece is dropped on a square, and nothing else. For bughouse only.
    #[arg(long, value_name = "FILE")]
    roles_from: Vec<PathBuf>,
    /// The adjudicator's configuration: learn from the matches of its event, those whose result is confirmed. New weights are written only if they are better than the old ones on matches held out.
    #[arg(long, value_name = "CONFIG", conflicts_with = "games")]
    from_store: Option<PathBuf>,
    /// `bughouse` or `chess`; by default chess if no file holds a ply of bughouse.
    #[arg(long)]
    game: Option<Game>,
    /// File to write the weights into.
    #[arg(long)]
    out: PathBuf,
    /// Weights to start from: `none`, `base` and `chess-base` (self-play at bughouse and at chess), `shipped` and `chess` (tuned on recorded games), or a file.
    #[arg(long, default_value = "none")]
    from: String,
    /// Train gently and stay close to the weights started from, for some dozens of matches.
    #[arg(long)]
    fine_tune: bool,
    /// Times that every match is learnt from, at most.
    #[arg(long)]
    epochs: Option<usize>,
    /// Size of the first steps; they grow smaller until the last epoch.
    #[arg(long)]
    rate: Option<f32>,
    /// Strength with which weights are drawn to the initial ones.
    #[arg(long)]
    pull: Option<f32>,
    /// Every n-th match is held out, to stop early and for the report; 0 holds out none.
    #[arg(long)]
    held_out: Option<usize>,
    /// Seed of the order of the matches and the first hidden weights.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Fewest matches to learn from without weights to start from.
const FEW_MATCHES: usize = 20;

/// Trains, writes the weights and reports how right they are on the matches held out.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let base = base(&arguments.from)?;
    let options = options(arguments)?;
    let mut matches = match &arguments.from_store {
        Some(config) => confirmed_matches(config, arguments.game.unwrap_or(Game::Bughouse))?,
        None => read_matches(&arguments.games, arguments.game)?,
    };
    let plies: usize = matches.iter().map(TrainingMatch::count).sum();
    stdout::print_line(format_args!("{} matches, {plies} plies", matches.len()))?;
    if matches.len() < FEW_MATCHES && arguments.from == "none" {
        bail!(
            "{} matches are too few to learn from alone: start from others with --from base --fine-tune",
            matches.len()
        );
    }
    let mut foreign = 0;
    if !arguments.roles_from.is_empty() {
        let games = read_crazyhouse(&arguments.roles_from)?;
        foreign = games.len();
        stdout::print_line(format_args!("{} games of crazyhouse, for roles", games.len()))?;
        matches.extend(games);
    }
    let bar = progress::over_matches(matches.len() * options.epochs, "training");
    let trained = train(&matches, &base, &options, &mut |news| show(&bar, &news));
    bar.finish_and_clear();
    if arguments.from_store.is_some() {
        hold_to_what_was_there(arguments, &matches, &base, &options, &trained)?;
    }
    let mut weights = trained.weights.clone();
    weights.note = note(arguments, &options, &trained, plies, foreign);
    files::write(&arguments.out, &weights.to_bytes())?;
    stdout::print_line(format_args!(
        "{}\nweights in {}",
        weights.note.trim_end(),
        arguments.out.display()
    ))?;
    if trained.held_out.is_some() {
        report(&matches, &options)?;
    }
    Ok(())
}

fn base(name: &str) -> Result<Weights> {
    Ok(match name {
        "none" => Weights::zero(),
        "base" => Weights::base_of(Game::Bughouse),
        "chess-base" => Weights::base_of(Game::Chess),
        "shipped" => Weights::of(Game::Bughouse),
        "chess" => Weights::of(Game::Chess),
        path => {
            let bytes = files::read(path.as_ref()).context(
                "--from wants none, base, shipped, chess-base, chess or a file that `twinboard train` wrote",
            )?;
            Weights::from_bytes(&bytes).with_context(|| path.to_owned())?
        }
    })
}

fn options(arguments: &Arguments) -> Result<TrainingOptions> {
    let usual = if arguments.fine_tune {
        TrainingOptions { held_out: 10, ..TrainingOptions::fine_tuning() }
    } else {
        TrainingOptions::default()
    };
    let options = TrainingOptions {
        seed: arguments.seed,
        epochs: arguments.epochs.unwrap_or(usual.epochs),
        rate: arguments.rate.unwrap_or(usual.rate),
        pull: arguments.pull.unwrap_or(usual.pull),
        held_out: arguments.held_out.unwrap_or(usual.held_out),
        ..usual
    };
    if options.epochs == 0 {
        bail!("--epochs 0 learns nothing: give 1 or more");
    }
    if !(options.rate.is_finite() && options.rate > 0.0 && options.rate < 1.0) {
        bail!(
            "--rate {} is no size of a step: give a number between 0 and 1, such as 0.004",
            options.rate
        );
    }
    if !(options.pull.is_finite() && options.pull >= 0.0) {
        bail!("--pull {} is out of range: give 0 or more, such as 0.004", options.pull);
    }
    if !arguments.roles_from.is_empty() && arguments.game == Some(Game::Chess) {
        bail!("--roles-from is about drops, and chess has none: leave it out");
    }
    if arguments.from_store.is_some() && options.held_out == 0 {
        bail!(
            "--held-out 0 leaves nothing to compare with: what an event teaches is kept only if it is better"
        );
    }
    if options.held_out == 1 {
        bail!("--held-out 1 leaves no match to learn from: give 0 or at least 2");
    }
    Ok(options)
}

/// The matches of an event whose result is confirmed, as the organiser's records have them.
fn confirmed_matches(config: &Path, game: Game) -> Result<Vec<TrainingMatch>> {
    let config = Config::load(config)?;
    let which = Which { confirmed: true, ..Which::default() };
    let format = match game {
        Game::Bughouse => Format::Bpgn,
        Game::Chess => Format::Pgn,
    };
    let found = Found { path: config.store.path.clone(), below: PathBuf::new() };
    let text =
        tokio::runtime::Runtime::new()?.block_on(adjudicator::export(&config, &which, format))?;
    let mut matches = Vec::new();
    match game {
        Game::Bughouse => read_bughouse(&found, text.as_bytes(), &mut matches),
        Game::Chess => read_chess(&found, text.as_bytes(), &mut matches),
    }
    if matches.is_empty() {
        bail!(
            "no match of {game} in {} has a confirmed result: confirm results first, because unchecked records are not used for training",
            found.path.display()
        );
    }
    Ok(matches)
}

/// Refuses new weights unless they are better than the initial ones on the matches held out.
fn hold_to_what_was_there(
    arguments: &Arguments,
    matches: &[TrainingMatch],
    base: &Weights,
    options: &TrainingOptions,
    trained: &Trained,
) -> Result<()> {
    let held_out = options.split(matches).1;
    let Some(new) = trained.held_out else {
        bail!(
            "{} matches are too few to hold one in {} out: play more, or give a smaller --held-out",
            matches.len(),
            options.held_out
        );
    };
    let before = ActionPrior::new(base.clone());
    let old = cross_entropy(&before, held_out.iter().copied());
    stdout::print_line(format_args!(
        "on {} matches held out: {new:.4} nats a ply, before ({}): {old:.4}",
        held_out.len(),
        arguments.from
    ))?;
    if new >= old {
        bail!(
            "the new weights are not better than the old ones and were not written: the event's players choose as others do, or its matches are too few"
        );
    }
    Ok(())
}

/// Endings of files with games.
const GAMES: [&str; 2] = [".bpgn", ".pgn"];

/// The game of a file, by its first ply, else by its name's ending.
fn game_of(found: &Found, bytes: &[u8]) -> Game {
    let extension = found.path.extension().unwrap_or_default().to_string_lossy();
    match Notation::of(bytes, &extension) {
        Notation::Bpgn => Game::Bughouse,
        Notation::Pgn => Game::Chess,
    }
}

/// Reads all games of the game that is asked for, else of chess if no file holds bughouse; names games that cannot be read, and files
/// of the other game that were named themselves.
fn read_matches(places: &[PathBuf], asked: Option<Game>) -> Result<Vec<TrainingMatch>> {
    let found = files::find(places, &GAMES)?;
    let of_file = |found: Found| -> Result<(Found, Game)> {
        let bytes = files::read(&found.path)?;
        let game = game_of(&found, &bytes);
        Ok((found, game))
    };
    let found: Vec<(Found, Game)> = found.into_iter().map(of_file).collect::<Result<_>>()?;
    let only_chess = found.iter().all(|(_, game)| *game == Game::Chess);
    let game = asked.unwrap_or(if only_chess { Game::Chess } else { Game::Bughouse });
    let mut matches = Vec::new();
    for (found, of_file) in &found {
        if *of_file != game {
            if places.contains(&found.path) {
                eprintln!(
                    "{}: holds {of_file}, and {game} is learnt; the file is left out",
                    found.path.display()
                );
            }
            continue;
        }
        let bytes = files::read(&found.path)?;
        match game {
            Game::Bughouse => read_bughouse(found, &bytes, &mut matches),
            Game::Chess => read_chess(found, &bytes, &mut matches),
        }
    }
    if matches.is_empty() {
        bail!(
            "no game of {game} could be read: give BPGN files as `twinboard export` or a chess site writes \
             them for bughouse, or PGN files with --game chess"
        );
    }
    Ok(matches)
}

fn read_bughouse(file: &Found, bytes: &[u8], matches: &mut Vec<TrainingMatch>) {
    for game in bpgn::read(bytes) {
        match game {
            Ok(game) => match TrainingMatch::new(&game) {
                Some(each) => {
                    warn(file, &game.warnings);
                    matches.push(each);
                }
                None => eprintln!(
                    "{}: the {} tag of a match is no position of two boards; the match is left out",
                    file.path.display(),
                    bpgn::FEN_TAG
                ),
            },
            Err(error) => eprintln!("{}: {error}; the match is left out", file.path.display()),
        }
    }
}

fn read_chess(file: &Found, bytes: &[u8], matches: &mut Vec<TrainingMatch>) {
    for (game, error) in pgn::read(bytes) {
        if let Some(error) = error {
            eprintln!("{}: {error}; the game is left out", file.path.display());
        } else if let Some(each) = TrainingMatch::chess(&game) {
            warn(file, &game.warnings);
            matches.push(each);
        }
    }
}

/// Reads games of crazyhouse; names those that cannot be read, and those that begin with unknown reserves.
fn read_crazyhouse(paths: &[PathBuf]) -> Result<Vec<TrainingMatch>> {
    let mut games = Vec::new();
    for path in paths {
        for (game, error) in pgn::read_crazyhouse(&files::read(path)?) {
            match (error, TrainingMatch::crazyhouse(&game)) {
                (Some(error), _) => eprintln!("{}: {error}; the game is left out", path.display()),
                (None, Some(each)) => games.push(each),
                (None, None) => eprintln!(
                    "{}: a game begins at a position of its own; it is left out, because its reserves are unknown",
                    path.display()
                ),
            }
        }
    }
    if games.is_empty() {
        bail!(
            "--roles-from: no game of crazyhouse could be read: give PGN files with drops such as N@f3"
        );
    }
    Ok(games)
}

fn warn(file: &Found, warnings: &[pgn::RecordWarning]) {
    for warning in warnings {
        eprintln!("{}: {warning}", file.path.display());
    }
}

fn show(bar: &ProgressBar, news: &Progress) -> ControlFlow<()> {
    match *news {
        Progress::Learnt { done, surprise, .. } => {
            bar.set_position(u64::try_from(done).unwrap_or(u64::MAX));
            bar.set_message(format!("{surprise:.3} nats a ply"));
        }
        Progress::Epoch { epoch, held_out } => {
            bar.println(format!("epoch {epoch}: {held_out:.4} nats a ply on the matches held out"));
        }
    }
    ControlFlow::Continue(())
}

/// Note in the weights file.
fn note(
    arguments: &Arguments,
    options: &TrainingOptions,
    trained: &Trained,
    plies: usize,
    foreign: usize,
) -> String {
    let roles = match foreign {
        0 => String::new(),
        count => format!(", and on the drops of {count} games of crazyhouse"),
    };
    let mut note = format!(
        "Trained on {} matches (one in {} held out; {plies} plies in all){roles}, from {}, {} of {} epochs, \
         rate {}, pull {}, batch {}, seed {}.\n",
        trained.matches - foreign,
        options.held_out,
        arguments.from,
        trained.epochs,
        options.epochs,
        options.rate,
        options.pull,
        options.batch,
        options.seed
    );
    if let Some(held_out) = trained.held_out {
        note += &format!("On the matches held out: {held_out:.4} nats a ply\n");
    }
    note
}

/// The simpler priors on the same matches.
fn report(matches: &[TrainingMatch], options: &TrainingOptions) -> Result<()> {
    let held_out: Vec<&TrainingMatch> = options.split(matches).1;
    let others: [(&str, &ActionPrior); 2] = [
        ("uniform", &ActionPrior::uniform()),
        (
            "shipped with the program (may have seen these matches)",
            &ActionPrior::of(Game::Bughouse),
        ),
    ];
    stdout::print_line(format_args!("\nFor comparison, on the same {} matches:", held_out.len()))?;
    for (name, prior) in others {
        let nats = cross_entropy(prior, held_out.iter().copied());
        stdout::print_line(format_args!("{name}: {nats:.4} nats a ply"))?;
    }
    Ok(())
}
