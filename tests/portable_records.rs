//! Matches that children played, illegal plies and all, as records that python-chess reads to the last ply.
//!
//! Both boards of a portable BPGN are replayed at once as two boards of crazyhouse whose captures change the board; every board's PGN
//! by the reader of python-chess as it is.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use readings::TruthLine;
use rules::{
    BoardId, Match,
    bpgn::{self, BpgnGame, BpgnPly, portable},
    pgn::{self, GameResult, crazyhouse},
};
use serde::Deserialize;
use sim::{Profile, perform};

/// The seed of every performance.
const SEED: u64 = 11;
/// Matches that must have an illegal ply, so that the test tests something.
const WITH_ILLEGAL_MIN: usize = 20;

/// Replays every game of a file; writes how many plies were read, or where it stopped.
const READ_BPGN: &str = r#"
import chess, chess.variant, json, re, sys
for text in sys.stdin.read().split("\n\n\n"):
    if not text.strip():
        continue
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.M))
    boards = {"A": chess.variant.CrazyhouseBoard(), "B": chess.variant.CrazyhouseBoard()}
    if "FEN" in tags:
        for name, fen in zip("AB", tags["FEN"].split(" | ")):
            boards[name] = chess.variant.CrazyhouseBoard(fen)
    plies, error = 0, None
    for seat, san in re.findall(r"\d+([AaBb])\. (\S+?)\{", text.replace("\n", " ")):
        board, other = boards[seat.upper()], boards["B" if seat in "Aa" else "A"]
        if board.turn != seat.isupper():
            error = f"{seat}. {san} is out of turn"
            break
        before = {color: board.pockets[color].copy() for color in chess.COLORS}
        try:
            move = board.parse_san(san)
        except ValueError as reason:
            error = f"{plies}: {seat}. {san}: {reason}"
            break
        mover = board.turn
        board.push(move)
        for kind in chess.PIECE_TYPES:
            if board.pockets[mover].count(kind) > before[mover].count(kind):
                board.pockets[mover].remove(kind)
                other.pockets[not mover].add(kind)
        plies += 1
    print(json.dumps({"plies": plies, "error": error}))
"#;

/// The same of the boards' games, by the reader of PGN.
const READ_PGN: &str = r#"
import chess.pgn, io, json, sys
text = io.StringIO(sys.stdin.read())
while (game := chess.pgn.read_game(text)) is not None:
    error = "; ".join(str(error) for error in game.errors) or None
    print(json.dumps({"plies": len(list(game.mainline())), "error": error}))
"#;

/// What python-chess says of a game.
#[derive(Debug, Deserialize)]
struct Read {
    plies: usize,
    error: Option<String>,
}

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
    let read = python(READ_BPGN, &text);
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
    let read = python(READ_PGN, &text);
    assert_eq!(read.len(), boards.len());
    for (part, read) in boards.iter().zip(read) {
        assert_eq!((read.plies, read.error), (part.items.len(), None), "{}", part.fen);
    }
}

/// The real matches as children play them: with slips, and with claims that nobody makes.
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

fn python(program: &str, text: &str) -> Vec<Read> {
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 with python-chess");
    let mut input = child.stdin.take().expect("a pipe");
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("its answer");
    writer.join().expect("no panic").expect("it reads to the end");
    assert!(output.status.success(), "python-chess did not read the records");
    let lines = String::from_utf8(output.stdout).expect("text");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}
