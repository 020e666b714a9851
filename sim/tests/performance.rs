//! Properties of every performed match, for all players.

mod common;

use common::{random_game, short_game};
use proptest::prelude::*;
use readings::{Reading, ReadingKind, SquareReading, TruthLine, TruthPly};
use rules::{Bitboard, BoardId, Color, IllegalReason, Match, Ply, Position, Reserve, Square};
use sim::{
    Equipment, Performance, Players, Profile, SimError, perform, perform_with, profile::Behaviour,
};

fn plies(performance: &Performance) -> impl Iterator<Item = &TruthPly> {
    performance.truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    })
}

fn anomalies<'a>(performance: &'a Performance, code: &'a str) -> impl Iterator<Item = u64> + 'a {
    performance.truth.iter().filter_map(move |line| match line {
        TruthLine::Anomaly(anomaly) if anomaly.code == code => Some(anomaly.t_us),
        _ => None,
    })
}

fn take(occupied: &mut [Bitboard; 2], reading: &Reading) {
    let Some(board) = reading.board else { return };
    let occupied = &mut occupied[board.index()];
    match &reading.kind {
        ReadingKind::Snapshot { occupied: Some(all), .. } => *occupied = all.0,
        ReadingKind::Square { square, reading, .. } => match reading {
            Some(SquareReading::Occupied) => occupied.add(*square),
            _ => occupied.discard(*square),
        },
        _ => {}
    }
}

/// Replays the truth; fails on a ply hands could not make or that is not as legal as it is marked.
fn replay(start: Match, performance: &Performance) -> Match {
    let mut now = start;
    for (index, ply) in plies(performance).enumerate() {
        assert_eq!(ply.n as usize, index + 1);
        let position = now.position(ply.board);
        assert_eq!(position.turn(), ply.side, "ply {}", ply.n);
        match ply.uci {
            Ply::Move { from, .. } => assert!(position.piece_at(from).is_some(), "ply {}", ply.n),
            Ply::Drop { to, .. } => assert!(position.piece_at(to).is_none(), "ply {}", ply.n),
        }
        // A king that is taken as a claim is no offence.
        let illegality = now.illegality(ply.board, ply.uci);
        let illegality = illegality.filter(|reason| *reason != IllegalReason::KingCaptured);
        assert_eq!(illegality.is_none(), ply.legal, "ply {}: {illegality:?}", ply.n);
        now.play(ply.board, ply.uci);
    }
    now
}

fn start_of(performance: &Performance) -> Match {
    let swapped = |board: BoardId| {
        performance.truth.iter().any(|line| {
            matches!(line, TruthLine::Anomaly(a) if a.code == "setup-wrong" && a.board == board)
        })
    };
    let position = |board| match swapped(board) {
        true => Position::initial_swapped(true, true),
        false => Position::initial(),
    };
    Match::new(BoardId::ALL.map(position), [Reserve::EMPTY; 4])
}

/// Players whose clocks and contacts are in order.
fn in_order(profile: Profile) -> Players {
    use Behaviour::{ClockDrift, ClockJump, ClockSetWrong, SensorFault};
    [ClockDrift, ClockJump, ClockSetWrong, SensorFault]
        .into_iter()
        .fold(profile.into(), |players: Players, fault| players.with_rate(fault, 0.0))
}

fn any_profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(Profile::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn with_ideal_players_every_press_finds_the_position_of_the_rules(game_seed: u64, seed: u64) {
        let game = random_game(game_seed, 120);
        let performance = perform(&game, Profile::Ideal, seed, "m").unwrap();
        prop_assert!(performance.truth.iter().all(|line| matches!(line, TruthLine::Ply(_))));
        let mut now = Match::initial();
        let mut truth = plies(&performance).peekable();
        let mut occupied = [Bitboard::EMPTY; 2];
        for reading in &performance.readings {
            take(&mut occupied, reading);
            if let (ReadingKind::Press { .. }, Some(board)) = (&reading.kind, reading.board) {
                while let Some(ply) = truth.next_if(|ply| ply.t_us <= reading.t_us) {
                    now.play(ply.board, ply.uci);
                }
                prop_assert_eq!(now.position(board).occupied(), occupied[board.index()]);
            }
        }
        prop_assert_eq!(&now, &game.final_match().unwrap());
    }

    #[test]
    fn truth_is_as_legal_as_it_says_and_ends_where_the_pieces_stand(
        game_seed: u64, seed: u64, profile in any_profile(),
    ) {
        let game = random_game(game_seed, 120);
        let players = in_order(profile);
        let performance =
            perform_with(&game, &players, &Equipment::default(), seed, "m").unwrap();
        let end = replay(start_of(&performance), &performance);
        let mut occupied = [Bitboard::EMPTY; 2];
        for reading in &performance.readings {
            take(&mut occupied, reading);
        }
        for board in BoardId::ALL {
            let position = end.position(board);
            let unlike = position.occupied() ^ occupied[board.index()];
            // Only promoted pawns may lie unseen.
            prop_assert!((unlike & !position.promoted()).is_empty(), "{board}: {unlike:?}");
        }
    }

    #[test]
    fn traces_are_in_order_from_set_up_to_stopped_clocks(
        game_seed: u64, seed: u64, profile in any_profile(),
    ) {
        let game = random_game(game_seed, 80);
        let players = in_order(profile);
        let performance =
            perform_with(&game, &players, &Equipment::default(), seed, "m").unwrap();
        let readings = &performance.readings;
        prop_assert!(readings.windows(2).all(|pair| pair[0].t_us <= pair[1].t_us));
        prop_assert_eq!(&readings.last().unwrap().kind, &ReadingKind::End);
        let base_ms = i64::from(performance.header.base_s) * 1000;
        for board in BoardId::ALL {
            let of_board: Vec<&ReadingKind> =
                readings.iter().filter(|r| r.board == Some(board)).map(|r| &r.kind).collect();
            let is_snapshot = matches!(of_board[0], ReadingKind::Snapshot { .. });
            prop_assert!(is_snapshot && readings[0].t_us == 0);
            let set =
                ReadingKind::Clock { white_ms: base_ms, black_ms: base_ms, running: None };
            prop_assert_eq!(of_board[1], &set);
            let mut presses = of_board.iter().filter_map(|kind| match kind {
                ReadingKind::Press { by } => Some(*by),
                _ => None,
            });
            prop_assert_eq!(presses.next(), Some(Color::Black));
            let mut by = Color::Black;
            for next in presses {
                prop_assert_eq!(next, by.other(), "a lever shows presses in turn");
                by = next;
            }
            let clocks: Vec<(i64, i64, Option<Color>)> = of_board
                .iter()
                .filter_map(|kind| match **kind {
                    ReadingKind::Clock { white_ms, black_ms, running } => {
                        Some((white_ms, black_ms, running))
                    }
                    _ => None,
                })
                .collect();
            prop_assert!(clocks.windows(2).all(|two| two[1].0 <= two[0].0 && two[1].1 <= two[0].1));
            let last = clocks.last().unwrap();
            prop_assert_eq!(last.2, None);
            prop_assert!(last.0 > 0 && last.1 > 0, "no flag falls unless the record says so");
        }
        let times: Vec<u64> = performance.truth.iter().map(|line| match line {
            TruthLine::Ply(ply) => ply.t_us,
            TruthLine::Anomaly(anomaly) => anomaly.t_us,
        }).collect();
        prop_assert!(times.is_sorted());
    }

    #[test]
    fn same_seed_gives_the_same_bytes_and_another_seed_others(game_seed: u64, seed: u64) {
        let game = random_game(game_seed, 60);
        let bytes = |seed: u64| {
            let folder = tempfile::tempdir().unwrap();
            let performance = perform(&game, Profile::Scholastic, seed, "m").unwrap();
            performance.write(folder.path()).unwrap().map(|path| std::fs::read(path).unwrap())
        };
        prop_assert_eq!(bytes(seed), bytes(seed));
        prop_assert_ne!(bytes(seed), bytes(seed.wrapping_add(1)));
    }
}

#[test]
fn plies_are_completed_in_recorded_order_by_ideal_players() {
    let game = random_game(5, 150);
    let performance = perform(&game, Profile::Ideal, 1, "m").unwrap();
    let recorded = game.plies.iter().map(|ply| (ply.board, ply.ply));
    assert!(plies(&performance).map(|ply| (ply.board, ply.uci)).eq(recorded));
}

#[test]
fn clock_of_a_player_who_lost_on_time_runs_out_before_both_clocks_are_stopped() {
    for profile in Profile::ALL {
        let performance = perform(&short_game(), profile, 3, "short").unwrap();
        let fallen: Vec<u64> = anomalies(&performance, "flag-fallen").collect();
        let zero = performance.readings.iter().find(|reading| {
            reading.board == Some(BoardId::A)
                && matches!(reading.kind, ReadingKind::Clock { white_ms: 0, .. })
        });
        assert_eq!(fallen, [zero.expect("White's clock at A shows zero").t_us], "{profile}");
    }
}

#[test]
fn base_time_is_raised_when_the_hands_need_more() {
    let mut game = random_game(9, 160);
    game.set_tag("TimeControl", "60+0");
    for ply in &mut game.plies {
        ply.clock_ms = Some(60_000);
    }
    let performance = perform(&game, Profile::Ideal, 1, "m").unwrap();
    assert!(performance.header.base_s > 60);
    assert_eq!(performance.header.base_s % 60, 0);
}

#[test]
fn swapped_set_up_is_marked_and_the_mirrored_game_stays_legal() {
    let game = random_game(11, 60);
    let swapped = (0..1000)
        .map(|seed| perform(&game, Profile::Scholastic, seed, "m").unwrap())
        .filter(|performance| anomalies(performance, "setup-wrong").count() > 0);
    let mut seen = 0;
    for performance in swapped {
        replay(start_of(&performance), &performance);
        seen += 1;
    }
    // 0.5 % of 2,000 boards: 10 expected, standard deviation 3.2.
    assert!((2..=20).contains(&seen), "{seen} of 1,000 matches");
}

#[test]
fn unplayable_records_are_refused_with_ply_and_reason() {
    let mut game = random_game(2, 40);
    game.plies.remove(0);
    let error = perform(&game, Profile::Club, 1, "m").unwrap_err();
    assert!(matches!(error, SimError::Unplayable { .. }), "{error}");
    assert!(error.to_string().starts_with("ply "), "{error}");

    let error = perform(&random_game(2, 4), Profile::Club, 1, "../m").unwrap_err().to_string();
    assert!(error.contains("../m"), "{error}");
}

#[test]
fn full_disk_or_missing_folder_is_named() {
    let performance = perform(&random_game(2, 4), Profile::Ideal, 1, "m").unwrap();
    let error = performance.write(std::path::Path::new("/nowhere/at/all")).unwrap_err();
    assert!(error.to_string().contains("/nowhere/at/all/m.trace.jsonl"), "{error}");
}

#[test]
fn empty_game_is_a_match_without_plies() {
    let performance = perform(&random_game(1, 0), Profile::Ideal, 1, "m").unwrap();
    assert_eq!(performance.truth, []);
}

#[test]
fn short_game_looks_the_same_as_ever() {
    for profile in Profile::ALL {
        let performance = perform(&short_game(), profile, 1, "short").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let [trace, truth] = performance.write(folder.path()).unwrap();
        for (kind, path) in [("trace", trace), ("truth", truth)] {
            let text = std::fs::read_to_string(path).unwrap();
            insta::assert_snapshot!(format!("short_{profile}_{kind}"), without_seconds(&text));
        }
    }
}

/// Leaves out what a running clock shows once a second, which is most of a trace.
fn without_seconds(text: &str) -> String {
    let mut last = "";
    let mut kept = Vec::new();
    for line in text.lines() {
        let after_press = last.contains("\"press\"") || line.contains("\"running\":null");
        if !line.contains("\"clock\"") || after_press || line.contains("_ms\":0,") {
            kept.push(line);
        }
        last = line;
    }
    kept.join("\n")
}

/// A match of players who are ideal but for one behaviour, which never fails to show.
fn only(behaviour: Behaviour, seed: u64) -> Performance {
    let players = Players::from(Profile::Ideal).with_rate(behaviour, 1.0);
    let equipment = Equipment { hand_sensors: true, ..Equipment::default() };
    perform_with(&random_game(21, 40), &players, &equipment, seed, "m").unwrap()
}

fn clocks(performance: &Performance, board: BoardId) -> Vec<(u64, i64, i64)> {
    let of_board = performance.readings.iter().filter(|reading| reading.board == Some(board));
    of_board
        .filter_map(|reading| match reading.kind {
            ReadingKind::Clock { white_ms, black_ms, .. } => {
                Some((reading.t_us, white_ms, black_ms))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn a_clock_that_is_knocked_over_tilts_when_the_truth_says_so() {
    let performance = only(Behaviour::ClockKnockedOver, 1);
    let falls: Vec<u64> = anomalies(&performance, "clock-knocked-over").collect();
    assert!(falls.len() >= 30, "{}", falls.len());
    let tilts = |on: bool| {
        let of = move |reading: &&Reading| reading.kind == ReadingKind::Tilt { on };
        performance.readings.iter().filter(of).map(|reading| reading.t_us)
    };
    // A clock that falls again while it lies does not tilt again.
    assert!(tilts(true).all(|t_us| falls.contains(&t_us)));
    assert!(tilts(true).zip(tilts(false)).all(|(on, off)| off >= on + 600_000));
}

#[test]
fn a_hand_is_at_the_clock_whenever_it_is_pressed_and_hovers_between_plies() {
    let performance = only(Behaviour::ClockHover, 1);
    let mut near = [[false; 2]; 2];
    for reading in &performance.readings {
        let Some(board) = reading.board else { continue };
        match reading.kind {
            ReadingKind::Hand { side, near: is_near, .. } => {
                near[board.index()][usize::from(side.is_black())] = is_near;
            }
            ReadingKind::Press { by } if reading.t_us > 3_000_000 => {
                assert!(near[board.index()][usize::from(by.is_black())], "{}", reading.t_us);
            }
            _ => {}
        }
    }
    assert!(anomalies(&performance, "clock-hover").count() > 10);
}

#[test]
fn a_clock_that_is_set_wrong_jumps_or_runs_slow_shows_it() {
    for seed in 0..8 {
        let performance = only(Behaviour::ClockSetWrong, seed);
        let base_ms = i64::from(performance.header.base_s) * 1_000;
        for board in BoardId::ALL {
            let first = clocks(&performance, board)[0];
            assert!(first.1 > base_ms || first.2 > base_ms, "{first:?}");
        }
        let performance = only(Behaviour::ClockJump, seed);
        assert_eq!(anomalies(&performance, "clock-jump").count(), 2);
        for board in BoardId::ALL {
            let shown = clocks(&performance, board);
            assert!(shown.windows(2).any(|two| two[1].1 > two[0].1 || two[1].2 > two[0].2));
        }
        let performance = only(Behaviour::ClockDrift, seed);
        for board in BoardId::ALL {
            let shown = clocks(&performance, board);
            let (first, last) = (shown[0], shown[shown.len() - 1]);
            let used_ms = (first.1 + first.2 - last.1 - last.2) as f64;
            let started = performance.readings.iter().find(|reading| {
                reading.board == Some(board) && matches!(reading.kind, ReadingKind::Press { .. })
            });
            let ran_ms = (last.0 - started.unwrap().t_us) as f64 / 1_000.0;
            assert!((0.968..0.992).contains(&(used_ms / ran_ms)), "{used_ms} {ran_ms}");
        }
    }
}

#[test]
fn a_failing_sensor_sticks_chatters_or_loses_readings() {
    let (mut lost, mut chattering, mut noted) = (0, 0, 0);
    for seed in 0..12 {
        let performance = only(Behaviour::SensorFault, seed);
        noted += anomalies(&performance, "sensor-fault").count();
        let gaps = |reading: &&Reading| matches!(reading.kind, ReadingKind::Gap { .. });
        lost += performance.readings.iter().filter(gaps).count();
        for (board, square) in
            BoardId::ALL.into_iter().flat_map(|board| Square::ALL.map(|square| (board, square)))
        {
            let changes = performance.readings.iter().filter(|reading| {
                reading.board == Some(board)
                    && matches!(reading.kind, ReadingKind::Square { square: of, .. } if of == square)
            });
            chattering += usize::from(changes.count() > 20);
        }
    }
    assert!(lost >= 3 && chattering >= 3, "{lost} {chattering}");
    // A contact that sticks as it is and is never used tells nothing wrong.
    assert!((18..=24).contains(&noted), "{noted}");
}
