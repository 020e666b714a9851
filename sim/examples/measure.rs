//! Plays the games of a BPGN file with simulated hands, tracks them, and prints how right the tracker
//! was and how long it took: `cargo run --release -p sim --example measure -- GAMES.bpgn
//! [--players scholastic] [--seeds 2..4]`; `--help` has the rest. With `--mistakes` it shows the first ply of each
//! board with wrong squares, with `--mistakes-in-types` also those of a wrong type; with `--lost` only those of lost
//! matches. `--questions 5` has a person who knows the truth answer so many questions a match, and prints what the
//! records are worth then.

mod common;

use std::{fmt::Write as _, process::ExitCode, time::Instant};

use clap::Parser;
use common::{Matches, Played};
use inference::Tracker;
use readings::{InferredLine, InferredPly, Reading, ReadingKind, TruthLine};
use rules::BoardId;
use sim::score::{Answered, MatchRecord, Report, interview, score_match};

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    matches: Matches,
    /// Show the first ply of each board with wrong squares.
    #[arg(long)]
    mistakes: bool,
    /// Show the first ply of each board with wrong squares or of a wrong type.
    #[arg(long)]
    mistakes_in_types: bool,
    /// Show mistakes of lost matches only.
    #[arg(long)]
    lost: bool,
    /// Number of questions answered in a match before the records are measured again.
    #[arg(long, default_value_t = 0)]
    questions: usize,
}

/// Outcome of one match.
struct Measured {
    record: MatchRecord,
    answered: Answered,
    plies: usize,
    seconds: f64,
    said: String,
    /// The tracker's own probability that the whole record is right.
    all_right: f64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let measured = match arguments.matches.each(|played| measure(played, &arguments)) {
        Ok(measured) => measured,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut answered = Answered::default();
    let (mut records, mut plies, mut seconds) = (Vec::new(), 0usize, 0.0f64);
    let mut slowest = (0.0f64, String::new());
    let mut all_right = 0.0;
    for one in measured {
        all_right += one.all_right;
        print!("{}", one.said);
        let each = one.seconds / one.plies.max(1) as f64;
        if each > slowest.0 {
            slowest = (each, one.record.id.clone());
        }
        plies += one.plies;
        seconds += one.seconds;
        answered += &one.answered;
        records.push(one.record);
    }
    let mut report = Report::default();
    if let Err(error) = report.add(&arguments.matches.players.to_string(), &records) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    println!("{report}");
    println!("{}", expected(&report, all_right));
    if arguments.questions > 0 {
        println!("{answered}");
    }
    println!(
        "{plies} plies, {:.3} ms a ply on average; slowest match {}: {:.3} ms a ply",
        1e3 * seconds / plies.max(1) as f64,
        slowest.1,
        1e3 * slowest.0
    );
    ExitCode::SUCCESS
}

/// The answers' own probabilities of being right, beside the share that is. No answers can be right more often, as far as these
/// probabilities are all that can be known.
fn expected(report: &Report, all_right: f64) -> String {
    let mut text = "  expected by the answers themselves, and right:\n".to_owned();
    for score in report.groups.iter().map(|group| &group.tracker) {
        for (name, labels) in [("plies", &score.calibration), ("drops", &score.drop_calibration)] {
            for (stage, labels) in [
                ("live", &labels.live),
                ("8 plies later", &labels.lag8),
                ("at the end", &labels.end),
            ] {
                if let (Some(expected), Some(right)) = (labels.expected(), labels.right().value()) {
                    let (expected, right) = (100.0 * expected, 100.0 * right);
                    let _ =
                        writeln!(text, "    {name}, {stage:20} {expected:6.2} %  {right:6.2} %");
                }
            }
        }
        let exact = score.exact;
        let _ = writeln!(
            text,
            "    matches exact              {all_right:6.1}    {:4} of {}",
            exact.right, exact.of
        );
    }
    text
}

fn measure(played: &Played, arguments: &Arguments) -> Measured {
    let performance = &played.performance;
    let (truth, readings) = (&performance.truth, &performance.readings);
    let mut said = String::new();
    let (inferred, all_right, seconds) = track(played, &mut said);
    let show = |inferred: &[InferredLine], said: &mut String| {
        let wanted = !arguments.lost || is_lost(&played.id, truth, inferred);
        if (arguments.mistakes || arguments.mistakes_in_types) && wanted {
            *said += &mistakes(&played.id, truth, inferred, readings, arguments.mistakes_in_types);
        }
    };
    show(&inferred, &mut said);
    let mut answered = Answered::default();
    if arguments.questions > 0 {
        let (header, config) = (&performance.header, &played.config);
        let rounds = interview(header, readings, config, truth, arguments.questions);
        match Answered::score(&played.id, truth, &rounds) {
            Ok(one) => answered += &one,
            Err(error) => eprintln!("{error}"),
        }
        if let Some(last) = rounds.last() {
            let _ = writeln!(said, "{} after the answers:", played.id);
            show(&last.record, &mut said);
        }
    }
    let plies = truth.iter().filter(|line| matches!(line, TruthLine::Ply(_))).count();
    let record =
        MatchRecord { id: played.id.clone(), truth: truth.clone(), inferred, baseline: None };
    Measured { record, answered, plies, seconds, said, all_right }
}

fn is_lost(id: &str, truth: &[TruthLine], inferred: &[InferredLine]) -> bool {
    score_match(id, truth, inferred).is_ok_and(|score| score.lost.right > 0)
}

fn track(played: &Played, said: &mut String) -> (Vec<InferredLine>, f64, f64) {
    let mut tracker = Tracker::new(&played.performance.header, played.config.clone());
    let start = Instant::now();
    for reading in &played.performance.readings {
        tracker.handle(reading);
        while let Some(output) = tracker.poll_output() {
            if let inference::TrackerOutput::Reanchored { board, t_us, squares } = output {
                let id = &played.id;
                let _ = writeln!(said, "{id}: re-anchored {squares} squares of {board} at {t_us}");
            }
        }
    }
    tracker.finish();
    let (record, seconds) = (tracker.record(), start.elapsed().as_secs_f64());
    (record, tracker.probability_of_record(), seconds)
}

/// The first ply of each board that is wrong at the end, and what was found around it.
fn mistakes(
    id: &str,
    truth: &[TruthLine],
    inferred: &[InferredLine],
    readings: &[Reading],
    types: bool,
) -> String {
    let squares = |ply: rules::Ply| (ply.from(), ply.to(), Some(ply).filter(|_| types));
    let mut text = String::new();
    for board in BoardId::ALL {
        let truth: Vec<_> = truth
            .iter()
            .filter_map(|line| match line {
                TruthLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        let found: Vec<&InferredPly> = inferred
            .iter()
            .filter_map(|line| match line {
                InferredLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        let wrong = truth.iter().enumerate().find(|(at, ply)| {
            found.get(*at).is_none_or(|found| {
                found.side != ply.side || squares(found.uci) != squares(ply.uci)
            })
        });
        let Some((at, ply)) = wrong else { continue };
        let _ = writeln!(
            text,
            "{id} board {board}, ply {} of {} (found {})",
            at + 1,
            truth.len(),
            found.len()
        );
        for at in at.saturating_sub(2)..at + 4 {
            if let Some(made) = truth.get(at) {
                let (side, uci, legal, t_us) = (made.side, made.uci, made.legal, made.t_us);
                let _ = writeln!(text, "    made  {side:?} {uci} legal {legal} t {t_us}");
            }
            if let Some(found) = found.get(at) {
                text += &found_line(found);
            }
        }
        text += &readings_around(readings, board, ply.t_us);
    }
    text
}

fn found_line(found: &InferredPly) -> String {
    let others = found.alternatives.iter();
    let others: Vec<_> = others.map(|other| format!("{} {:.3}", other.uci, other.p)).collect();
    let InferredPly { side, uci, p, t_us, .. } = found;
    format!("    found {side:?} {uci} p {p:.3} t {t_us} ({})\n", others.join(", "))
}

/// Readings of the board around a moment.
fn readings_around(readings: &[Reading], board: BoardId, t_us: u64) -> String {
    let mut text = String::new();
    let near = readings
        .iter()
        .filter(|reading| reading.board == Some(board))
        .filter(|reading| reading.t_us + 6_000_000 > t_us && reading.t_us < t_us + 7_000_000);
    for Reading { t_us, kind, .. } in near {
        let _ = match kind {
            ReadingKind::Square { square, reading, level } => {
                writeln!(text, "    {t_us} {square} {reading:?} {level:?}")
            }
            ReadingKind::Tray { side, slot, reading } => {
                writeln!(text, "    {t_us} tray of {side:?}: slot {slot} {reading:?}")
            }
            ReadingKind::Press { by } => writeln!(text, "    {t_us} press {by:?}"),
            _ => Ok(()),
        };
    }
    text
}
