//! Plays the games of a BPGN file with simulated hands, tracks them, and says how well anomalies were noticed:
//! `cargo run --release -p sim --example anomalies -- GAMES.bpgn [--code illegal-move] [--show]`; `--help`
//! has the rest. With `--show` it lists false reports and missed events, with `--readings` also what was
//! made, found and read around each; with `--frontier` it says what other thresholds would do.

mod common;

use std::{collections::BTreeMap, fmt::Write as _, process::ExitCode};

use clap::Parser;
use common::{Matches, Played};
use readings::{
    InferredAnomaly, InferredLine, InferredPly, Reading, ReadingKind, TruthAnomaly, TruthLine,
};
use rules::{BoardId, Match, Position};
use sim::{
    Performance,
    score::{Calibration, Frontier, Noticed, Operating, Score, noticed, score_match},
};

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    matches: Matches,
    /// Only this anomaly.
    #[arg(long)]
    code: Option<String>,
    /// List false reports and missed events.
    #[arg(long)]
    show: bool,
    /// List them with the plies, findings and readings around each.
    #[arg(long)]
    readings: bool,
    /// Also what is judged and too doubtful to be reported: how true it is, and what is found and falsely alarmed at thresholds
    /// chosen in hindsight.
    #[arg(long)]
    frontier: bool,
    /// Time shown before and after each, seconds.
    #[arg(long, default_value_t = 5)]
    around_s: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let judged = match arguments.matches.each(|played| judge(played, &arguments)) {
        Ok(judged) => judged,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut total = Score::default();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut frontier = Frontier::default();
    for Judged { score, listed, reasons: of_match, frontier: more } in &judged {
        print!("{listed}");
        total += score;
        for reason in of_match {
            *reasons.entry(reason.clone()).or_default() += 1;
        }
        frontier += more;
    }
    for (reason, count) in reasons {
        println!("{count:5} {reason}");
    }
    print_scores(&total, judged.len(), arguments.code.as_deref());
    if arguments.frontier {
        print_frontier(&frontier, arguments.code.as_deref());
    }
    ExitCode::SUCCESS
}

/// Counts of one match.
struct Judged {
    score: Score,
    /// False reports and missed events, as text.
    listed: String,
    /// Outcome of each event, for counting.
    reasons: Vec<String>,
    /// Empty unless it is asked for.
    frontier: Frontier,
}

fn print_scores(total: &Score, matches: usize, only: Option<&str>) {
    println!(
        "{matches} matches, {} lost, {} exact; {} plies, {} right in squares, {} right, {} live; \
         {} missed, {} misread, {} invented",
        total.lost.right,
        total.exact.right,
        total.plies.end.of,
        total.squares.end.right,
        total.plies.end.right,
        total.plies.live.right,
        total.missed,
        total.misread,
        total.invented
    );
    println!(
        "code                    recall          in time  precision       false/match (shown)  stated → true"
    );
    for (code, score) in &total.anomalies {
        if only.is_some_and(|only| only != code) {
            continue;
        }
        let (found, said) = (score.recall, score.precision);
        let mut line = format!(
            "{code:23} {:5}/{:5} {:.3}  {:.3}  {:5}/{:5} {:.3}  {:.3} ({:.3}) ",
            found.right,
            found.of,
            found.value().unwrap_or(f64::NAN),
            score.recall_live.value().unwrap_or(f64::NAN),
            said.right,
            said.of,
            said.value().unwrap_or(f64::NAN),
            (said.of - said.right) as f64 / matches.max(1) as f64,
            (score.shown.of - score.shown.right) as f64 / matches.max(1) as f64,
        );
        line += &bins(&score.reliability);
        println!("{line}");
    }
}

/// Numbers of stated and of true events.
fn bins(reliability: &Calibration) -> String {
    let mut text = String::new();
    for bin in reliability.bins.iter().filter(|bin| bin.answers > 0) {
        let mean = |sum: f64| sum / bin.answers as f64;
        let (stated, right) = (mean(bin.sum_p), mean(bin.right as f64));
        let _ = write!(text, " {stated:.3}→{right:.3}({})", bin.answers);
    }
    text
}

/// For each code how true its findings are, and what thresholds chosen in hindsight would make of them.
fn print_frontier(frontier: &Frontier, only: Option<&str>) {
    let matches = frontier.matches.max(1) as f64;
    for (code, trade) in &frontier.codes {
        if only.is_some_and(|only| only != code) {
            continue;
        }
        println!("{code}: {} events; stated → true{}", trade.events, bins(&trade.reliability));
        let judged: u64 = trade.reliability.bins.iter().map(|bin| bin.right).sum();
        println!("    judged at all, however doubtful: {judged} of {} events", trade.events);
        let told = |asked: String, at: Option<Operating>| match at {
            None => println!("    {asked}: at no threshold"),
            Some(Operating { threshold, right, wrong }) => println!(
                "    {asked}: from {threshold:.4} on recall {:.3} ({right}), precision {:.3}, {:.3} false a match",
                right as f64 / trade.events.max(1) as f64,
                right as f64 / (right + wrong).max(1) as f64,
                wrong as f64 / matches,
            ),
        };
        for most in [0.05, 0.1] {
            told(format!("at most {most} false a match"), frontier.most_found(code, most));
        }
        for recall in [0.9, 0.97] {
            told(format!("recall at least {recall}"), frontier.fewest_false(code, recall));
        }
        let precise = frontier.most_found_at_precision(code, 0.95);
        told("precision at least 0.95".to_owned(), precise);
    }
}

/// Contribution of one match to the totals.
fn judge(played: &Played, arguments: &Arguments) -> Judged {
    let truth = &played.performance.truth;
    let tracker = played.track();
    let inferred = tracker.record();
    let frontier = match arguments.frontier {
        true => Frontier::of_match(truth, &tracker.judged()),
        false => Frontier::default(),
    };
    let score = score_match(&played.id, truth, &inferred).unwrap_or_else(|error| {
        eprintln!("{error}");
        Score::default()
    });
    let mut listed = String::new();
    let mut reasons = Vec::new();
    let why = reasons_of_illegal(truth);
    for Noticed { event, report } in noticed(truth, &inferred) {
        let code = event.as_ref().map(|event| &event.code).or(report.map(|report| &report.code));
        let Some(code) =
            code.filter(|code| arguments.code.as_ref().is_none_or(|only| only == *code))
        else {
            continue;
        };
        let (what, board, t_us) = match (&event, report) {
            (Some(event), report) => {
                let why = why.get(&(event.board.index(), event.t_us)).copied().unwrap_or("");
                let became = if report.is_some() { "found" } else { "missed" };
                reasons.push(format!("{code} {became} {why}"));
                if report.is_some() {
                    continue;
                }
                (format!("MISSED {why} {:?}", event.side), event.board, event.t_us)
            }
            (None, Some(report)) => {
                let InferredAnomaly { side, reason, confidence, evidence, .. } = report;
                let reason = reason.as_deref().unwrap_or("");
                reasons.push(format!("{code} false {reason}"));
                let what = format!("FALSE {reason} {side:?} {confidence:.4} {evidence}");
                (what, report.board, report.t_us)
            }
            (None, None) => continue,
        };
        if arguments.show || arguments.readings {
            let _ = writeln!(listed, "{} {board} {t_us} {code}: {what}", played.id);
        }
        if arguments.readings {
            listed += &around(played, &inferred, board, t_us, 1_000_000 * arguments.around_s);
        }
    }
    Judged { score, listed, reasons, frontier }
}

/// Reasons of illegal plies, by board and time.
fn reasons_of_illegal(truth: &[TruthLine]) -> BTreeMap<(usize, u64), &'static str> {
    let swapped = |board: BoardId| {
        truth.iter().any(|line| {
            matches!(line, TruthLine::Anomaly(TruthAnomaly { code, board: on, .. })
                if code == "setup-wrong" && *on == board)
        })
    };
    let positions = BoardId::ALL.map(|board| {
        let swapped = swapped(board);
        Position::initial_swapped(swapped, swapped)
    });
    let mut now = Match::new(positions, [rules::Reserve::EMPTY; 4]);
    let mut reasons = BTreeMap::new();
    for line in truth {
        let TruthLine::Ply(ply) = line else { continue };
        if let Some(reason) = now.illegality(ply.board, ply.uci).filter(|_| !ply.legal) {
            reasons.insert((ply.board.index(), ply.t_us), reason.code());
        }
        now.play(ply.board, ply.uci);
    }
    reasons
}

/// Plies, findings and readings of a board around a moment.
fn around(
    played: &Played,
    inferred: &[InferredLine],
    board: BoardId,
    t_us: u64,
    span_us: u64,
) -> String {
    let near = |at: u64| at.abs_diff(t_us) < span_us;
    let Performance { truth, readings, .. } = &played.performance;
    let made = truth.iter().filter_map(|line| made_line(line, board, near));
    let found = inferred.iter().filter_map(|line| found_line(line, board, near));
    let read = readings.iter().filter_map(|reading| read_line(reading, board, near));
    made.chain(found).chain(read).map(|line| format!("    {line}\n")).collect()
}

fn made_line(line: &TruthLine, board: BoardId, near: impl Fn(u64) -> bool) -> Option<String> {
    match line {
        TruthLine::Ply(ply) if ply.board == board && near(ply.t_us) => {
            Some(format!("made  {} {:?} {} legal {}", ply.t_us, ply.side, ply.uci, ply.legal))
        }
        TruthLine::Anomaly(other) if other.board == board && near(other.t_us) => {
            Some(format!("truth {} {:?} {}", other.t_us, other.side, other.code))
        }
        _ => None,
    }
}

fn found_line(line: &InferredLine, board: BoardId, near: impl Fn(u64) -> bool) -> Option<String> {
    match line {
        InferredLine::Ply(ply) if ply.board == board && near(ply.t_us) => {
            let live = ply.live.map_or(String::new(), |live| format!("{} {:.3}", live.uci, live.p));
            let others = ply.alternatives.iter().take(4);
            let others: Vec<_> =
                others.map(|other| format!("{} {:.3}", other.uci, other.p)).collect();
            let InferredPly { t_us, side, uci, p, .. } = ply;
            let others = others.join(", ");
            Some(format!("found {t_us} {side:?} {uci} {p:.4} live {live} or {others}"))
        }
        InferredLine::Anomaly(other) if other.board == board && near(other.t_us) => Some(format!(
            "said  {} {:?} {} {:.3} retracted {}",
            other.t_us, other.side, other.code, other.confidence, other.retracted
        )),
        _ => None,
    }
}

fn read_line(reading: &Reading, board: BoardId, near: impl Fn(u64) -> bool) -> Option<String> {
    let Reading { t_us, board: on, kind } = reading;
    match kind {
        _ if !near(*t_us) => None,
        // A board's captures go into the other board's trays.
        ReadingKind::Tray { side, slot, reading } => {
            Some(format!("{t_us} {on:?} tray {side:?} {slot} {reading:?}"))
        }
        _ if *on != Some(board) => None,
        ReadingKind::Square { square, reading, .. } => Some(format!("{t_us} {square} {reading:?}")),
        ReadingKind::Press { by } => Some(format!("{t_us} press {by:?}")),
        _ => None,
    }
}
