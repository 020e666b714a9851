//! Records as python-chess reads them: an oracle that knows nothing of Twinboard.
//!
//! Both boards of a portable BPGN are replayed at once, as two boards of crazyhouse whose captures change the board. Every board's PGN
//! is read by the reader of python-chess as it is.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use serde::Deserialize;

/// Replays every game of a file; writes how many plies were read, or where it stopped.
const READ_BPGN: &str = r#"
import chess, chess.variant, json, re, sys
games, in_tags = [], False
for line in sys.stdin.read().splitlines():
    if line.startswith("[") and not in_tags:
        games.append([])
    in_tags = line.startswith("[") or (in_tags and not line)
    if line:
        games[-1].append(line)
for text in map("\n".join, games):
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

/// Result of python-chess for a game.
#[derive(Debug, Deserialize)]
pub(crate) struct Read {
    /// Number of plies that were read.
    pub(crate) plies: usize,
    /// Error at the next ply; `None` if all were read.
    pub(crate) error: Option<String>,
}

/// Reads each game of a file of BPGN.
pub(crate) fn read_bpgn(text: &str) -> Vec<Read> {
    python(READ_BPGN, text)
}

/// Reads each game of a file of PGN.
pub(crate) fn read_pgn(text: &str) -> Vec<Read> {
    python(READ_PGN, text)
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
