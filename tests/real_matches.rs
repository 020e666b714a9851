//! Accuracy of the records of real matches, by the commands that users have.
//!
//! The recorded matches are beside the project, not in it. Without them the test prints that it did not run, and fails under CI. It
//! asserts a floor below the reached accuracy. These are no figures to report: the shipped weights have been fitted to these very
//! matches. docs/accuracy.md has figures on matches that were not used for fitting (`cargo xtask accuracy`).

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The seed of every performance.
const SEED: &str = "1";

fn corpus() -> Option<PathBuf> {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/games/corpus.bpgn");
    if games.is_file() {
        return Some(games);
    }
    assert!(std::env::var_os("CI").is_none(), "the real games are not at {}", games.display());
    println!("not run: there are no real games at {}", games.display());
    None
}

fn twinboard(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_twinboard"))
        .args(arguments)
        .output()
        .expect("the program was built for this test");
    assert!(
        output.status.success(),
        "twinboard {arguments:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("results are UTF-8")
}

/// The tracker's scores of the corpus, played once by players of this profile at reed boards with
/// these further arguments.
fn score(profile: &str, equipment: &[&str]) -> Option<Value> {
    let games = corpus()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (traces, inferred) = (path("traces"), path("inferred"));
    let games = games.display().to_string();
    let mut play = vec!["sim", &games, "--players", profile, "--seed", SEED, "--out", &traces];
    play.extend(equipment);
    twinboard(&play);
    twinboard(&["infer", &traces, "--out", &inferred]);
    let report: Value = serde_json::from_str(&twinboard(&["score", &traces, &inferred, "--json"]))
        .expect("the report is JSON");
    let group = &report["groups"][0];
    assert_eq!(group["matches"].as_array().map(Vec::len), Some(75), "every match is scored");
    Some(group["tracker"].clone())
}

/// A share of the tracker's scores, such as `/drop_types/live`.
fn share(tracker: &Value, pointer: &str) -> f64 {
    let share = tracker.pointer(pointer).and_then(|share| share["share"].as_f64());
    share.unwrap_or_else(|| panic!("the report has no {pointer}"))
}

fn assert_no_match_is_lost(tracker: &Value) {
    assert_eq!(tracker["lost"]["right"], 0, "lost matches: {}", tracker["lost"]);
}

fn assert_at_least(tracker: &Value, pointer: &str, floor: f64) {
    let share = share(tracker, pointer);
    assert!(share >= floor, "{pointer} is {share}, under the floor of {floor}");
}

#[test]
fn every_square_is_right_when_ideal_hands_play_real_matches() {
    let Some(tracker) = score("ideal", &[]) else { return };
    assert_no_match_is_lost(&tracker);
    assert_eq!(share(&tracker, "/squares/end"), 1.0, "{}", tracker["squares"]);
    assert_at_least(&tracker, "/drop_types/live", 0.80);
    assert_at_least(&tracker, "/drop_types/end", 0.92);
}

#[test]
fn hardly_a_square_is_wrong_when_club_players_play_real_matches() {
    let Some(tracker) = score("club", &[]) else { return };
    assert_no_match_is_lost(&tracker);
    assert_at_least(&tracker, "/squares/end", 0.999);
    assert_at_least(&tracker, "/drop_types/end", 0.92);
}

#[test]
fn no_match_is_lost_when_children_play_real_matches() {
    let Some(tracker) = score("scholastic", &[]) else { return };
    assert_no_match_is_lost(&tracker);
    assert_at_least(&tracker, "/squares/end", 0.995);
    assert_at_least(&tracker, "/drop_types/end", 0.90);
}

#[test]
fn sensed_trays_tell_nearly_every_dropped_piece() {
    let Some(tracker) = score("club", &["--trays"]) else { return };
    assert_no_match_is_lost(&tracker);
    assert_at_least(&tracker, "/drop_types/end", 0.99);
}
