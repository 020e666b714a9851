//! A hub's end of the hall: every node sends over its serial device what virtual time computes. Faults of the line are the link campaign's.

mod common;

use std::{path::Path, time::Duration};

use common::{random_game, short_game};
use proto::link::{HostEvent, HostSession, HubTime, Message, SensorReading, Side};
use readings::{Reading, ReadingKind, SquareReading};
use rules::{Color, Square, bpgn::BpgnGame};
use sim::{
    Equipment, Profile, Sensors, SimError, perform, perform_with,
    real_time::{Fault, Hall, HallConfig, HallNode, HallNodeKind},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};
use tokio_serial::{SerialPortBuilderExt, SerialStream};

const BEGIN: Duration = Duration::from_millis(200);
/// Far longer than any exchange in these tests takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn config(games: Vec<BpgnGame>, speed: f64, folder: &Path) -> HallConfig {
    HallConfig {
        games,
        profile: Profile::Scholastic,
        trays: false,
        seed: 7,
        speed,
        tables: 1,
        device_folder: folder.to_owned(),
        lead_in: BEGIN,
    }
}

/// The short game without its last minutes, in which nobody moves.
fn quick_game() -> BpgnGame {
    let mut game = short_game();
    game.ending = None;
    game
}

fn open(node: &HallNode) -> tokio_serial::Result<SerialStream> {
    tokio_serial::new(node.port.to_string_lossy(), 115_200).open_native_async()
}

/// Messages that a hub has received from one node.
struct Ear {
    host: HostSession,
    readings: Vec<(u64, ReadingKind)>,
}

impl Ear {
    fn new() -> Ear {
        let host = HostSession::new(None);
        Ear { host, readings: Vec::new() }
    }

    fn take(&mut self, event: HostEvent) {
        if let HostEvent::Event { boot_id, sequence, message } = event {
            self.host.committed(boot_id, sequence);
            self.note(message);
        }
    }

    fn note(&mut self, message: Message) {
        let color = |side| if side == Side::White { Color::White } else { Color::Black };
        match message {
            Message::SquaresChanged(changed) => {
                for change in &changed.changes {
                    let square = Square::new(change.square.get().into());
                    let (reading, level) = match change.reading {
                        SensorReading::Empty => (Some(SquareReading::Empty), None),
                        SensorReading::Occupied => (Some(SquareReading::Occupied), None),
                        SensorReading::White => (Some(SquareReading::Side(Color::White)), None),
                        SensorReading::Black => (Some(SquareReading::Side(Color::Black)), None),
                        SensorReading::Level(level) => (None, Some(i32::from(level))),
                    };
                    let t_us = changed.time.plus_micros(change.offset_us.into()).as_micros();
                    self.readings.push((t_us, ReadingKind::Square { square, reading, level }));
                }
            }
            Message::Press(press) => {
                let kind = ReadingKind::Press { by: color(press.by) };
                self.readings.push((press.time.as_micros(), kind));
            }
            _ => {}
        }
    }

    /// Listens until the device disappears or `until` returns true.
    async fn listen(&mut self, port: &mut SerialStream, until: impl Fn(&Ear) -> bool) {
        let mut bytes = [0; 512];
        let mut out = [0; 512];
        while !until(self) {
            let length = self.host.transmit(&mut out);
            if length > 0 && port.write_all(&out[..length]).await.is_err() {
                return;
            }
            match timeout(Duration::from_millis(20), port.read(&mut bytes)).await {
                Ok(Ok(0) | Err(_)) => return,
                Ok(Ok(length)) => {
                    let mut heard = Vec::new();
                    let now = HubTime::ZERO;
                    self.host.receive(now, &bytes[..length], |event| heard.push(event));
                    heard.into_iter().for_each(|event| self.take(event));
                }
                Err(_) => {}
            }
        }
    }
}

/// Readings that the node would send of the hall's matches, by the performance in virtual time.
fn expected(hall: &Hall, node: &HallNode, games: &[BpgnGame]) -> Vec<(u64, ReadingKind)> {
    let of_node = |reading: &Reading| {
        reading.board == Some(node.board)
            && match node.kind {
                HallNodeKind::Board => matches!(reading.kind, ReadingKind::Square { .. }),
                HallNodeKind::Clock => matches!(reading.kind, ReadingKind::Press { .. }),
            }
    };
    let matches = hall.matches().iter().zip(games);
    matches
        .flat_map(|(of_hall, game)| {
            let performance = perform(game, Profile::Scholastic, 7, &of_hall.match_id).unwrap();
            assert_eq!(performance.truth, of_hall.truth);
            let begin_us = of_hall.begin_us;
            let readings = performance.readings.into_iter().filter(of_node);
            readings.map(move |reading| (begin_us + reading.t_us, reading.kind)).collect::<Vec<_>>()
        })
        .collect()
}

#[tokio::test]
async fn hall_tells_over_the_line_what_the_performance_tells_in_virtual_time() {
    let folder = tempfile::tempdir().unwrap();
    let games = vec![quick_game()];
    let hall = Hall::start(config(games.clone(), 50.0, folder.path())).unwrap();
    let mut ears = Vec::new();
    for node in hall.nodes().to_vec() {
        let expected = expected(&hall, &node, &games);
        let mut port = open(&node).unwrap();
        ears.push(tokio::spawn(async move {
            let mut ear = Ear::new();
            let all = |ear: &Ear| ear.readings.len() >= expected.len();
            timeout(PATIENCE, ear.listen(&mut port, all)).await.unwrap();
            assert_eq!(ear.readings, expected, "{}", node.node_id);
        }));
    }
    for ear in ears {
        ear.await.unwrap();
    }
    hall.finished().await;
}

#[tokio::test]
async fn matches_follow_each_other_on_a_table_that_is_set_up_anew() {
    let folder = tempfile::tempdir().unwrap();
    let games = vec![random_game(1, 12), random_game(2, 12)];
    let hall = Hall::start(config(games.clone(), 50.0, folder.path())).unwrap();
    let node = hall.nodes()[0].clone();
    let expected = expected(&hall, &node, &games);
    assert!(hall.matches().iter().all(|one| one.header.base_s == hall.base_s()));
    let second_us = hall.matches()[1].begin_us;
    let first: Vec<_> = expected.iter().filter(|(t_us, _)| *t_us < second_us).cloned().collect();
    let mut port = open(&node).unwrap();
    let mut ear = Ear::new();
    let last = expected.last().unwrap().clone();
    let all = |ear: &Ear| ear.readings.last() == Some(&last);
    timeout(PATIENCE, ear.listen(&mut port, all)).await.unwrap();
    // Between the matches there is the set-up besides.
    assert_eq!(ear.readings[..first.len()], first);
    assert!(ear.readings.ends_with(&expected[first.len()..]));
    let mut occupied = 0xffff_0000_0000_ffff_u64;
    for (t_us, kind) in &ear.readings {
        if let (true, ReadingKind::Square { square, .. }) = (*t_us < second_us, kind) {
            occupied ^= 1 << u32::from(*square);
        }
    }
    assert_eq!(occupied, 0xffff_0000_0000_ffff, "all pieces stand when the second match begins");
}

/// Readings of each square, one after the other; levels as those of a trace, to the nearest type's.
fn by_square(readings: &[(u64, ReadingKind)], counts_to_level: f64) -> Vec<Vec<i32>> {
    let mut told = vec![Vec::new(); 64];
    for (_, kind) in readings {
        let &ReadingKind::Square { square, reading, level } = kind else { continue };
        let level = level.map(|level| f64::from(level) * counts_to_level);
        let value = match (reading, level) {
            (Some(SquareReading::Side(Color::White)), _) => 1,
            (Some(SquareReading::Side(Color::Black)), _) => -1,
            // Levels of types are 20 apart, from 30 to 130.
            (_, Some(level)) if level.abs() > 15.0 => {
                (level.signum() * ((level.abs() - 10.0) / 20.0).round().clamp(1.0, 6.0)) as i32
            }
            _ => 0,
        };
        told[usize::from(square)].push(value);
    }
    told
}

/// Plays the quick game on boards of this kind. Returns the first board's readings over the line, and those in
/// virtual time without a node.
async fn told_by_hall_board(kind: &str) -> (Vec<Vec<i32>>, Vec<Vec<i32>>) {
    let folder = tempfile::tempdir().unwrap();
    let sensors: Sensors = kind.parse().unwrap();
    let games = vec![quick_game()];
    let hall = Hall::start_with(config(games.clone(), 20.0, folder.path()), sensors).unwrap();
    let node = hall.nodes()[0].clone();
    assert_eq!(node.sensor, sensors.board(node.board).map(|board| board.kind));
    let of_hall = &hall.matches()[0];
    let equipment = Equipment { sensors, ..Equipment::default() };
    let players = Profile::Scholastic.into();
    let performance = perform_with(&games[0], &players, &equipment, 7, &of_hall.match_id).unwrap();
    let of_board = performance.readings.into_iter().filter(|reading| {
        reading.board == Some(node.board) && matches!(reading.kind, ReadingKind::Square { .. })
    });
    let expected: Vec<_> = of_board.map(|reading| (reading.t_us, reading.kind)).collect();
    let mut port = open(&node).unwrap();
    let mut ear = Ear::new();
    let end_us = of_hall.end_us - 500_000;
    let all = |_: &Ear| hall.now_us() > end_us;
    timeout(PATIENCE, ear.listen(&mut port, all)).await.unwrap();
    // A level of a node is 16 counts of its converter, one of a trace 11.
    (by_square(&ear.readings, 16.0 / 11.0), by_square(&expected, 1.0))
}

#[tokio::test]
async fn a_polarity_board_tells_over_the_line_which_colour_came_and_went() {
    let (told, expected) = told_by_hall_board("hall-polarity").await;
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_magnitude_board_tells_over_the_line_which_types_came_and_went() {
    let (told, expected) = told_by_hall_board("hall-magnitude").await;
    let colours = |values: &[i32]| values.iter().map(|value| value.signum()).collect::<Vec<_>>();
    let last = |values: &[i32]| values.last().copied().unwrap_or(0);
    let mut same = 0;
    for (told, expected) in told.iter().zip(&expected) {
        // A level must hold four times as long as a pole: shorter levels are not reported.
        let mut rest = colours(expected).into_iter();
        let in_order = colours(told).into_iter().all(|one| rest.any(|other| other == one));
        assert!(in_order, "{told:?} {expected:?}");
        assert_eq!(last(told).signum(), last(expected).signum());
        same += usize::from(last(told) == last(expected));
    }
    // Each is nearest to its type in nineteen of twenty cases.
    assert!(same * 10 >= told.len() * 9, "{same} of {}", told.len());
}

#[tokio::test]
async fn bad_hall_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |config: HallConfig| Hall::start(config).err().unwrap();
    let error = refused(config(vec![], 0.0, folder.path()));
    assert!(matches!(error, SimError::Speed(_)), "{error}");
    let letters = "A=reed,B=piece-id".parse().unwrap();
    let error = Hall::start_with(config(vec![], 1.0, folder.path()), letters).err().unwrap();
    assert!(error.to_string().contains("piece-id"), "{error}");
    let error = refused(config(vec![], 1.0, Path::new("/nowhere")));
    assert!(error.to_string().contains("/nowhere/table1-board-a"), "{error}");
    let hall = Hall::start(config(vec![], 1.0, folder.path())).unwrap();
    let error = hall.inflict("table9-board-a", Fault::Unplug).await.unwrap_err();
    assert!(error.to_string().contains("table9-board-a"), "{error}");
}
