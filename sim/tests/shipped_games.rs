//! The matches this project ships, replayed: demonstrations and measurements rest on them.

use std::{collections::HashSet, fs, path::Path};

use rules::{
    BoardState, Match, Seat,
    bpgn::{self, BpgnGame, EndReason},
};

/// All shipped matches, each with the file and position it came from.
fn shipped() -> Vec<(String, BpgnGame)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bpgn"))
        .collect();
    files.sort();
    let mut games = Vec::new();
    for file in files {
        for (index, game) in bpgn::read(&fs::read(&file).unwrap()).into_iter().enumerate() {
            let place = format!("{}, game {}", file.display(), index + 1);
            games.push((place.clone(), game.unwrap_or_else(|error| panic!("{place}: {error}"))));
        }
    }
    games
}

#[test]
fn there_are_at_least_200_matches_and_no_two_are_alike() {
    let games = shipped();
    assert!(games.len() >= 200, "{}", games.len());
    let different: HashSet<Vec<String>> = games
        .iter()
        .map(|(_, game)| game.plies.iter().map(|ply| format!("{}{}", ply.board, ply.ply)).collect())
        .collect();
    assert_eq!(different.len(), games.len());
}

#[test]
fn every_ply_is_legal_when_it_is_made() {
    let mut plies = 0;
    let mut drops = 0;
    for (place, game) in shipped() {
        let mut position = Match::initial();
        for ply in &game.plies {
            let at = format!("{place}: {}{} {}", ply.number, ply.board, ply.ply);
            assert_eq!(position.position(ply.board).turn(), ply.color, "{at}");
            assert_eq!(position.illegality(ply.board, ply.ply), None, "{at}");
            position.play(ply.board, ply.ply);
            plies += 1;
            drops += usize::from(ply.ply.is_drop());
        }
    }
    let share = drops as f64 / plies as f64;
    assert!((0.15..0.30).contains(&share), "{drops} drops of {plies} plies");
}

#[test]
fn ending_is_what_is_on_the_board_and_the_result_is_team_one_s() {
    for (place, game) in shipped() {
        let ending = game.ending.as_ref().unwrap_or_else(|| panic!("{place}: no ending"));
        let loser = ending.loser.unwrap_or_else(|| panic!("{place}: nobody lost"));
        assert_eq!(game.result.winner(), Some(loser.team().other()), "{place}");
        let position = game.plies.iter().fold(Match::initial(), |mut position, ply| {
            position.play(ply.board, ply.ply);
            position
        });
        let mated = position.state(loser.board) == BoardState::Mate;
        assert_eq!(mated, ending.reason == EndReason::Checkmated, "{place}");
        assert_eq!(position.position(loser.board).turn(), loser.color, "{place}");
    }
}

#[test]
fn clocks_run_down_and_their_order_is_the_order_of_play() {
    for (place, game) in shipped() {
        let base_ms = game.base_ms().unwrap();
        assert_eq!(base_ms, 300_000, "{place}");
        let mut left_ms = [base_ms; 4];
        let mut last_ms = 0;
        for ply in &game.plies {
            let at = format!("{place}: {}{} {}", ply.number, ply.board, ply.ply);
            let seat = Seat { board: ply.board, color: ply.color };
            let clock_ms = ply.clock_ms.unwrap_or_else(|| panic!("{at}: no clock"));
            let used_ms = left_ms[seat.index()] - clock_ms;
            assert!(used_ms > 0 && clock_ms > 0, "{at}: {clock_ms} ms left, {used_ms} ms used");
            left_ms[seat.index()] = clock_ms;
            let left = left_ms[seat.index()] + left_ms[seat.opponent().index()];
            let now_ms = 2 * base_ms - left;
            assert!(now_ms >= last_ms, "{at}: made before the ply before it");
            last_ms = now_ms;
        }
    }
}
