//! A small part of the bench, held fast: three shipped games, one seed, counts alone.
//!
//! The tracker gives the same answers bit for bit on every machine, so these counts change when the
//! tracker, the hands or the weights do, and then the change is to be looked at: is it better? When it
//! is meant, `INSTA_UPDATE=always cargo test -p sim --test accuracy` writes it down. How right the
//! tracker is on games it has not seen, docs/accuracy.md says.

use readings::SensorKind;
use rules::BoardId;
use sim::{
    Equipment, Profile, RecordedGame, Sensors,
    accuracy::{Contender, Folds, Matrix, Mind, Row, Setting, fixed_part},
    games,
};

/// Few enough to take seconds.
const GAMES: usize = 3;

fn row(kind: SensorKind, trays: bool, players: Profile, contenders: Vec<usize>) -> Row {
    let boards: &[BoardId] = if trays { &BoardId::ALL } else { &[] };
    let sensors = Sensors::both(kind).with_trays(boards);
    let setting = Setting {
        equipment: Equipment { sensors, ..Equipment::default() },
        players: players.into(),
    };
    Row { setting, contenders, asked: Vec::new() }
}

#[test]
fn shipped_games_are_followed_as_well_as_they_were() {
    let shipped: Vec<RecordedGame> = games::shipped()
        .iter()
        .take(GAMES)
        .map(|game| game.try_into().expect("a shipped match can be played"))
        .collect();
    let matrix = Matrix {
        games: named(shipped),
        folds: Folds::new(GAMES, 1),
        rows: vec![
            row(SensorKind::Reed, false, Profile::Ideal, vec![0, 1]),
            row(SensorKind::Reed, false, Profile::Scholastic, vec![0, 1]),
            row(SensorKind::Reed, true, Profile::Club, vec![1]),
            row(SensorKind::HallMagnitude, false, Profile::Club, vec![1]),
        ],
        contenders: vec![
            Contender::new("hobby board", Mind::HobbyBoard),
            Contender::new("usual", Mind::Tracker(Vec::new())),
        ],
        seeds: vec![1],
        asked_seeds: 0,
        beam: 512,
    };
    let measured = matrix.tasks().into_iter().map(|task| {
        (task, matrix.measure(task, || ()).expect("shipped games can be performed and scored"))
    });
    let cells = matrix.cells(measured.collect(), &[]);
    insta::assert_snapshot!(fixed_part(&cells));
}

fn named(games: Vec<RecordedGame>) -> Vec<(String, RecordedGame)> {
    games.into_iter().enumerate().map(|(place, game)| (format!("e{place}"), game)).collect()
}

#[test]
fn shipped_games_of_chess_are_followed_as_well_as_they_were() {
    let shipped: Vec<RecordedGame> = games::shipped_chess()
        .iter()
        .step_by(12)
        .map(|game| game.try_into().expect("a shipped game can be played"))
        .collect();
    let matrix = Matrix {
        folds: Folds::new(shipped.len(), 1),
        games: named(shipped),
        rows: Profile::ALL.map(|players| row(SensorKind::Reed, false, players, vec![0, 1])).into(),
        contenders: vec![
            Contender::new("hobby board", Mind::HobbyBoard),
            Contender::new("usual", Mind::Tracker(Vec::new())),
        ],
        seeds: vec![1],
        asked_seeds: 0,
        beam: 512,
    };
    let measured = matrix.tasks().into_iter().map(|task| {
        (task, matrix.measure(task, || ()).expect("shipped games can be performed and scored"))
    });
    let cells = matrix.cells(measured.collect(), &[]);
    let tracked = cells.iter().filter(|cell| cell.contender == "usual");
    for cell in tracked {
        for code in ["clock-jump", "clock-drift"] {
            let reports = cell.total.score.anomalies.get(code).map(|score| score.precision);
            let false_alarms = reports.map_or(0, |reports| reports.of - reports.right);
            assert_eq!(false_alarms, 0, "{code} in {}", cell.setting);
        }
    }
    insta::assert_snapshot!(fixed_part(&cells));
}
