//! Simulated games without clocks: how many of their plies are recorded, by answer and stillness alone.

use readings::TruthLine;

use super::*;
use crate::session::follower::tracker;

/// Simulated games of each kind.
const GAMES: u64 = 4;

/// Number of plies of a match, and of those that are read in their order without its presses and clocks.
fn read(mut played: sim::Performance) -> (usize, usize) {
    played.header.boards.values_mut().for_each(|board| board.clockless = true);
    let is_clock =
        |kind: &ReadingKind| matches!(kind, ReadingKind::Press { .. } | ReadingKind::Clock { .. });
    let mut follower = tracker(&played.header, Facts::default());
    let mut plies: BTreeMap<u32, (u64, BoardId, String)> = BTreeMap::new();
    for reading in played.readings.iter().filter(|reading| !is_clock(&reading.kind)) {
        while let Some(t_us) = follower.poll_timeout().filter(|&t_us| t_us < reading.t_us) {
            follower.handle_timeout(t_us);
        }
        follower.handle(reading);
    }
    follower.finish();
    while let Some(output) = follower.poll_output() {
        match output {
            inference::TrackerOutput::Ply(ply) => {
                plies.insert(ply.id.0, (ply.t_us, ply.board, ply.ply.to_string()));
            }
            inference::TrackerOutput::PlyRetracted { id, .. } => {
                plies.remove(&id.0);
            }
            _ => {}
        }
    }
    let mut read: Vec<_> = plies.into_values().collect();
    read.sort();
    let (mut all, mut right) = (0, 0);
    for board in BoardId::ALL {
        let truth = played.truth.iter().filter_map(|line| match line {
            TruthLine::Ply(ply) if ply.board == board => Some(ply.uci.to_string()),
            _ => None,
        });
        let truth: Vec<String> = truth.collect();
        let read: Vec<&String> =
            read.iter().filter(|ply| ply.1 == board).map(|(.., uci)| uci).collect();
        all += truth.len();
        right += common(&truth, &read);
    }
    (all, right)
}

/// Length of the longest common subsequence.
fn common(truth: &[String], read: &[&String]) -> usize {
    let mut row = vec![0; read.len() + 1];
    for ply in truth {
        let mut diagonal = 0;
        for (at, other) in read.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if ply == *other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[read.len()]
}

#[test]
fn most_plies_of_simulated_games_without_clocks_are_recorded() {
    let profile: sim::Profile = "club".parse().unwrap();
    let chess = sim::games::shipped_chess();
    let bughouse = sim::games::shipped();
    let (mut in_chess, mut in_bughouse) = ((0, 0), (0, 0));
    let add = |sum: &mut (usize, usize), (all, right)| *sum = (sum.0 + all, sum.1 + right);
    for (seed, (chess, bughouse)) in (1..=GAMES).zip(chess.iter().zip(&bughouse)) {
        add(&mut in_chess, read(sim::perform(chess, profile, seed, "m").unwrap()));
        add(&mut in_bughouse, read(sim::perform(bughouse, profile, seed, "m").unwrap()));
    }
    println!("chess {in_chess:?}, bughouse {in_bughouse:?}");
    let share = |(all, right): (usize, usize)| right as f64 / all as f64;
    assert!(share(in_chess) > 0.85, "{in_chess:?}");
    assert!(share(in_bughouse) > 0.9, "{in_bughouse:?}");
}
