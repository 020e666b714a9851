//! The commands on files as people type them: what one writes, the next one reads.

#[path = "support/program.rs"]
mod program;
#[path = "support/quick_games.rs"]
mod quick_games;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use program::ask;
use quick_games::quick_games;

/// Runs a command that must succeed; returns its stderr.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = ask(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    stderr
}

/// A folder with a file of games, played by simulated hands into `traces`.
fn played(count: usize, plies: usize, options: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let games: Vec<String> =
        quick_games(count, plies, 700).iter().map(rules::bpgn::write).collect();
    fs::write(folder.path().join("some.bpgn"), games.join("\n")).unwrap();
    let sim = ["sim", "some.bpgn", "--players", "ideal", "--seed", "1", "--out", "traces"];
    succeed(folder.path(), &[&sim[..], options].concat());
    folder
}

/// The file of the folder's first match whose name ends like this.
fn file(folder: &Path, suffix: &str) -> String {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let path = paths.into_iter().find(|path| path.to_string_lossy().ends_with(suffix));
    fs::read_to_string(path.unwrap_or_else(|| panic!("no {suffix} in {folder:?}"))).unwrap()
}

/// The lines of a match's inferred file that are plies.
fn plies(folder: &Path) -> Vec<serde_json::Value> {
    let text = file(folder, ".inferred.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.filter(|line: &serde_json::Value| line["kind"] == "ply").collect()
}

#[test]
fn what_a_person_knows_is_in_the_record_and_what_nobody_saw_is_said() {
    let folder = played(1, 60, &[]);
    let at = folder.path();
    succeed(at, &["infer", "traces", "--out", "before"]);
    let before = plies(&at.join("before"));
    let doubtful = before.iter().find(|ply| {
        let uci = ply["uci"].as_str().unwrap();
        uci.contains('@') && ply["alternatives"][0]["uci"].is_string()
    });
    let doubtful = doubtful.expect("a drop that is not certain");
    let (number, other) = (&doubtful["n"], &doubtful["alternatives"][0]["uci"]);
    let facts = format!(
        "{{\"kind\":\"fact\",\"ply\":{number},\"uci\":{other}}}\n\
         {{\"kind\":\"fact\",\"ply\":999,\"uci\":\"N@e6\"}}\n"
    );
    fs::write(at.join("known.jsonl"), facts).unwrap();
    let said = succeed(at, &["infer", "traces", "--out", "after", "--facts", "known.jsonl"]);
    assert!(said.contains("ply 999 was N@e6"), "{said}");
    let after = plies(&at.join("after"));
    let told = after.iter().find(|ply| ply["n"] == *number).unwrap();
    assert_eq!(told["uci"], *other);
    assert!(told["p"].as_f64().unwrap() > 0.9, "{told}");
}

#[test]
fn a_line_that_is_no_fact_is_named_and_nothing_is_inferred() {
    let folder = played(1, 12, &[]);
    let facts = "{\"kind\":\"fact\",\"ply\":3,\"uci\":\"N@e6\"}\nthree was a knight\n";
    fs::write(folder.path().join("known.jsonl"), facts).unwrap();
    let infer = ["infer", "traces", "--out", "inferred", "--facts", "known.jsonl"];
    let output = ask(folder.path(), &infer);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("known.jsonl") && stderr.contains("line 2"), "{stderr}");
}

#[test]
fn weights_that_were_trained_are_inferred_with_and_others_are_refused() {
    let folder = played(3, 40, &[]);
    let at = folder.path();
    let train = ["train", "some.bpgn", "--from", "base", "--fine-tune", "--held-out", "0"];
    succeed(at, &[&train[..], &["--out", "own.weights"]].concat());
    succeed(at, &["infer", "traces", "--out", "own", "--model", "own.weights"]);
    succeed(at, &["infer", "traces", "--out", "plain", "--model", "uniform"]);
    let read = |out: &str| file(&at.join(out), ".inferred.jsonl");
    assert_ne!(read("own"), read("plain"));
    let mut bytes = fs::read(at.join("own.weights")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(at.join("spoilt.weights"), bytes).unwrap();
    let output = ask(at, &["infer", "traces", "--out", "none", "--model", "spoilt.weights"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("spoilt.weights"), "{stderr}");
}

#[test]
fn a_mix_of_boards_with_trays_is_played_inferred_and_scored() {
    let folder = played(1, 60, &["--sensor", "A=hall-magnitude,B=reed", "--trays"]);
    succeed(folder.path(), &["infer", "traces", "--out", "inferred"]);
    let output = ask(folder.path(), &["score", "traces", "inferred", "--json"]);
    let score: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = score.to_string();
    assert!(output.status.success() && text.contains("exact"), "{text}");
    let trace = file(&folder.path().join("traces"), ".trace.jsonl");
    assert!(trace.contains("\"kind\":\"tray\"") && trace.contains("\"level\""));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_twinboard"))
        .args(["rulebook", "us-chess-bughouse-2018"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
}

/// A game of chess with an increment; one with an illegal move; a short one; one that is cut in a comment.
const CHESS: &str = "[Event \"first\"]\n[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:03:01.0]} e5 \
    {[%clk 0:03:01.5]} 2. Bc4 {[%clk 0:03:00.0]} Nc6 {[%clk 0:02:58.0]} 3. Qh5 {[%clk 0:02:59.0]} \
    Nf6 {[%clk 0:02:57.0]} 4. Qxf7# {[%clk 0:02:58.0]} 1-0\n\n\
    [Event \"second\"]\n\n1. e4 e5 2. Ke3 0-1\n\n\
    [Event \"third\"]\n[TimeControl \"60\"]\n[Delay \"2 us\"]\n\n1. d4 d5 2. c4 *\n\n\
    [Event \"fourth\"]\n\n1. d4 {[%clk 0:0";

#[test]
fn games_of_chess_are_played_inferred_and_scored_and_a_wrong_one_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("some.pgn"), CHESS).unwrap();
    let sim = ["sim", "some.pgn", "--players", "ideal", "--seed", "1", "--out", "traces"];
    let output = ask(at, &sim);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    for said in
        ["some.pgn", "game 2, line 8", "\"Ke3\" is impossible", "game 4", "cut off", "2 of 4 games"]
    {
        assert!(stderr.contains(said), "{said:?} is not in {stderr}");
    }
    let header = file(&at.join("traces"), "some-001.trace.jsonl");
    assert!(header.contains("\"game\":\"chess\"") && header.contains("\"increment_s\":2"));

    succeed(at, &["infer", "traces", "--out", "inferred"]);
    let moves: Vec<String> = plies(&at.join("inferred"))
        .iter()
        .map(|ply| ply["uci"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(moves.join(" "), "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7");
    let (record, error) =
        rules::pgn::read(file(&at.join("inferred"), "some-001.pgn").as_bytes()).remove(0);
    assert_eq!((error, record.tag("TimeControl")), (None, Some("180+2")));
    assert_eq!(record.result, rules::pgn::GameResult::White);
    assert!(record.plies.iter().all(|ply| ply.clock_ms > Some(170_000)));

    let output = ask(at, &["score", "traces", "inferred", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let tracker = &report["groups"][0]["tracker"];
    assert_eq!((&tracker["exact"]["right"], &tracker["exact"]["of"]), (&2.into(), &2.into()));
}

#[test]
fn a_table_of_which_one_board_has_sensors_is_played_inferred_and_scored() {
    let folder = played(1, 60, &["--sensor", "A=reed"]);
    let at = folder.path();
    succeed(at, &["infer", "traces", "--out", "inferred"]);
    let told = plies(&at.join("inferred"));
    assert!(!told.is_empty() && told.iter().all(|ply| ply["board"] == "A"));
    let output = ask(at, &["score", "traces", "inferred", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let tracker = &report["groups"][0]["tracker"];
    assert_eq!(tracker["squares"]["end"]["share"], 1.0, "{tracker}");
}

#[test]
fn a_list_with_two_mistakes_is_named_by_line_changes_nothing_and_is_taken_once_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let open =
        ["event", "open", "spring.json", "--section", "K-6", "--rounds", "3", "--tables", "4"];
    succeed(at, &open);
    let before = fs::read(at.join("spring.json")).unwrap();
    let good =
        "Team;Player 1;Player 2\nRooks;Ann;Bob\nKnights;Cy;Di\nPawns;Ed;Flo\nKings;Gus;Hal\n";
    let wrong = good.replace("Pawns;Ed", "Rooks;Ed").replace("Kings;Gus", "Kings;Ann");
    fs::write(at.join("teams.csv"), wrong).unwrap();
    let take = ["event", "import", "teams.csv", "--as", "teams", "--event", "spring.json"];
    let refused = ask(at, &[&take[..], &["--json"]].concat());
    assert!(!refused.status.success());
    let report: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
    let lines: Vec<_> =
        report["problems"].as_array().unwrap().iter().map(|it| &it["line"]).collect();
    assert_eq!(lines, [4, 5], "{report}");
    assert_eq!(fs::read(at.join("spring.json")).unwrap(), before, "nothing half done");
    assert!(!ask(at, &["event", "check", "teams.csv", "--as", "teams"]).status.success());

    fs::write(at.join("teams.csv"), good).unwrap();
    succeed(at, &["event", "check", "teams.csv", "--as", "teams"]);
    succeed(at, &[&take[..], &["--mapping", "columns.json"]].concat());
    assert!(fs::read_to_string(at.join("columns.json")).unwrap().contains("Player 2"));
    let round = "Round,Table,Team A,Team B,Result\n1,1,Rooks,Knights,1-0\n1,2,Pawns,Kings,\n";
    fs::write(at.join("round.csv"), round).unwrap();
    succeed(at, &["event", "import", "round.csv", "--as", "pairings", "--event", "spring.json"]);
    let standings = ask(at, &["event", "standings", "spring.json", "--charts"]);
    let standings = String::from_utf8(standings.stdout).unwrap();
    assert!(standings.contains("provisional") && standings.contains("W2"), "{standings}");
    assert!(!standings.contains("Ann"), "no person is named unasked: {standings}");
    let results = ask(at, &["event", "results", "spring.json"]).stdout;
    assert!(String::from_utf8(results).unwrap().contains("K-6,1,1,1,1,2,1-0,yes\n"));
}

/// Lists that are refused while the first match runs: kind, contents, and the start of the error.
const WRONG_LISTS: [(&str, &str, &str); 7] = [
    ("pairings", "Round,Table,Team A,Team B\n1,9,Pawns,Kings\n", "line 2, Table: "),
    ("pairings", "Round,Table,Team A,Team B\n1,2,Pawns,Pawns\n", "line 2, Table: "),
    ("pairings", "Round,Table,Team A\n1,2,Pawns\n", "line 1, team 2: "),
    ("results", "Round,Table,Result\n1,1,1-0\n", "line 2, Result: "),
    ("results", "Round,Table,Result\n1,2,1-0\n", "line 2, Table: "),
    ("teams", "Team,Player 1,Player 2\nQueens,Ida,Jo\nrooks,Kay,Lou\n", "line 3, Team: "),
    ("teams", "Team,Player 1,Player 2\nQueens,Ann,Jo\n", "line 2, Player 1: "),
];

#[test]
fn every_wrong_list_is_named_by_its_line_and_leaves_the_event_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    succeed(
        at,
        &["event", "open", "spring.json", "--section", "K-6", "--rounds", "3", "--tables", "4"],
    );
    // A spreadsheet of the last century: Windows-1252, semicolons.
    let teams =
        b"Team;Player 1;Player 2\nRooks;Ann;Bob\nKnights;Cy;Di\nPawns;Zo\xeb;Flo\nKings;Gus;Hal\n";
    let take =
        |kind: &str| ask(at, &["event", "import", "list", "--as", kind, "--event", "spring.json"]);
    for (kind, list) in [
        ("teams", &teams[..]),
        ("pairings", b"Round,Table,Team A,Team B\n1,1,Rooks,Knights\n"),
        ("deeds", b"{\"kind\":\"match-started\",\"pairing\":1}\n"),
    ] {
        fs::write(at.join("list"), list).unwrap();
        assert!(take(kind).status.success(), "{kind}");
    }
    let before = fs::read(at.join("spring.json")).unwrap();
    assert!(String::from_utf8(before.clone()).unwrap().contains("Zoë"));
    for (kind, list, place) in WRONG_LISTS {
        fs::write(at.join("list"), list).unwrap();
        let refused = take(kind);
        assert!(!refused.status.success(), "{list}");
        let said = String::from_utf8(refused.stdout).unwrap();
        assert!(said.lines().any(|line| line.starts_with(place)), "{list}: {said}");
        assert_eq!(fs::read(at.join("spring.json")).unwrap(), before, "{list}");
    }
}
