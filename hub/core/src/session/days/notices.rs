//! Notices of play that no match follows.

use super::*;

const A: BoardId = BoardId::A;
const B: BoardId = BoardId::B;

/// The notice that `day` has sent within five seconds of `from_us`.
pub(super) fn notice_from(day: &Day, from_us: u64) -> String {
    let (at_us, words) = day.seen.notices.first().expect("a notice");
    assert!(*at_us <= from_us + 5 * SECOND, "{} s", (at_us - from_us) / SECOND);
    words.clone().expect("a reason")
}

/// Play begins at a chess table whose board shows this.
fn started_from(occupied: u64) -> String {
    let mut day = Day::chess();
    day.snapshot(A, occupied);
    day.tell_clock(A);
    day.wait(10.0);
    assert_eq!(day.seen.notices, [], "nobody plays");
    let from_us = day.now_us;
    day.press(A, Color::Black);
    day.wait(6.0);
    let words = notice_from(&day, from_us);
    // It is withdrawn when a match is followed.
    day.reset();
    day.set_up();
    day.start();
    day.play(A, "e2e4 e7e5");
    assert_eq!(day.seen.notice(), None, "{words}");
    assert_eq!(day.seen.games(), ["e2e4 e7e5"]);
    words
}

#[test]
fn a_clock_that_runs_unfollowed_is_noticed_with_its_reason() {
    let quarter = Occupancy::INITIAL.0.rotate_90().0;
    assert!(started_from(quarter).contains("turned by a quarter"));
    assert!(started_from(START & !0xff00).contains("rank 2"));
    assert!(started_from(START & !0x0101_0101_0101_0101 & !1 << 1).contains("file a"));
    assert!(started_from(START | 0x0000_0018_1818_0000).contains("read as occupied"));
    assert!(started_from(0x00ff_0f00_00f0_ff00).contains("not set up"));
}

#[test]
fn a_board_whose_partner_is_not_set_up_is_noticed() {
    let mut day = Day::levers();
    day.snapshot(A, START);
    day.snapshot(B, 0);
    day.wait(10.0);
    let from_us = day.now_us;
    day.press(A, Color::Black);
    day.play(A, "e2e4 e7e5");
    day.wait(3.0);
    assert!(notice_from(&day, from_us).contains("board B is not set up"));
}

#[test]
fn a_forgotten_clock_is_noticed_and_the_moves_are_recorded() {
    let mut day = Day::chess().ready();
    day.pieces(A, "e2e4 e7e5 g1f3");
    let from_us = day.now_us;
    day.wait(5.0);
    assert!(notice_from(&day, from_us).contains("clock was not started"));
    assert_eq!(day.seen.games(), [""], "nothing is recorded before it runs");
    day.piece(A, "b8c6");
    day.start();
    assert_eq!(day.seen.notice(), None);
    day.play(A, "f1b5 a7a6");
    day.wait(5.0);
    assert_eq!(day.seen.games(), ["e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"]);
}

#[test]
fn a_clock_forgotten_after_a_no_show_is_noticed() {
    let mut day = Day::chess().ready();
    day.press(A, Color::Black);
    day.wait(60.0);
    day.stop();
    day.set_clock(A, 180_000, 180_000);
    day.wait(60.0);
    day.pieces(A, "e2e4 e7e5 g1f3");
    let from_us = day.now_us;
    day.wait(5.0);
    assert!(notice_from(&day, from_us).contains("clock was not started"));
}

#[test]
fn a_clock_forgotten_at_one_of_two_boards_is_noticed() {
    let mut day = Day::displays().ready();
    day.press(A, Color::Black);
    day.pieces(B, "e2e4 e7e5 g1f3");
    let from_us = day.now_us;
    day.wait(5.0);
    assert!(notice_from(&day, from_us).contains("clock was not started"));
    day.piece(B, "b8c6");
    day.press(B, Color::Black);
    assert_eq!(day.seen.notice(), None);
    day.play(B, "f1b5 a7a6");
    day.wait(5.0);
    assert_eq!(day.seen.games(), ["e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"]);
}

#[test]
fn moves_soon_after_a_set_up_with_a_faulty_square_are_noticed() {
    for faulty in [1 << 31, 1 << 12] {
        let mut day = Day::levers();
        day.snapshot(A, START ^ faulty);
        day.snapshot(B, START);
        day.wait(10.0);
        day.pieces(B, "c2c4 d7d5 f2f4");
        let from_us = day.now_us;
        day.wait(5.0);
        assert!(notice_from(&day, from_us).contains("clock was not started"));
    }
}

#[test]
fn moves_at_the_other_board_do_not_delay_the_notice_of_a_forgotten_clock() {
    let mut day = Day::displays().ready();
    day.pieces(B, "c2c4 d7d5 f2f4");
    let from_us = day.now_us;
    day.piece(A, "e2e3");
    day.wait(2.0);
    day.piece(A, "g7g6");
    day.wait(2.0);
    assert!(notice_from(&day, from_us).contains("clock was not started"));
}

#[test]
fn clocks_tried_and_levers_put_right_are_no_play() {
    let mut day = Day::levers();
    day.snapshot(A, 0xffff);
    day.snapshot(B, START);
    day.press(A, Color::White);
    day.wait(20.0);
    day.put_back(A, 0);
    day.press(B, Color::White);
    day.wait(20.0);
    let mut chess = Day::chess();
    chess.snapshot(A, 0xffff);
    chess.press(A, Color::White);
    chess.wait(2.0);
    chess.stop();
    chess.wait(20.0);
    assert_eq!((day.seen.notices, chess.seen.notices), (vec![], vec![]));
}

#[test]
fn moves_at_a_table_without_clocks_that_is_not_set_up_are_noticed() {
    let mut day = Day::new(Game::Chess, &[A], &[], true);
    day.snapshot(A, 0xfff3_0c00_000c_f3ff);
    day.wait(5.0);
    day.pieces(A, "c3c4 c6c5 d3d4");
    let from_us = day.now_us;
    day.piece(A, "d6d5");
    day.wait(5.0);
    assert!(notice_from(&day, from_us).contains("not set up"));
}

#[test]
fn slow_play_at_one_board_without_clocks_is_noticed() {
    // The second plays a piece home with the fourth ply; the others leave few squares that differ.
    let few = ["e2e3 g8f6 f1e2 f6g8", "e2e4 b8c6 e4e5 a8b8"];
    for moves in ["c2c3 g7g6 d1b3 g8f6", "h2h4 g8h6 a2a3 h6g8"].into_iter().chain(few) {
        let mut day = Day::new(Game::Bughouse, &BoardId::ALL, &[], true).ready();
        day.clear(B);
        let mut from_us = 0;
        for uci in moves.split(' ') {
            day.wait(3.5);
            from_us = day.now_us;
            day.piece(A, uci);
        }
        day.wait(5.0);
        assert!(notice_from(&day, from_us).contains("not followed"), "{moves}");
    }
}

#[test]
fn a_forgotten_clock_is_noticed_with_the_third_move_wherever_it_leads() {
    // The third move fills a square of the start, and the fourth goes home.
    let mut day = Day::chess().ready();
    day.pieces(A, "d2d4 g8h6 b1d2");
    let from_us = day.now_us;
    day.wait(2.0);
    day.piece(A, "h6g8");
    day.wait(5.0);
    assert!(notice_from(&day, from_us).contains("clock was not started"));
}

#[test]
fn pieces_that_are_exchanged_while_a_board_is_set_up_are_no_play() {
    let mut day = Day::new(Game::Chess, &[A], &[], true);
    day.snapshot(A, 0xfff3_0c00_000c_f3ff);
    day.wait(5.0);
    // Other pieces come to some squares.
    for square in ["a1", "b1", "h2", "g7", "a8"] {
        for is_occupied in [false, true] {
            day.wait(0.2);
            day.square(A, square.parse().unwrap(), is_occupied);
        }
    }
    day.wait(6.0);
    day.put_back(A, 0);
    day.wait(20.0);
    assert_eq!(day.seen.notices, []);
}

#[test]
fn pieces_set_up_at_a_table_without_clocks_are_no_play() {
    let mut day = Day::new(Game::Bughouse, &BoardId::ALL, &[], true);
    day.snapshot(A, 0xf7f3_0c00_080c_f3ff);
    day.snapshot(B, 0xff7f_0080_0040_bfff);
    day.wait(5.0);
    day.put_back(A, 0);
    day.wait(5.0);
    day.put_back(B, 0);
    day.wait(20.0);
    assert_eq!(day.seen.notices, []);
}

/// A set-up of a board that tells colours, with these pieces on White's side.
fn colours(near: Color) -> ReadingKind {
    let squares = (0..64).map(|square| match square {
        0..16 => SquareReading::Side(near),
        48..64 => SquareReading::Side(near.other()),
        _ => SquareReading::Empty,
    });
    ReadingKind::Snapshot { occupied: None, squares: Some(squares.collect()) }
}

/// A table whose board lies turned by half.
fn turned_by_half() -> Day {
    let mut day = Day::chess();
    day.read(A, colours(Color::Black));
    day.tell_clock(A);
    day.squares.insert(A, Bitboard(START));
    day
}

#[test]
fn a_board_that_is_turned_right_again_before_play_is_followed() {
    let mut day = turned_by_half();
    day.wait(30.0);
    day.read(A, colours(Color::White));
    day.wait(5.0);
    day.press(A, Color::Black);
    day.wait(20.0);
    assert_eq!(day.seen.notices, []);
}

#[test]
fn moves_without_the_clock_on_a_board_turned_right_again_are_recorded() {
    let mut day = turned_by_half();
    day.wait(30.0);
    day.read(A, colours(Color::White));
    day.wait(5.0);
    day.pieces(A, "e2e3 f7f5 h2h4");
    day.press(A, Color::White);
    day.play_from(A, Color::Black, "d7d6 b1a3");
    day.wait(5.0);
    assert_eq!(day.seen.games(), ["e2e3 f7f5 h2h4 d7d6 b1a3"]);
}

#[test]
fn a_board_turned_by_half_that_tells_colours_is_noticed() {
    let mut day = turned_by_half();
    day.wait(3.0);
    let from_us = day.now_us;
    day.press(A, Color::Black);
    day.wait(6.0);
    assert!(notice_from(&day, from_us).contains("turned by half"));
}

#[test]
fn what_was_noticed_is_kept_over_a_restart() {
    let mut day = Day::chess();
    day.snapshot(A, 0x00ff_0f00_00f0_ff00);
    day.press(A, Color::Black);
    day.wait(6.0);
    assert!(day.seen.notice().is_some());
    let text = day.session.checkpoint().expect("no match is open");
    day.session = Session::restore(day.session.config.clone(), &text).unwrap();
    day.reset();
    day.set_up();
    day.start();
    day.play(A, "e2e4");
    assert_eq!(day.seen.notice(), None);
}

#[test]
fn three_moves_before_the_clock_are_recorded_with_the_press_of_the_third() {
    let mut day = Day::chess().ready();
    day.pieces(A, "e2e4 e7e5 g1f3");
    day.press(A, Color::White);
    day.play_from(A, Color::Black, "b8c6 f1b5");
    day.wait(5.0);
    assert_eq!(day.seen.games(), ["e2e4 e7e5 g1f3 b8c6 f1b5"]);
}

#[test]
fn moves_before_the_clock_are_recorded_where_it_was_left_on_at_the_set_up() {
    let mut day = Day::chess().begun();
    day.play(A, "d2d4 d7d5 c2c4 e7e6");
    day.put_back(A, 0);
    day.wait(10.0);
    day.reset();
    day.wait(5.0);
    day.pieces(A, "e2e4 e7e5 g1f3 b8c6");
    day.press(A, Color::Black);
    day.play(A, "f1b5 a7a6");
    day.wait(5.0);
    assert_eq!(day.seen.games()[1], "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
}

#[test]
fn a_notice_ends_some_minutes_after_the_last_sign_of_play() {
    let mut day = Day::chess();
    day.snapshot(A, Occupancy::INITIAL.0.rotate_90().0);
    day.tell_clock(A);
    day.wait(10.0);
    day.press(A, Color::Black);
    day.wait(300.0);
    assert!(day.seen.notice().is_some(), "a clock runs");
    day.stop();
    day.wait(120.0);
    assert!(day.seen.notice().is_some(), "somebody is asked");
    day.wait(80.0);
    assert_eq!(day.seen.notice(), None, "they have gone");
    day.press(A, Color::White);
    day.wait(5.0);
    assert!(day.seen.notice().is_some(), "they play on");
}

#[test]
fn two_levers_pressed_in_turn_beside_a_turned_board_are_noticed() {
    let mut day = Day::new(Game::Chess, &[A], &[], false);
    day.snapshot(A, Occupancy::INITIAL.0.rotate_90().0);
    day.wait(10.0);
    day.press(A, Color::Black);
    day.wait(40.0);
    assert_eq!(day.seen.notice(), None, "a lever was put right");
    day.press(A, Color::White);
    day.wait(0.5);
    assert!(day.seen.notice().is_some_and(|words| words.contains("quarter")));
}

#[test]
fn a_notice_beside_a_clock_that_has_run_out_ends() {
    let mut day = Day::chess();
    day.snapshot(A, Occupancy::INITIAL.0.rotate_90().0);
    day.tell_clock(A);
    day.wait(10.0);
    day.start();
    day.wait(5.0);
    assert!(day.seen.notice().is_some());
    day.wait(490.0);
    assert_eq!(day.seen.notice(), None, "its five minutes are over, and nobody plays");
}

#[test]
fn pieces_put_back_where_the_clock_was_never_started_are_not_noticed() {
    let mut day = Day::levers().ready();
    day.pieces(A, "e2e4 e7e5 g1f3 b8c6");
    day.piece(B, "a2a3");
    day.wait(5.0);
    assert!(day.seen.notice().is_some());
    day.wait(200.0);
    let before = day.seen.notices.len();
    day.put_back(A, 0);
    day.wait(10.0);
    day.put_back(B, 0);
    day.wait(10.0);
    assert_eq!(day.seen.notices.len(), before, "{:?}", day.seen.notices);
}
