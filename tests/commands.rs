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

/// Runs a command that must succeed; what it said on stderr.
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
