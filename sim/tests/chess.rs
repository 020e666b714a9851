//! Chess at one board: properties of every game, for all players, with clocks of every kind.

use readings::{ReadingKind, SquareReading, TruthLine, TruthPly};
use rules::{Bitboard, BoardId, Color, DelayKind, Game, Match, Square, pgn};
use sim::{
    Equipment, Performance, Players, Profile, RecordedGame, Script, Sensors, SimError, games,
    perform, perform_with, profile::Behaviour, script, script_with,
};

fn shipped() -> Vec<RecordedGame> {
    let games = games::shipped_chess();
    games.iter().map(|game| game.try_into().expect("a shipped game can be played")).collect()
}

fn plies(truth: &[TruthLine]) -> Vec<&TruthPly> {
    let plies = truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    });
    plies.collect()
}

/// Times on clocks, White's and Black's in milliseconds, with the moment.
fn clocks(performance: &Performance) -> Vec<(u64, [i64; 2])> {
    let shown = performance.readings.iter().filter_map(|reading| match reading.kind {
        ReadingKind::Clock { white_ms, black_ms, .. } => Some((reading.t_us, [white_ms, black_ms])),
        _ => None,
    });
    shown.collect()
}

/// A game from the text of its moves, with the tags of its clock.
fn recorded(tags: &str, moves: &str) -> RecordedGame {
    let (game, error) = pgn::read(format!("{tags}\n\n{moves} *").as_bytes()).remove(0);
    assert_eq!(error, None);
    (&game).try_into().expect("a game that can be played")
}

#[test]
fn every_shipped_game_is_played_to_its_last_ply_on_board_a_alone() {
    for (number, game) in shipped().iter().enumerate() {
        let performance = perform(game, Profile::Ideal, 1, "m").expect("it can be played");
        let made = plies(&performance.truth);
        assert!(
            made.iter().map(|ply| ply.uci).eq(game.plies.iter().map(|ply| ply.ply)),
            "{number}"
        );
        assert!(made.iter().all(|ply| ply.legal && ply.board == BoardId::A), "{number}");
        assert_eq!(performance.header.game, Game::Chess);
        assert!(performance.header.boards.keys().eq([&BoardId::A]));
        assert_eq!(performance.header.check(), Ok(()));
        let boards = performance.readings.iter().filter_map(|reading| reading.board);
        assert!(boards.into_iter().all(|board| board == BoardId::A), "{number}");
    }
}

#[test]
fn every_press_of_ideal_players_finds_the_position_of_the_rules() {
    for game in shipped().iter().step_by(12) {
        let performance = perform(game, Profile::Ideal, 3, "m").expect("it can be played");
        let mut truth = plies(&performance.truth).into_iter().peekable();
        let (mut now, mut occupied) = (Match::chess(), Bitboard::EMPTY);
        for reading in &performance.readings {
            match &reading.kind {
                ReadingKind::Snapshot { occupied: Some(all), .. } => occupied = all.0,
                ReadingKind::Square { square, reading: Some(SquareReading::Occupied), .. } => {
                    occupied.add(*square);
                }
                ReadingKind::Square { square, .. } => occupied.discard(*square),
                ReadingKind::Press { .. } => {
                    while let Some(ply) = truth.next_if(|ply| ply.t_us <= reading.t_us) {
                        now.play(ply.board, ply.uci);
                    }
                    assert_eq!(now.position(BoardId::A).occupied(), occupied);
                }
                _ => {}
            }
        }
        assert!(truth.peek().is_none());
    }
}

#[test]
fn illegal_plies_and_swapped_set_ups_leave_a_game_that_goes_on_to_its_end() {
    let mut slips = 0;
    for (seed, game) in (0..).zip(shipped().iter().step_by(10)) {
        let players = Players::from(Profile::Scholastic)
            .with_rate(Behaviour::SetupSwapped, 1.0)
            .with_rate(Behaviour::IllegalPly, 0.05)
            .with_rate(Behaviour::KingTaken, 0.0);
        let equipment = Equipment::default();
        let performance =
            perform_with(game, &players, &equipment, seed, "m").expect("it can be played");
        let mut now = Match::chess();
        *now.position_mut(BoardId::A) = rules::Position::initial_swapped(true, true);
        for ply in plies(&performance.truth) {
            assert_eq!(now.illegality(BoardId::A, ply.uci).is_none(), ply.legal);
            now.play(BoardId::A, ply.uci);
            slips += usize::from(!ply.legal);
        }
        assert!(plies(&performance.truth).len() >= game.plies.len());
        let set_up = |line: &&TruthLine| matches!(line, TruthLine::Anomaly(anomaly) if anomaly.code == "setup-wrong");
        assert_eq!(performance.truth.iter().filter(set_up).count(), 2, "one for each side");
    }
    assert!(slips > 10, "{slips}");
}

#[test]
fn increment_is_there_from_the_start_and_comes_with_every_press() {
    let game = recorded("[TimeControl \"60+3\"]", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6");
    let performance = perform(&game, Profile::Ideal, 1, "m").expect("it can be played");
    let time = performance.header.time.as_ref().expect("more than base time");
    assert_eq!((time.increment_s(), performance.header.base_s), (3, 60));
    let shown = clocks(&performance);
    assert_eq!(shown[0].1, [63_000, 63_000]);
    let rises = shown.windows(2).filter(|pair| pair[1].1[0] > pair[0].1[0]).count();
    assert_eq!(rises, 3, "one for each of White's moves");
}

#[test]
fn clock_with_a_us_delay_stands_still_and_never_goes_up() {
    let game = recorded("[TimeControl \"60\"]\n[Delay \"9 us\"]", "1. e4 e5 2. Nf3 Nc6");
    assert_eq!(game.time.delay(), DelayKind::Us);
    let performance = perform(&game, Profile::Ideal, 1, "m").expect("it can be played");
    let shown = clocks(&performance);
    let falls = |pair: &[(u64, [i64; 2])]| (0..2).all(|side| pair[1].1[side] <= pair[0].1[side]);
    assert!(shown.windows(2).all(falls));
    // No ply takes nine seconds, and the match ends with the last.
    assert_eq!(shown.last().map(|shown| shown.1), Some([60_000, 60_000]));
}

#[test]
fn time_of_the_second_period_comes_right_after_the_press_that_earns_it() {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6";
    let game = recorded("[TimeControl \"3/300:120\"]", moves);
    let performance = perform(&game, Profile::Ideal, 1, "m").expect("it can be played");
    let made = plies(&performance.truth);
    for (side, earning) in [(0, made[4]), (1, made[5])] {
        let shown = clocks(&performance);
        let rises: Vec<u64> = shown
            .windows(2)
            .filter(|pair| pair[1].1[side] > pair[0].1[side] + 110_000)
            .map(|pair| pair[1].0)
            .collect();
        let [rise_us] = rises[..] else { panic!("{rises:?}") };
        assert!((earning.t_us..earning.t_us + 20_000).contains(&rise_us), "{rise_us} {earning:?}");
    }
}

/// Two pawns that promote with a capture, on c8 and h1, and one that goes to a free b8.
const PROMOTIONS: &str = "1. a4 h5 2. a5 h4 3. a6 h3 4. axb7 hxg2 5. bxc8=Q gxh1=N 6. Qxd8+ Kxd8 7. \
                          Rxa7 Nc6 8. Rb7 Na7 9. b4 Nb5 10. Rb6 Na7 11. b5 Rb8 12. Ra6 Ke8 13. \
                          Ra1 Nc6 14. b6 Ra8 15. b7 Na7 16. b8=R+";

fn promotion_square_readings(performance: &Performance, square: Square) -> Vec<(u64, bool)> {
    let readings = performance.readings.iter().filter_map(|reading| match reading.kind {
        ReadingKind::Square { square: at, reading: state, .. } if at == square => {
            Some((reading.t_us, state == Some(SquareReading::Occupied)))
        }
        _ => None,
    });
    readings.collect()
}

#[test]
fn promoted_pawn_is_exchanged_on_the_last_rank_for_a_piece_that_has_to_be_fetched() {
    let game = recorded("", PROMOTIONS);
    let performance = perform(&game, Profile::Ideal, 1, "m").expect("it can be played");
    let seen = promotion_square_readings(&performance, Square::B8);
    // A knight leaves, a rook comes and leaves; then the pawn comes, goes, and the rook stands.
    let states: Vec<bool> = seen.iter().map(|state| state.1).collect();
    assert_eq!(states, [false, true, false, true, false, true]);
    let fetching_us = seen[5].0 - seen[4].0;
    assert!((500_000..3_000_000).contains(&fetching_us), "{fetching_us}");
}

#[test]
fn pawn_that_was_pressed_with_is_exchanged_before_the_opponent_moves() {
    let game = recorded("", PROMOTIONS);
    let players = Players::from(Profile::Ideal).with_rate(Behaviour::PromotedLate, 1.0);
    let performance =
        perform_with(&game, &players, &Equipment::default(), 1, "m").expect("it can be played");
    let made = plies(&performance.truth);
    let (promotion, reply) = (made[8], made[9]);
    assert_eq!(promotion.uci.to_string(), "b7c8q");
    let states = promotion_square_readings(&performance, Square::C8);
    let after: Vec<(u64, bool)> =
        states.into_iter().filter(|state| state.0 > promotion.t_us).take(2).collect();
    assert_eq!(after.iter().map(|state| state.1).collect::<Vec<_>>(), [false, true]);
    assert!(after[1].0 < reply.t_us);
}

#[test]
fn promotions_happen_in_each_way_about_as_often_as_the_table_says() {
    let game = recorded("", PROMOTIONS);
    let count = |script: &Script, behaviour| {
        script.habits.iter().filter(|habit| habit.behaviour == behaviour).count() as f64
    };
    let (mut off_board, mut late) = (0.0, 0.0);
    let seeds = 400;
    for seed in 0..seeds {
        let script = script(&game, Profile::Scholastic, seed, "m").expect("it can be played");
        off_board += count(&script, Behaviour::PromotedOffBoard);
        late += count(&script, Behaviour::PromotedLate);
        for never in [Behaviour::PromotedLying, Behaviour::EarlyPass, Behaviour::HeldBack] {
            assert_eq!(count(&script, never), 0.0, "{never:?} in chess");
        }
    }
    let rate = |behaviour| Profile::Scholastic.rate(behaviour);
    // One promotion of three takes nothing.
    let trials = seeds as f64;
    let expected = trials * rate(Behaviour::PromotedOffBoard);
    assert!((off_board - expected).abs() < 4.0 * expected.sqrt(), "{off_board} of {trials}");
    let expected = (3.0 * trials - off_board) * rate(Behaviour::PromotedLate);
    assert!((late - expected).abs() < 4.0 * expected.sqrt(), "{late}, expected {expected}");
}

#[test]
fn flag_of_the_loser_falls_before_the_clock_is_stopped() {
    let game = recorded(
        "[TimeControl \"60+1\"]\n[Termination \"won on time\"]\n[Result \"1-0\"]",
        "1. e4 e5 2. Nf3",
    );
    let game = RecordedGame {
        flagged: Some(rules::Seat { board: BoardId::A, color: Color::Black }),
        ..game
    };
    let performance = perform(&game, Profile::Club, 1, "m").expect("it can be played");
    let last = clocks(&performance).last().map(|shown| shown.1[1]);
    assert_eq!(last, Some(0));
    let fallen = |line: &TruthLine| matches!(line, TruthLine::Anomaly(anomaly) if anomaly.code == "flag-fallen");
    assert!(performance.truth.iter().any(fallen));
}

#[test]
fn chess_needs_sensors_at_board_a() {
    let game = recorded("", "1. e4");
    let sensors: Sensors = "B=reed".parse().expect("sensors");
    let equipment = Equipment { sensors, ..Equipment::default() };
    let error = script_with(&game, &Profile::Ideal.into(), &equipment, 1, "m").unwrap_err();
    assert!(matches!(error, SimError::NoSensors(Game::Chess)), "{error}");
}
