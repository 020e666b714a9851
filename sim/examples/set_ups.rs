//! Plays the games of a BPGN file at boards whose king and queen may stand swapped, and says how soon the tracker reports it while
//! the match is played: `cargo run --release -p sim --example set_ups -- GAMES.bpgn --players swapped-scholastic --seeds 1..4`;
//! `--help` has the rest.
//!
//! A *telling ply* is the first of a board that is legal as its pieces were set up and would be illegal had they stood right.

mod common;

use std::process::ExitCode;

use clap::Parser;
use common::{Matches, Played};
use inference::{AnomalyCode, AnomalyId, Tracker, TrackerOutput};
use readings::TruthLine;
use rules::{BoardId, Match, Position, Reserve};

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    matches: Matches,
    /// Name the boards that are known late or never.
    #[arg(long)]
    show: bool,
}

/// A board whose king and queen stand swapped. Plies are counted on this board.
struct Board {
    name: String,
    plies: usize,
    /// The number of the telling ply, if there is one.
    telling: Option<usize>,
    /// The number of plies made by the time from which both sides were reported until the end of the match.
    known_after: Option<usize>,
    /// Whether the record has it.
    is_in_record: bool,
}

impl Board {
    /// Plies from the telling one to the report; 0 if it came before.
    fn late(&self) -> Option<usize> {
        Some(self.known_after?.saturating_sub(self.telling?))
    }
}

/// What a match adds: its swapped boards, and how many others were reported at its last reading.
struct Looked {
    swapped: Vec<Board>,
    right: usize,
    falsely: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let looked = match arguments.matches.each(look) {
        Ok(looked) => looked,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let right: usize = looked.iter().map(|one| one.right).sum();
    let falsely: usize = looked.iter().map(|one| one.falsely).sum();
    let boards: Vec<Board> = looked.into_iter().flat_map(|one| one.swapped).collect();
    println!("{right} boards set up right, {falsely} reported at the last reading");
    let in_record = boards.iter().filter(|board| board.is_in_record).count();
    let known: Vec<&Board> = boards.iter().filter(|board| board.known_after.is_some()).collect();
    println!(
        "{} boards swapped, {} known live, {in_record} in the record",
        boards.len(),
        known.len()
    );
    print_quantiles(
        "plies before it is known",
        known.iter().filter_map(|board| board.known_after).collect(),
    );
    let late: Vec<usize> = known.iter().filter_map(|board| board.late()).collect();
    let at_once = late.iter().filter(|&&late| late <= 1).count();
    println!(
        "{at_once} of {} with a telling ply known before it, with it or one ply later",
        late.len()
    );
    print_quantiles("plies after the telling one", late);
    for board in
        boards.iter().filter(|board| arguments.show && board.late().is_none_or(|late| late > 1))
    {
        let Board { name, plies, telling, known_after, .. } = board;
        println!("{name}: {plies} plies, telling {telling:?}, known after {known_after:?}");
    }
    ExitCode::SUCCESS
}

fn print_quantiles(name: &str, mut counts: Vec<usize>) {
    counts.sort_unstable();
    let at =
        |part: usize| counts.get((counts.len() * part / 100).min(counts.len().saturating_sub(1)));
    let [tenth, half, most, last] = [10, 50, 90, 100].map(|part| at(part).copied().unwrap_or(0));
    println!("{name}: a tenth {tenth}, half {half}, nine tenths {most}, most {last}");
}

/// The telling ply of each board.
fn telling(truth: &[TruthLine], swapped: [bool; 2]) -> [Option<usize>; 2] {
    let set_up = |swapped: bool| {
        if swapped { Position::initial_swapped(true, true) } else { Position::initial() }
    };
    let begun = |positions| Match::new(positions, [Reserve::EMPTY; 4]);
    let (mut right, mut real) = (begun([false; 2].map(set_up)), begun(swapped.map(set_up)));
    let (mut telling, mut plies) = ([None; 2], [0; 2]);
    for line in truth {
        let TruthLine::Ply(ply) = line else { continue };
        let board = ply.board.index();
        plies[board] += 1;
        if real.illegality(ply.board, ply.uci).is_none()
            && right.illegality(ply.board, ply.uci).is_some()
        {
            telling[board].get_or_insert(plies[board]);
        }
        right.play(ply.board, ply.uci);
        real.play(ply.board, ply.uci);
    }
    telling
}

fn look(played: &Played) -> Looked {
    let truth = &played.performance.truth;
    let swapped = BoardId::ALL.map(|board| {
        truth.iter().any(|line| matches!(line, TruthLine::Anomaly(found) if found.code == "setup-wrong" && found.board == board))
    });
    let made = |board: BoardId, until_us: u64| {
        let of_board = |line: &&TruthLine| matches!(line, TruthLine::Ply(ply) if ply.board == board && ply.t_us <= until_us);
        truth.iter().filter(of_board).count()
    };
    let mut tracker = Tracker::new(&played.performance.header, played.config.clone());
    let mut open: Vec<(AnomalyId, BoardId)> = Vec::new();
    let mut known_after = [None; 2];
    for reading in &played.performance.readings {
        tracker.handle(reading);
        follow(&mut tracker, &mut open);
        for board in BoardId::ALL {
            let is_known = open.iter().filter(|entry| entry.1 == board).count() >= 2;
            let known = known_after[board.index()].unwrap_or_else(|| made(board, reading.t_us));
            known_after[board.index()] = is_known.then_some(known);
        }
    }
    tracker.finish();
    follow(&mut tracker, &mut open);
    let telling = telling(truth, swapped);
    let swapped_boards = BoardId::ALL.into_iter().filter(|board| swapped[board.index()]);
    Looked {
        swapped: swapped_boards
            .map(|board| Board {
                name: format!("{} board {board}", played.id),
                plies: made(board, u64::MAX),
                telling: telling[board.index()],
                known_after: known_after[board.index()],
                is_in_record: open.iter().filter(|entry| entry.1 == board).count() >= 2,
            })
            .collect(),
        right: swapped.iter().filter(|&&swapped| !swapped).count(),
        falsely: (0..2).filter(|&at| !swapped[at] && known_after[at].is_some()).count(),
    }
}

/// Keeps the list of reports of a wrong set-up that stand.
fn follow(tracker: &mut Tracker, open: &mut Vec<(AnomalyId, BoardId)>) {
    while let Some(output) = tracker.poll_output() {
        match output {
            TrackerOutput::Anomaly(report) if report.code == AnomalyCode::SetupWrong => {
                open.retain(|entry| entry.0 != report.id);
                open.push((report.id, report.board));
            }
            TrackerOutput::AnomalyRetracted { id, .. } => open.retain(|entry| entry.0 != id),
            _ => {}
        }
    }
}
