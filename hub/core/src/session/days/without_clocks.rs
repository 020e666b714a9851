//! Beginnings and ends of matches without clocks, and simulated games: how many of their plies are recorded, by answer and stillness alone.

use inference::facts::Facts;
use readings::TruthLine;

use super::life::{A, B, QUEENS, SCHOLAR, SHORT, SPANISH};
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

#[test]
fn a_table_without_clocks_records_its_matches() {
    for game in [Game::Chess, Game::Bughouse] {
        let boards = &BoardId::ALL[..game.boards()];
        let mut day = Day::new(game, boards, &[], true).ready();
        day.pieces(A, SPANISH);
        day.wait(5.0);
        assert_eq!(day.seen.games(), [SPANISH]);
        day.put_back(A, 0);
        day.wait(10.0);
        day.pieces(A, "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5");
        day.wait(5.0);
        assert_eq!(day.seen.games(), [SPANISH, "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5"]);
    }
}

#[test]
fn two_plies_put_back_without_clocks_are_a_match_of_their_own() {
    let mut day = Day::new(Game::Bughouse, &BoardId::ALL, &[], true).ready();
    day.pieces(A, "a2a3 b7b5");
    day.wait(5.0);
    day.put_back(A, 0);
    day.wait(10.0);
    day.pieces(B, QUEENS);
    day.wait(5.0);
    assert_eq!(day.seen.games(), ["a2a3 b7b5", QUEENS], "{:?}", day.seen.states);
}

#[test]
fn a_game_alone_without_clocks_does_not_begin_the_next_match_early() {
    let mut day = Day::new(Game::Bughouse, &BoardId::ALL, &[], true).ready();
    day.wait(5.0);
    day.clear(B);
    for uci in "e2e4 e7e5 g1f3 b8c6".split(' ') {
        day.piece(A, uci);
        day.wait(3.0);
    }
    day.put_back(A, 0);
    day.put_back(B, 0);
    day.wait(20.0);
    day.play(B, "a2a4 f7f5 f2f4 e7e6");
    day.play(A, "d2d4 d7d5");
    day.wait(10.0);
    let games = day.seen.games();
    let all = games.last().expect("a match");
    assert_eq!(all.split(' ').count(), 6, "{games:?}");
}

#[test]
fn knights_that_return_without_clocks_end_no_match() {
    let mut day = Day::new(Game::Chess, &[A], &[], true).ready();
    for uci in "g1f3 g8f6 f3g1 f6g8 e2e4".split(' ') {
        day.piece(A, uci);
        day.wait(15.0);
    }
    assert_eq!(day.seen.opened.len(), 1, "{:?}", day.seen.states);
}

#[test]
fn a_stuck_square_prevents_no_match_without_clocks() {
    for stuck in [1 << 36, 1 << 27] {
        let mut day = Day::new(Game::Chess, &[A], &[], true);
        day.snapshot(A, START | stuck);
        day.wait(10.0);
        day.pieces(A, "g1f3 b8c6 b1c3 g8f6 a2a3 a7a6");
        day.put_back(A, stuck);
        day.wait(15.0);
        assert_eq!(day.seen.opened.len(), 2, "{:?}", day.seen.states);
        assert_eq!(day.seen.notices, []);
    }
}

#[test]
fn pieces_that_are_exchanged_while_they_are_put_back_are_no_plies() {
    let mut day = Day::new(Game::Chess, &[A], &[], true).ready();
    let moves = "e2e4 e7e5 f1c4 b8c6 d1f3 g8f6 f3f6 a7a6 c4f7";
    day.pieces(A, moves);
    day.wait(5.0);
    // Some squares, then a pawn in the place of the bishop, then the rest.
    for (square, is_occupied) in
        [("e4", false), ("e5", false), ("f7", false), ("f7", true), ("e2", true), ("e7", true)]
    {
        day.wait(0.3);
        day.square(A, square.parse().unwrap(), is_occupied);
    }
    day.put_back(A, 0);
    day.wait(10.0);
    assert_eq!(day.seen.opened.len(), 2, "{:?}", day.seen.states);
    assert_eq!(day.seen.games()[0].split(' ').count(), 9, "{:?}", day.seen.games());
}

#[test]
fn pieces_put_right_after_all_squares_were_read_begin_no_match_without_clocks() {
    let mut day = Day::new(Game::Bughouse, &BoardId::ALL, &[], true).ready();
    day.snapshot(A, Occupancy::INITIAL.0.rotate_90().0);
    day.wait(5.0);
    // The board is turned right, and two pawns are not at home yet.
    let [h2, h3, b7, b5] = [15, 23, 49, 33].map(|square| 1_u64 << square);
    day.snapshot(A, START ^ h2 ^ h3 ^ b7 ^ b5);
    day.piece(A, "h3h2");
    day.piece(A, "b5b7");
    day.wait(10.0);
    assert_eq!(day.seen.last_state(), Some(MatchState::Ready), "{:?}", day.seen.states);
    let moves = "h2h3 b7b5 e2e3 f7f6";
    for uci in moves.split(' ') {
        day.piece(A, uci);
        day.wait(2.5);
    }
    assert_eq!(day.seen.games(), [moves]);
}

#[test]
fn a_last_ply_that_goes_home_is_recorded_without_clocks() {
    let mut day = Day::new(Game::Chess, &[A], &[], true).ready();
    let moves = "d2d3 d7d5 b1c3 a7a5 c3b1";
    for uci in moves.split(' ') {
        day.piece(A, uci);
        day.wait(3.0);
    }
    day.put_back(A, 0);
    day.wait(10.0);
    assert_eq!(day.seen.games()[0], moves);
}

#[test]
fn last_plies_that_go_home_in_quick_turn_are_recorded_without_clocks() {
    let mut day = Day::new(Game::Chess, &[A], &[], true).ready();
    let moves = "a2a4 b8a6 e2e3 h7h6 b1a3 g8f6 g2g4 f6d5 f2f4";
    for uci in moves.split(' ') {
        day.wait(2.0);
        day.piece(A, uci);
    }
    day.wait(3.0);
    // The answer comes before a rest.
    day.pieces(A, "a6b8 a3b1");
    day.wait(30.0);
    day.put_back(A, 0);
    day.wait(10.0);
    assert_eq!(day.seen.games()[0], format!("{moves} a6b8 a3b1"));
}

#[test]
fn a_capture_before_boards_change_cables_is_recorded_without_clocks() {
    let mut day = Day::new(Game::Chess, &[A], &[], true).ready();
    for uci in SCHOLAR.split(' ') {
        day.wait(2.0);
        day.piece(A, uci);
    }
    day.wait(60.0);
    // The board that was set up at another cable.
    day.snapshot(A, START);
    day.wait(10.0);
    assert_eq!(day.seen.games()[0], SCHOLAR);
}

#[test]
fn few_plies_beside_a_stuck_square_are_put_back_without_clocks() {
    let mut day = Day::new(Game::Chess, &[A], &[], true);
    let stuck = 1 << 26;
    day.snapshot(A, START | stuck);
    day.wait(10.0);
    day.pieces(A, "f2f4 d7d6");
    day.wait(5.0);
    day.put_back(A, stuck);
    day.wait(15.0);
    assert_eq!(day.seen.games()[0], "f2f4 d7d6");
}

#[test]
fn what_is_looked_at_after_a_mate_without_clocks_is_no_play() {
    let mut day = Day::new(Game::Chess, &[A], &[], true).ready();
    day.pieces(A, SCHOLAR);
    day.wait(5.0);
    for uci in "f7h6 g7a5 h1f5 h7f3 e4a3 b7e3 b2b5".split(' ') {
        day.piece(A, uci);
        day.wait(2.0);
    }
    day.put_back(A, 0);
    day.wait(10.0);
    assert_eq!(day.seen.games(), [SCHOLAR, ""]);
}

#[test]
fn moves_soon_after_a_pawn_was_lost_are_recorded_without_clocks() {
    let mut day = Day::new(Game::Chess, &[A], &[], true).ready();
    day.square(A, Square::G2, false);
    day.wait(9.0);
    day.pieces(A, "b2b4 f7f5");
    day.wait(5.0);
    day.put_back(A, 1 << 14);
    day.wait(15.0);
    assert_eq!(day.seen.games()[0], "b2b4 f7f5", "{:?}", day.seen.states);
}

#[test]
fn a_pawn_lost_between_two_matches_joins_no_later_ones() {
    let mut day = Day::new(Game::Bughouse, &BoardId::ALL, &[], true).ready();
    day.pieces(A, SHORT);
    day.wait(5.0);
    day.put_back(A, 0);
    day.wait(10.0);
    day.square(A, Square::G2, false);
    day.wait(25.0);
    let games = ["e2e4 e7e5 d1h5 b8c6 f1c4 g8f6", "d2d4 c7c5 d1d3 b8a6 b1c3 d8b6"];
    for moves in games {
        day.pieces(A, moves);
        day.wait(5.0);
        day.put_back(A, 1 << 14);
        day.wait(15.0);
    }
    assert_eq!(day.seen.games()[1..3], games, "{:?}", day.seen.states);
}

/// A match at two boards without clocks, of which A is put back; then what is read there is none of its plies.
fn put_back_at_one_board() -> (Day, String) {
    let mut day = Day::new(Game::Bughouse, &BoardId::ALL, &[], true).ready();
    for (of_a, of_b) in SPANISH.split(' ').zip(SCHOLAR.split(' ')) {
        day.wait(1.5);
        day.piece(A, of_a);
        day.piece(B, of_b);
    }
    day.wait(5.0);
    let played = day.seen.games()[0].clone();
    day.put_back(A, 0);
    day.wait(10.0);
    (day, played)
}

#[test]
fn one_board_put_back_without_clocks_adds_no_plies() {
    let (mut day, played) = put_back_at_one_board();
    assert_eq!(day.seen.games(), [played.as_str()]);
    // The other plays on.
    day.piece(B, "h5f7");
    day.wait(5.0);
    assert_eq!(day.seen.games(), [format!("{played} h5f7")]);
    day.put_back(B, 0);
    day.wait(10.0);
    day.pieces(A, QUEENS);
    day.wait(5.0);
    assert_eq!(day.seen.games(), [format!("{played} h5f7"), QUEENS.to_owned()]);
}

#[test]
fn a_board_without_clocks_that_is_restored_plays_on() {
    let (mut day, played) = put_back_at_one_board();
    // Back from the start to where they were.
    for uci in SPANISH.split(' ') {
        day.piece(A, uci);
    }
    day.pieces(A, "b5c6 d7c6");
    day.wait(5.0);
    assert_eq!(day.seen.games(), [format!("{played} b5c6 d7c6")]);
}

#[test]
fn play_at_the_board_that_was_put_back_alone_is_noticed() {
    let (mut day, played) = put_back_at_one_board();
    day.pieces(A, "d2d4 d7d5 c2c4");
    let from_us = day.now_us;
    day.piece(A, "e7e6");
    day.wait(4.0);
    assert_eq!(day.seen.games(), [played]);
    assert!(notices::notice_from(&day, from_us).contains("board B is not set up"));
}
