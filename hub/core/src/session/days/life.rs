//! Beginnings and ends of matches, at tables with displays, with levers and with both.

use super::*;

pub(super) const SPANISH: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";
pub(super) const SHORT: &str = "e2e4 e7e5 g1f3 b8c6";
pub(super) const QUEENS: &str = "d2d4 d7d5 c2c4 e7e6";
pub(super) const SCHOLAR: &str = "e2e4 e7e5 f1c4 f8c5 d1h5 a7a6 h5f7";
const FOOL: &str = "f2f3 e7e5 g2g4 d8h4";
pub(super) const A: BoardId = BoardId::A;
pub(super) const B: BoardId = BoardId::B;

#[test]
fn cleared_boards_end_a_lever_match() {
    let mut day = Day::levers().begun();
    day.play(A, SPANISH);
    day.clear(A);
    assert_eq!(day.seen.last_state(), Some(MatchState::Playing), "board B is not cleared");
    day.clear(B);
    day.wait(8.0);
    assert_eq!(day.seen.last_state(), Some(MatchState::Ended));
    day.set_up();
    day.game(B, QUEENS);
    assert_eq!(day.seen.games(), [SPANISH, QUEENS]);
}

#[test]
fn a_board_put_back_early_ends_no_match_of_levers() {
    for clocks in [&[][..], &[A]] {
        let mut day = Day::new(Game::Bughouse, &BoardId::ALL, clocks, false).begun();
        day.play(A, SPANISH);
        day.play(B, "e2e4 e7e5");
        day.stop();
        day.put_back(A, 0);
        day.wait(5.0);
        if !clocks.is_empty() {
            day.set_clock(A, BASE_MS, BASE_MS);
        }
        day.wait(20.0);
        day.play(B, "g1f3 b8c6");
        assert_eq!(day.seen.opened.len(), 1, "{:?}", day.seen.states);
        assert_eq!(day.seen.games()[0].matches("b8c6").count(), 2, "{:?}", day.seen.games());
        day.put_back(B, 0);
        day.wait(10.0);
        assert_eq!(day.seen.opened.len(), 2, "{:?}", day.seen.states);
        day.game(B, QUEENS);
        assert_eq!(day.seen.games()[1], QUEENS);
    }
}

#[test]
fn a_repetition_of_the_start_ends_no_lever_match() {
    let mut day = Day::levers().begun();
    let there_and_back = "g1f3 g8f6 f3g1 f6g8";
    day.play(A, there_and_back);
    day.wait(30.0);
    day.play(A, there_and_back);
    day.wait(30.0);
    assert_eq!(day.seen.opened.len(), 1, "{:?}", day.seen.states);
}

#[test]
fn a_game_after_pieces_put_back_beside_running_clocks_is_the_next() {
    // A square that sticks, or none.
    for stuck in [1 << 39, 0] {
        let mut day = Day::displays();
        day.snapshot(A, START | stuck);
        day.snapshot(B, START);
        day.wait(8.0);
        day.start();
        day.play(A, SHORT);
        day.play(B, SPANISH);
        day.put_back(A, stuck);
        day.put_back(B, 0);
        day.reset();
        day.wait(600.0);
        assert_eq!(day.seen.opened.len(), 2, "stuck {stuck}: {:?}", day.seen.states);
        day.game(B, QUEENS);
        let first = format!("{SHORT} {SPANISH}");
        assert_eq!(day.seen.games(), [first.as_str(), QUEENS]);
    }
}

#[test]
fn a_lever_pressed_while_pieces_are_put_back_harms_nothing() {
    let mut day = Day::levers().begun();
    day.play(A, SPANISH);
    // All but the bishop; then the levers are put right.
    day.put_back(A, 1 << 5);
    day.press(A, Color::White);
    day.put_back(A, 0);
    day.wait(15.0);
    day.game(A, QUEENS);
    let games = day.seen.games();
    assert_eq!((games[0].as_str(), games.last().unwrap().as_str()), (SPANISH, QUEENS));
}

#[test]
fn clocks_reset_one_by_one_end_a_match_when_all_are() {
    let mut day = Day::displays().begun();
    day.play(A, SPANISH);
    day.stop();
    day.set_clock(A, BASE_MS, BASE_MS);
    day.wait(60.0);
    assert_eq!(day.seen.last_state(), Some(MatchState::Paused));
    day.set_clock(B, BASE_MS, BASE_MS);
    assert_eq!(day.seen.last_state(), Some(MatchState::Ended));
    day.put_back(A, 0);
    day.wait(3.0);
    assert_eq!(day.seen.opened.len(), 2);
    assert_eq!(day.seen.games()[0], SPANISH);
}

#[test]
fn an_end_is_taken_back_when_play_goes_on() {
    for sets_back in [true, false] {
        let mut day = Day::displays().begun();
        day.play(A, SPANISH);
        day.stop();
        let shown = day.clocks.clone();
        day.wait(20.0);
        day.reset();
        assert_eq!(day.seen.last_state(), Some(MatchState::Ended));
        assert!(day.seen.records.values().all(|record| record.ended));
        day.wait(60.0);
        if sets_back {
            for (board, (white_ms, black_ms, _)) in shown {
                day.set_clock(board, white_ms, black_ms);
            }
            assert_eq!(day.seen.last_state(), Some(MatchState::Paused));
        }
        day.restart(A, Color::White);
        assert_eq!(day.seen.last_state(), Some(MatchState::Playing));
        assert!(day.seen.records.values().all(|record| !record.ended));
        day.play(A, "b5a4 g8f6");
        day.wait(5.0);
        assert_eq!(day.seen.games(), [format!("{SPANISH} b5a4 g8f6")], "set back: {sets_back}");
    }
}

#[test]
fn a_short_game_whose_clock_is_reset_goes_on() {
    for sets_back in [true, false] {
        let mut day = Day::chess().begun();
        day.play(A, "e2e4 e7e5");
        day.stop();
        let (white_ms, black_ms, _) = day.clocks[&A];
        day.set_clock(A, BASE_MS, BASE_MS);
        day.wait(30.0);
        if sets_back {
            day.set_clock(A, white_ms, black_ms);
        }
        day.restart(A, Color::White);
        day.play(A, "g1f3 b8c6");
        day.wait(5.0);
        assert_eq!(day.seen.games(), ["e2e4 e7e5 g1f3 b8c6"], "set back: {sets_back}");
    }
}

#[test]
fn what_is_shown_on_a_stopped_board_is_no_ply() {
    let mut day = Day::chess().begun();
    day.play(A, SPANISH);
    day.stop();
    day.pieces(A, "e1e4 e8d5 b5c6 d7c6");
    day.put_back(A, 0);
    day.set_clock(A, BASE_MS, BASE_MS);
    day.wait(5.0);
    day.game(A, QUEENS);
    assert_eq!(day.seen.games(), [SPANISH, QUEENS]);
}

#[test]
fn kings_put_on_central_squares_beside_a_running_clock_are_no_certain_plies() {
    for squares in ["e1e4 e8d5", "e1d4 e8e5", "e8d5", "e1e4"] {
        let mut day = Day::chess().begun();
        day.play(A, SPANISH);
        let before = day.seen.plies.len();
        day.pieces(A, squares);
        day.wait(5.0);
        day.stop();
        day.wait(60.0);
        let most = |day: &Day| {
            let shown = day.seen.plies.keys().filter(|(id, _)| *id == day.seen.opened[0]);
            shown.skip(before).map(|id| day.seen.p[id]).fold(0.0, f64::max)
        };
        assert!(most(&day) < 0.999, "{squares}: {:?}", day.seen.games());
        day.put_back(A, 0);
        day.reset();
        day.game(A, QUEENS);
        assert!(most(&day) < 0.999, "{squares}: {:?}", day.seen.games());
        assert_eq!(day.seen.games()[1], QUEENS, "{squares}");
    }
}

#[test]
fn a_board_that_was_swept_and_restored_goes_on() {
    let mut day = Day::chess().begun();
    day.play(A, SPANISH);
    let stood = day.squares[&A];
    day.stop();
    day.clear(A);
    day.wait(10.0);
    assert_eq!(day.seen.last_state(), Some(MatchState::Ended));
    for square in stood.into_iter() {
        day.wait(0.3);
        day.square(A, square, true);
    }
    day.restart(A, Color::White);
    day.play(A, "b5a4 g8f6");
    day.wait(5.0);
    assert_eq!(day.seen.games(), [format!("{SPANISH} b5a4 g8f6")]);
}

#[test]
fn a_stuck_square_prevents_no_end_and_no_start() {
    for board in BoardId::ALL {
        for stuck in [1 << 36, 1 << 27] {
            let mut day = Day::displays();
            day.snapshot(board, START | stuck);
            day.snapshot(board.other(), START);
            for board in BoardId::ALL {
                day.tell_clock(board);
            }
            day.wait(3.0);
            day.start();
            day.play(A, "g1f3 b8c6 b1c3 g8f6");
            day.play(B, "g1f3 b8c6 b1c3 g8f6");
            day.stop();
            day.put_back(A, stuck);
            day.put_back(B, stuck);
            day.wait(6.0);
            assert_eq!(day.seen.opened.len(), 2, "{:?}", day.seen.states);
            day.game(A, QUEENS);
            assert_eq!(day.seen.games()[1].split(' ').count(), 4, "{:?}", day.seen.games());
        }
    }
}

#[test]
fn a_game_of_few_plies_that_is_paused_does_not_end() {
    let mut day = Day::chess().begun();
    day.play(A, "e2e4 e7e5");
    day.stop();
    day.wait(600.0);
    assert_eq!(day.seen.opened.len(), 1);
    // The last ply is taken back: what is left of the game is no set-up.
    day.piece(A, "e5e7");
    day.wait(30.0);
    assert_eq!(day.seen.opened.len(), 1, "{:?}", day.seen.states);
}

#[test]
fn boards_set_up_while_clocks_run_are_the_next_match() {
    let mut day = Day::displays().begun();
    day.play(B, "a2a4 c7c6 d2d3 b7b6");
    day.play(A, SCHOLAR);
    day.wait(6.0);
    day.put_back(A, 0);
    day.put_back(B, 0);
    day.wait(5.0);
    assert_eq!(day.seen.opened.len(), 2, "{:?}", day.seen.states);
    assert_eq!(day.seen.last_state(), Some(MatchState::Ready), "what runs is left from before");
    day.reset();
    day.wait(1_400.0);
    day.game(B, FOOL);
    assert_eq!(day.seen.games()[1], FOOL);
    assert_eq!(day.seen.notices, [], "clocks that were left on are no play");
}

#[test]
fn a_no_show_ends_when_the_next_is_set_up() {
    let mut day = Day::displays().begun();
    day.wait(120.0);
    day.stop();
    day.wait(300.0);
    day.reset();
    day.wait(5.0);
    day.game(A, QUEENS);
    assert_eq!(day.seen.games(), ["", QUEENS]);
}

#[test]
fn a_no_show_at_a_lever_table_ends_after_the_whole_time() {
    let mut day = Day::levers().begun();
    day.wait(400.0);
    day.game(A, QUEENS);
    assert_eq!(day.seen.games(), ["", QUEENS]);
}

#[test]
fn a_clock_started_by_the_wrong_side_begins_one_match() {
    let mut day = Day::chess().ready();
    day.press(A, Color::White);
    day.wait(3.0);
    day.reset();
    day.wait(2.0);
    day.game(A, QUEENS);
    assert_eq!(day.seen.games(), [QUEENS], "{:?}", day.seen.states);
}

#[test]
fn moves_without_the_clock_that_are_put_back_are_none() {
    let mut day = Day::chess().ready();
    day.pieces(A, "e2e4 e7e5 g1f3 b8c6 f1b5");
    day.put_back(A, 0);
    day.wait(3.0);
    day.game(A, QUEENS);
    assert_eq!(day.seen.games(), [QUEENS], "{:?}", day.seen.states);
}

#[test]
fn a_match_that_was_decided_without_a_ply_ends() {
    for has_run in [false, true] {
        for mut day in [Day::displays(), Day::levers(), Day::chess()] {
            day.set_up();
            if has_run {
                day.start();
                day.wait(60.0);
            }
            day.decide();
            day.wait(3.0);
            assert_eq!(day.seen.opened.len(), 2, "{:?}", day.seen.states);
            day.stop();
            day.game(A, QUEENS);
            let games = day.seen.games();
            assert_eq!(games[0], "", "clock ran: {has_run}");
            assert_eq!(games.last().map(String::as_str), Some(QUEENS), "clock ran: {has_run}");
        }
    }
}

#[test]
fn a_match_with_plies_does_not_end_when_it_is_decided() {
    let mut day = Day::chess().begun();
    day.play(A, QUEENS);
    day.decide();
    day.wait(10.0);
    assert_eq!(day.seen.opened.len(), 1);
    day.play(A, "b1c3 g8f6");
    day.wait(5.0);
    assert_eq!(day.seen.games(), [format!("{QUEENS} b1c3 g8f6")]);
}

#[test]
fn moves_without_the_clock_beside_a_stuck_square_are_put_back() {
    let stuck = 1 << 36;
    let mut day = Day::chess();
    day.snapshot(A, START | stuck);
    day.tell_clock(A);
    day.wait(3.0);
    // A person tries the clock: the match is followed with the square.
    day.start();
    day.reset();
    day.wait(5.0);
    day.pieces(A, "g1f3 b8c6 b1c3 g8f6");
    day.put_back(A, stuck);
    day.wait(6.0);
    day.game(A, "d2d4 g8f6 c2c4 b8c6");
    assert_eq!(day.seen.games().last().unwrap(), "d2d4 g8f6 c2c4 b8c6", "{:?}", day.seen.states);
    assert_eq!(day.seen.notice(), None);
}

#[test]
fn faults_that_come_to_the_other_board_with_its_cable_are_no_ply() {
    let [a2, b4] = [8, 25].map(|square| 1 << square);
    let faulty = (START & !a2) | b4;
    let mut day = Day::displays().begun();
    day.play(A, SHORT);
    day.reset();
    day.snapshot(A, faulty);
    day.snapshot(B, START);
    day.wait(10.0);
    day.snapshot(A, START);
    day.snapshot(B, faulty);
    day.wait(10.0);
    day.start();
    day.play(B, "h2h4 h7h5");
    day.game(A, QUEENS);
    assert_eq!(day.seen.games(), [SHORT, &format!("h2h4 h7h5 {QUEENS}")], "{:?}", day.seen.states);
}

#[test]
fn moves_before_a_forgotten_clock_beside_a_stuck_square_are_recorded() {
    for clocks in [&[A][..], &[]] {
        let mut day = Day::new(Game::Chess, &[A], clocks, false);
        day.snapshot(A, START | 1 << 31);
        day.tell_clock(A);
        day.wait(25.0);
        day.pieces(A, "e2e4 e7e5 d1g4 b8c6");
        day.press(A, Color::Black);
        day.play(A, "g1f3 d7d6 f1b5 a7a6");
        day.wait(5.0);
        let all = "e2e4 e7e5 d1g4 b8c6 g1f3 d7d6 f1b5 a7a6";
        assert_eq!(day.seen.games(), [all], "{:?}", day.seen.states);
    }
}

#[test]
fn a_start_anew_beside_a_stuck_square_is_the_next_match() {
    let mut day = Day::chess();
    day.snapshot(A, START | 1 << 31);
    day.tell_clock(A);
    day.wait(25.0);
    day.start();
    day.play(A, "a2a4 g8f6");
    day.stop();
    day.put_back(A, 1 << 31);
    day.set_clock(A, BASE_MS, BASE_MS);
    day.wait(7.0);
    assert_eq!(day.seen.opened.len(), 2, "{:?}", day.seen.states);
}

#[test]
fn a_board_whose_clock_was_forgotten_is_not_read_as_turned() {
    let before = "g2g4 b8c6 d2d4 h7h5 a2a3 c6a5";
    let after =
        "c1e3 g7g5 e1d2 h8h6 e3g5 h6f6 g5h4 f6f5 f2f3 c7c5 h4f6 c5c4 f1g2 b7b5 h2h3 d8c7 d2c1 e7e5";
    let mut day = Day::displays().ready();
    for uci in before.split(' ') {
        day.wait(2.0);
        day.piece(B, uci);
    }
    day.press(B, Color::Black);
    day.press(A, Color::Black);
    day.play(B, after);
    day.wait(5.0);
    assert_eq!(day.seen.games(), [format!("{before} {after}")]);
}
