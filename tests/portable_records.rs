//! Matches that children played, illegal plies and all, as records that python-chess reads to the last ply.
//!
//! The readers are in `support/python_chess.rs`.

use std::path::Path;

use readings::TruthLine;
use rules::{
    BoardId, Match,
    bpgn::{self, BpgnGame, BpgnPly, portable},
    pgn::{self, GameResult, crazyhouse},
};
use sim::{Profile, perform};

#[path = "support/python_chess.rs"]
mod python_chess;

use python_chess::{read_bpgn, read_pgn};

/// The seed of every performance.
const SEED: u64 = 11;
/// Matches that must have an illegal ply, so that the test tests something.
const WITH_ILLEGAL_MIN: usize = 20;

#[test]
fn python_chess_reads_every_part_of_every_match_to_its_last_ply() {
    let Some(matches) = matches_of_children() else { return };
    let with_illegal = matches.iter().filter(|game| portable::parts(game, |_| true).len() > 1);
    let with_illegal = with_illegal.count();
    assert!(with_illegal >= WITH_ILLEGAL_MIN, "{with_illegal} of {} matches", matches.len());
    let parts: Vec<BpgnGame> =
        matches.iter().flat_map(|game| portable::parts(game, |_| true)).collect();
    let text: String = parts.iter().map(|part| bpgn::write(part) + "\n").collect();
    let plies: usize = parts.iter().map(|part| part.plies.len()).sum();
    println!(
        "{} matches, {with_illegal} with illegal plies: {} parts, {plies} plies",
        matches.len(),
        parts.len()
    );
    // For tests with another program by hand.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("children.portable.bpgn");
    std::fs::write(file, &text).expect("a file that can be written");
    let read = read_bpgn(&text);
    assert_eq!(read.len(), parts.len());
    for (part, read) in parts.iter().zip(read) {
        let name = (part.tag("Match"), part.tag(portable::PART_TAG));
        assert_eq!((read.plies, read.error), (part.plies.len(), None), "{name:?}");
    }
}

#[test]
fn python_chess_reads_every_board_as_crazyhouse_to_its_last_ply() {
    let Some(matches) = matches_of_children() else { return };
    let mut boards = Vec::new();
    for game in &matches {
        for board in BoardId::ALL {
            boards.extend(crazyhouse::parts(game, board, |_| true));
        }
    }
    let text: String = boards
        .iter()
        .map(|part| {
            let tags = [
                ("Variant", crazyhouse::VARIANT.to_owned()),
                (pgn::SET_UP_TAG, "1".to_owned()),
                (pgn::FEN_TAG, part.fen.clone()),
            ];
            pgn::write_items(&tags, &part.items, GameResult::default())
        })
        .collect();
    let read = read_pgn(&text);
    assert_eq!(read.len(), boards.len());
    for (part, read) in boards.iter().zip(read) {
        assert_eq!((read.plies, read.error), (part.items.len(), None), "{}", part.fen);
    }
}

/// The real matches as children play them: with slips, and with chances for claims that no player uses.
fn matches_of_children() -> Option<Vec<BpgnGame>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/games/corpus.bpgn");
    if !path.is_file() {
        assert!(std::env::var_os("CI").is_none(), "the real matches are not at {}", path.display());
        println!("not run: there are no real matches at {}", path.display());
        return None;
    }
    let bytes = std::fs::read(&path).expect("a file that can be read");
    let played = bpgn::read(&bytes).into_iter().enumerate().map(|(index, game)| {
        let game = game.expect("a real match");
        let name = format!("m{index}");
        let performance =
            perform(&game, Profile::Scholastic, SEED, &name).expect("it can be played");
        as_played(&name, &performance.truth)
    });
    Some(played.collect())
}

fn as_played(name: &str, truth: &[TruthLine]) -> BpgnGame {
    let mut game = BpgnGame::default();
    game.set_tag("Match", name);
    let mut state = Match::initial();
    for line in truth {
        let TruthLine::Ply(ply) = line else { continue };
        let number = u32::from(state.position(ply.board).fullmove_number());
        state.set_turn(ply.board, ply.side);
        state.play(ply.board, ply.uci);
        game.plies.push(BpgnPly {
            board: ply.board,
            color: ply.side,
            ply: ply.uci,
            clock_ms: Some(300_000),
            number,
            comment: None,
        });
    }
    game
}
