//! How boards of other makers compare with our own in the hands of people, and how late they tell: simulated devices behind
//! their drivers in virtual time, on lines of their speed. Prints the tables of `docs/decisions/0013-drivers.md`:
//!
//!     cargo run --release -p hub --example boards -- club 40
//!
//! Both arguments may be left out: the hands (`ideal`, `club`, `scholastic`) and how many of the shipped matches are played.

#[path = "../tests/support/bench.rs"]
mod bench;
#[path = "../tests/support/devices.rs"]
mod devices;
#[path = "../tests/support/records.rs"]
mod records;
#[path = "../tests/support/tables.rs"]
mod tables;

use std::process::ExitCode;

use bench::Timed;
use devices::{own_nodes, script};
use readings::{ReadingKind, SquareReading, TruthLine};
use records::{Record, record};
use rules::bpgn::BpgnGame;
use rules::{BoardId, Piece};
use sim::profile::Behaviour;
use sim::score::{Score, score_match};
use sim::{ClockTouch, Players, Profile, Script};
use tables::{BEGIN_US, Kind, Placed, bench, end_us, heard, of_own_nodes, own_table, table_of};

/// Matches played if nobody says how many.
const MATCHES: usize = 12;
/// A square must show the same for so long that every scan sees it, for what is told of it to be timed, in µs.
const STANDS_US: u64 = 700_000;

/// What is counted of one kind of board.
#[derive(Default)]
struct Counts {
    device: Score,
    own: Score,
    /// How late squares and presses were told, µs.
    squares_us: Vec<u64>,
    presses_us: Vec<u64>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let hands = arguments.next().map_or(Ok(Profile::Club), |name| name.parse::<Profile>());
    let matches = arguments.next().map_or(Ok(MATCHES), |count| count.parse::<usize>());
    let (Ok(hands), Ok(matches)) = (hands, matches) else {
        eprintln!("usage: boards [ideal|club|scholastic] [number of matches]");
        return ExitCode::FAILURE;
    };
    let mut games = sim::games::shipped();
    let every = (games.len() / matches.max(1)).max(1);
    games = games.into_iter().step_by(every).take(matches).collect();
    // Faults of our own contacts and lines are not a device's.
    let players = Players::from(hands).with_rate(Behaviour::SensorFault, 0.0);
    println!("{} matches, hands: {hands}\n", games.len());
    let counts = Kind::ALL.map(|kind| {
        let mut counts = Counts::default();
        for (seed, game) in (1..).zip(&games) {
            play(kind, game, &players, seed, &mut counts);
        }
        counts
    });
    print_plies(&counts);
    print_lateness(&counts);
    ExitCode::SUCCESS
}

fn play(kind: Kind, game: &BpgnGame, players: &Players, seed: u64, counts: &mut Counts) {
    let script = script(game, players, seed, "m");
    let own = own_nodes(game, players, kind.sensor(), seed);
    let mut bench = bench(kind, &script, Placed::default(), || None);
    bench.run_until(end_us(&script));
    let readings = heard(kind, bench, &own);
    time(&script, &readings, counts);
    let found = record(&table_of(kind, script.base_s, Placed::default()), &readings);
    let ours = record(&own_table(kind.sensor(), script.base_s), &of_own_nodes(&own));
    counts.device += &score(&script, &found);
    counts.own += &score(&script, &ours);
}

fn score(script: &Script, record: &Record) -> Score {
    let mut truth = script.truth.clone();
    for line in &mut truth {
        let t_us = match line {
            TruthLine::Ply(ply) => &mut ply.t_us,
            TruthLine::Anomaly(anomaly) => &mut anomaly.t_us,
        };
        *t_us += BEGIN_US - record.opened_us;
    }
    score_match("m", &truth, &record.inferred()).expect("matches are shorter than the limit")
}

/// Notes how late everything was told that stood long enough, and every press.
fn time(script: &Script, readings: &[Timed], counts: &mut Counts) {
    for board in BoardId::ALL {
        let of_board = &script.boards[board.index()];
        for (index, standing) in of_board.standings.iter().enumerate() {
            let later = of_board.standings[index + 1..].iter();
            let next = later.clone().find(|later| later.square == standing.square);
            let until_us = next.map_or(script.end_us, |next| next.t_us);
            let told = |kind: &ReadingKind| match kind {
                ReadingKind::Square { square, reading: Some(says), .. } => {
                    *square == standing.square && shows(*says, standing.piece)
                }
                _ => false,
            };
            let late_us = lateness(readings, board, standing.t_us, until_us, told);
            if until_us - standing.t_us >= STANDS_US {
                counts.squares_us.extend(late_us);
            }
        }
        for act in &of_board.clock {
            let ClockTouch::Press(by) = act.touch else { continue };
            let told = |kind: &ReadingKind| *kind == ReadingKind::Press { by };
            counts.presses_us.extend(lateness(readings, board, act.t_us, script.end_us, told));
        }
    }
}

fn shows(says: SquareReading, piece: Option<Piece>) -> bool {
    match says {
        SquareReading::Empty => piece.is_none(),
        SquareReading::Piece(says) => piece == Some(says),
        _ => piece.is_some(),
    }
}

/// How long after `t_us` of the match a board told what is looked for, if it did before `until_us`.
fn lateness(
    readings: &[Timed],
    board: BoardId,
    t_us: u64,
    until_us: u64,
    told: impl Fn(&ReadingKind) -> bool,
) -> Option<u64> {
    let begin = readings.partition_point(|(at_us, ..)| *at_us < BEGIN_US + t_us);
    let of_time = readings[begin..].iter().take_while(|(at_us, ..)| *at_us < BEGIN_US + until_us);
    let mut found = of_time.filter(|(_, of, kind)| *of == board && told(kind));
    found.next().map(|(at_us, ..)| at_us - BEGIN_US - t_us)
}

fn print_plies(counts: &[Counts]) {
    println!(
        "| driver | sensor | plies | right in squares | own | right in full | own | exact in squares | own |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (kind, Counts { device, own, .. }) in Kind::ALL.into_iter().zip(counts) {
        println!(
            "| `{}` | {:?} | {} | {} | {} | {} | {} | {} | {} |",
            kind.driver(),
            kind.sensor(),
            device.squares.end.of,
            device.squares.end.right,
            own.squares.end.right,
            device.plies.end.right,
            own.plies.end.right,
            device.exact_in_squares.right,
            own.exact_in_squares.right,
        );
    }
    println!();
}

fn print_lateness(counts: &[Counts]) {
    println!(
        "| driver | squares told | median ms | 95 % | max | presses told | median ms | 95 % | max |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (kind, counts) in Kind::ALL.into_iter().zip(counts) {
        let presses = if kind.brings_clocks() { &counts.presses_us[..] } else { &[] };
        println!(
            "| `{}` | {} | {} |",
            kind.driver(),
            quantiles(&counts.squares_us),
            quantiles(presses)
        );
    }
}

/// How many, and median, 95th percentile and most, in ms.
fn quantiles(late_us: &[u64]) -> String {
    let mut sorted = late_us.to_vec();
    sorted.sort_unstable();
    let Some(last) = sorted.len().checked_sub(1) else { return "– | – | – | –".to_owned() };
    let ms = |share: f64| sorted[(share * last as f64).round() as usize] / 1_000;
    format!("{} | {} | {} | {}", sorted.len(), ms(0.5), ms(0.95), ms(1.0))
}
