//! Situations from the field, read in place where the folder is there.

use std::path::Path;

use super::*;

/// The outputs of a session for the lines of a file, and 30 s more.
#[allow(clippy::disallowed_methods)] // The input of a test; the crate itself reads no file.
fn seen(name: &str) -> Option<Seen> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/field/boards");
    let Ok(text) = std::fs::read_to_string(folder.join(format!("{name}.lines.jsonl"))) else {
        assert!(std::env::var_os("CI").is_none(), "../shared/field/boards/{name} is needed");
        println!("without the situations of the field: ../shared/field/boards is not here");
        return None;
    };
    let lines: Vec<Line> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    let of_board = |id: BoardId| {
        let has = |line: &Line| matches!(line, Line::Reading(it) if it.board == Some(id));
        lines.iter().any(has).then_some(id)
    };
    let boards: Vec<BoardId> = BoardId::ALL.into_iter().filter_map(of_board).collect();
    let game = if boards.len() == 1 { Game::Chess } else { Game::Bughouse };
    let mut day = Day::new(game, &boards, &[], false);
    for line in &lines {
        day.now_us = line.at().as_micros();
        day.session.handle(line);
        day.collect();
    }
    day.wait(30.0);
    Some(day.seen)
}

fn check(name: &str, games: &[&str]) {
    let Some(seen) = seen(name) else { return };
    println!("{name}: {:?} {:?}", seen.games(), seen.notices);
    assert_eq!(seen.games(), games, "{name}: {:?}", seen.states);
}

#[test]
fn a_lever_table_has_two_chess_games() {
    check("lever-chess-two-games", &["e2e4 e7e5 g1f3 b8c6 f1c4 g8f6", "d2d4 d7d5 c2c4 e7e6"]);
}

#[test]
fn a_lever_table_has_two_matches() {
    let games = [
        "e2e4 e2e4 e7e5 e7e5 g1f3 g1f3 b8c6 b8c6 f1c4 f1c4 g8f6 g8f6",
        "d2d4 d2d4 d7d5 d7d5 c2c4 c2c4 e7e6 e7e6",
    ];
    check("levers-two-matches", &games);
}

#[test]
fn a_clock_that_is_reset_while_stopped_ends_nothing() {
    check("clock-reset-while-stopped-chess", &["e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5"]);
}

#[test]
fn three_moves_before_the_clock_are_recorded() {
    let game = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5 c2c3 d7d6";
    check("clock-forgotten-three-moves-chess", &[game]);
}

#[test]
fn a_stuck_square_and_shorter_time_hide_no_match() {
    let games = ["e2e4 c7c5 g1f3 d7d6 d2d4 d7d5", "d2d4 d2d4 d7d5 d7d5 c2c4 c2c4 e7e6 e7e6"];
    check("next-match-stuck-square-shorter-time", &games);
}

#[test]
fn a_no_show_does_not_get_the_next_round() {
    check("no-show-then-next-round-chess", &["", "d2d4 d7d5 c2c4 e7e6"]);
}
