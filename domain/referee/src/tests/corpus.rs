//! Real matches, replayed through the referee to their recorded ends.

#![allow(clippy::disallowed_methods, reason = "a test reads its data")]

use std::path::Path;

use rules::{bpgn, fen};

use super::*;

/// Real matches, where they are present: beside the repository.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/games/corpus.bpgn");

/// Final positions of the same matches, as recorded.
const FINALS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/games/corpus.jsonl");

#[test]
fn real_matches_replay_through_the_referee_to_their_recorded_end() {
    let (Ok(games), Ok(finals)) =
        (std::fs::read(Path::new(CORPUS)), std::fs::read_to_string(FINALS))
    else {
        println!("not run: no recorded matches beside the repository");
        return;
    };
    let mut replayed = 0;
    for (game, line) in bpgn::read(&games).into_iter().zip(finals.lines()) {
        let game = game.expect("a readable record");
        let recorded: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let mut referee = Referee::new(Conditions::new(BookId::UsChessBughouse2018));
        for (index, ply) in game.plies.iter().enumerate() {
            let id = index as PlyId;
            let t_us = u64::from(id) * 1_000_000;
            referee.handle(
                t_us,
                Input::Ply(PlyReport {
                    id,
                    revision: 0,
                    board: ply.board,
                    side: ply.color,
                    t_us,
                    released_us: None,
                    touched_us: None,
                    ply: ply.ply,
                    p: 1.0,
                    legal: true,
                    alternatives: Vec::new(),
                    clock_ms: ply.clock_ms,
                }),
            );
        }
        for board in BoardId::ALL {
            let shown = fen::format_placement(referee.timeline().now().boards.position(board));
            let expected = recorded[format!("final_fen_{board}")].as_str().expect("a FEN");
            let expected = expected.split(['[', ' ']).next().expect("a placement");
            assert_eq!(
                shown.replace('~', ""),
                expected.replace('~', ""),
                "{} board {board}",
                recorded["id"]
            );
        }
        let illegal: Vec<_> =
            referee.alerts().filter(|alert| alert.code == "illegal-move").collect();
        assert!(illegal.is_empty(), "{}: {illegal:?}", recorded["id"]);
        replayed += 1;
    }
    assert!(replayed > 0);
}
