//! Readings of a match by boards that distinguish pieces, and by reserve trays.

mod common;

use common::random_game;
use readings::{Reading, ReadingKind, SensorKind, SquareReading, TruthLine, TruthPly};
use rules::{BoardId, Color, Match, Piece, Ply, Seat, Square};
use sim::{Equipment, Performance, Profile, Sensors, perform_with};

fn on(sensors: Sensors, profile: Profile, seed: u64) -> Performance {
    let equipment = Equipment { sensors, ..Equipment::default() };
    perform_with(&random_game(7, 150), &profile.into(), &equipment, seed, "m").unwrap()
}

fn plies(performance: &Performance) -> impl Iterator<Item = &TruthPly> {
    performance.truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    })
}

#[test]
fn letters_are_those_of_the_pieces_that_stand_there() {
    let performance = on(Sensors::both(SensorKind::PieceId), Profile::Ideal, 1);
    let mut read: [[Option<Piece>; 64]; 2] = [[None; 64]; 2];
    let mut now = Match::initial();
    let mut truth = plies(&performance).peekable();
    let (mut right, mut all) = (0, 0);
    for Reading { t_us, board, kind } in &performance.readings {
        let Some(board) = *board else { continue };
        let piece = |reading: &SquareReading| match reading {
            SquareReading::Piece(piece) => Some(*piece),
            _ => None,
        };
        match kind {
            ReadingKind::Snapshot { squares: Some(squares), .. } => {
                let all: Vec<_> = squares.iter().map(piece).collect();
                read[board.index()].copy_from_slice(&all);
            }
            ReadingKind::Square { square, reading: Some(reading), .. } => {
                read[board.index()][usize::from(*square)] = piece(reading);
            }
            ReadingKind::Press { .. } => {
                while let Some(ply) = truth.next_if(|ply| ply.t_us <= *t_us) {
                    now.play(ply.board, ply.uci);
                }
                let position = now.position(board);
                for square in Square::ALL {
                    // For a promoted pawn, the pawn may still stand there.
                    if position.promoted().contains(square) {
                        continue;
                    }
                    let (said, stands) =
                        (read[board.index()][usize::from(square)], position.piece_at(square));
                    assert_eq!(said.is_some(), stands.is_some(), "{board} {square} at {t_us}");
                    assert_eq!(said.map(|p| p.color), stands.map(|p| p.color), "{board} {square}");
                    right += usize::from(said == stands);
                    all += 1;
                }
            }
            _ => {}
        }
    }
    assert!(all > 5_000 && (all - right) * 50 < all, "{right} of {all}");
}

#[test]
fn what_a_board_senses_with_changes_nothing_that_happens() {
    let reed = on(Sensors::default(), Profile::Club, 2);
    for kind in [SensorKind::HallPolarity, SensorKind::HallMagnitude, SensorKind::PieceId] {
        let other = on(Sensors::both(kind), Profile::Club, 2);
        let truth = |performance: &Performance| -> Vec<TruthLine> {
            let faults = |line: &&TruthLine| !matches!(line, TruthLine::Anomaly(anomaly) if anomaly.code == "sensor-fault");
            performance.truth.iter().filter(faults).cloned().collect()
        };
        assert_eq!(truth(&other), truth(&reed));
    }
}

#[test]
fn levels_stand_in_the_header_only_if_they_are_stated() {
    let mixed: Sensors = "A=hall-magnitude,B=hall-magnitude-unstated".parse().unwrap();
    let header = on(mixed, Profile::Ideal, 3).header;
    let [a, b] = BoardId::ALL.map(|board| &header.boards[&board]);
    assert_eq!(a.levels.as_ref().map(|levels| levels.len()), Some(12));
    assert!(a.sigma.is_some());
    assert_eq!((&b.levels, b.sigma), (&None, None));
}

#[test]
fn snapshots_of_levels_are_numbers_and_traces_are_in_order() {
    let performance = on(Sensors::both(SensorKind::HallMagnitude), Profile::Scholastic, 4);
    assert!(performance.readings.windows(2).all(|pair| pair[0].t_us <= pair[1].t_us));
    let first = serde_json::to_value(&performance.readings[0]).unwrap();
    let squares = first["squares"].as_array().unwrap();
    assert_eq!(squares.len(), 64);
    assert!(squares.iter().all(serde_json::Value::is_i64), "{first}");
    let line = performance.readings.iter().find(|reading| {
        matches!(reading.kind, ReadingKind::Square { level: Some(level), .. } if level < -20)
    });
    let line = serde_json::to_string(line.expect("a black piece")).unwrap();
    assert!(line.contains("\"level\":-") && !line.contains("\"reading\""), "{line}");
}

/// Number of occupied slots of each seat's tray at the end.
fn slots(performance: &Performance) -> [usize; 4] {
    let mut slots = [[false; 16]; 4];
    for Reading { board, kind, .. } in &performance.readings {
        if let (ReadingKind::Tray { side, slot, reading }, Some(board)) = (kind, *board) {
            let slot = &mut slots[Seat { board, color: *side }.index()][usize::from(*slot)];
            let occupied = *reading == SquareReading::Occupied;
            assert_ne!(*slot, occupied, "a slot says something only when it changes");
            *slot = occupied;
        }
    }
    slots.map(|slots| slots.into_iter().filter(|&occupied| occupied).count())
}

#[test]
fn ideal_players_keep_in_the_trays_what_they_may_drop() {
    let sensors = Sensors::default().with_trays(&BoardId::ALL);
    let performance = on(sensors, Profile::Ideal, 5);
    let mut now = Match::initial();
    for ply in plies(&performance) {
        now.play(ply.board, ply.uci);
    }
    let held = Seat::ALL.map(|seat| now.reserve(seat).total() as usize);
    assert!(held.iter().sum::<usize>() > 1, "{held:?}");
    assert_eq!(slots(&performance), held);
    let drops = plies(&performance).filter(|ply| matches!(ply.uci, Ply::Drop { .. }));
    for drop in drops {
        let taken = performance.readings.iter().any(|reading| {
            let before_us = drop.t_us.saturating_sub(reading.t_us);
            reading.board == Some(drop.board)
                && (1..4_000_000).contains(&before_us)
                && matches!(&reading.kind, ReadingKind::Tray { side, reading, .. }
                    if *side == drop.side && *reading == SquareReading::Empty)
        });
        assert!(taken, "ply {} comes out of no slot", drop.n);
    }
}

#[test]
fn trays_at_one_board_say_nothing_of_the_other() {
    let sensors = Sensors::default().with_trays(&[BoardId::B]);
    let performance = on(sensors, Profile::Club, 6);
    let [a, b] = BoardId::ALL.map(|board| {
        let of_board = performance.readings.iter().filter(|reading| reading.board == Some(board));
        of_board.filter(|reading| matches!(reading.kind, ReadingKind::Tray { .. })).count()
    });
    assert!(a == 0 && b > 10, "{a} {b}");
    assert!(performance.header.boards[&BoardId::B].trays);
    assert!(!performance.header.boards[&BoardId::A].trays);
    for line in &performance.truth {
        if let TruthLine::Anomaly(anomaly) = line
            && anomaly.code == "hidden-piece"
        {
            assert_eq!(anomaly.board, BoardId::B);
            assert!(matches!(anomaly.side, Some(Color::White | Color::Black)));
        }
    }
}
