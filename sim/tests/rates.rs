//! Every row of the table of behaviours really happens, about as often as it says.

use std::{collections::HashMap, fs, path::Path};

use readings::{ReadingKind, SquareReading, TruthLine};
use rules::{BoardId, Match, Ply, Square, bpgn};
use sim::{
    Equipment, Profile, Script, Sensors, perform,
    profile::{Behaviour, TABLE},
    script, script_with,
};

/// Number of shipped games: enough for all but the rarest rows to show in each profile.
const GAMES: usize = 120;

fn games() -> Vec<bpgn::BpgnGame> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let mut games = Vec::new();
    for file in ["engine-001.bpgn", "engine-002.bpgn"] {
        games.extend(bpgn::read(&fs::read(folder.join(file)).unwrap()).into_iter().flatten());
    }
    games.truncate(GAMES);
    assert_eq!(games.len(), GAMES);
    games
}

/// Number of chances for a behaviour.
#[derive(Default)]
struct Opportunities {
    plies: usize,
    moves: usize,
    captures: usize,
    castlings: usize,
    promotions: usize,
}

impl Opportunities {
    fn count(&mut self, script: &Script) {
        let mut now = Match::initial();
        for line in &script.truth {
            let TruthLine::Ply(ply) = line else { continue };
            let played = now.play(ply.board, ply.uci);
            self.plies += 1;
            self.moves += usize::from(matches!(ply.uci, Ply::Move { .. }));
            self.captures += usize::from(played.captured.is_some());
            self.castlings += usize::from(played.castling_rook.is_some());
            self.promotions += usize::from(played.promoted);
        }
    }

    fn of(&self, behaviour: Behaviour, swaps: usize) -> usize {
        match behaviour {
            Behaviour::Drag => self.moves,
            Behaviour::CaptureSwapped
            | Behaviour::CaptureKnockedAside
            | Behaviour::EarlyPass
            | Behaviour::HeldBack
            | Behaviour::Rearranged => self.captures,
            Behaviour::InstantSwap => swaps,
            Behaviour::CastlingRookFirst | Behaviour::CastlingBothHands => self.castlings,
            Behaviour::PromotedLying => self.promotions,
            _ => self.plies,
        }
    }
}

#[test]
fn every_behaviour_happens_about_as_often_as_the_table_says() {
    let games = games();
    for profile in Profile::ALL {
        let mut opportunities = Opportunities::default();
        let mut happened: HashMap<Behaviour, usize> = HashMap::new();
        for (index, game) in games.iter().enumerate() {
            let sensors = Sensors::default().with_trays(&BoardId::ALL);
            let equipment = Equipment { sensors, ..Equipment::default() };
            let name = format!("match-{index}");
            let script = script_with(game, &profile.into(), &equipment, 20, &name).unwrap();
            opportunities.count(&script);
            for habit in &script.habits {
                *happened.entry(habit.behaviour).or_default() += 1;
            }
        }
        let swaps = happened.get(&Behaviour::CaptureSwapped).copied().unwrap_or(0);
        for (behaviour, _) in TABLE {
            // The spread is tested with the hand, the set-up (once a board) over many seeds.
            // Promotions of chess and kings that are taken have tests of their own.
            let of_chess =
                matches!(behaviour, Behaviour::PromotedOffBoard | Behaviour::PromotedLate);
            let elsewhere = [Behaviour::TravelSpread, Behaviour::KingTaken].contains(&behaviour);
            if elsewhere || behaviour.is_per_board() || of_chess {
                continue;
            }
            let count = happened.get(&behaviour).copied().unwrap_or(0) as f64;
            let trials = opportunities.of(behaviour, swaps) as f64;
            let expected = trials * profile.rate(behaviour);
            let four_sigma = 4.0 * expected.sqrt();
            // Some rows cannot happen in every ply: nobody forgets a press that is not theirs to
            // make, knocks over pieces where none stand, or overlaps with a press that never came.
            // Rearranging wants an undisturbed moment.
            let least = 0.75 * expected - four_sigma;
            let most = 1.02 * expected + four_sigma;
            assert!(
                (least..=most).contains(&count),
                "{profile} {behaviour:?}: {count} of {trials}, expected {expected:.1}"
            );
        }
    }
}

/// Readings of a board's squares between two moments.
fn said(
    performance: &sim::Performance,
    board: BoardId,
    from_us: u64,
    to_us: u64,
) -> impl Iterator<Item = (Square, bool)> + '_ {
    performance
        .readings
        .iter()
        .filter(move |reading| {
            reading.board == Some(board) && (from_us..=to_us).contains(&reading.t_us)
        })
        .filter_map(|reading| match reading.kind {
            ReadingKind::Square { square, reading, .. } => {
                Some((square, reading == Some(SquareReading::Occupied)))
            }
            _ => None,
        })
}

#[test]
fn instant_swaps_leave_no_reading_on_their_square() {
    let mut seen = 0;
    for (index, game) in games().iter().enumerate() {
        let name = format!("match-{index}");
        let performance = perform(game, Profile::Club, 20, &name).unwrap();
        let script = script(game, Profile::Club, 20, &name).unwrap();
        let swaps = script.habits.iter().filter(|habit| {
            // With nothing else in the same ply that could disturb the square.
            habit.behaviour == Behaviour::InstantSwap
                && script.habits.iter().filter(|other| other.t_us == habit.t_us).count() == 2
        });
        for swap in swaps {
            let ply = script.truth.iter().find_map(|line| match line {
                TruthLine::Ply(ply) if ply.t_us == swap.t_us => Some(ply),
                _ => None,
            });
            let Some(ply) = ply else { continue };
            let Ply::Move { from, to, promotion: None } = ply.uci else { continue };
            let since_us = swap.t_us.saturating_sub(700_000);
            let squares: Vec<_> =
                said(&performance, swap.board, since_us, swap.t_us).map(|said| said.0).collect();
            assert!(!squares.contains(&to), "{name} ply {}", ply.n);
            let lifted_us = swap.t_us.saturating_sub(3_000_000);
            assert!(
                said(&performance, swap.board, lifted_us, swap.t_us).any(|s| s == (from, false))
            );
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn forgotten_presses_are_missing_from_the_trace() {
    for (index, game) in games().iter().take(30).enumerate() {
        let performance =
            perform(game, Profile::Scholastic, 20, &format!("match-{index}")).unwrap();
        let mut count: HashMap<&str, i64> = HashMap::new();
        for line in &performance.truth {
            let code = match line {
                TruthLine::Ply(_) => "ply",
                TruthLine::Anomaly(anomaly) => anomaly.code.as_str(),
            };
            *count.entry(code).or_default() += 1;
        }
        let of = |code| count.get(code).copied().unwrap_or(0);
        let presses = performance.readings.iter();
        let presses =
            presses.filter(|r| matches!(r.kind, ReadingKind::Press { .. })).count() as i64;
        // Two presses start the boards. A forgotten press costs itself and the reply's, unless it
        // is made late.
        let most = of("ply") + 2 + of("press-without-move");
        assert!((most - 2 * of("missed-press")..=most).contains(&presses), "match {index}");
    }
}
