//! A small part of the bench, held fast: three shipped games, one seed, counts alone.
//!
//! The tracker gives the same answers bit for bit on every machine, so these counts change when the
//! tracker, the hands or the weights do, and then the change is to be looked at: is it better? When it
//! is meant, `INSTA_UPDATE=always cargo test -p sim --test accuracy` writes it down. How right the
//! tracker is on games it has not seen, docs/accuracy.md says.

use inference::record::SensorKind;
use rules::BoardId;
use sim::{
    Equipment, Profile, Sensors,
    accuracy::{Contender, Folds, Matrix, Mind, Row, Setting, fixed_part},
    games,
};

/// Few enough to take seconds.
const GAMES: usize = 3;

fn row(kind: SensorKind, trays: bool, players: Profile, contenders: Vec<usize>) -> Row {
    let boards: &[BoardId] = if trays { &BoardId::ALL } else { &[] };
    let sensors = Sensors::both(kind).with_trays(boards);
    let setting = Setting { equipment: Equipment { sensors, ..Equipment::default() }, players };
    Row { setting, contenders, asked: None }
}

#[test]
fn shipped_games_are_followed_as_well_as_they_were() {
    let shipped = games::shipped().into_iter().take(GAMES);
    let matrix = Matrix {
        games: shipped.enumerate().map(|(place, game)| (format!("e{place}"), game)).collect(),
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
