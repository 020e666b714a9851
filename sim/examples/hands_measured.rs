//! Says how often what was planted in drawn hands lies inside the intervals that `twinboard hands` prints, and how many
//! milliseconds the intervals span: `cargo run --release -p sim --example hands_measured -- FIRST LAST MATCHES`, the
//! seeds of the hands and how many shipped matches each pair of hands plays.

use std::process::ExitCode;

use inference::TrackerConfig;
use sim::{
    Equipment, Players, Profile, games,
    measured::{HandSamples, planted},
    perform_with,
};

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [first, last, matches] = numbers[..] else {
        eprintln!("expected three numbers: first seed, last seed, matches of each");
        return ExitCode::FAILURE;
    };
    let games = games::shipped();
    let mut of_rows: Vec<(&str, u32, u32, f64)> = Vec::new();
    for seed in first..=last {
        let players = Players::drawn(Profile::Scholastic, seed, "hands");
        let mut samples = HandSamples::default();
        for (at, game) in games.iter().enumerate().take(matches as usize) {
            let id = format!("m{at}");
            match perform_with(game, &players, &Equipment::default(), seed, &id) {
                Ok(played) => {
                    samples.follow(&played.header, &played.readings, TrackerConfig::default())
                }
                Err(error) => eprintln!("{id}: {error}"),
            }
        }
        let measured = samples.measured();
        of_rows.resize(measured.len(), ("", 0, 0, 0.0));
        for ((row, planted), sums) in measured.iter().zip(planted(&players)).zip(&mut of_rows) {
            sums.0 = row.name;
            let Some(found) = row.estimate else { continue };
            let is_inside = found.low <= planted && planted <= found.high;
            if !is_inside {
                println!("{seed}: {}: planted {planted:.3}, found {found:?}", row.name);
            }
            *sums = (
                row.name,
                sums.1 + u32::from(is_inside),
                sums.2 + 1,
                sums.3 + found.high - found.low,
            );
        }
    }
    for (name, inside, of, span) in of_rows {
        println!("{name:38} {inside} of {of} inside, {:.3} wide", span / f64::from(of.max(1)));
    }
    ExitCode::SUCCESS
}
